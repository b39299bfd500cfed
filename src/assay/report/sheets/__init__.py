"""Reports to work with, one a result. Importing this package registers them all."""

from __future__ import annotations

import assay.report.sheets.comparison
import assay.report.sheets.gate  # noqa: F401 # these imports register the reports
