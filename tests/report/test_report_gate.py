"""A gate on a terminal, in a pull request, as a report, as JUnit and as annotations of CI hosts."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest

from assay.compare.gate import Earlier, Override
from assay.errors import InputError
from assay.report.annotations import annotate
from assay.report.describe import describe
from assay.report.junit import junit
from assay.report.machine import to_machine
from assay.report.markdown import to_markdown
from assay.report.sheet import to_document
from assay.report.text import to_text
from report.verdict_by_hand import verdict


def test_the_first_line_is_the_verdict_and_the_rule_that_did_not_pass_leads_the_table():
    said = to_text(describe(verdict()), 100).splitlines()
    assert said[0] == "◆ INCONCLUSIVE   The loss on tail queries may be larger than the 0.0300 allowed."
    rows = [line for line in said if "nDCG@10" in line]
    assert rows[0].split() == ["◆", "no", "segment", "worse", "than", "nDCG@10,", "tail", "−0.0300", "−0.0188",
                               "−0.0555", "to", "+0.0212"]  # fmt: skip
    assert rows[1].startswith("✔ no segment worse than")
    assert rows[2].split()[:5] == ["✔", "improves", "nDCG@10,", "all", ">"]


def test_numbers_are_printed_in_their_unit():
    said = to_text(describe(verdict()), 100)
    assert re.search(r"fast enough +latency, 95th percentile +180 ms +141 ms +136 to 149 ms", said)
    assert re.search(r"nothing errored +queries with an error +0 +0$", said, re.MULTILINE)
    assert re.search(r"enough is judged +Judged@10, candidate +0\.8500 +0\.8946", said)


def test_what_would_resolve_it_stands_cheapest_first_and_the_counts_last():
    said = to_text(describe(verdict()), 100)
    assert said.index("judge at least 12 documents") < said.index("gate on 271 fresh tail queries")
    assert "4 pass, 1 inconclusive, 0 fail; 1 only advise. Seed 7. Exit code 2." in said
    assert "adding queries until it passes is not a test" in said


def test_pass_and_fail_open_the_same_way():
    assert to_text(describe(verdict("PASS")), 100).startswith("✔ PASS   ")
    assert to_text(describe(verdict("FAIL")), 100).startswith("✖ FAIL   ")
    assert to_text(describe(verdict("PASS")), 100, ascii=True).startswith("PASS   ")


def test_an_override_names_who_and_why_wherever_the_verdict_is_shown():
    one = verdict("FAIL", override=Override("Ada", "a legal deadline"))
    for shown in (to_text(describe(one), 100), to_markdown(describe(one)), to_document(one), junit(one),
                  annotate(one, "github")):  # fmt: skip
        assert "Ada" in shown
        assert "a legal deadline" in shown
        assert "FAIL" in shown


def test_earlier_gates_on_the_same_queries_are_counted():
    said = to_text(describe(verdict(earlier=Earlier(True, 4, 1, 2, "journal"))), 100)
    assert "4 earlier gates on these queries, 1 passed" in said


def test_markdown_is_a_comment_for_a_pull_request():
    said = to_markdown(describe(verdict()))
    assert said.startswith("**◆ INCONCLUSIVE**: The loss on tail queries may be larger than the 0.0300 allowed.")
    assert "| ◆ no segment worse than | nDCG@10, tail | −0.0300 | −0.0188 | −0.0555 to +0.0212 |" in said
    assert "\x07" not in said


def test_the_report_draws_the_rule_that_decided_against_its_threshold():
    document = to_document(verdict())
    assert "<h1>INCONCLUSIVE</h1>" in document
    assert "nDCG@10, tail: −0.019, 90 % interval" in document or "90 % interval −0.056 to +0.021" in document
    assert "threshold −0.030" in document
    assert "Judge at least 12 documents" in document
    assert "https://" not in document
    assert "100\u00a0% &lt;stale&gt; &amp;" in document


def test_junit_has_a_test_a_rule_and_a_failure_where_the_build_stops():
    root = ElementTree.fromstring(junit(verdict()).encode("utf-8"))
    suite = root.find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("6", "1", "1")
    failed = suite.find("testcase/failure")
    assert failed.get("type") == "INCONCLUSIVE"
    assert "−0.0555 to +0.0212" in failed.text
    assert "would resolve it: judge at least 12 documents" in failed.text
    assert {case.get("classname") for case in suite.findall("testcase")} == {"gate.toml"}


def test_junit_is_green_where_the_team_is_only_warned_and_where_somebody_overrode():
    for one in (verdict(on_inconclusive="warn"), verdict("FAIL", override=Override("Ada", "why"))):
        suite = ElementTree.fromstring(junit(one).encode("utf-8")).find("testsuite")
        assert (suite.get("failures"), suite.get("skipped")) == ("0", "2")
        assert one.exit_code == 0


def test_github_annotations_escape_what_would_end_them():
    said = annotate(verdict(), "github").splitlines()
    head = "::error title=assay gate%3A INCONCLUSIVE,file=gate.toml::"
    assert said[0] == head + "The loss on tail queries may be larger than the 0.0300 allowed."
    assert said[1].startswith("::error title=segments%3A INCONCLUSIVE,file=gate.toml::")
    assert said[2].startswith("::warning title=stale%3A FAIL")  # it only advises
    assert "100 %25 <stale>" in said[2]
    odd = verdict(rules_file="a,b:c%.toml")
    assert "file=a%2Cb%3Ac%25.toml::" in annotate(odd, "github")


def test_a_pass_is_a_notice_and_a_warned_inconclusive_a_warning():
    assert annotate(verdict("PASS"), "github").startswith("::notice ")
    assert annotate(verdict(on_inconclusive="warn"), "github").startswith("::warning ")


def test_gitlab_gets_a_code_quality_report_with_steady_fingerprints():
    issues = json.loads(annotate(verdict(), "gitlab"))
    assert [issue["severity"] for issue in issues] == ["blocker", "blocker", "minor"]
    assert all(issue["location"] == {"path": "gate.toml", "lines": {"begin": 1}} for issue in issues)
    assert [i["fingerprint"] for i in issues] == [i["fingerprint"] for i in json.loads(annotate(verdict(), "gitlab"))]
    assert len({issue["fingerprint"] for issue in issues}) == 3


def test_azure_and_teamcity_are_told_in_their_own_words():
    assert annotate(verdict(), "azure").startswith("##vso[task.logissue type=error]assay gate: INCONCLUSIVE. The loss")
    assert annotate(verdict(), "teamcity").startswith("##teamcity[buildProblem description='assay gate: INCONCLUSIVE. ")
    odd = verdict(because="it's [not] | so")
    assert "It|'s |[not|] || so." in annotate(odd, "teamcity")


def test_an_unknown_host_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="did you mean github"):
        annotate(verdict(), "githib")


def test_json_and_csv_hold_every_line_in_full():
    document = json.loads(to_machine(verdict(), "json"))
    assert (document["kind"], document["status"], document["exit_code"]) == ("gate", "INCONCLUSIVE", 2)
    assert document["rules"][0]["checks"][0]["low"] == -0.0555
    assert document["would_resolve"][0]["number"] == 12
    rows = list(csv.DictReader(io.StringIO(to_machine(verdict(), "csv").decode("utf-8"))))
    assert len(rows) == 7
    assert rows[0]["low"] == "-0.0555"
    assert rows[-1]["because"] == "no hashes: 100 % <stale> & \x07 old"
