"""The gate from files and frames to a verdict."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.compare.gate import Verdict
from assay.errors import InputError
from assay.flows.gate import gate
from assay.flows.workbench import Workbench
from assay.kept import dump, load
from assay.workspace import Workspace

N = 60
RULES = """\
[primary]
rule = "improvement"
measure = "nDCG@5"
plan = 0.05
why = "people read five"

[guardrail.recall]
rule = "non_inferiority"
measure = "R@10"
margin = 0.05
"""


class Shop:
    """Sixty queries with ten documents each, of which the first three are relevant; systems order them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        rng = np.random.default_rng(17)
        self.queries = [f"q{i:02d}" for i in range(N)]
        self.good = {q: [f"{q}-d{j}" for j in range(10)] for q in self.queries}
        self.bad = {q: [self.good[q][j] for j in np.r_[rng.permutation(6), 6:10]] for q in self.queries}
        self.grades = {q: {d: 2.0 if j == 0 else 1.0 if j < 3 else 0.0 for j, d in enumerate(docs)}
                       for q, docs in self.good.items()}  # fmt: skip

    def run(self, lists: dict[str, list[str]]) -> dict[str, dict[str, float]]:
        return {q: {d: 100.0 - i for i, d in enumerate(docs)} for q, docs in lists.items()}

    def rows(self, **more: Any) -> list[dict[str, Any]]:
        found = [{"query_id": q, "doc_id": d, "grade": g} for q, known in self.grades.items() for d, g in known.items()]
        return [{**row, **{name: make(i, row) for name, make in more.items()}} for i, row in enumerate(found)]

    def rules(self, text: str = RULES) -> str:
        path = self.folder / "gate.toml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def gate(self, before: Any, after: Any, text: str = RULES, qrels: Any = None, **more: Any) -> Verdict:
        more.setdefault("bench", Workbench())
        more.setdefault("flips", 2000)
        return gate(
            self.run(before), self.run(after), self.grades if qrels is None else qrels, self.rules(text), **more
        )


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def of(verdict: Verdict, name: str) -> Any:
    return next(outcome for outcome in verdict.outcomes if outcome.name == name)


def test_a_better_order_of_the_same_documents_passes(shop):
    verdict = shop.gate(shop.bad, shop.good)
    assert (verdict.status, verdict.exit_code) == ("PASS", 0)
    assert verdict.outcomes[0].role == "primary"
    assert verdict.outcomes[0].reason == "people read five"
    assert verdict.because.startswith("nDCG@5 is better: +")
    assert verdict.would_resolve == ()


def test_a_worse_order_fails_on_what_it_is_for(shop):
    verdict = shop.gate(shop.good, shop.bad)
    assert (verdict.status, verdict.exit_code) == ("FAIL", 1)
    assert of(verdict, "primary").status == "FAIL"
    assert of(verdict, "recall").status == "PASS"


def test_no_change_is_no_improvement_and_may_be_let_through_with_a_warning(shop):
    assert shop.gate(shop.good, shop.good).exit_code == 2
    text = '[gate]\non_inconclusive = "warn"\n' + RULES
    verdict = shop.gate(shop.good, shop.good, text)
    assert (verdict.status, verdict.exit_code) == ("INCONCLUSIVE", 0)


def test_any_rule_that_fails_fails_the_gate_and_an_advisory_one_does_not(shop):
    cut = {q: docs[:2] for q, docs in shop.good.items()}
    verdict = shop.gate(shop.bad, cut)
    assert verdict.status == "FAIL"
    assert (of(verdict, "recall").status, of(verdict, "primary").status) == ("FAIL", "PASS")
    verdict = shop.gate(shop.bad, cut, RULES + "advisory = true\n")
    assert (verdict.status, of(verdict, "recall").status) == ("PASS", "FAIL")


def new_documents(shop, replaced=4):
    """The good lists with unjudged documents in the places of judged ones that are not relevant."""
    return {
        q: [*docs[:3], *(f"{q}-new{i}" for i in range(replaced)), *docs[3 + replaced :]]
        for q, docs in shop.good.items()
    }


def test_unjudged_documents_that_could_turn_a_pass_make_it_inconclusive_and_are_named(shop):
    text = RULES.replace("nDCG@5", "P@5")
    moved = {q: [docs[0], docs[3], docs[1], docs[4], docs[5], *docs[6:], docs[2]] for q, docs in shop.good.items()}
    judged = shop.gate(moved, {q: [*docs[:3], *docs[3:]] for q, docs in shop.good.items()}, text)
    assert judged.status == "PASS"
    hidden = {q: [docs[0], f"{q}-x", docs[1], f"{q}-y", docs[5], *docs[6:], docs[2]] for q, docs in shop.good.items()}
    verdict = shop.gate(hidden, shop.good, text)
    primary = of(verdict, "primary")
    assert primary.status == "INCONCLUSIVE"
    assert "hangs on unjudged documents" in primary.because
    labels = next(remedy for remedy in primary.would_resolve if remedy.kind == "labels")
    # at worst the candidate has 1/5 less in each of 60 queries; a label gives 1/5 of one query back, and 60 make it 0
    assert labels.number == N + 1
    assert len({(pair.query_id, pair.doc_id) for pair in labels.pairs}) == N + 1


def test_enough_judged_and_both_in_the_pool(shop):
    text = (
        RULES
        + """
[guardrail.judged]
rule = "judged"
at_least = 0.8
k = 10
[guardrail.pool]
rule = "pool"
limit = 0.05
k = 10
"""
    )
    whole = shop.gate(shop.bad, shop.good, text)
    assert (of(whole, "judged").status, of(whole, "pool").status) == ("PASS", "PASS")
    half = shop.gate(shop.bad, new_documents(shop, 5), text)
    assert of(half, "judged").checks[0].observed == 0.5
    assert (of(half, "judged").status, of(half, "pool").status) == ("FAIL", "INCONCLUSIVE")
    assert of(half, "pool").would_resolve[0].number == 5 * N


def test_people_and_freshness_of_labels_are_counted_where_they_are_shown(shop):
    text = (
        RULES
        + """
[guardrail.people]
rule = "human_share"
at_least = 0.5
k = 5
[guardrail.fresh]
rule = "stale"
at_most = 0.2
k = 10
"""
    )
    source = {"source": lambda i, row: "human" if row["doc_id"].endswith(("d0", "d1", "d2", "d3", "d9")) else "model",
              "doc_hash": lambda i, row: "then"}  # fmt: skip
    rows = shop.rows(**source)
    documents = [{"doc_id": row["doc_id"], "title": "x", "doc_hash": "now" if row["doc_id"].endswith("d7") else "then"}
                 for row in rows]  # fmt: skip
    verdict = shop.gate(shop.bad, shop.good, text, rows, documents=documents)
    people, fresh = of(verdict, "people"), of(verdict, "fresh")
    assert (people.status, people.checks[0].observed, people.checks[0].n) == ("PASS", 0.8, 5 * N)
    assert (fresh.status, fresh.checks[0].observed, fresh.checks[0].n) == ("PASS", 0.1, 10 * N)
    unknown = shop.gate(shop.bad, shop.good, text)
    assert (of(unknown, "people").status, of(unknown, "fresh").status) == ("INCONCLUSIVE", "INCONCLUSIVE")


def test_a_difference_within_rater_noise_is_inconclusive(shop):
    text = RULES + '\n[guardrail.noise]\nrule = "noise_floor"\nmeasure = "nDCG@5"\ntimes = 1.96\n'
    rows = [dict(row, rater=rater) for row in shop.rows() for rater in ("ann", "bo")]
    agreed = shop.gate(shop.bad, shop.good, text, rows)
    assert of(agreed, "noise").status == "PASS"
    nearly = {q: list(docs) for q, docs in shop.good.items()}
    nearly["q00"][1], nearly["q00"][2] = nearly["q00"][2], nearly["q00"][1]
    nearly["q00"][3], nearly["q00"][0] = nearly["q00"][0], nearly["q00"][3]
    torn = [dict(row, grade=float(i % 2)) for i, row in enumerate(rows)]
    verdict = shop.gate(nearly, shop.good, text, torn, no_relevant="zero")
    assert of(verdict, "noise").status == "INCONCLUSIVE"
    one = shop.gate(shop.bad, shop.good, text)
    assert of(one, "noise").because == "rater noise is not known: no pair has labels of two raters"


def test_queries_that_failed_have_no_value_and_more_than_1_percent_decide_nothing(shop):
    text = RULES + '\n[guardrail.errors]\nrule = "errors"\nat_most = 0.0\n'
    status = {"query_id": shop.queries, "status": ["ok"] * N, "latency_ms": [10.0] * N}
    assert shop.gate(shop.bad, shop.good, text, status=status).status == "PASS"
    status["status"] = ["error"] + ["ok"] * (N - 1)
    verdict = shop.gate(shop.bad, shop.good, text, status=status)
    assert of(verdict, "errors").status == "FAIL"
    assert "1 of 60 queries have a value on one side only" in of(verdict, "primary").because
    again = {"query_id": ["q00", *shop.queries], "status": ["timeout", *["200"] * N]}
    verdict = shop.gate(shop.bad, shop.good, text, status=again)
    assert of(verdict, "primary").status == "PASS"  # a repeat of the query was answered


def test_bad_status_files_get_the_nearest_word(shop):
    text = RULES + '\n[guardrail.errors]\nrule = "errors"\nat_most = 0.0\n'
    with pytest.raises(InputError, match="unknown status tiemout; did you mean timeout"):
        shop.gate(shop.bad, shop.good, text, status={"query_id": ["q00"], "status": ["tiemout"]})
    with pytest.raises(InputError, match="names no query that is judged"):
        shop.gate(shop.bad, shop.good, text, status={"query_id": ["other"], "status": ["ok"]})
    with pytest.raises(InputError, match=r"gate.toml:12: the rule errors needs the status file"):
        shop.gate(shop.bad, shop.good, text)


def workspace(folder: Path) -> Workbench:
    (folder / "assay.toml").write_text("", encoding="utf-8")
    return Workbench(Workspace.read(folder / "assay.toml", {}))


def test_other_gates_on_the_same_queries_are_counted_and_the_same_one_is_not(shop):
    bench = workspace(shop.folder)
    assert shop.gate(shop.bad, shop.good, bench=bench).earlier.gates == 0
    assert shop.gate(shop.bad, shop.good, bench=bench).earlier.gates == 0
    other = shop.gate(shop.good, shop.bad, bench=bench)
    assert (other.earlier.gates, other.earlier.passed, other.earlier.same_baseline) == (1, 1, 0)
    third = shop.gate(shop.bad, shop.bad, bench=bench)
    assert (third.earlier.gates, third.earlier.passed, third.earlier.same_baseline) == (2, 1, 1)
    assert any(note.code == "earlier-gates" for note in third.notes)
    fewer = {q: known for q, known in shop.grades.items() if q != "q00"}
    assert shop.gate(shop.bad, shop.good, qrels=fewer, bench=bench).earlier.gates == 0
    rows = [json.loads(line) for line in (shop.folder / "results" / "gates.jsonl").read_text("utf-8").splitlines()]
    assert [row["status"] for row in rows] == ["PASS", "FAIL", "INCONCLUSIVE", "PASS"]


@pytest.mark.parametrize(
    ("line", "said"),
    [('{"queries": "x"}', "is not a gate"), ("garbage", "is not a row of a journal"), ("[1]", "is not a")],
)
def test_a_journal_that_cannot_be_read_stops_the_gate_with_its_line(shop, line, said):
    """What is lost there may be gates: nothing is counted around it."""
    bench = workspace(shop.folder)
    shop.gate(shop.bad, shop.good, bench=bench)
    journal = shop.folder / "results" / "gates.jsonl"
    journal.write_text(f"{line}\n" + journal.read_text("utf-8"), encoding="utf-8")
    with pytest.raises(InputError, match=said) as caught:
        shop.gate(shop.good, shop.bad, bench=bench)
    assert str(caught.value.where).endswith("gates.jsonl:1")


def test_a_line_of_the_journal_that_was_cut_off_by_a_kill_is_passed_over(shop):
    bench = workspace(shop.folder)
    shop.gate(shop.bad, shop.good, bench=bench)
    journal = shop.folder / "results" / "gates.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole + whole[:40])
    assert shop.gate(shop.good, shop.bad, bench=bench).earlier.gates == 1
    assert len(journal.read_text("utf-8").splitlines()) == 2


def test_without_a_workspace_nothing_is_written_and_that_is_said(shop):
    before = sorted(shop.folder.iterdir())
    verdict = shop.gate(shop.bad, shop.good)
    assert not verdict.earlier.known
    assert sorted(shop.folder.iterdir()) == [*before, shop.folder / "gate.toml"]


def test_what_is_refused_leaves_nothing_behind(shop):
    bench = workspace(shop.folder)
    with pytest.raises(InputError, match="there is no segment tial"):
        shop.gate(shop.bad, shop.good, RULES + 'segment = "tial"\n', bench=bench)
    assert not (shop.folder / "results").exists()


def test_a_person_may_override_with_name_and_reason(shop):
    verdict = shop.gate(shop.good, shop.bad, override="search lead", reason="rolled back tomorrow")
    assert (verdict.status, verdict.exit_code) == ("FAIL", 0)
    assert verdict.override is not None
    assert verdict.override.reason == "rolled back tomorrow"
    for more in ({"override": "search lead"}, {"reason": "x"}, {"override": " ", "reason": "x"}):
        with pytest.raises(InputError, match="an override needs a name and a reason"):
            shop.gate(shop.good, shop.bad, **more)


def test_a_fixed_threshold_is_allowed_and_warned_about(shop):
    floor = '\n[guardrail.floor]\nrule = "at_least"\nmeasure = "nDCG@5"\nlimit = 0.5\n'
    verdict = shop.gate(shop.bad, shop.good, RULES + floor)
    assert verdict.status == "PASS"
    (note,) = [note for note in verdict.notes if note.code == "absolute-threshold"]
    assert "no value of nDCG@5 is good by itself" in note.text


def test_segments_that_only_a_rule_names_are_looked_at(shop):
    text = RULES + '\n[guardrail.where]\nrule = "no_segment_worse"\nmeasure = "nDCG@5"\nmargin = 0.1\nby = "device"\n'
    topics = [{"query_id": q, "device": "phone" if i % 2 else "desk"} for i, q in enumerate(shop.queries)]
    verdict = shop.gate(shop.bad, shop.good, text, topics=topics)
    assert sorted(check.on for check in of(verdict, "where").checks) == ["nDCG@5, desk", "nDCG@5, phone"]
    with pytest.raises(InputError, match=r"gate.toml:12: the topics have no column devcie; did you mean device"):
        shop.gate(shop.bad, shop.good, text.replace('"device"', '"devcie"'), topics=topics)


def test_kept_scores_are_gated_when_everything_is_judged_and_refused_under_other_judgments(shop):
    def kept(lists, name, qrels):
        return assay.evaluate({name: shop.run(lists)}, qrels, "nDCG@5 R@10", bench=Workbench())

    before, after = kept(shop.bad, "old", shop.grades), kept(shop.good, "new", shop.grades)
    verdict = gate(before, after, None, shop.rules(), bench=Workbench(), flips=2000)
    assert (verdict.status, verdict.baseline, verdict.candidate) == ("PASS", "old", "new")
    unknown = gate(before, kept(new_documents(shop), "new", shop.grades), None, shop.rules(), bench=Workbench())
    assert unknown.status == "INCONCLUSIVE"
    assert "kept scores hold no lists" in of(unknown, "primary").because
    fewer = {q: known for q, known in shop.grades.items() if q != "q00"}
    with pytest.raises(InputError, match="judg"):
        gate(before, kept(shop.good, "new", fewer), None, shop.rules(), bench=Workbench())


def test_a_verdict_is_kept_whole(shop):
    verdict = shop.gate(shop.good, shop.bad, override="search lead", reason="known")
    data = dump(verdict)
    again = load(data)
    assert isinstance(again, Verdict)
    assert dump(again) == data
    assert (again.status, again.outcomes, again.override) == (verdict.status, verdict.outcomes, verdict.override)


def test_the_same_seed_gives_the_same_verdict_in_any_order_of_rows(shop):
    turned = {q: shop.bad[q] for q in reversed(shop.queries)}
    first, second = shop.gate(shop.bad, shop.good), shop.gate(turned, shop.good)
    assert first.outcomes == second.outcomes


def test_swapping_the_systems_turns_the_difference_round(shop):
    forth, back = shop.gate(shop.bad, shop.good), shop.gate(shop.good, shop.bad)
    a, b = of(forth, "primary").checks[0], of(back, "primary").checks[0]
    assert a.observed == pytest.approx(-b.observed)
    assert a.low == pytest.approx(-b.high)


def test_the_plan_gives_the_odds_of_a_golden_gate():
    # the golden numbers of a true difference of 0, sd 0.15, 50 queries and a margin of 0.01
    from assay.compare.gate_plan import gate_plan as planned
    from assay.compare.rule_file import read_rules
    from compare.gated import alternating, facts_of

    text = RULES.replace("R@10", "nDCG@10").replace("nDCG@5", "nDCG@10")
    text = text.replace("0.05\nwhy", "0.02\nwhy").replace("margin = 0.05", "margin = 0.01")
    facts = facts_of(alternating(50, 0.3, 0.15 * np.sqrt(49 / 50)))
    found = planned(facts, read_rules(text))
    rule = next(rule for rule in found.rules if rule.name == "recall")
    assert rule.sd == pytest.approx(0.15)
    assert [odds.what for odds in rule.odds] == ["minus the margin", "no difference", "the planned gain"]
    at_margin, at_zero, _ = rule.odds
    assert at_margin.passes == pytest.approx(0.05)
    assert at_zero.passes == pytest.approx(0.1190139148712349, abs=1e-9)
    assert at_zero.inconclusive == pytest.approx(0.8635487547687438, abs=1e-9)
    assert at_zero.fails == pytest.approx(0.01743733036002123, abs=1e-9)
    assert rule.needed == 1393


@pytest.mark.shared
def test_the_plan_gives_every_golden_case(shared):
    from assay.compare.gate_plan import _odds
    from assay.stats.power import queries_to_pass

    cases = json.loads((shared / "golden" / "stats" / "gate_power_noise.json").read_text("utf-8"))[
        "gate_noninferiority"
    ]
    for case in cases:
        found = _odds(case["true_difference"], case["sd"], case["n"], case["margin"])
        want = (case["PASS"], case["INCONCLUSIVE"], case["FAIL"])
        assert found == pytest.approx(want, abs=1e-9)
        needed = case["queries_for_80_percent_PASS_at_true_difference_max(0,d)"]
        assert queries_to_pass(max(0, case["true_difference"]), case["sd"], case["margin"]) == needed


def test_rules_that_are_no_file_are_refused_in_words(shop):
    with pytest.raises(InputError, match="rules are a dict, and the path of a rule file is needed"):
        assay.gate("old.run", "new.run", "all.qrels", rules={"primary": {"rule": "improvement"}})


def test_a_journal_that_cannot_be_written_stops_the_gate_and_says_how_to_go_on(shop, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("assay.flows.gate_journal.Journal.append", refuse)
    with pytest.raises(InputError, match="the journal of gates cannot be written: Read-only file system") as caught:
        shop.gate(shop.bad, shop.good, bench=workspace(shop.folder))
    assert "gate outside of the workspace" in caught.value.remedy
