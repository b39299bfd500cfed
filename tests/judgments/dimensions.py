"""A rubric with a rule, and what two raters said of its dimensions."""

from __future__ import annotations

RUBRIC = """\
+++
base = "topicality"
[grade.0]
name = "no"
[grade.1]
name = "weak"
[grade.3]
name = "yes"
[dimension.topicality]
[dimension.freshness]
[cap.stale]
dimension = "freshness"
at_most = 0
grade = 1
+++
"""

ROWS = [
    {"query_id": "q", "doc_id": doc, "rater": rater, "dimension": dimension, "grade": value}
    for doc, rater, topicality, freshness in (("a", "x", 3, 0), ("a", "y", 3, 1), ("b", "x", 0, 0), ("c", "x", 3, 1))
    for dimension, value in (("topicality", topicality), ("freshness", freshness))
]
