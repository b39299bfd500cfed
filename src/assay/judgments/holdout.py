"""Judgments from what people did: a query is a person, and what they did from a moment on is relevant to them.

What people did before that moment is the history, which a recommender may learn from; the judgments say nothing of
items that nobody was shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import SHOWN, InputError
from assay.results import Note, Result, kept
from assay.tables import Block

if TYPE_CHECKING:
    import polars as pl

Seen = Literal["drop", "keep"]
VALUE = "value"
"""The word that takes the value column as the grade."""

_MILLISECONDS = 1e11
"""Seconds since 1970 from which on a number is milliseconds: the year 5138."""


@kept("left out")
@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was left out of the judgments.

    Args:
        why: in words.
        events: interactions, or pairs of person and item where that is counted.
        people: how many people they are of.
    """

    why: str
    events: int
    people: int


@kept("holdout")
@dataclass(frozen=True, kw_only=True)
class Holdout(Result):
    """Judgments made of interactions, counted; the tables are its `qrels` and `history`.

    Args:
        split_at: the moment, ISO 8601 in UTC.
        timezone: what times without a zone were read in.
        events, people, items: of the whole log.
        before: events before the moment: the history.
        after: events from the moment on.
        queries: people with a judgment.
        pairs: judgments.
        grades: (grade, judgments), ascending.
        cold: judgments of items that nobody met before the moment.
        left_out: what was left out, in this order.
        files: (what, file) that was written.
    """

    split_at: str
    timezone: str
    events: int
    people: int
    items: int
    before: int
    after: int
    queries: int
    pairs: int
    grades: tuple[tuple[float, int], ...]
    cold: int
    left_out: tuple[LeftOut, ...]
    files: tuple[tuple[str, str], ...] = ()
    _tables: Any = field(default=None, repr=False, compare=False)

    @property
    def qrels(self) -> pl.DataFrame:
        """The judgments: query_id (the person), doc_id, grade. Not there in a result that was kept and opened again."""
        return self._tables[0]  # type: ignore[no-any-return] # made below

    @property
    def history(self) -> pl.DataFrame:
        """The events before the moment: user_id, doc_id, at, and kind and value where the log has them."""
        return self._tables[1]  # type: ignore[no-any-return] # made below


def holdout(
    log: Block, split_at: datetime, *, timezone: tzinfo = UTC, zone: str = "UTC",
    grades: Mapping[str, float] | str | None = None, seen: Seen = "drop", min_history: int = 1,
) -> Holdout:  # fmt: skip
    """Splits a log at a moment and makes judgments of what comes from it on.

    Args:
        log: rows of `Interaction` with a time.
        split_at: the moment, with a zone; what happens at it is held out.
        timezone: of times that name none.
        zone: its name.
        grades: kind of event to grade, other kinds being left out; "value" takes the value; every event is 1 when
            None. Of several events of a pair the highest grade counts.
        seen: whether items that a person met before are left out ("drop") or judged too ("keep").
        min_history: people with fewer distinct items before the moment are left out.

    Raises:
        InputError: the log has no time, a time cannot be read, or nothing is left.
    """
    import polars as pl

    if "at" not in log.columns:
        remedy = "name the column at, or pass --columns at=NAME"
        raise InputError("the log does not say when anything happened", log.name, remedy)
    frame = log.polars().with_columns(pl.Series("_at", moments(log, timezone), dtype=pl.Float64))
    left_out: list[LeftOut] = []

    def leave(rows: pl.DataFrame, why: str) -> None:
        if rows.height:
            left_out.append(LeftOut(why, rows.height, rows["user_id"].n_unique()))

    cut = split_at.timestamp()
    before, after = frame.filter(pl.col("_at") < cut), frame.filter(pl.col("_at") >= cut)
    graded = _graded(after, log, grades, leave)
    pairs = graded.group_by("user_id", "doc_id", maintain_order=True).agg(pl.col("grade").max())
    met = before.select("user_id", "doc_id").unique()
    again = pairs.join(met, on=["user_id", "doc_id"], how="semi")
    notes = []
    if seen == "drop":
        leave(again, "pairs of person and item that were met before")
        pairs = pairs.join(met, on=["user_id", "doc_id"], how="anti", maintain_order="left")
    elif again.height:
        text = f"{again.height:,} judgments are of items that the person met before; --seen drop leaves them out"
        notes.append(Note("met-before", text, count=again.height))
    histories = met.group_by("user_id").agg(pl.len().alias("n"))
    enough = histories.filter(pl.col("n") >= min_history).select("user_id")
    if min_history > 0:
        short = pairs.join(enough, on="user_id", how="anti")
        leave(short, f"pairs of people with fewer than {min_history} {'item' if min_history == 1 else 'items'} before")
        pairs = pairs.join(enough, on="user_id", how="semi", maintain_order="left")
    if not pairs.height:
        raise _nothing_left(log, frame, split_at, left_out)
    idle = before.join(after.select("user_id").unique(), on="user_id", how="anti")["user_id"].n_unique()
    if idle:
        left_out.append(LeftOut("people of the history who did nothing from then on", 0, idle))
    cold = pairs.join(before.select("doc_id").unique(), on="doc_id", how="anti").height
    if cold:
        text = f"{cold:,} judgments are of items that nobody met before: what learns from the history cannot know them"
        notes.append(Note("cold-items", text, count=cold))
    by_grade = pairs.group_by("grade").len().sort("grade")
    kept_columns = [name for name in ("user_id", "doc_id", "at", "kind", "value") if name in frame.columns]
    by_person = pairs.sort("user_id", maintain_order=True)
    qrels = by_person.select(pl.col("user_id").alias("query_id"), "doc_id", "grade")
    return Holdout(
        split_at=split_at.astimezone(UTC).isoformat(),
        timezone=zone,
        events=frame.height,
        people=frame["user_id"].n_unique(),
        items=frame["doc_id"].n_unique(),
        before=before.height,
        after=after.height,
        queries=pairs["user_id"].n_unique(),
        pairs=pairs.height,
        grades=tuple((float(grade), int(n)) for grade, n in by_grade.rows()),
        cold=cold,
        left_out=tuple(left_out),
        notes=tuple(notes),
        _tables=(qrels, before.select(kept_columns)),
    )


def _graded(after: pl.DataFrame, log: Block, grades: Mapping[str, float] | str | None, leave: Any) -> pl.DataFrame:
    """The events from the moment on that have a grade."""
    import polars as pl

    if grades is None:
        return after.with_columns(pl.lit(1.0).alias("grade"))
    column = "value" if isinstance(grades, str) else "kind"
    if column not in after.columns:
        remedy = f"name the column {column}, or pass --columns {column}=NAME"
        raise InputError(f"the log has no column {column} to take grades from", log.name, remedy)
    if isinstance(grades, str):
        leave(after.filter(pl.col("value").is_null()), "events without a value")
        return after.filter(pl.col("value").is_not_null()).with_columns(pl.col("value").cast(pl.Float64).alias("grade"))
    known = set(log.polars()["kind"].drop_nulls().unique().to_list())
    unknown = [kind for kind in grades if kind not in known]
    if unknown:
        from assay.errors import did_you_mean

        hint = did_you_mean(unknown[0], sorted(known))
        remedy = f"the kinds are {', '.join(sorted(known)[:8])}" if known else "give the events kinds"
        raise InputError(f"no event of the log is of the kind {unknown[0]}{hint}", log.name, remedy)
    others = after.filter(~pl.col("kind").is_in(list(grades)).fill_null(False))
    for kind in sorted(others["kind"].unique().to_list(), key=lambda kind: (kind is None, kind)):
        said = "events without a kind" if kind is None else f"events of the kind {kind}, which has no grade"
        leave(others.filter(pl.col("kind").eq_missing(kind)), said)
    wanted = after.filter(pl.col("kind").is_in(list(grades)))
    return wanted.with_columns(pl.col("kind").replace_strict(dict(grades), return_dtype=pl.Float64).alias("grade"))


def moments(log: Block, timezone: tzinfo = UTC) -> list[float]:
    """The time of each row, in seconds since 1970.

    Args:
        log: rows with a column `at`: ISO 8601, or seconds or milliseconds since 1970.
        timezone: of times that name none.

    Raises:
        InputError: a time is missing or cannot be read.
    """
    known: dict[str | None, float] = {}
    found: list[float] = []
    faults: list[tuple[int, str]] = []
    count = 0
    for row, text in enumerate(log.frame["at"]):
        if text not in known:
            known[text] = _moment(text, timezone)
        found.append(known[text])
        if found[-1] != found[-1]:
            count += 1
            if len(faults) < SHOWN:
                what = "has no time" if text is None else f"the time {text!r} is not ISO 8601 and no number of seconds"
                faults.append((row, what))
    if faults:
        (row, what), *others = faults
        raise InputError(
            what,
            log.place(row),
            "write times such as 2026-03-01T08:30:00Z",
            more=[f"{log.place(other)}: {why}" for other, why in others],
            count=count,
        )
    return found


def _moment(text: str | None, timezone: tzinfo) -> float:
    """One time in seconds since 1970; NaN where it is none."""
    if text is None:
        return float("nan")
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        is_date = len(text) == 8 and text.isdigit() and text[:2] in ("19", "20")  # 20260301 is the 1st of March
        if not is_date:
            return number / 1000 if abs(number) >= _MILLISECONDS else number
    try:
        moment = datetime.fromisoformat(text.removesuffix(" UTC") + "+00:00" if text.endswith(" UTC") else text)
    except ValueError:
        return float("nan")
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=timezone)).timestamp()


def _nothing_left(log: Block, frame: Any, split_at: datetime, left_out: list[LeftOut]) -> InputError:
    first, last = (datetime.fromtimestamp(x, UTC).isoformat() for x in (frame["_at"].min(), frame["_at"].max()))
    said = "; ".join(f"{one.events:,} {one.why}" for one in left_out)
    why = f": left out are {said}" if said else ""
    return InputError(
        f"nothing is held out at {split_at.astimezone(UTC).isoformat()}: the log goes from {first} to {last}{why}",
        log.name,
        "choose another moment, or leave out less",
    )
