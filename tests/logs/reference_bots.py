"""The queries about bots and other applications in plain Python; see `reference`."""

from __future__ import annotations

from logs.reference import Row, Rows, Tables, first_of, grouped, query

COLUMN = "a row of a bot: its column says so"
UNIT = "a row of a bot: the list has its unit"


def own(t: Tables, row: Row) -> str | None:
    """Why a row is a bot's, by what it says itself."""
    if row["is_bot"] == 1:
        return COLUMN
    if row["unit_id"] is not None and any(one["unit_id"] == row["unit_id"] for one in t["bot_units"]):
        return UNIT
    return first_of(one["bot"] for one in t["bot_agents"] if one["user_agent"] == row["user_agent"])


def plain(row: Row, bot: str | None) -> Row:
    return {name: value for name, value in row.items() if name not in ("is_bot", "user_agent")} | {"bot": bot}


def of_bots(t: Tables, kinds: tuple[str, ...] = ()) -> Rows:
    here = [{"impression_id": row["impression_id"], "bot": own(t, row)} for row in t["all_rows"]
            if (not kinds or row["kind"] in kinds) and row["impression_id"] is not None]  # fmt: skip
    parts = grouped((row for row in here if row["bot"] is not None), "impression_id")
    return [{"impression_id": key[0], "bot": first_of(row["bot"] for row in part)} for key, part in parts.items()]


@query
def bot_searches(t: Tables) -> Rows:
    return of_bots(t, ("search", "impression"))


@query
def bot_searches_by_events(t: Tables) -> Rows:
    return of_bots(t)


@query
def known(t: Tables) -> Rows:
    bots = {row["impression_id"]: row["bot"] for row in t["bot_searches"]}
    return [plain(row, own(t, row) or bots.get(row["impression_id"])) for row in t["log"]]


@query
def known_as_it_is(t: Tables) -> Rows:
    return [plain(row, None) for row in t["log"]]


@query
def user_agents(t: Tables) -> Rows:
    return [{"user_agent": one} for one in {row["user_agent"] for row in t["log"]} - {None}]


@query
def other_apps(t: Tables) -> Rows:
    return [{"app": key[0], "n": len(part)} for key, part in grouped(t["others"], "app").items()]
