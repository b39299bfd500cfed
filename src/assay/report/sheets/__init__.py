"""Reports to work with, one a result. Importing this package registers them all."""

from __future__ import annotations

import assay.report.sheets.comparison  # noqa: F401 # this import registers the report
