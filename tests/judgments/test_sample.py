from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.judgments.sample import QuerySample, sample, version
from assay.judgments.traffic import Traffic, Window, day, traffic, zone
from assay.stats.weighted import hajek
from assay.tables import LoggedQuery
from assay.tables.door import block_of


def log(*rows: dict[str, Any], **options: Any) -> Traffic:
    return traffic(block_of(list(rows), LoggedQuery, "log.csv"), **options)


def zipf(n: int = 400, exponent: float = 1.1) -> Traffic:
    counts = np.ceil(20_000 / np.arange(1, n + 1) ** exponent)
    return log(*({"text": f"query {i}", "count": float(c)} for i, c in enumerate(counts)))


def test_columns_of_a_log_are_named_and_what_is_not_counted_is_told(tmp_path: Path) -> None:
    """Each with its count: 9 + 2 + 1 searches. Without it a row is one search, and a note says so."""
    path = tmp_path / "log.csv"
    path.write_text("Suchtext,Anzahl,Treffer\nzelt,9,5\nlampe,2,0\nhelm,1,3\n")
    names = {"text": "Suchtext", "count": "Anzahl", "results": "Treffer"}
    found = assay.sample(str(path), strata={"zero-results": 1, "head": 1}, columns=names)
    assert {query.text: query.weight for query in found.queries} == {"lampe": 2.0, "zelt": 9.0}
    assert not any("each row is one search" in note.text for note in found.notes)
    alone = assay.sample(str(path), strata={"head": 1}, columns={"text": "Suchtext"})
    assert any("each row is one search" in note.text for note in alone.notes)
    with pytest.raises(InputError, match="no table has: weight") as refused:  # not passed over: all weights would be 1
        assay.sample(str(path), strata={"head": 1}, columns={"text": "Suchtext", "weight": "Anzahl"})
    assert "asked_at, clicks, count" in str(refused.value)


def test_the_mean_of_a_set_is_that_of_the_traffic() -> None:
    """The known mean of a world in which frequent queries are answered better lies within what chance allows."""
    world = zipf()
    value = dict(zip(world.texts, 1 / (1 + np.arange(400) / 40), strict=True))
    truth = float(np.average(list(value.values()), weights=world.count))
    plain, weighted = [], []
    for seed in range(400):
        found = sample(world, strata={"head": 8, "torso": 12, "tail": 20}, seed=seed)
        values = np.array([value[q.text] for q in found.queries])
        weights = np.array([q.weight / q.inclusion for q in found.queries])
        plain.append(values.mean())
        weighted.append(float((weights * values).sum() / weights.sum()))
    error = np.std(weighted) / np.sqrt(400)
    assert abs(np.mean(weighted) - truth) < 4 * error
    assert abs(np.mean(plain) - truth) > 20 * error  # the unweighted mean answers another question


def test_the_house_estimates_with_the_same_weights() -> None:
    found = sample(zipf(), strata={"head": 8, "torso": 12, "tail": 20})
    values = np.array([float(len(q.text)) for q in found.queries])
    traffic_, chance = (np.array([getattr(q, name) for q in found.queries]) for name in ("weight", "inclusion"))
    expected = (traffic_ / chance * values).sum() / (traffic_ / chance).sum()
    assert hajek(values, traffic_ / chance).mean == pytest.approx(expected)


def test_every_stratum_gets_its_number_and_no_query_comes_twice() -> None:
    flat = log(*({"text": f"query {i}", "count": 10.0} for i in range(100)))  # a third of the traffic: 33 queries
    found = sample(flat, size=130, strata={"head": 40, "torso": None, "tail": 60}, within="equal")
    numbers = [(s.name, s.queries, s.wanted, s.drawn) for s in found.strata]
    assert numbers == [("head", 33, 40, 33), ("torso", 34, 30, 30), ("tail", 33, 60, 33)]
    assert len({q.query_id for q in found.queries}) == 96
    assert [note.text for note in found.notes] == [
        "head has 33 queries and 40 were wanted: all are taken",
        "tail has 33 queries and 60 were wanted: all are taken",
    ]
    assert [q.inclusion for q in found.queries if q.stratum == "torso"] == pytest.approx([30 / 34] * 30)


def head_of(found: QuerySample) -> set[str]:
    return {q.text for q in found.queries}


def test_a_larger_set_keeps_the_smaller_one_and_another_seed_does_not() -> None:
    world = zipf()
    small, large = (sample(world, size=n, strata={"tail": None}, seed=3) for n in (20, 60))
    assert len(head_of(small) & head_of(large)) >= 18
    other = sample(world, size=20, strata={"tail": None}, seed=4)
    assert len(head_of(small) & head_of(other)) < 10
    assert sample(world, size=20, strata={"tail": None}, seed=3) == small


def test_a_refresh_says_what_left_what_arrived_and_what_is_covered() -> None:
    world = log(*({"text": text, "count": n} for text, n in (("a", 60.0), ("b", 30.0), ("new", 10.0))))
    asked: dict[str, int | None] = {"head": 1, "torso": 1}
    found = sample(world, strata=asked, head=0.5, torso=0.85, old={"a": "a", "gone": "Gone"}, replaces="abc")
    refresh = found.refresh
    assert refresh is not None
    assert head_of(found) == {"a", "b"}
    assert (refresh.replaces, refresh.before, refresh.stayed) == ("abc", 2, 1)
    assert (refresh.gone, refresh.left, refresh.arrived) == (("Gone",), (), ("b",))
    assert (refresh.covered, refresh.covers) == (pytest.approx(0.6), pytest.approx(0.9))
    assert "10.0 % of the traffic is in no stratum" in found.notes[-1].text


def test_forms_of_one_query_count_together_under_the_commonest() -> None:
    found = log({"text": "Rain Jacket", "count": 2.0}, {"text": "rain jacket", "count": 5.0}, {"text": '"rain jacket"'})
    assert (found.texts, found.count.tolist(), found.forms) == (["rain jacket"], [8.0], 3)
    words = log({"text": "jacket rain"}, {"text": "rain jacket"}, rule="words")
    assert words.count.tolist() == [2.0]


def test_near_equal_queries_are_one_by_the_rules_that_are_named_and_each_is_told() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "café chairs", "count": 100.0}, {"text": "cafe chair", "count": 8.0}, {"text": "cafe chairs"},
        {"text": "Café chairs", "count": 3.0}, {"text": "waterproof jacket", "count": 50.0},
        {"text": "waterprof jacket", "count": 5.0}, {"text": "waterporof jackets", "count": 2.0},
        {"text": "waterproofs jacket", "count": 6.0}, {"text": "jacket waterproof", "count": 7.0},
    ]  # fmt: skip
    plain = log(*rows)
    assert len(plain) == 8
    found = log(*rows, near=("accents", "plurals", "typos"))
    assert dict(zip(found.texts, found.count.tolist(), strict=True)) == {
        "café chairs": 112.0, "waterproof jacket": 63.0, "jacket waterproof": 7.0,
    }  # fmt: skip
    assert [(one.text, one.counts_as, one.rule, one.searches) for one in found.spellings] == [
        ("cafe chair", "café chairs", "plurals", 8.0),
        ("waterproofs jacket", "waterproof jacket", "plurals", 6.0),
        ("waterprof jacket", "waterproof jacket", "typos", 5.0),
        ("Café chairs", "café chairs", "form", 3.0),
        ("waterporof jackets", "waterproof jacket", "typos", 2.0),
        ("cafe chairs", "café chairs", "accents", 1.0),
    ]
    drawn = sample(log(*rows, rule="words", near=("plurals",)), size=1, strata={"head": 1}, head=0.5, torso=0.9)
    assert drawn.folds == (("form", 1, 3.0), ("words", 1, 7.0), ("plurals", 2, 7.0))  # also cafe chairs with cafe chair
    assert {one.counts_as for one in drawn.spellings} == {drawn.queries[0].text}


def test_queries_in_other_languages_are_folded_by_form_alone_whatever_is_named() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "İstanbul oteli", "count": 40.0}, {"text": "istanbul oteli", "count": 3.0},
        {"text": "Straßenschuhe", "count": 30.0}, {"text": "STRASSENSCHUHE", "count": 2.0},
        {"text": "Straßenschuh", "count": 1.0},  # a plural, and a slip of the finger by its letters
        {"text": "معطف المطر", "count": 200.0}, {"text": "معطف المطار", "count": 1.0},
        {"text": "红色手机壳子套装", "count": 200.0}, {"text": "红色手机壳子套", "count": 1.0},
    ]  # fmt: skip
    found = log(*rows, near=("accents", "plurals"))
    assert dict(zip(found.texts, found.count.tolist(), strict=True)) == {
        "İstanbul oteli": 43.0, "Straßenschuhe": 32.0, "Straßenschuh": 1.0, "معطف المطر": 200.0, "معطف المطار": 1.0,
        "红色手机壳子套装": 200.0, "红色手机壳子套": 1.0,
    }  # fmt: skip
    assert {one.rule for one in found.spellings} == {"form"}
    slips = log(*rows, near=("typos",))
    assert [(one.text, one.rule) for one in slips.spellings if one.rule == "typos"] == [("Straßenschuh", "typos")]


def test_a_slip_in_the_earlier_set_is_the_query_that_was_meant() -> None:
    world = [
        {"text": "waterproof", "count": 500.0},
        {"text": "waterprof", "count": 5.0},
        {"text": "tent", "count": 9.0},
    ]
    old = [{"query_id": "1", "text": "waterprof"}, {"query_id": "2", "text": "jo@example.org"}]
    found = assay.sample(world, size=2, strata={"head": 2}, near="typos", refresh=old)
    assert found.refresh is not None
    assert (found.refresh.before, found.refresh.gone, found.refresh.left) == (1, (), ())
    assert found.refresh.covered == pytest.approx(505 / 514)
    assert "1 queries of the earlier set hold personal data: left out" in [note.text for note in found.notes]
    assert "example.org" not in str(found)


def test_the_ids_and_titles_of_documents_are_known_items() -> None:
    documents = [{"doc_id": "LMP-05", "title": "The Hobbit!"}, {"doc_id": "x", "title": ""}]
    world = [{"text": text} for text in ("lmp-05", "the hobbit", "hobbit", "x")]
    found = assay.sample(world, strata={"known-item": 3}, known_documents=documents)
    assert {q.text for q in found.queries} == {"lmp-05", "the hobbit", "x"}


def test_a_log_of_one_query_fills_one_stratum() -> None:
    found = sample(log({"text": "tent", "count": 5.0}), size=3)
    assert [(s.name, s.queries, s.drawn) for s in found.strata] == [("head", 1, 1), ("torso", 0, 0), ("tail", 0, 0)]


def test_personal_data_goes_before_anything_is_drawn() -> None:
    found = log({"text": "jo@example.org", "count": 50.0}, {"text": "tent"}, {"text": "+49 30 901820"})
    assert (found.texts, found.personal) == (["tent"], {"e-mail": 1, "phone": 1})
    with pytest.raises(InputError, match="every query holds personal data"):
        log({"text": "jo@example.org"})


def test_days_begin_in_the_zone_that_was_said() -> None:
    rows = [
        {"text": "late", "asked_at": "2026-03-01T23:30:00Z"},
        {"text": "noon", "asked_at": "2026-03-02T12:00:00+00:00Z"},
        {"text": "next", "asked_at": "2026-03-02T23:30:00Z"},
    ]
    only = Window(day("2026-03-02", "--from"), day("2026-03-02", "--to"), zone("Europe/Berlin"))
    found = log(*rows, window=only)  # 23:30 in London is half past midnight in Berlin
    assert (found.texts, found.outside) == (["late", "noon"], 1.0)
    utc = Window(day("2026-03-02", "--from"), None, zone("UTC"))
    assert log(*rows, window=utc).texts == ["noon", "next"]


def test_a_day_alone_is_that_day_in_whichever_zone() -> None:
    rows = [{"text": "first", "asked_at": "2026-03-01"}, {"text": "second", "asked_at": "2026-03-02"}]
    for name in (None, "Pacific/Kiritimati", "America/Los_Angeles"):
        only = Window(day("2026-03-02", "--from"), day("2026-03-02", "--to"), zone(name))
        assert log(*rows, window=only).texts == ["second"]


def test_days_that_run_backwards_and_counts_without_end_are_refused() -> None:
    with pytest.raises(InputError, match="2026-03-02 comes after 2026-03-01"):
        Window(day("2026-03-02", "--from"), day("2026-03-01", "--to"))
    with pytest.raises(InputError, match=r"log\.csv: the counts add up to more than a number can hold"):
        log({"text": "a", "count": 1e308}, {"text": "b", "count": 1e308})


def test_a_log_or_a_list_of_queries_may_have_one_column_alone(tmp_path: Path) -> None:
    """One query a line, commas and all; by hand: 2 of 3 searches are one query."""
    path, known = tmp_path / "log.csv", tmp_path / "known.csv"
    path.write_text("query\nzelt, rot\nlampe\nzelt, rot\n", "utf-8")
    found = assay.sample(str(path), strata={"head": 1})
    assert [(query.text, query.weight) for query in found.queries] == [("zelt, rot", 2.0)]
    for head in ("query", "text", "query_id"):
        known.write_text(f"{head}\nzelt, rot\n", "utf-8")
        found = assay.sample(str(path), strata={"known-item": 1}, known_items=str(known))
        assert [(query.text, query.stratum) for query in found.queries] == [("zelt, rot", "known-item")]
    path.write_text('query\n"zelt, rot"\nlampe\n"zelt, rot"\n', "utf-8")
    assert assay.sample(str(path), strata={"head": 1}, format="csv").queries[0].text == "zelt, rot"
    path.write_text("zelt\nlampe\n", "utf-8")  # which line is the name of the column?
    with pytest.raises(InputError, match="is in no format that holds"):
        assay.sample(str(path), strata={"head": 1})


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("yesterday", "log.csv, row 1: 'yesterday' is no time in ISO 8601"),
        ("2026-03-02T10:00:00", "has no time zone"),
        (None, "log.csv, row 1: has no time"),
    ],
)
def test_times_that_cannot_be_placed_are_refused(at: str | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        log({"text": "a", "asked_at": at}, window=Window(day("2026-03-02", "--from")))


def test_failing_searches_are_strata_of_their_own() -> None:
    world = log(
        {"text": "nothing", "count": 3.0, "results": 0.0, "clicks": 0.0},
        {"text": "nothing", "count": 1.0, "results": 7.0, "clicks": 2.0},
        {"text": "looked", "count": 4.0, "results": 9.0, "clicks": 0.0},
        {"text": "found", "count": 9.0, "results": 9.0, "clicks": 5.0},
    )
    assert {name: x.tolist() for name, x in world.outcomes.items()} == {
        "zero-results": [3.0, 0.0, 0.0],
        "no-click": [0.0, 4.0, 0.0],
    }
    found = sample(world, strata={"zero-results": 1, "no-click": 1, "head": 1}, head=0.9, torso=0.95)
    assert [(q.text, q.stratum) for q in found.queries] == [
        ("nothing", "zero-results"),
        ("looked", "no-click"),
        ("found", "head"),
    ]
    with pytest.raises(InputError, match="the log does not tell escalated"):
        sample(world, strata={"escalated": 1})


def test_escalation_is_yes_or_no() -> None:
    found = log({"text": "a", "escalated": "Yes"}, {"text": "b", "escalated": "0"}, {"text": "c", "escalated": None})
    assert found.outcomes["escalated"].tolist() == [1.0, 0.0, 0.0]
    with pytest.raises(InputError, match="escalated is 'maybe'"):
        log({"text": "a", "escalated": "maybe"})


def test_known_items_by_pattern_or_list() -> None:
    world = log({"text": "SKU-1"}, {"text": "tent"}, {"text": "The Hobbit"})
    by_pattern = sample(world, strata={"known-item": 1}, known_pattern="^sku-")
    assert head_of(by_pattern) == {"SKU-1"}
    by_list = sample(world, strata={"known-item": 2}, known_pattern="^sku-", known_items=["the hobbit"])
    assert head_of(by_list) == {"SKU-1", "The Hobbit"}
    with pytest.raises(InputError, match="how a known item is told"):
        sample(world, strata={"known-item": 1})
    with pytest.raises(InputError, match="is no regular expression"):
        sample(world, strata={"known-item": 1}, known_pattern="(")


@pytest.mark.parametrize(
    ("size", "strata", "said"),
    [
        (None, None, "how many queries to draw is not said"),
        (10, {"head": 20}, "the strata ask for 20 queries and --size for 10"),
        (30, {"head": 20}, "the strata ask for 20 queries and --size for 30"),
        (1, {"head": None, "tail": None}, "1 query is left for 2 strata: head, tail"),
        (2, None, "2 queries are left for 3 strata: head, torso, tail"),
        (None, {}, "no query is asked for"),
        (None, {"head": 0}, "no query is asked for"),
        (10, {"haed": 10}, "unknown stratum haed; did you mean head"),
    ],
)
def test_sizes_that_do_not_add_up(size: int | None, strata: dict[str, int | None] | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        sample(zipf(20), size=size, strata=strata)


def test_a_zone_is_known_by_its_name() -> None:
    with pytest.raises(InputError, match="unknown time zone Europe/Berln; did you mean Europe/Berlin"):
        zone("Europe/Berln")
    with pytest.raises(InputError, match="'2026-13-01' is no day"):
        day("2026-13-01", "--from")


def test_a_version_names_the_content_and_not_the_order() -> None:
    rows = [("q1", "a", 2.0, 0.5), ("q2", "b", 1.0, 1.0)]
    assert version(rows) == version(rows[::-1])
    assert version(rows) != version([("q1", "a", 3.0, 0.5), ("q2", "b", 1.0, 1.0)])
