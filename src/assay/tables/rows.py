"""One frozen dataclass a table: its fields are the columns, with their type, unit and range.

`as_table(x, Hit)` is the one door for rows: it checks names, types and values, and returns a polars frame. The same
class is the body of the API and, in the store, the SQL table. `Block` is rows together with their places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

if TYPE_CHECKING:
    import polars as pl
    from annotated_types import Ge  # costs 13 ms; `names.columns_of` brings it where ranges are checked

Columns = Mapping[str, Sequence[Any]]
"""Columns by name as plain Python sequences of one length: how a small file is held, without polars."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One information need. Further columns are segments."""

    query_id: str
    text: str = ""
    weight: Annotated[float, Ge(0)] | None = None
    """Share or count of traffic that the query stands for."""
    intent: str | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """What one rater (or an aggregate of raters) says of one document for one query."""

    query_id: str
    doc_id: str
    grade: float
    """0 is judged and not relevant; a pair that is absent is unjudged, which is never the same."""
    dimension: str = "relevance"
    rater: str | None = None
    source: str | None = None
    """human, model or clicks."""
    rubric: str | None = None
    judged_at: str | None = None
    doc_hash: str | None = None
    inclusion: Annotated[float, Ge(0)] | None = None
    """Probability that the pair was chosen for judgment, in (0, 1]."""
    subtopic: str | None = None
    """The aspect of the query that the grade is about; a pair then has one row for each."""
    role: str | None = None
    """In which part it was given: rater, adjudicator (who settles what raters dispute) or model."""
    note: str | None = None
    """What else the rater said of it."""
    took_ms: Annotated[float, Ge(0)] | None = None
    """Milliseconds from showing the pair to the grade."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One row of a run: a document that a system returned for a query."""

    query_id: str
    doc_id: str
    score: float | None = None
    """Higher is better; NaN and infinities are refused."""
    rank: Annotated[int, Ge(0)] | None = None
    """From 1 (files that count from 0 are accepted: only the order matters); computed from the score when absent."""
    kind: str | None = None
    """organic (also when absent), sponsored or pinned."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a document says, for explanations, labelling and judges."""

    doc_id: str
    title: str = ""
    text: str = ""
    doc_hash: str | None = None
    captured_at: str | None = None
    html: str | None = None
    """The text with its markup, where there is one; shown sanitised, in place of the text."""
    fields: str | None = None
    """What else is shown beside the text, as a JSON object: name to text, in the order in which it is shown."""
    image: str | None = None
    """A picture: a file beside the documents, or `data:image/png;base64,...`."""
    language: str | None = None
    """Of title and text, as in `lang="ar"`."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system answered in words from the documents that it found, and what a right answer would say."""

    query_id: str
    response: str | None = None
    """None: not recorded, or blank."""
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a catalogue. Further columns are kept: what it is like, in numbers or in words."""

    doc_id: str
    category: str | None = None
    """What kind of item it is; several are set apart by a vertical bar."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """What a person did with an item once."""

    user_id: str
    doc_id: str
    at: str | None = None
    """When: ISO 8601, or seconds or milliseconds since 1970."""
    kind: str | None = None
    """What was done: click, cart, purchase, rating, ..."""
    value: float | None = None
    """How much of it: a rating, a number of seconds."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A query and a document whose grade is wanted. No system and no rank is named: raters must not see them."""

    query_id: str
    doc_id: str
    order: Annotated[int, Ge(1)] | None = None
    """Place in the queue: 1 is labelled first."""
    reason: str | None = None
    """Why the pair is wanted, for whoever plans the work."""


@dataclass(frozen=True, slots=True)
class RatedPair:
    """A query and a document, and what several raters say of them: each further column is a rater."""

    query_id: str
    doc_id: str


@dataclass(frozen=True, slots=True)
class Preference:
    """Two documents of one query, and which of them one rater prefers; without the latter, what is to be compared."""

    query_id: str
    doc_id: str
    """The first document."""
    other_doc_id: str
    """The second document."""
    preference: str | None = None
    """first, second, tie (both serve alike) or both-bad (neither serves)."""
    rater: str | None = None
    left_doc_id: str | None = None
    """Which document the rater saw on the left."""
    turn: Annotated[int, Ge(0)] | None = None
    """1: the rater saw the pair again, with its sides swapped."""
    role: str | None = None
    """rater, or adjudicator (who settles what raters dispute)."""
    source: str | None = None
    """human, model or clicks."""
    rubric: str | None = None
    judged_at: str | None = None
    doc_hash: str | None = None
    other_doc_hash: str | None = None
    note: str | None = None
    took_ms: Annotated[float, Ge(0)] | None = None
    """Milliseconds from showing the pair to the choice."""


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """One line of a query log: a query that was asked once, or so many times, or one document that a search showed."""

    text: str
    count: Annotated[float, Ge(0)] | None = None
    """How often it was asked; 1 when absent."""
    asked_at: str | None = None
    """ISO 8601; with a zone, unless the zone is said apart."""
    results: Annotated[float, Ge(0)] | None = None
    """How many results it had."""
    clicks: Annotated[float, Ge(0)] | None = None
    """How many of them were clicked."""
    escalated: str | None = None
    """Whether the person went on to a human or another channel: yes or no, true or false, 1 or 0."""
    search_id: str | None = None
    """Which search the row is of, where a search has several rows, such as one for each document that it showed."""
    doc_id: str | None = None
    """The document that was shown, where each row is one."""
    position: str | None = None
    """Where it stood."""


@dataclass(frozen=True, slots=True)
class LoggedAction:
    """One document that people took in answer to a query, once or so many times."""

    text: str
    """The query, as it was asked."""
    doc_id: str
    action: str | None = None
    """click, add_to_cart, purchase, ...; a click when absent."""
    count: Annotated[float, Ge(0)] | None = None
    """How often; 1 when absent."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a system while a run was captured: how it ended, and how long it took."""

    query_id: str
    status: str
    """ok, empty (answered with no result), error, timeout, or an HTTP status."""
    latency_ms: Annotated[float, Ge(0)] | None = None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often two raters said two things of one document: a row of a table of agreement."""

    grade: float
    """What one rater says."""
    other: float
    """What another rater says of the same document."""
    count: Annotated[float, Ge(0)]
    """How many pairs of query and document, or a share of them."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of one table together with where each of them came from.

    Args:
        frame: a polars frame, or plain columns when the source was small.
        place: row number (from 0, in this block) to its place, such as "a.run:1234".
        name: what the whole source is called in messages.
        facts: what the reader noticed of the whole source and the user should know, as sentences.
        empty: ids of queries that a run has and that returned nothing, where the source can say so.
        unlisted: what the format of judgments says of an absent pair, such as "not-relevant"; empty where it says
            nothing.
    """

    frame: pl.DataFrame | Columns
    place: Callable[[int], str]
    name: str = ""
    facts: tuple[str, ...] = field(default=())
    empty: tuple[str, ...] = ()
    unlisted: str = ""

    @property
    def is_small(self) -> bool:
        """True when the rows are plain Python columns."""
        return isinstance(self.frame, dict)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.frame) if isinstance(self.frame, dict) else list(self.frame.columns)  # type: ignore[union-attr] # a frame, then

    def __len__(self) -> int:
        if isinstance(self.frame, dict):
            return len(next(iter(self.frame.values()), ()))
        return self.frame.height  # type: ignore[union-attr] # a frame, then

    def polars(self) -> pl.DataFrame:
        """The rows as a polars frame."""
        if isinstance(self.frame, dict):
            import polars as pl

            return pl.DataFrame(self.frame)
        return self.frame  # type: ignore[return-value] # a frame, then
