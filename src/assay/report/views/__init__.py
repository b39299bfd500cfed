"""One view a result. Importing this package registers them all."""

from __future__ import annotations

import assay.report.views.scores  # noqa: F401 # registers its views
