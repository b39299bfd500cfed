"""The tables of the store, each with its tenant. What is evidence is append-only: a correction is a new row.

Times are ISO 8601 in UTC, as text that sorts. Ids are text. What a judgment says is never changed or deleted; only
`privacy` takes personal data out of a row.
"""

from __future__ import annotations

import sqlalchemy as sa

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}

TABLES = sa.MetaData(naming_convention=NAMES)

ROLES = ("rater", "adjudicator", "lead", "admin")
"""From the least to the most that a person may do."""


def _table(name: str, *parts: sa.Column[object] | sa.Constraint | sa.Index) -> sa.Table:
    return sa.Table(name, TABLES, sa.Column("tenant", sa.Text, nullable=False), *parts)


def _id() -> sa.Column[object]:
    """Rows in the order in which they were written."""
    return sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True)


PEOPLE = _table(
    "people",
    _id(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("role", sa.Text, sa.CheckConstraint(f"role in {ROLES}", name="role"), nullable=False),
    sa.Column("password", sa.Text),  # argon2; none where a proxy signs people on
    sa.Column("session", sa.Integer, nullable=False, server_default="0"),  # rises when all sessions shall end
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("ended_at", sa.Text),
    sa.UniqueConstraint("tenant", "name"),
)

INVITATIONS = _table(
    "invitations",
    _id(),
    sa.Column("token", sa.Text, nullable=False, unique=True),  # its hash
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("name", sa.Text),
    sa.Column("made_by", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Text, nullable=False),
    sa.Column("used_at", sa.Text),
)

API_KEYS = _table(
    "api_keys",
    _id(),
    sa.Column("key", sa.Text, nullable=False, unique=True),  # its hash
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("person", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("ended_at", sa.Text),
)

PROJECTS = _table(
    "projects",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("rubric", sa.Text, nullable=False),  # the whole text
    sa.Column("rubric_version", sa.Text, nullable=False),
    sa.Column("mode", sa.Text, nullable=False),  # query, mixed or pairwise
    sa.Column("raters_each", sa.Integer, nullable=False),
    sa.Column("needs_enter", sa.Boolean, nullable=False),  # whether a grade is confirmed by a second key
    sa.Column("pilot", sa.Integer, nullable=False),  # how many items every rater labels first; 0 is none
    sa.Column("pilot_limit", sa.Float, nullable=False),
    sa.Column("gold_share", sa.Float, nullable=False),
    sa.Column("repeat_share", sa.Float, nullable=False),
    sa.Column("refresh_days", sa.Integer),
    sa.Column("refresh_classes", sa.Text, nullable=False, server_default="{}"),  # segment of a query to days, as JSON
    sa.Column("opened_at", sa.Text),  # when the queue behind the pilot was opened
    sa.Column("opened_by", sa.Text),
    sa.Column("opened_why", sa.Text),
    sa.Column("min_seconds", sa.Float, nullable=False, server_default="0"),  # of a plausible answer; 0 stops nobody
    sa.Column("live_links", sa.Boolean, nullable=False, server_default=sa.false()),  # whether live pages may be opened
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("ended_at", sa.Text),
    sa.UniqueConstraint("tenant", "name"),
)

QUERIES = _table(
    "queries",
    _id(),
    sa.Column("project", sa.Text, sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("query_id", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("need", sa.Text, nullable=False, server_default=""),
    sa.Column("language", sa.Text),
    sa.Column("segment", sa.Text),
    sa.UniqueConstraint("project", "query_id"),
)

DOCUMENTS = _table(
    "documents",
    _id(),
    sa.Column("doc_hash", sa.Text, nullable=False),  # of what a rater sees
    sa.Column("doc_id", sa.Text, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("html", sa.Text, nullable=False, server_default=""),  # the body with its markup, sanitised; or nothing
    sa.Column("fields", sa.Text, nullable=False, server_default="{}"),  # further fields, name to text, as JSON
    sa.Column("image", sa.Text, nullable=False, server_default=""),  # the hash of a picture; or nothing
    sa.Column("language", sa.Text),  # as in lang="..."
    sa.Column("captured_at", sa.Text),
    sa.UniqueConstraint("tenant", "doc_id", "doc_hash"),
)

IMAGES = _table(
    "images",
    _id(),
    sa.Column("image_hash", sa.Text, nullable=False),  # of its bytes
    sa.Column("kind", sa.Text, nullable=False),  # image/png, image/jpeg, image/gif or image/webp
    sa.Column("bytes", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("tenant", "image_hash"),
)

ITEMS = _table(
    "items",
    _id(),
    sa.Column("project", sa.Text, sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("query_id", sa.Text, nullable=False),
    sa.Column("doc_id", sa.Text, nullable=False),
    sa.Column("doc_hash", sa.Text, nullable=False),
    sa.Column("other_doc_id", sa.Text, nullable=False, server_default=""),  # the second document of a pairwise item
    sa.Column("other_doc_hash", sa.Text, nullable=False, server_default=""),
    sa.Column("place", sa.Integer, nullable=False),  # in the queue: smaller is labelled first
    sa.Column("wanted", sa.Integer, nullable=False),  # raters
    sa.Column("taken", sa.Integer, nullable=False, server_default="0"),  # claims that hold or were answered
    sa.Column("is_pilot", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("gold", sa.Float),  # the known grade of a hidden gold item; pairwise 0 first, 1 second, 2 tie, 3 both-bad
    sa.Column("is_found", sa.Boolean, nullable=False, server_default=sa.false()),  # a rater searched for it
    sa.Column("is_disputed", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("round", sa.Integer, nullable=False, server_default="0"),  # how often the pair was put back as it is
    sa.Column("alike", sa.Integer),  # one number for documents of the query that say nearly the same
    sa.UniqueConstraint("project", "query_id", "doc_id", "other_doc_id", "doc_hash", "round", name="uq_items_pair"),
)
"""A pair of query and document to be labelled. No system, no rank and no reason stands here: the page cannot show
what its database does not know."""

WANTED = sa.case((ITEMS.c.taken > ITEMS.c.wanted, ITEMS.c.taken), else_=ITEMS.c.wanted)
"""Answers that an item is to have: of a replaced text also those of who has it and may answer."""

_OPEN = ITEMS.c.taken < ITEMS.c.wanted
sa.Index("ix_items_open", ITEMS.c.project, ITEMS.c.is_pilot, ITEMS.c.place, ITEMS.c.id,
         sqlite_where=_OPEN, postgresql_where=_OPEN)  # fmt: skip
sa.Index("ix_items_gold", ITEMS.c.project, ITEMS.c.gold, sqlite_where=ITEMS.c.gold.is_not(None),
         postgresql_where=ITEMS.c.gold.is_not(None))  # fmt: skip

CLAIMS = _table(
    "claims",
    _id(),
    sa.Column("item", sa.ForeignKey("items.id"), nullable=False),
    sa.Column("rater", sa.Text, nullable=False),
    sa.Column("turn", sa.Integer, nullable=False, server_default="0"),  # 1 is a hidden repeat of the rater's own item
    sa.Column("claimed_at", sa.Text, nullable=False),
    sa.Column("ended_at", sa.Text),  # answered, or given back
    sa.Column("outcome", sa.Text),  # judged, skipped, or expired
    sa.UniqueConstraint("item", "rater", "turn"),
    sa.Index(None, "rater", "ended_at"),
)

JUDGMENTS = _table(
    "judgments",
    _id(),
    sa.Column("uid", sa.Text, nullable=False),  # made by the client: a retry never counts twice
    sa.Column("project", sa.Text, sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("item", sa.ForeignKey("items.id"), nullable=False),
    sa.Column("query_id", sa.Text, nullable=False),
    sa.Column("doc_id", sa.Text, nullable=False),
    sa.Column("rater", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("grade", sa.Float),  # none where the rater cannot tell, or takes back
    sa.Column("dimensions", sa.Text, nullable=False, server_default="{}"),  # name to value, as JSON
    sa.Column("preference", sa.Text),  # pairwise: first, second, tie or both-bad
    sa.Column("left_doc_id", sa.Text, nullable=False, server_default=""),  # what the rater saw on the left of a pair
    sa.Column("cannot_tell", sa.Text),  # the reason
    sa.Column("note", sa.Text, nullable=False, server_default=""),
    sa.Column("rubric_version", sa.Text, nullable=False),
    sa.Column("doc_hash", sa.Text, nullable=False),
    sa.Column("judged_at", sa.Text, nullable=False),
    sa.Column("took_ms", sa.Integer),
    sa.Column("is_fast", sa.Boolean, nullable=False, server_default=sa.false()),  # faster than anybody reads
    sa.Column("source", sa.Text, nullable=False),  # human, model or clicks
    sa.Column("turn", sa.Integer, nullable=False, server_default="0"),
    sa.Column("takes_back", sa.Text),  # the uid of the judgment that this row undoes; then it says nothing else
    sa.UniqueConstraint("tenant", "uid"),
    sa.Index(None, "item", "rater", "turn"),
    sa.Index(None, "project", "rater", "id"),
)

_TAKES_BACK = JUDGMENTS.c.takes_back.is_not(None)
sa.Index("ix_judgments_takes_back", JUDGMENTS.c.takes_back, sqlite_where=_TAKES_BACK, postgresql_where=_TAKES_BACK)

FLAGS = _table(
    "flags",
    _id(),
    sa.Column("project", sa.Text, sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("query_id", sa.Text, nullable=False),
    sa.Column("rater", sa.Text, nullable=False),
    sa.Column("why", sa.Text, nullable=False),
    sa.Column("flagged_at", sa.Text, nullable=False),
)

EVENTS = _table(
    "events",
    _id(),
    sa.Column("uid", sa.Text, nullable=False),
    sa.Column("project", sa.Text, sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("rater", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # stopped, went on, or opened
    sa.Column("item", sa.ForeignKey("items.id")),  # whose live page was opened
    sa.Column("judgment", sa.BigInteger().with_variant(sa.Integer, "sqlite")),  # the rater's last one before
    sa.Column("at", sa.Text, nullable=False),
    sa.UniqueConstraint("tenant", "uid"),
    sa.Index(None, "project", "rater", "id"),
)
"""What raters do beside answering."""

AUDIT = _table(
    "audit",
    _id(),
    sa.Column("person", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("what", sa.Text, nullable=False, server_default=""),
    sa.Column("at", sa.Text, nullable=False),
)
