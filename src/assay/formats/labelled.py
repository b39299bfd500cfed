"""Judgments whose grades are labels: words, letters or another scale, to grades by a map that the user says."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.files import read_bytes
from assay.formats.encoding import decode
from assay.label_maps import MAPS, LabelMap, fitting, how, parse_label_map
from assay.tables import Block, Judgment
from assay.tables.names import match

if TYPE_CHECKING:
    import polars as pl

Place = Callable[[int], str]

RUBRICS = (".md", ".toml")
"""How names of rubrics end; a file of another name is one, too, unless it is called as a map is."""

_WORD = re.compile(r"grade '(.*)' is not a number")
_OTHER = re.compile(r": grade '(.*)' is not a number")


def about_words(error: InputError) -> InputError:
    """The complaint about a grade that is a word, with the maps that know it; every other one as it is."""
    found = _WORD.fullmatch(error.what)
    if found is None:
        return error
    seen = [found[1], *(more[1] for text in error.more if (more := _OTHER.search(text)))]
    what = f"the grade '{found[1]}' is a word"
    others = [text.replace(": grade '", ": the grade '").replace("is not a number", "is a word") for text in error.more]
    return InputError(what, error.where, how(fitting(seen)), line=error.line, more=others, count=error.count,
                      is_least=error.is_least)  # fmt: skip


def read_labelled(data: bytes, format: str, name: str, chosen: Mapping[str, str] | None, labels: LabelMap) -> Block:
    """Judgments of a file in one of our own formats, their labels turned into grades by a map.

    Args:
        data: the whole file.
        format: csv, tsv, jsonl, parquet, arrow or trec.
        name: of the file.
        chosen: field to column, as the user says.
        labels: the map.
    """
    from assay.formats.columns import read_columns

    if format == "trec":
        return _trec(data, name, labels)
    return read_columns(name, Judgment, format, chosen, data=data, labelled=Labelled(labels))


def label_map(labels: LabelMap | str | None) -> LabelMap | None:
    """A map of labels from its name, from a map written out, or from a rubric: a file such as rubric.md."""
    if not isinstance(labels, str):
        return labels
    if not labels.endswith(RUBRICS) and (labels in MAPS or not os.path.isfile(labels)):
        return parse_label_map(labels)
    from assay.rubric import Rubric

    try:
        return Rubric.parse(read_bytes(labels).decode("utf-8-sig"), labels).labels
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", labels, "save the file as UTF-8") from None


class Labelled:
    """Makes grades of the column of labels; each label is looked up once."""

    def __init__(self, labels: LabelMap) -> None:
        self._labels = labels

    def columns(
        self, held: Mapping[str, Sequence[Any]], name: str, chosen: Mapping[str, str] | None, place: Place
    ) -> dict[str, Any]:
        """Columns by name, with grades in the place of the labels; as they are where there is no such column."""
        title = _column(list(held), name, chosen)
        return {**held, title: self.grades(held[title], place)} if title else dict(held)

    def frame(self, frame: pl.DataFrame, name: str, chosen: Mapping[str, str] | None, place: Place) -> pl.DataFrame:
        """The same of a frame."""
        import polars as pl

        title = _column(frame.columns, name, chosen)
        if not title:
            return frame
        return frame.with_columns(pl.Series(title, self.grades(frame[title].to_list(), place), dtype=pl.Float64))

    def anything(self, x: Any, name: str, chosen: Mapping[str, str] | None) -> Any:
        """The same of judgments in memory: {query: {document: label}}, a dict of columns, a frame, or dicts."""
        from assay.tables.door import numbered

        if hasattr(x, "__arrow_c_stream__"):
            import polars as pl

            return self.frame(pl.DataFrame(x), name, chosen, numbered(name))
        if isinstance(x, Mapping) and x and all(isinstance(inner, Mapping) for inner in x.values()):
            return {
                query: {doc: self._labels.grade(label, f"{name}, query {query}, document {doc}")
                        for doc, label in inner.items()}
                for query, inner in x.items()
            }  # fmt: skip
        if isinstance(x, Mapping):
            return self.columns(x, name, chosen, numbered(name))
        if isinstance(x, (list, tuple)) and all(isinstance(one, Mapping) for one in x):
            held = self.columns({key: [one.get(key) for one in x] for one in x[:1] for key in one}, name, chosen,
                                numbered(name))  # fmt: skip
            return held
        return x

    def grades(self, raw: Sequence[Any], place: Place) -> list[float | None]:
        """The grades of labels; a blank stays absent."""
        known: dict[tuple[type, Any], float | None] = {}
        made = []
        for at, label in enumerate(raw):
            key = type(label), label
            if key not in known:
                blank = label is None or (isinstance(label, str) and not label.strip())
                known[key] = None if blank else self._labels.grade(label, place(at))
            made.append(known[key])
        return made


def _column(names: Sequence[str], name: str, chosen: Mapping[str, str] | None) -> str:
    """The column that holds the labels; nothing where the names do not tell."""
    try:
        at = match(names, Judgment, name, chosen).fields.get("grade")
    except InputError:  # said when the columns are checked
        return ""
    return names[at] if at is not None else ""


def _trec(data: bytes, name: str, labels: LabelMap) -> Block:
    """TREC lines whose fourth field is a label."""
    from assay.formats.trec import parse_qrels

    text, _ = decode(data, name)
    made, known = [], dict[str, str]()
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if len(fields) == 4 and not line.lstrip().startswith("#"):
            label = fields[3]
            if label not in known:
                known[label] = repr(labels.grade(label, f"{name}:{number}"))
            line = " ".join((*fields[:3], known[label]))
        made.append(line)
    return parse_qrels("\n".join(made).encode("utf-8"), name)
