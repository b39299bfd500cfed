"""The rules of a gate, by what they are about: the ranking's quality, the evidence for it, the service.

A new rule is a dataclass with `@rule(...)` in one of these modules, or in a plug-in.
"""

import assay.compare.rules.evidence
import assay.compare.rules.quality
import assay.compare.rules.service  # noqa: F401 # these imports register the rules
