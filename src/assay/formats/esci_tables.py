"""Tables to Amazon's Shopping Queries data (ESCI): grades to labels, and the files with the columns of the release."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.files import making, replacing
from assay.formats.carried import Carried, Lost, Wishes
from assay.formats.columns import to_bytes
from assay.formats.gathered import Losses, columns_of, pairs, texts, unheld, untaken
from assay.formats.outgoing import of_topics, queries_of, unused
from assay.label_maps import MAPS
from assay.tables import Document, Judgment, Topic
from assay.tables.values import shown

if TYPE_CHECKING:
    import polars as pl

TITLE = "ESCI data"
EXAMPLES = "shopping_queries_dataset_examples.parquet"
PRODUCTS = "shopping_queries_dataset_products.parquet"
_LABELS = "esci"
_DIGITS = 19
"""From here on a number may not fit into 64 bits, and the id stays text."""


def write(carried: Carried, target: str | os.PathLike[str], wishes: Wishes) -> tuple[Lost, ...]:
    """The examples where the target ends in .parquet; else a folder with them, and with the products if there are any.

    Grades become labels by the map that the option `map` names. Every example is in the small and the large version.
    """
    losses = Losses(carried.name)
    judged = pairs(carried, TITLE, losses)
    locales = _locales(carried, list(judged), wishes.options.get("locale"))
    unheld(carried, Topic, ("query_id", "text", "locale"), TITLE, losses)
    unused(queries_of(carried), judged, "judgments", TITLE, losses)
    examples = _examples(carried, judged, locales, wishes)
    is_file = os.fspath(target).endswith(".parquet") or os.fspath(target) == "-"
    untaken(carried, (Topic, Judgment) if is_file else (Topic, Judgment, Document), TITLE, losses)
    if is_file:
        with replacing(target) as file:
            file.write(to_bytes(examples, "parquet"))
        return losses.all()
    products = _products(carried, sorted(set(locales.values())), losses) if Document in carried.tables else None
    with making(target) as folder:
        (folder / EXAMPLES).write_bytes(to_bytes(examples, "parquet"))
        if products is not None:
            (folder / PRODUCTS).write_bytes(to_bytes(products, "parquet"))
    return losses.all()


def _locales(carried: Carried, queries: Sequence[str], said: str | None) -> dict[str, str]:
    """The locale of every query: what its topic says, else the option."""
    known = of_topics(carried, "locale")
    made = {query: known.get(query) or said or "" for query in queries}
    without = [query for query, locale in made.items() if not locale]
    if without:
        raise InputError(f"{len(without):,} of {len(made):,} queries have no locale, first {shown(without[0])}",
                         carried.name, "say it by --option locale=us, or give topics with a column locale")  # fmt: skip
    return made


def _labels(wishes: Wishes) -> dict[float, str]:
    """Grade to label, by the letters of a map."""
    name = wishes.options.get("map", _LABELS)
    if name not in (_LABELS, "esci-gains"):
        raise InputError(f"map={name} is not esci or esci-gains", "--option", "pass --option map=esci-gains")
    return {grade: label.upper() for label, grade in MAPS[name].grades.items() if len(label) == 1}


def _examples(
    carried: Carried, judged: Mapping[str, Mapping[str, float]], locales: Mapping[str, str], wishes: Wishes
) -> pl.DataFrame:
    import polars as pl

    labels, known, split = _labels(wishes), texts(carried), wishes.options.get("split", "test")
    several = len(set(locales.values())) > 1
    rows: list[tuple[Any, ...]] = []
    for query, docs in judged.items():
        for doc, grade in docs.items():
            if grade not in labels:
                what = f"document {shown(doc)} of query {shown(query)} has the grade {grade:g}"
                listed = ", ".join(f"{one:g} {label}" for one, label in labels.items())
                raise InputError(what, carried.name, f"the labels are {listed}: choose the other map by --option "
                                 "map=esci-gains or esci, or make such grades by --labels")  # fmt: skip
            product = _product(doc, locales[query], carried.name) if several else doc
            rows.append((known.get(query, query), query, product, locales[query], labels[grade]))
    frame = pl.DataFrame(rows, ["query", "query_id", "product_id", "product_locale", "esci_label"], orient="row")
    if all(query.isdecimal() and query == str(int(query)) and len(query) < _DIGITS for query in judged):
        frame = frame.with_columns(pl.col("query_id").cast(pl.Int64))  # as in the release
    more = [pl.lit(1, pl.Int64).alias("small_version"), pl.lit(1, pl.Int64).alias("large_version")]
    return frame.with_row_index("example_id").with_columns(*more, pl.lit(split).alias("split"))


def _product(doc: str, locale: str, name: str) -> str:
    """The id within one locale, of an id that says the locale."""
    if not doc.startswith(f"{locale}/"):
        what = f"document {shown(doc)} of a query of the locale {locale} is not {locale}/PRODUCT_ID"
        raise InputError(what, name, "export the queries of each locale apart")
    return doc.removeprefix(f"{locale}/")


def _products(carried: Carried, locales: Sequence[str], losses: Losses) -> pl.DataFrame:
    import polars as pl

    held = columns_of(carried.tables[Document])
    unheld(carried, Document, ("doc_id", "title", "text"), TITLE, losses)
    rows: list[tuple[Any, ...]] = []
    for doc, title, text in zip(held["doc_id"], held["title"], held["text"], strict=True):
        locale, sign, product = doc.partition("/") if len(locales) > 1 else (locales[0], "/", doc)
        if not sign or locale not in locales:
            raise InputError(f"document {shown(doc)} says no locale", carried.name, "export each locale apart")
        rows.append((product, title, text or None, None, None, None, locale))
    names = ["product_id", "product_title", "product_description", "product_bullet_point", "product_brand",
             "product_color", "product_locale"]  # fmt: skip
    return pl.DataFrame(rows, dict.fromkeys(names, pl.String), orient="row")
