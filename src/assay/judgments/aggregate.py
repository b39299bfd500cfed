"""Several raters to one grade a pair, and the raters or sources of a set one by one.

One rater has one vote for a pair: the same grade given twice counts once, two different grades are refused. Rows that
name no rater are one rater, whose name is empty. Small sets stay plain columns; large ones are polars frames. Both give
the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from assay.errors import SHOWN, InputError, did_you_mean
from assay.judgments.roles import ADJUDICATED, ADJUDICATOR, of_rater, raters_alone, rule_of, settled_first
from assay.judgments.rows import PAIR, pair_of, where
from assay.tables import Block

RULES = ("mean", "majority", "median")
MODEL = "dawid-skene"
RELEVANCE = "relevance"

UNNAMED = "(not named)"
"""What the part of the rows without a rater or a source is called."""


def aggregate(block: Block, how: str = "mean", duplicates: str = "refuse", dimension: str = "relevance") -> Block:
    """One row a pair: query_id, doc_id, grade, in the order of each pair's first row; with subtopics one row for each.

    Args:
        block: rows of `Judgment`; without a column `rater` every row is its own pair and comes back as it is.
        how: "mean" of the raters' grades; "majority", the grade most raters gave, and of several such the lowest, so
            that no document is worth more than its raters agree on; "median", for an even number of raters the mean of
            the middle two; "dawid-skene", the likeliest grade by how each rater errs, see `by_model`; the name of one
            rater, whose grades alone are taken; or "adjudicated", the grade of an adjudicator where there is one, and
            else the mean, or what stands behind a comma, such as "adjudicated,median". The others leave adjudicators
            out, see `counted`.
        duplicates: two different grades of one rater for one pair are refused ("refuse"), or the first one counts
            ("keep-first").
        dimension: rows of other dimensions are left out, where the block has that column.

    Raises:
        InputError: one rater gave one pair two grades, nobody has the name in `how`, or adjudicators shall decide and
            the judgments name no roles.
    """
    if "dimension" not in block.columns and dimension != RELEVANCE:
        raise InputError(
            f"the judgments have no dimensions, and {dimension} is asked for",
            block.name,
            "pass judgments with a column dimension, or leave --dimension out",
        )
    decides, rule = rule_of(how)
    if "rater" not in block.columns and rule not in (*RULES, MODEL):
        raise InputError(
            f"--raters {how} asks for one rater, and the judgments name none", block.name,
            f"pass --raters {'|'.join(RULES)}, or judgments with a column rater",
        )  # fmt: skip
    if rule == MODEL:
        return _by_model(counted(block, MODEL, dimension), settled_by=block if decides else None, dimension=dimension)
    block = counted(block, how, dimension)
    if "rater" not in block.columns:
        return block
    facts = list(block.facts)
    if rule not in RULES:
        named = of_rater(block, rule, and_settled=decides)
        if not len(where(named, "rater", lambda value: value == rule)):
            known = [ADJUDICATED] if "role" in block.columns else []
            names = [*RULES, MODEL, *known, *(name for name in values(block, "rater") if name)]
            raise InputError(
                f"--raters {rule!r} is no rater of the judgments{did_you_mean(rule, names)}",
                block.name,
                f"pass --raters {'|'.join(names[:8])}",
            )
        facts.append(f"the grades of the rater {rule} alone are taken")
        block = named
    join = _small if block.is_small else _large
    joined = join(block, rule, duplicates == "keep-first")
    return Block(joined.frame, joined.place, joined.name, (*facts, *joined.facts))


def counted(block: Block, how: str = "mean", dimension: str = RELEVANCE) -> Block:
    """The rows that a rule for several raters looks at; what was left out is among the facts of the block.

    Args:
        block: rows of `Judgment`.
        how: as in `aggregate`: "adjudicated" leaves out the raters of pairs that are settled, "mean", "majority",
            "median" and "dawid-skene" leave out who settled them, and the name of a rater leaves out nobody.
        dimension: rows of other dimensions are left out.
    """
    facts = list(block.facts)
    if "dimension" in block.columns:
        rows = of_dimension(block, dimension)
        if len(rows) < len(block):
            facts.append(f"{len(block) - len(rows):,} judgments of other dimensions than {dimension} are left out")
        block = rows
    decides, rule = rule_of(how)
    if decides:
        block, out = settled_first(block)
        settled = where(block, "role", lambda value: value == ADJUDICATOR)
        n = len(set(zip(*(settled.frame[name] for name in pair_of(settled)), strict=True)))
        facts.append(
            f"{_have(n)} the grade of an adjudicator, whatever raters say; the {rule} of the raters stands elsewhere"
        )
    elif rule in (*RULES, MODEL):
        block, out = raters_alone(block)
        if out:
            what = "1 grade of an adjudicator is" if out == 1 else f"{out:,} grades of adjudicators are"
            facts.append(f"{what} left out of the {rule} of the raters; --raters {ADJUDICATED} lets them decide")
    return Block(block.frame, block.place, block.name, tuple(facts)) if facts != list(block.facts) else block


def _by_model(block: Block, settled_by: Block | None, dimension: str) -> Block:
    """The grades of the model, from all raters' rows; those of adjudicators stand above them where they decide."""
    from assay.judgments.by_model import by_model

    joined = by_model(block)
    facts = (*block.facts, *joined.facts)
    if settled_by is None:
        return Block(joined.frame, joined.place, joined.name, facts)
    first = counted(settled_by, ADJUDICATED, dimension)
    settled = aggregate(where(first, "role", lambda value: value == ADJUDICATOR), "mean")
    grades = dict(zip(_pairs(settled), settled.frame["grade"], strict=True))
    frame: Mapping[str, Sequence[Any]] = joined.frame  # type: ignore[assignment] # the model gives plain columns
    said = [grades.get(pair, grade) for pair, grade in zip(_pairs(joined), frame["grade"], strict=True)]
    facts = (*facts, f"{_have(len(grades))} the grade of an adjudicator instead")
    return Block({**frame, "grade": said}, joined.place, joined.name, facts)


def _have(pairs: int) -> str:
    return "1 pair has" if pairs == 1 else f"{pairs:,} pairs have"


def _pairs(block: Block) -> list[tuple[str, str]]:
    return list(zip(block.frame["query_id"], block.frame["doc_id"], strict=True))


def of_dimension(block: Block, dimension: str) -> Block:
    """The rows of one dimension; a row that names none is of relevance, and so are all where there is no such column.

    Raises:
        InputError: no row is of that dimension.
    """
    if "dimension" not in block.columns:
        return block
    rows = where(block, "dimension", lambda value: (value or RELEVANCE) == dimension)
    if len(rows):
        return rows
    known = [name or RELEVANCE for name in values(block, "dimension")]
    remedy = f"pass --dimension {'|'.join(known)}"
    if dimension == RELEVANCE:
        remedy += ", or let `assay rubric apply` work out the grade from the dimensions"
    what = f"no judgment is of the dimension {dimension}{did_you_mean(dimension, known)}"
    raise InputError(what, block.name, remedy)


def split(block: Block, by: str) -> list[tuple[str, Block]]:
    """The rows of each rater or each source by themselves, in alphabetical order; rows that name none come last.

    Args:
        block: rows of `Judgment`.
        by: "rater" or "source".
    """
    if by not in block.columns:
        raise InputError(
            f"the judgments have no column {by}",
            block.name,
            f"pass a file with a column {by}, or name the column that holds it: --columns {by}=COLUMN",
        )
    return [(name or UNNAMED, where(block, by, partial(_is, name))) for name in values(block, by)]


def _is(name: str, value: Any) -> bool:
    return (value or "") == name


def only(block: Block, sources: Iterable[str]) -> Block:
    """The rows of some sources, such as "human"; a set that names no sources is refused."""
    wanted = list(sources)
    known = [name or UNNAMED for name in values(block, "source")] if "source" in block.columns else []
    for name in wanted:
        if name not in known:
            raise InputError(
                f"no judgment comes from the source {name}{did_you_mean(name, known)}",
                block.name,
                f"the sources are {', '.join(known)}" if known else "pass judgments with a column source",
            )
    return where(block, "source", lambda value: (value or UNNAMED) in wanted)


def values(block: Block, column: str) -> list[str]:
    """The distinct values of a column, sorted; no value is the empty text and comes last."""
    frame = block.frame
    distinct = frame[column] if isinstance(frame, dict) else block.polars()[column].unique()
    return sorted({value or "" for value in distinct}, key=lambda value: (not value, value))


def _small(block: Block, how: str, keep_first: bool) -> Block:
    frame: Mapping[str, Sequence[Any]] = block.frame  # type: ignore[assignment] # small
    names = pair_of(block)
    votes: dict[tuple[str, ...], dict[str, float]] = {}
    first: dict[tuple[str, ...], int] = {}
    wrong: list[int] = []
    pairs = zip(*(frame[name] for name in names), strict=True)
    for i, (pair, rater, grade) in enumerate(zip(pairs, frame["rater"], frame["grade"], strict=True)):
        first.setdefault(pair, i)
        if votes.setdefault(pair, {}).setdefault(rater or "", grade) != grade:
            wrong.append(i)
    if wrong and not keep_first:
        _refuse(block, wrong)
    join = _JOIN.get(how, _only_one)
    grades = [join(list(given.values())) for given in votes.values()]
    several = sum(len(given) > 1 for given in votes.values())
    columns = {name: [pair[at] for pair in votes] for at, name in enumerate(names)} | {"grade": grades}
    fractional = sum(grade % 1 != 0 for grade in grades)
    return _joined(block, columns, list(first.values()), how, several, fractional, len(wrong))


def _large(block: Block, how: str, keep_first: bool) -> Block:
    import polars as pl

    pair = pair_of(block)
    rows = (
        block.polars()
        .select(*pair, pl.col("rater").fill_null(""), pl.col("grade").cast(pl.Float64))
        .with_row_index("row")
    )
    votes = rows.group_by(*pair, "rater", maintain_order=True).agg(
        pl.col("grade").first(),
        pl.col("row").first(),
        (pl.col("grade") != pl.col("grade").first()).any().alias("wrong"),
    )
    against = rows.join(votes.filter("wrong"), on=[*pair, "rater"], nulls_equal=True, suffix="_first")
    wrong = against.filter(pl.col("grade") != pl.col("grade_first"))["row"].sort().to_list()
    if wrong and not keep_first:
        _refuse(block, wrong)
    if how == "majority":
        grade = pl.col("grade").mode().min()
    else:
        grade = pl.col("grade").median() if how == "median" else pl.col("grade").mean()
    joined = votes.group_by(*pair, maintain_order=True).agg(grade, pl.len().alias("raters"), pl.col("row").min())
    several = int((joined["raters"] > 1).sum())
    fractional = int((joined["grade"] % 1 != 0).sum())
    return _joined(block, joined.select(*pair, "grade"), joined["row"], how, several, fractional, len(wrong))


def _refuse(block: Block, rows: Sequence[int]) -> None:
    frame = block.polars().select(*PAIR, "rater", "grade")

    def says(i: int) -> str:
        query, doc, rater, grade = frame.row(i)
        who = f"rater {rater}" if rater else "a rater without a name"
        return f"{who} gives document {doc} for query {query} a second, different grade ({grade:g})"

    raise InputError(
        says(rows[0]),
        block.place(rows[0]),
        "keep one grade for each rater and pair, or pass --duplicates keep-first",
        more=[f"{block.place(i)}: {says(i)}" for i in rows[1:SHOWN]],
        count=len(rows),
    )


def _joined(block: Block, frame: Any, rows: Any, how: str, several: int, fractional: int, dropped: int) -> Block:
    facts = []
    if several:
        share = f"{several:,} of {len(rows):,} pairs have several raters"
        facts.append(f"{share}; their grade is the {how}, which is fractional for {fractional:,} pairs")
    if dropped:
        facts.append(f"{dropped:,} second grades of one rater for one pair are left out")
    return Block(frame, lambda i: block.place(int(rows[i])), block.name, tuple(facts))


def _mean(grades: list[float]) -> float:
    return sum(grades) / len(grades)


def _majority(grades: list[float]) -> float:
    most = max(grades.count(grade) for grade in grades)
    return float(min(grade for grade in grades if grades.count(grade) == most))


def _median(grades: list[float]) -> float:
    grades = sorted(grades)
    half = len(grades) // 2
    return float(grades[half]) if len(grades) % 2 else (grades[half - 1] + grades[half]) / 2


def _only_one(grades: list[float]) -> float:
    return float(grades[0])


_JOIN: dict[str, Callable[[list[float]], float]] = {"mean": _mean, "majority": _majority, "median": _median}
