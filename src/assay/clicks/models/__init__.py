"""The click models, one file a kind: a new one is a dataclass with `@click_model(...)`, or comes from a plug-in."""

import assay.clicks.models.cascade
import assay.clicks.models.ccm
import assay.clicks.models.dbn
import assay.clicks.models.dcm
import assay.clicks.models.pbm
import assay.clicks.models.rates
import assay.clicks.models.ubm  # noqa: F401 # these imports register the models
