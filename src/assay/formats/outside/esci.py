"""Amazon's Shopping Queries data (ESCI): Parquet files of judged examples and of products.

A label is E, S, C or I; what it is worth is said by name, `esci` by order or `esci-gains` by the paper's gains. A
product is known by its id and its locale together.

Source: Reddy et al., Shopping Queries Dataset, 2022; the repository amazon-science/esci-data.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from assay.errors import InputError, did_you_mean
from assay.files import Source, name_of, names_in
from assay.formats.carried import Carried, Look, Outside, Wishes, register
from assay.formats.esci_tables import write
from assay.formats.gathered import Losses
from assay.label_maps import LabelMap
from assay.tables import Block, Document, Judgment, Topic
from assay.tables.door import numbered
from assay.tables.values import shown

if TYPE_CHECKING:
    import polars as pl

_EXAMPLES = ("query", "query_id", "product_id", "product_locale", "esci_label")
_PRODUCTS = ("product_id", "product_title", "product_locale")
_TEXTS = ("product_description", "product_bullet_point")
_KEPT = frozenset((*_EXAMPLES, "example_id", "split", "small_version", "large_version"))


def read(source: Source, wishes: Wishes) -> Carried:
    """Examples become topics and judgments, products documents; a folder gives both."""
    name = name_of(source)
    if isinstance(source, (str, os.PathLike)) and os.path.isdir(source):
        folder = os.fspath(source)
        paths: list[Source] = [os.path.join(folder, one) for one in names_in(folder) if one.endswith(".parquet")]
        if not paths:
            raise InputError("holds no Parquet file", name, "give the folder that holds the examples and products")
    else:
        paths = [source]
    tables: dict[type, Block] = {}
    losses, facts = Losses(name), list[str]()
    frames = [(name_of(path), _frame(path)) for path in paths]
    locales = sorted({one for _, frame in frames if "esci_label" in frame.columns
                      for one in frame["product_locale"].unique().to_list() if one})  # fmt: skip
    for at, frame in frames:
        chosen, is_one = _of_locale(frame, at, wishes.options.get("locale"), locales)
        if "esci_label" in frame.columns:
            tables |= _examples(_of_split(chosen, at, wishes), at, wishes.labels, is_one, losses)
        else:
            tables[Document] = _products(chosen, at, is_one, losses)
    if len(locales) > 1 and not wishes.options.get("locale"):
        facts.append(f"{name}: has the locales {', '.join(locales)}, so a document is LOCALE/PRODUCT_ID; "
                     f"--option locale={locales[0]} takes one")  # fmt: skip
    return Carried(name, tables, lost=losses.all(), facts=tuple(facts))


def _frame(path: Source) -> pl.DataFrame:
    import polars as pl

    from assay.files import read_bytes
    from assay.formats.columns import read_frame

    name = name_of(path)
    frame = read_frame(read_bytes(path), name, "parquet")
    wanted = _EXAMPLES if "esci_label" in frame.columns else _PRODUCTS
    missing = [column for column in wanted if column not in frame.columns]
    if missing:
        near = did_you_mean(missing[0], frame.columns)
        what = f"has no column {', '.join(missing)} among {', '.join(frame.columns[:8])}{near}"
        raise InputError(what, name, "give shopping_queries_dataset_examples.parquet or ..._products.parquet")
    if not frame.height:
        raise InputError("holds no rows", name, "write it anew, or leave it out")
    return frame.with_columns(pl.col("product_locale").cast(pl.String))


def _of_locale(frame: pl.DataFrame, name: str, wanted: str | None, locales: list[str]) -> tuple[pl.DataFrame, bool]:
    import polars as pl

    held = sorted(one for one in frame["product_locale"].unique().to_list() if one)
    if wanted is None:
        return frame, len(locales or held) == 1
    if wanted not in held:
        raise InputError(
            f"has no locale {wanted}{did_you_mean(wanted, held)}", name, f"the locales are {', '.join(held)}"
        )
    return frame.filter(pl.col("product_locale") == wanted), True


def _of_split(frame: pl.DataFrame, name: str, wishes: Wishes) -> pl.DataFrame:
    import polars as pl

    split, version = wishes.options.get("split"), wishes.options.get("version")
    if split is not None:
        held = sorted(set(frame["split"].to_list())) if "split" in frame.columns else []
        if split not in held:
            raise InputError(f"has no split {split}", name, f"the splits are {', '.join(held) or 'not said in it'}")
        frame = frame.filter(pl.col("split") == split)
    if version is not None:
        column = f"{version}_version"
        if version not in ("small", "large") or column not in frame.columns:
            raise InputError(f"has no version {version}", name, "the versions are small and large")
        frame = frame.filter(pl.col(column) == 1)
        if not frame.height:
            raise InputError(f"has no rows of the version {version}", name, "leave --option version out")
    return frame


def _examples(
    frame: pl.DataFrame, name: str, labels: LabelMap | None, is_one: bool, losses: Losses
) -> dict[type, Block]:
    import polars as pl

    from assay.tables.frames import check_frame

    if labels is None:
        remedy = "say --labels esci (3, 2, 1, 0) or --labels esci-gains (1, 0.1, 0.01, 0)"
        raise InputError("the labels E, S, C and I have no number of their own", name, remedy)
    place = numbered(name)
    grades = {}
    for label in frame["esci_label"].unique(maintain_order=True).to_list():
        row = frame["esci_label"].index_of(label)
        if label is None:
            raise InputError("esci_label is missing", place(row or 0), "leave the row out")
        grades[str(label)] = labels.grade(label, place(row or 0))
    judged = frame.select(
        pl.col("query_id").alias("query_id"),
        _doc(is_one).alias("doc_id"),
        pl.col("esci_label").cast(pl.String).replace_strict(grades, return_dtype=pl.Float64).alias("grade"),
    )
    checked = check_frame(judged, Judgment, name, place)
    _one_label(checked, name)
    topics = frame.select("query_id", pl.col("query").alias("text"), pl.col("product_locale").alias("locale"))
    topics = topics.unique(subset=["query_id", "text", "locale"], maintain_order=True)
    for column in frame.columns:
        if column not in _KEPT:
            losses.add(f"values of {shown(column)}", "assay's tables have no place for them", count=frame.height)
    return {
        Judgment: checked,
        Topic: check_frame(topics, Topic, name, lambda row: f"{name}, the query '{topics['text'][row]}'"),
    }


def _doc(is_one: bool) -> pl.Expr:
    import polars as pl

    return (
        pl.col("product_id") if is_one else pl.concat_str(pl.col("product_locale"), pl.col("product_id"), separator="/")
    )


def _one_label(block: Block, name: str) -> None:
    import polars as pl

    frame = block.polars()
    counted = frame.group_by("query_id", "doc_id", maintain_order=True).agg(pl.col("grade").n_unique().alias("n"))
    odd = counted.filter(pl.col("n") > 1)
    if odd.height:
        query, doc, _ = odd.row(0)
        what = f"product {doc} of query {query} has {odd.row(0)[2]} labels"
        raise InputError(what, name, "keep one of them", count=odd.height)


def _products(frame: pl.DataFrame, name: str, is_one: bool, losses: Losses) -> Block:
    import polars as pl

    from assay.tables.frames import check_frame

    held = [column for column in _TEXTS if column in frame.columns]
    text = pl.concat_str([pl.col(column) for column in held], separator="\n", ignore_nulls=True) if held else pl.lit("")
    documents = frame.select(_doc(is_one).alias("doc_id"), pl.col("product_title").alias("title"), text.alias("text"))
    for column in frame.columns:
        if column not in (*_PRODUCTS, *_TEXTS):
            count = frame.height - frame[column].null_count()
            if count:
                losses.add(f"values of {shown(column)}", "a document has a title and a text", count=count)
    return check_frame(documents, Document, name, numbered(name))


def _is_esci(look: Look) -> bool:
    named = [one for one in look.inside if one.endswith(".parquet")] or [os.path.basename(look.path)]
    return any(one.startswith("shopping_queries_dataset_") and one.endswith(".parquet") for one in named)


register(
    Outside(
        "esci", "Amazon Shopping Queries data, ESCI (Parquet)", (Topic, Judgment, Document), read, write, _is_esci,
        {"locale": "us, es or jp, all when it is not said; on writing, of queries whose topics say none",
         "split": "train or test; on writing, of all examples: test unless given",
         "version": "small or large", "map": "how written grades become labels: esci (3, 2, 1, 0) unless given, or "
         "esci-gains (1, 0.1, 0.01, 0)"},
        "https://github.com/amazon-science/esci-data",
    )
)  # fmt: skip
