"""A small product search, written for this project: what the README, the demo, the documentation and tests score.

    documents.jsonl     64 products of a shop for bicycles and outdoor goods: doc_id, title, text
    topics.csv          26 queries with searches a month (weight), intent and segment
    searches.csv        what was searched for in a month, how often, and with how many results and clicks
    ratings.csv         what two raters, ana and bo, said of the same pairs: grades 0 to 3
    judgments.qrels     the grade that they agreed on
    interactions.csv    what 14 people looked at, put into the cart and bought, and when
    clicks.parquet      3,000 simulated searches of two of the runs, and what was clicked
    bm25.run            words
    dense.run           meaning
    first.run           pieces of words: the first stage of
    two-stage.run       the same documents in a better order

`examples/build/systems.py` in the source repository makes the four runs, and `assay simulate logs` made the clicks.
"""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError, did_you_mean

FILES = (
    "documents.jsonl",
    "topics.csv",
    "searches.csv",
    "ratings.csv",
    "judgments.qrels",
    "interactions.csv",
    "clicks.parquet",
    "bm25.run",
    "dense.run",
    "first.run",
    "two-stage.run",
)
"""The files of the example, in the order in which a newcomer would read them."""


def path(name: str) -> Path:
    """Where a file of the example lies.

    >>> path("bm25.run").name
    'bm25.run'
    """
    if name not in FILES:
        raise InputError(
            f"the example has no file {name}{did_you_mean(name, FILES)}", remedy=f"its files are {', '.join(FILES)}"
        )
    from importlib.resources import files

    found = files(__name__).joinpath(name)
    if not isinstance(found, Path):  # imported from an archive: there is no file to name
        raise InputError("the example cannot be read from an archive", remedy="install assay unpacked, as pip does")
    return found
