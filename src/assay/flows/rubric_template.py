"""The rubric that `assay rubric init` writes: a start, to be changed before the first label is given."""

from __future__ import annotations

_TOP = """\
+++
# What the grades mean: for raters, for the labelling page and for model judges. Change the examples to your own.
name = "Relevance"
"""

_BASE = """\
base = "topicality"                 # the grade starts from topicality; the caps below hold it down
"""

_GRADES = """
[grade.0]
name = "irrelevant"
definition = "Does not help with what was asked."
good = "\\"rain jacket\\": a pair of shoes"
borderline = "\\"rain jacket\\": an umbrella; it is for rain, and nobody who wants a jacket wants it"

[grade.1]
name = "marginal"
definition = "About the topic, but hardly anybody would take it."
good = "\\"rain jacket\\": a care product for rain jackets"
borderline = "\\"rain jacket\\": a warm coat that is not waterproof"

[grade.2]
name = "relevant"
definition = "A good answer that most would take, though something is missing."
good = "\\"rain jacket for children\\": a rain jacket that also comes in small sizes"
borderline = "\\"rain jacket\\": a poncho"

[grade.3]
name = "perfect"
definition = "Exactly what was asked for; nothing better can be imagined."
good = "\\"rain jacket for children\\": a rain jacket for children, in stock"
borderline = "\\"AB-12\\": the part AB-12 from another maker"
"""

_DIMENSIONS = """
[dimension.topicality]
definition = "Is it about what was asked?"
means = { 0 = "no", 1 = "touches it", 2 = "mostly", 3 = "exactly" }

[dimension.freshness]
definition = "Does it still hold today? For most products and facts: current."
means = { 0 = "out of date: wrong, gone or replaced", 1 = "current" }

[dimension.authority]
definition = "Can it be relied on? It is judged and stored, and by this rubric does not change the grade."
means = { 0 = "doubtful", 1 = "usual", 2 = "the source itself" }

[cap.stale]
dimension = "freshness"
at_most = 0
grade = 1
why = "what is out of date does not help, however well it fits"
"""

_BODY = """\
+++
## How to judge

1. Read the query and say to yourself what the person wants. If you cannot, choose *can't tell* and say why.
2. Judge the document that you see, not the shop or the site around it, and not how it would compare with others.
"""

_TURN = """\
3. Judge topicality first, then freshness and authority. The grade follows from the rule above.
"""

_END = """\
{} Between two grades take the lower one, and leave a note when the rubric should say more.
"""

RUBRIC = "".join((_TOP, _BASE, _GRADES, _DIMENSIONS, _BODY, _TURN, _END.format("4.")))
"""Four grades, three dimensions, one rule."""

PLAIN = "".join((_TOP, _GRADES, _BODY, _END.format("3.")))
"""The same grades, each given by itself."""
