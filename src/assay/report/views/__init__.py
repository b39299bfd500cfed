"""One view a result. Importing this package registers them all."""

from __future__ import annotations

import assay.report.views.agreement
import assay.report.views.behaviour
import assay.report.views.catalogue
import assay.report.views.cells
import assay.report.views.click_labels
import assay.report.views.click_models
import assay.report.views.comparison
import assay.report.views.convert
import assay.report.views.counterfactual
import assay.report.views.explanation
import assay.report.views.feedback_loop
import assay.report.views.freshness
import assay.report.views.gate
import assay.report.views.holdout
import assay.report.views.measures
import assay.report.views.overlap
import assay.report.views.pool
import assay.report.views.pool_audit
import assay.report.views.power
import assay.report.views.preferences
import assay.report.views.project
import assay.report.views.propensity
import assay.report.views.reconcile
import assay.report.views.rerun
import assay.report.views.rubric
import assay.report.views.sample
import assay.report.views.scores
import assay.report.views.setup
import assay.report.views.simulated
import assay.report.views.validation  # noqa: F401 # these imports register the views
