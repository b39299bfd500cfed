"""What is read is counted or refused for a reason, as an equation, on logs with random faults of each kind of file."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter

import polars as pl
import pytest

from assay.logs.duck import Duck
from assay.logs.log import Reading, open_log

SINCE, UNTIL = 1_772_323_200_000_000, 1_772_928_000_000_000  # 2026-03-01 to 2026-03-08
INSIDE, BEFORE, AFTER = "2026-03-02T10:00:00Z", "2026-02-27T10:00:00Z", "2026-03-09T10:00:00Z"
NAMES = ("action", "search_id", "session", "query", "doc_id", "rank", "click", "timestamp")
MOST = 3

FAULTS = {
    "an impression that names no document": {"doc_id": None},
    "an impression that names neither query nor search": {"search_id": None, "query": None},
    "an impression without a position": {"rank": None},
    "an impression whose position is no whole number": {"rank": "top"},
    "an impression before the first position": {"rank": "-1"},
    "an impression below position 10,000": {"rank": "10001"},
    "an impression whose click is neither 0 nor 1": {"click": "7"},
    "a time that cannot be read or names no time zone": {"timestamp": "noon"},
    "before the window": {"timestamp": BEFORE},
    "after the window": {"timestamp": AFTER},
}
"""What is done to a row, and what it is refused for."""

UNREAD = {"jsonl": "a line that is no JSON object", "csv": "lines with more or fewer columns than the header"}


def made(seed):
    """Rows, how many are refused for each reason, and how many impressions are left for cells."""
    rng = random.Random(seed)
    rows, left, counted, seen = [], Counter(), 0, 0
    for n in range(rng.randint(20, 60)):
        robot, nameless = rng.random() < 0.2, rng.random() < 0.15
        session = "robot" if robot else f"p{n}"
        for rank in range(1, rng.randint(2, 6)):
            query = None if nameless else rng.choice(["red", "blue"])
            good = ("impression", f"s{n}", session, query, f"d{rank}", str(rank), rng.choice("01"), INSIDE)
            row = dict(zip(NAMES, good, strict=True))
            if rank > 1 and rng.random() < 0.15:  # the first row of a search stays, so that the search does
                why = rng.choice(list(FAULTS))
                rows.append({**row, **FAULTS[why]})
                left[why] += 1
                continue
            times = 2 if rng.random() < 0.1 else 1
            rows += [row] * times
            left["impressions that come again"] += times - 1
            seen += times
            if robot:
                left["impressions of these sessions"] += 1
            elif nameless:
                left["impressions whose search names no query"] += 1
            else:
                counted += 1
    robots = {row["search_id"] for row in rows if row["session"] == "robot" and row["timestamp"] == INSIDE}
    if len(robots - {None}) > MOST:
        left[f"sessions of more than {MOST} searches, set aside"] = 1
    else:
        return made(seed + 1000)
    rng.shuffle(rows)
    return rows, left, counted, seen


def write(folder, kind, rows, rng):
    """A log of two files of one kind; gives how many lines were put in that cannot be read."""
    broken = 0
    for name, part in (("a", rows[::2]), ("b", rows[1::2])):
        path = folder / f"{name}.{kind}"
        if kind == "parquet":
            pl.DataFrame(part, schema=dict.fromkeys(NAMES, pl.String)).write_parquet(path)
            continue
        if kind == "jsonl":
            lines = [json.dumps({key: value for key, value in row.items() if value is not None}) for row in part]
            odd = ['{"search_id": ', "[1, 2]", "null", '{"doc_id": "caf\xe9"}']
        else:
            text = io.StringIO()
            csv.DictWriter(text, NAMES, lineterminator="\n").writerows(part)
            lines, odd = text.getvalue().splitlines(), ["s1,red", ",".join("123456789")]
        for _ in range(rng.randint(0, 4)):
            lines.insert(rng.randint(0, len(lines)), rng.choice(odd))
            broken += 1
        head = [",".join(NAMES)] if kind == "csv" else []
        path.write_bytes("".join(f"{line}\n" for line in head + lines).encode("latin-1"))
    return broken


@pytest.fixture
def duck():
    engine = Duck(threads=2)
    yield engine
    engine.close()


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("seed", range(6))
def test_rows_are_counted_or_refused(tmp_path, duck, kind, seed):
    rows, left, counted, seen = made(seed)
    broken = write(tmp_path, kind, rows, random.Random(seed))
    left = +left
    if broken:
        left[UNREAD[kind]] = broken
    log = open_log(tmp_path, Reading(since=SINCE, until=UNTIL, most=MOST), engine=duck)
    found = {one.reason: one for one in log.refused()}
    assert {why: one.n for why, one in found.items()} == dict(left)
    assert sum(one.n for one in log.happened()) == seen
    cells = log.run("cells")
    assert cells["impressions"].sum() == counted
    of_rows = set(FAULTS) | set(UNREAD.values())
    assert len(rows) + broken == seen + sum(one.n for why, one in found.items() if why in of_rows)
    placed = [why for why in found if why in of_rows and "window" not in why]
    assert all(found[why].places for why in [*placed, "impressions whose search names no query"] if why in found)


def told(log):
    return {one.reason: one.n for one in log.refused()}


@pytest.mark.parametrize("again", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_come_again_count_once_and_the_others_as_they_are(tmp_path, duck, seed, again):
    rng = random.Random(seed)
    rows, once = [], {}
    for n in range(150):
        for _ in range(rng.randint(1, 12)):  # two documents may stand at one position, and positions go far down
            key = (f"s{n}", rng.choice(["red", None]) if n % 9 == 0 else "red", f"d{rng.randint(1, 5)}",
                   rng.choice([1, 2, 3, 61, 62, 200]))  # fmt: skip
            same = (key[0], *key[2:])
            if same in once and rng.random() >= again:
                continue
            click = rng.randint(0, 1)
            rows.append((*key, click))
            once[same] = max(click, once.get(same, 0))
    queries = {search for search, query, *_ in rows if query is not None}
    rng.shuffle(rows)
    pl.DataFrame(rows, schema=("search_id", "query", "doc_id", "rank", "click"), orient="row").write_parquet(
        tmp_path / "log.parquet"
    )
    log = open_log(tmp_path / "log.parquet", Reading(), engine=duck)
    named = {key: click for key, click in once.items() if key[0] in queries}
    cells = log.run("cells")
    expected: dict[tuple[str, int], list[int]] = {}
    for (_, doc, rank), click in named.items():
        cell = expected.setdefault((doc, rank), [0, 0])
        cell[0] += 1
        cell[1] += click
    found = {(doc, rank): [n, clicks] for doc, rank, n, clicks in
             cells.select("doc_id", "position", "impressions", "clicks").iter_rows()}  # fmt: skip
    assert found == expected
    left = {"impressions that come again": len(rows) - len(once),
            "impressions whose search names no query": len(once) - len(named)}  # fmt: skip
    assert told(log) == {why: n for why, n in left.items() if n}
    assert len(rows) == cells["impressions"].sum() + sum(told(log).values())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["csv", "parquet", "lists"])
def test_each_place_of_a_search_a_row_is_counted_or_refused(tmp_path, duck, seed, kind):
    rng = random.Random(seed)
    rows, left, counted = [], Counter(), 0
    for n in range(80):
        docs, clicks = [f"d{place}" for place in range(1, 5)], [rng.choice("01") for _ in range(4)]
        if rng.random() < 0.1:
            docs = [None] * 4 if kind != "lists" else []
            clicks = ["0"] * 4 if kind != "lists" else []
            left["an impression that names no document"] += 1
        else:
            counted += 4
            if rng.random() < 0.3:
                place = rng.randrange(4)
                clicks[place] = "7"
                left["an impression whose click is neither 0 nor 1"] += 1
                counted -= 1
        row = {"search_id": f"s{n}", "query": "red"}
        if kind == "lists":
            row.update(docs=docs, clicks=clicks)
        else:
            row.update({f"d{place + 1}": doc for place, doc in enumerate(docs)})
            row.update({f"c{place + 1}": click for place, click in enumerate(clicks)})
        rows.append(row)
    path = tmp_path / ("log.csv" if kind == "csv" else "log.parquet")
    frame = pl.DataFrame(rows)
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
    log = open_log(path, Reading(), engine=duck)
    assert told(log) == dict(left)
    assert log.run("cells")["impressions"].sum() == counted == sum(one.n for one in log.happened())


@pytest.mark.parametrize("seed", range(3))
def test_events_of_user_behavior_insights_are_counted_or_refused(tmp_path, duck, seed):
    rng = random.Random(seed)
    lines, left, happened, counted = [], Counter(), Counter(), 0
    for n in range(60):
        said = {"application": "shop", "query_id": f"s{n}", "client_id": f"c{n}", "timestamp": INSIDE}
        is_asked = rng.random() < 0.8
        if is_asked:
            lines.append({**said, "user_query": "red"})
            happened["search"] += 1
        for place in range(1, 4):
            shown = {"object": {"object_id": f"d{place}"}, "position": {"ordinal": place}}
            event = {**said, "event_id": f"e{n}-{place}", "action_name": "impression", "event_attributes": shown}
            fault = rng.choice(["none", "none", "no search", "no attributes", "again"])
            if fault == "no search":  # nor a query: what it shows belongs to nothing
                event = {**event, "query_id": None}
                left["an impression that names neither query nor search"] += 1
            elif fault == "no attributes":
                event = {**event, "event_attributes": None}
                left["an impression that names no document"] += 1
            else:
                lines += [event] if fault == "again" else []
                happened["impression"] += 1 + (fault == "again")
                left["impressions that come again"] += fault == "again"
                counted += is_asked
                left["impressions whose search names no query"] += not is_asked
            lines.append(event)
        click = {**said, "event_id": f"k{n}", "action_name": "click"}
        if rng.random() < 0.3:
            lines.append(click)
            left["a click that names no document"] += 1
        else:
            there = {"object": {"object_id": "never shown"}}
            lines += [{**click, "event_id": f"x{n}", "event_attributes": there}] * 2
            happened["click"] += 2
            left["events that come again"] += 1
            left["clicked documents that their search never showed"] += 1
    rng.shuffle(lines)
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    log = open_log(path, Reading(), engine=duck)
    found = told(log)
    assert found == +left
    assert {one.kind: one.n for one in log.happened()} == dict(happened)
    assert log.run("cells")["impressions"].sum() == counted
    of_rows = [n for why, n in found.items() if why.startswith(("a ", "an "))]
    assert len(lines) == sum(happened.values()) + sum(of_rows)


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def left_out(log):
    return {one.reason: (one.n, one.seen, one.places) for one in log.refused()}


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_other_applications_are_counted_by_name_with_their_places(tmp_path, duck, seed):
    rng = random.Random(seed)
    rows = [{"search_id": f"s{n}", "query": "red", "doc_id": "d1", "rank": 1, "click": 0,
             **({"app": app} if (app := rng.choice(["a", "b", "c", None])) else {})} for n in range(40)]  # fmt: skip
    path = written(tmp_path / "log.jsonl", rows)
    path.write_text(path.read_text("utf-8") + "{broken\n", encoding="utf-8")
    log = open_log(path, Reading(app="a"), engine=duck)
    by_app = Counter(row.get("app") for row in rows)
    others = sorted(((n, app or "") for app, n in by_app.items() if app != "a"), key=lambda one: (-one[0], one[1]))
    there = tuple(f"{path}:{n}" for n, row in enumerate(rows, start=1) if row.get("app") != "a")
    named = ", ".join(f"{app or 'without a name'} {n}" for n, app in others)
    assert left_out(log) == {
        "a line that is no JSON object": (1, "", (f"{path}:41",)),
        "rows of other applications": (40 - by_app["a"], named, there[:3]),
    }
    assert log.run("cells")["impressions"].sum() == by_app["a"]


NUMBERS = {"dwell": ["12,50", "-3", "long", "1e400"], "value": ["12,50", "nan"], "n_results": ["many", "2.5", "-1"],
           "swap": ["top"], "is_bot": ["perhaps", "2"]}  # fmt: skip
FIELDS = {"dwell": "dwell_s", "n_results": "results"}


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_numbers_that_cannot_be_read_are_told_and_their_rows_count(tmp_path, duck, kind):
    good = {"search_id": "s", "query": "red", "doc_id": "d1", "rank": "1", "click": "0", "dwell": "0", "value": "-2.5",
            "n_results": "0", "swap": "2", "is_bot": "0"}  # fmt: skip
    rows, want = [good, {**good, **dict.fromkeys(NUMBERS, "")}], {}
    for name, values in NUMBERS.items():
        for value in values:
            rows.append({**good, name: value})
            want.setdefault(FIELDS.get(name, name), []).append(len(rows))
    rows.append({**good, "dwell": "x", "value": "x"})
    want["dwell_s, value"] = [len(rows)]
    rows = [{**row, "search_id": f"s{n}"} for n, row in enumerate(rows)]
    path = tmp_path / f"log.{kind}"
    frame = pl.DataFrame(rows)
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[kind](path)
    log = open_log(path, Reading(), engine=duck)
    at = {"csv": lambda n: f"{path}:{n + 1}", "jsonl": lambda n: f"{path}:{n}", "parquet": lambda n: f"{path}, row {n}"}
    assert left_out(log) == {
        f"rows that count without their {what}, which cannot be read": (len(there), "", tuple(map(at[kind], there[:3])))
        for what, there in want.items()
    }  # fmt: skip
    assert log.run("cells")["impressions"].sum() == len(rows) == sum(one.n for one in log.happened())


def test_numbers_of_their_own_type_are_looked_at_too(tmp_path, duck):
    rows = pl.DataFrame({"search_id": ["s1", "s2", "s3"], "query": "red", "doc_id": "d1", "rank": 1, "click": 0,
                         "dwell": [1.5, -1.0, float("nan")], "n_results": [3, -1, None],
                         "revenue": [1.0, None, float("inf")]})  # fmt: skip
    rows.write_parquet(tmp_path / "log.parquet")
    log = open_log(tmp_path / "log.parquet", Reading(), engine=duck)
    assert {why: n for why, (n, *_) in left_out(log).items()} == {
        "rows that count without their dwell_s, results, which cannot be read": 1,
        "rows that count without their dwell_s, value, which cannot be read": 1,
    }
    assert sorted(log.run("impressions")["dwell_s"].to_list(), key=str) == [1.5, None, None]


def test_a_list_of_results_is_its_length(tmp_path, duck):
    rows = pl.DataFrame({"search_id": ["s1", "s2", "s3"], "query": "red", "doc_id": "d1", "rank": 1, "click": 0,
                         "hits": [["d1", "d2"], [], None]})  # fmt: skip
    rows.write_parquet(tmp_path / "log.parquet")
    log = open_log(tmp_path / "log.parquet", Reading(), engine=duck)
    assert log.refused() == []
    assert sorted(log.run("impressions")["results"].to_list(), key=str) == [0, 2, None]


def test_searches_that_come_again_are_counted(tmp_path, duck):
    asked = [{"action": "search", "search_id": name, "query": "red"} for name in ("s1", "s1", "s2", "s1")]
    shown = [{"action": "impression", "search_id": name, "doc_id": "d1", "rank": 1} for name in ("s1", "s2")]
    log = open_log(written(tmp_path / "log.jsonl", [*asked, *shown]), Reading(), engine=duck)
    assert told(log) == {"searches that come again": 2}
    assert log.run("how_many")["searches"][0] == 2


def test_the_row_of_a_search_and_an_event_that_says_it_was_made_are_no_repetition(tmp_path, duck):
    first = {"query_id": "s1", "client_id": "u1", "application": "shop"}
    asked, said = {**first, "user_query": "red"}, {**first, "action_name": "search"}
    shown = {**first, "action_name": "impression",
             "event_attributes": {"object": {"object_id": "d1"}, "position": {"ordinal": 1}}}  # fmt: skip
    log = open_log(written(tmp_path / "once.jsonl", [asked, said, shown]), Reading(), engine=duck)
    assert told(log) == {}
    log = open_log(written(tmp_path / "again.jsonl", [asked, asked, said, said, said, shown]), Reading(), engine=duck)
    assert told(log) == {"searches that come again": 3}


def test_what_is_outside_of_the_window_says_when_it_was(tmp_path, duck):
    days = ("2026-02-27", "2026-02-20", "2026-03-03", "2026-03-09", "2026-03-08")
    rows = [{"search_id": day, "query": "red", "doc_id": "d1", "rank": 1, "click": 0, "at": f"{day}T00:00:00Z"}
            for day in days]  # fmt: skip
    log = open_log(written(tmp_path / "log.jsonl", rows), Reading(since=SINCE, until=UNTIL), engine=duck)
    assert left_out(log) == {
        "before the window": (2, "2026-02-20T00:00:00Z to 2026-02-27T00:00:00Z", ()),
        "after the window": (2, "2026-03-08T00:00:00Z to 2026-03-09T00:00:00Z", ()),
    }


def test_rows_that_were_drawn_count_one_by_one_and_those_that_do_not_are_told(tmp_path, duck):
    good = {"request_id": "r1", "session": "x", "item_id": "a", "position": 1, "click": 1, "propensity": 0.5}
    other = {**good, "request_id": "r2"}
    odd = [{**good, "position": "top"}, {**good, "position": 0}, {**good, "position": 10_001}, {**good, "click": 7}]
    path = written(tmp_path / "log.jsonl", [good, good, other, *odd])
    log = open_log(path, Reading(is_bandit=True, most=1, bases={"": 1}), engine=duck)
    reasons = ("whose position is no whole number", "before the first position", "below position 10,000",
               "whose click is neither 0 nor 1")  # fmt: skip
    assert left_out(log) == {
        f"an impression {why}": (1, "", (f"{path}:{n}",)) for n, why in enumerate(reasons, start=4)
    }
    cells = log.run("bandit_cells")
    assert cells.filter(cells["is_bad"] == 0)["impressions"].sum() == 3
    assert cells.filter(cells["is_bad"] == 1)["impressions"].sum() == 4
