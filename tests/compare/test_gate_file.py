"""Rule files: what is refused, with its line."""

from __future__ import annotations

import pytest

from assay.compare.rule_file import check_measures, read_rules
from assay.errors import InputError
from assay.flows.gate_template import CHANGES, rules_for

PRIMARY = '[primary]\nrule = "improvement"\nmeasure = "nDCG@10"\nplan = 0.02\n'
RECALL = '[guardrail.recall]\nrule = "non_inferiority"\nmeasure = "R@100"\nmargin = 0.01\n'


def refused(text):
    with pytest.raises(InputError) as error:
        check_measures(read_rules(text))
    return str(error.value)


def test_a_rule_file_has_its_primary_rule_its_guardrails_and_their_reasons():
    rules = read_rules(f'[gate]\non_inconclusive = "warn"\n{PRIMARY}{RECALL}why = "recall first"\nadvisory = true\n')
    assert (rules.on_inconclusive, rules.primary.rule.plan) == ("warn", 0.02)
    (recall,) = rules.guardrails
    assert (recall.name, recall.rule.margin, recall.reason, recall.is_advisory) == (
        "recall",
        0.01,
        "recall first",
        True,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (RECALL, "gate.toml: names no primary measure"),
        (PRIMARY, "gate.toml: has no guardrail"),
        (
            PRIMARY + RECALL.replace("margin = 0.01", ""),
            "gate.toml:5: the rule non_inferiority in [guardrail.recall] has no",
        ),
        (
            PRIMARY.replace("plan = 0.02", "") + RECALL,
            "gate.toml:1: the rule improvement in [primary] has no threshold",
        ),
        (
            PRIMARY + RECALL.replace("margin", "margn"),
            "gate.toml:8: unknown key margn in [guardrail.recall]; did you mean margin?",
        ),
        (
            PRIMARY + RECALL.replace("non_inferiority", "non_inferior"),
            "gate.toml:6: unknown rule non_inferior; did you mean",
        ),
        (
            PRIMARY + RECALL.replace("[guardrail.", "[gaurdrail."),
            "gate.toml:5: unknown section [gaurdrail]; did you mean guardrail?",
        ),
        (PRIMARY + RECALL.replace("R@100", "Q@100"), "gate.toml:5: unknown measure Q"),
        (PRIMARY + RECALL.replace("R@100", "R@10,100"), "gate.toml:5: measure 'R@10,100' names 2 measures"),
        (PRIMARY + RECALL.replace("0.01", "2"), "gate.toml:5: margin = 2 can never be reached: R@100 lies between 0"),
        (PRIMARY.replace("0.02", "1.0") + RECALL, "gate.toml:1: plan = 1 can never be reached: nDCG@10 lies between"),
        (PRIMARY + RECALL.replace("0.01", "-0.01"), "gate.toml:8: margin"),
        (PRIMARY + RECALL.replace("0.01", '"much"'), "gate.toml:8: margin"),
        (PRIMARY + RECALL.replace("0.01", "true"), "gate.toml:8: margin true is a truth value"),
        (PRIMARY + RECALL.replace("0.01", "nan"), "gate.toml:8: margin"),
        (PRIMARY + RECALL.replace("0.01", "inf"), "gate.toml:8: margin"),
        (
            PRIMARY + RECALL.replace('rule = "non_inferiority"\n', ""),
            "gate.toml:5: [guardrail.recall] does not say its rule",
        ),
        (PRIMARY + "advisory = true\n" + RECALL, "gate.toml:5: the primary rule cannot be advisory"),
        (PRIMARY + RECALL + "advisory = 1\n", "gate.toml:9: advisory 1 is not true or false"),
        (
            PRIMARY + "[primary.second]\nrule = 'improvement'\n" + RECALL,
            "gate.toml:5: names a rule second inside [primary]",
        ),
        (PRIMARY + "[guardrail]\nmargin = 1\n", "gate.toml:6: the key margin stands in no guardrail"),
        (
            "[gate]\non_inconclusive = 'wran'\n" + PRIMARY + RECALL,
            "gate.toml:2: on_inconclusive 'wran' is not one of fail, warn; did you mean warn?",
        ),
        ("[primary\n", "gate.toml:1: is not TOML"),
        (
            PRIMARY.replace("improvement", "errors").replace('measure = "nDCG@10"\nplan', "at_most") + RECALL,
            "gate.toml:1: the primary rule is errors",
        ),
        (
            PRIMARY + RECALL + "[guardrail.p]\nrule = 'protected_queries'\nmeasure = 'RR'\nmargin = 0\n",
            "gate.toml:9: the rule protected_queries",
        ),
        (PRIMARY + RECALL + "[guardrail.p]\nrule = 'latency'\nat_most_ms = 0\n", "gate.toml:11: at_most_ms"),
        (PRIMARY + RECALL + "[guardrail.p]\nrule = 'errors'\nat_most = 2\n", "gate.toml:11: at_most"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text, said):
    assert refused(text).startswith(said), refused(text)


def test_no_variable_changes_what_a_change_is_held_to(monkeypatch):
    monkeypatch.setenv("ASSAY_GATE_ON_INCONCLUSIVE", "warn")
    monkeypatch.setenv("MARGIN", "1")
    rules = read_rules(PRIMARY + RECALL)
    assert (rules.on_inconclusive, rules.guardrails[0].rule.margin) == ("fail", 0.01)


@pytest.mark.parametrize("change", CHANGES)
def test_the_usual_rules_of_each_change_are_rules_with_reasons(change):
    rules = read_rules(rules_for(change))
    check_measures(rules)
    assert all(written.reason for written in rules.all)


def test_a_change_that_has_no_rules_gets_the_nearest():
    with pytest.raises(InputError, match="no rules for a rankng change; did you mean ranking"):
        rules_for("rankng")


def test_a_measure_without_an_upper_end_may_have_any_margin():
    check_measures(read_rules(PRIMARY + RECALL.replace("R@100", "DCG@10").replace("0.01", "2")))
