"""The `assay.toml` that `assay init` writes: what it asks, and the commented text that the answers become."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that `assay init` asks.

    Args:
        name: the argument of `init`; as an option, it gives the answer without asking.
        text: the question.
        default: the answer when the user only presses Enter.
        choices: the answers that are allowed; empty when any text is.
        why: one sentence on what the answer changes.
    """

    name: str
    text: str
    default: str
    choices: tuple[str, ...] = ()
    why: str = ""


QUESTIONS = (
    Question(
        "k", "How many results does your user (or your model) read?", "10",
        why="A page of ten, a context of eight chunks: values are computed for what is read.",
    ),
    Question(
        "primary", "Which measure decides (k stands for that number)?", "nDCG@k",
        why="nDCG for several right answers with grades, RR for one right answer, R where a later stage reads all.",
    ),
    Question(
        "guardrails", "Which measures must not fall meanwhile?", "R@100, RR",
        why="Recall shows what no reordering can repair.",
    ),
    Question(
        "gain", "What is a grade worth?", "linear", ("linear", "exp"),
        why="linear: the grade itself, as trec_eval; exp: 2^grade - 1, which makes the best grade count more.",
    ),
    Question(
        "rel", "From which grade on is a document relevant (Enter: every grade above 0)?", "",
        why="P, R, RR and AP count relevant documents.",
    ),
    Question(
        "unlisted", "What does a pair mean that your judgments do not list?", "unjudged", ("unjudged", "not-relevant"),
        why="unjudged: nobody looked, and the share that is judged is printed; not-relevant: somebody did.",
    ),
    Question("qrels", "Where are your judgments (Enter: none yet)?", "", why="A file of any format, from this folder."),
    Question("runs", "In which folder are your runs?", "runs", why="`assay evaluate NAME` looks there."),
    Question("topics", "Where are your queries (Enter: none yet)?", "", why="Text, weight, intent and segment."),
    Question(
        "documents", "Where are your documents (Enter: none yet)?", "", why="`assay explain` shows their titles.",
    ),
    Question(
        "segment", "Which column of the queries names their segment?", "segment",
        why="Each segment is printed beside the total: a gain on head queries can hide a loss in the tail.",
    ),
)  # fmt: skip
"""What `init` asks, in this order. Every answer is text."""


def fill(answers: Mapping[str, str]) -> str:
    """The text of `assay.toml` for the answers to all questions, already checked."""
    guardrails = ", ".join(_quote(name) for name in answers["guardrails"].split(" ") if name)
    return TEXT.format_map(
        {name: _quote(text) for name, text in answers.items()}
        | {
            "guardrails": f"[{guardrails}]",
            "k": answers["k"],
            "rel": f"rel = {answers['rel']}" if answers["rel"] else "# rel = 1",
            "qrels": _line("qrels", answers["qrels"], "judgments.qrels"),
            "topics": _line("topics", answers["topics"], "topics.csv"),
            "documents": _line("documents", answers["documents"], "documents.jsonl"),
        }
    )


def _line(key: str, text: str, example: str) -> str:
    return f"{key} = {_quote(text)}" if text else f"# {key} = {_quote(example)}"


def _quote(text: str) -> str:
    """A TOML string: those of JSON are, save for the one control character that JSON lets stand."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


TEXT = """\
# What holds for every `assay` command in this folder and below.
#
# A value comes from the first of: an option (--ties input), the environment (ASSAY_TIES=input), this file, the default.
# `assay config show` prints every value with where it came from, `assay doctor` checks this file and what it names.
# A line that begins with # gives the default, or an example.

[measures]
# The measure that decides. `assay measures` lists all of them, `assay measures nDCG` explains one.
primary = {primary}

# What must not fall while the primary rises. Recall shows what no reordering can repair.
guardrails = {guardrails}

# What a grade is worth in CG, DCG and nDCG: "linear" is the grade itself, "exp" is 2^grade - 1, and a table names the
# gain of each grade, such as {{ 1 = 1, 2 = 5 }}. A measure that says its own gain keeps it: nDCG(gain=exp)@10.
gain = {gain}

# How many results the consumer reads: a page of ten, a context of eight chunks.
k = {k}

[conventions]
# The lowest relevant grade. Without this line every grade above 0 is relevant.
{rel}

# What an absent pair means: "unjudged" (nobody looked) or "not-relevant" (somebody looked, or it is taken so).
unlisted = {unlisted}

# A query without a relevant document: "drop" lists it and leaves it out of the mean, "zero" and "one" count it so.
# no_relevant = "drop"

# A judged query that a run lacks: "zero" counts 0, "skip" leaves it out, "error" refuses the run.
# missing = "zero"

# What orders a run: "score", "rank", or "auto" for the score where there is one.
# order = "auto"

# Equal scores: "docid" (descending, as trec_eval), "input", "expected" (the mean over all orders), "best", "worst".
# ties = "docid"

# The width in which scores are compared: "64-bit" or "32-bit", as trec_eval 9.
# scores = "64-bit"

# A document twice for one query: "refuse" or "keep-first".
# duplicates = "refuse"

# A grade below 0: "judged" (not relevant) or "unjudged", as trec_eval takes it.
# negative = "judged"

# Several raters of one pair: "mean", "majority", "median", "dawid-skene" or the name of the one who counts.
# raters = "mean"

# Which judgments are read where they hold several dimensions; "relevance" is the grade itself.
# dimension = "relevance"

# Rows of a run that count beside organic ones: "sponsored", "pinned".
# include = []

# All conventions of another program, where no line above says otherwise: "trec_eval-9" or "trec_eval-10".
# compat = "trec_eval-10"

[segments]
# The column of the topics file that names the segment of each query.
column = {segment}

# Without that column, but with weights: the most frequent queries that make up this share of the traffic are head,
# those up to the next share are torso, the others tail.
# head = 0.5
# torso = 0.8

# Which queries have one right answer: "COLUMN=VALUE" of the topics file, or "one-relevant" (one is known).
# known_item = "intent=item"

[paths]
# All relative to this file. `assay evaluate NAME` looks among the runs, `assay show NAME` among the results.
runs = {runs}
# results = "results"
# cells = "cells"
{qrels}
{topics}
{documents}

[store]
# The database of judgments and experiments; without this line a SQLite file in the folder .assay.
# A URL with a password belongs into the environment: ASSAY_STORE_URL.
# url = "postgresql://assay@localhost/assay"

[cache]
# Large runs are copied into this folder, where they are read faster the next time; the copies unused for longest go.
# on = true
# folder = ".assay/cache"
# limit_gb = 20
"""
