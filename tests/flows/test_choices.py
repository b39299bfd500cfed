from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.flows.choices import Choices, chosen, strangers, variables, with_gain
from assay.measures.grammar import parse
from assay.measures.measure import Measure
from assay.ranking.conventions import COMPAT, Conventions
from assay.settings import Settings
from assay.workspace import Workspace


def workspace(text: str, **environment: str) -> Workspace:
    return Workspace(Path(), Settings.parse(text, "assay.toml", environment))


def choose(text: str = "", options: dict[str, Any] | None = None, **environment: str) -> Choices:
    return chosen(workspace(text), options, environment)


def refused(text: str = "", options: dict[str, Any] | None = None, **environment: str) -> str:
    with pytest.raises(InputError) as caught:
        choose(text, options, **environment)
    return str(caught.value).splitlines()[0]


def test_without_anything_the_defaults_hold() -> None:
    choices = chosen(None, {}, {})
    assert choices == Choices()
    assert choices.conventions == Conventions()
    assert choices.measures == ("nDCG@10", "P@10", "R@100", "RR")
    assert {choices.origin(f"{section}.{key}") for section, key, _ in choices.values()} == {"default"}


def test_an_option_stands_above_a_variable_above_the_file_above_the_default() -> None:
    text = "[conventions]\nties = 'best'\nmissing = 'skip'\nraters = 'ana'\n"
    choices = choose(text, {"ties": "input"}, ASSAY_TIES="worst", ASSAY_MISSING="error")
    held = choices.conventions
    assert (held.ties, held.missing, held.raters, held.order) == ("input", "error", "ana", "auto")
    assert [choices.origin(f"conventions.{key}") for key in ("ties", "missing", "raters", "order")] == [
        "--ties", "ASSAY_MISSING", "assay.toml:4", "default",
    ]  # fmt: skip


def test_an_option_that_is_none_is_not_given() -> None:
    assert choose("[conventions]\nties = 'best'\n", {"ties": None}).conventions.ties == "best"


@pytest.mark.parametrize("program", sorted(COMPAT))
def test_a_compatible_program_sets_all_of_its_conventions(program: str) -> None:
    for choices, origin in (
        (choose("", {"compat": program}), "--compat"),
        (choose("", ASSAY_COMPAT=program), "ASSAY_COMPAT"),
        (choose(f"[conventions]\ncompat = '{program}'\n"), "assay.toml:2"),
    ):
        assert choices.conventions == Conventions().but(**COMPAT[program])
        assert choices.origin("conventions.scores") == f"{origin} {program}"


def test_a_compatible_program_stands_right_below_the_choices_of_its_level() -> None:
    text = "[conventions]\nno_relevant = 'one'\n"
    assert choose(text, {"compat": "trec_eval-9"}).conventions.no_relevant == "zero", "an option above the file"
    assert choose(text, {"compat": "trec_eval-9", "no_relevant": "drop"}).conventions.no_relevant == "drop"
    assert choose(text + "compat = 'trec_eval-9'\n").conventions.no_relevant == "one", "a line beside a line"
    assert choose(text, ASSAY_COMPAT="trec_eval-9").conventions.no_relevant == "zero", "a variable above the file"
    assert choose(text, ASSAY_COMPAT="trec_eval-9", ASSAY_NO_RELEVANT="drop").conventions.no_relevant == "drop"


def test_measures_gain_and_k_come_from_the_file() -> None:
    text = "[measures]\nprimary = 'P@5'\nguardrails = ['R@100', 'RR']\ngain = { 1 = 1, 2 = 5 }\nk = 5\n"
    choices = choose(text)
    assert choices.measures == ("P@5", "R@100", "RR")
    assert choices.wanted.gain == {1.0: 1.0, 2.0: 5.0}
    assert choices.wanted.k == 5


def test_the_default_measures_count_what_the_consumer_reads() -> None:
    assert choose("[measures]\nk = 8\n").measures == ("nDCG@8", "P@8", "R@100", "RR")


def test_guardrails_of_a_variable_keep_their_commas() -> None:
    assert choose(ASSAY_GUARDRAILS="R@10,100 RR").measures == ("nDCG@10", "R@10,100 RR")


def test_the_gain_goes_into_measures_that_do_not_say_theirs() -> None:
    measures = parse("nDCG@10 nDCG(gain=exp)@5 P@10 RR")
    assert list(map(str, with_gain(measures, {1.0: 1.0, 2.0: 5.0}))) == [
        "nDCG(gain={1:1,2:5})@10", "nDCG(gain=exp)@5", "P@10", "RR",
    ]  # fmt: skip
    assert with_gain(measures, "linear") == measures


def test_a_gain_that_is_typed_holds_also_where_it_is_the_default() -> None:
    for typed in ("nDCG(gain=linear)@10", "nDCG:gain=linear@10", "nDCG(dcg=log2)@10"):
        assert list(map(str, with_gain(parse(typed), "exp"))) == ["nDCG@10"], typed
    assert with_gain([Measure("nDCG")(gain="linear") @ 10], "exp") == [Measure("nDCG") @ 10]
    both = parse("nDCG@10 nDCG(gain=linear)@10 nDCG@10")
    assert list(map(str, with_gain(both, "exp"))) == ["nDCG(gain=exp)@10", "nDCG@10"]
    assert list(map(str, with_gain(both, "linear"))) == ["nDCG@10"], "the same measure is scored once"


def test_what_holds_names_the_measures_that_hold() -> None:
    held = {f"{section}.{key}": value for section, key, value in choose("[measures]\nk = 5\n").values()}
    assert held["measures.primary"] == "nDCG@5"
    assert held["measures.guardrails"] == ("P@5", "R@100", "RR")


def test_segments_come_from_the_file() -> None:
    segments = choose("[segments]\nhead = 0.4\nknown_item = 'intent=item'\n", ASSAY_SEGMENTS_TORSO="0.9").segments
    assert (segments.column, segments.head, segments.torso, segments.known_item) == ("segment", 0.4, 0.9, "intent=item")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[conventions]\nteis = 'input'\n", "assay.toml:2: unknown key teis in [conventions]; did you mean ties"
                                           " or raters?"),
        ("[conventions]\nties = 'x'\n", "assay.toml:2: ties 'x' is not one of docid, input, expected, best, worst"),
        ("[conventions]\ncompat = 'trec_eval'\n",
         "assay.toml:2: compat 'trec_eval' is not one of trec_eval-9, trec_eval-10"
         "; did you mean trec_eval-9 or trec_eval-10?"),
        ("[conventions]\nrel = nan\n", "assay.toml:2: rel nan is not a grade"),
        ("[conventions]\nrel = 'x'\n",
         "assay.toml:2: rel: input should be a valid number, unable to parse string as a number"),
        ("[measures]\nk = 0\n", "assay.toml:2: k counts results and is at least 1"),
        ("[measures]\ngain = 'exponential'\n", "assay.toml:2: gain 'exponential' is not one of linear, exp"),
        ("[segments]\nhead = 0.9\n",
         "assay.toml:2: head and torso are shares of the traffic with 0 < head <= torso <= 1"),
        ("[segments]\nknown_item = 'x'\n",
         'assay.toml:2: known_item is "one-relevant" or "COLUMN=VALUE"'),
    ],
)  # fmt: skip
def test_what_the_file_may_not_say_is_refused_with_its_line(text: str, message: str) -> None:
    assert refused(text) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"teis": "input"}, "unknown option teis; did you mean ties or raters?"),
        ({"ties": "inptu"}, "--ties 'inptu' is not one of docid, input, expected, best, worst; did you mean input?"),
        ({"compat": "trec_eval-8"}, "--compat 'trec_eval-8' is not one of trec_eval-9, trec_eval-10"
                                    "; did you mean trec_eval-9 or trec_eval-10?"),
        ({"rel": float("inf")}, "--rel: rel inf is not a grade"),
        ({"gain": "big"}, "--gain 'big' is not one of linear, exp"),
        ({"k": 0}, "--k counts results and is at least 1"),
        ({"head": 2.0}, "--head: head and torso are shares of the traffic with 0 < head <= torso <= 1"),
    ],
)  # fmt: skip
def test_an_option_that_is_not_allowed_is_refused_by_its_name(options: dict[str, Any], message: str) -> None:
    assert refused("", options) == message


def test_a_value_of_a_variable_is_refused_by_its_name() -> None:
    assert refused(ASSAY_TIES="x") == "ASSAY_TIES: ties 'x' is not one of docid, input, expected, best, worst"


def test_a_mistyped_variable_is_refused() -> None:
    assert (
        refused(ASSAY_NORELEVANT="zero")
        == "environment: unknown variable ASSAY_NORELEVANT; did you mean ASSAY_NO_RELEVANT?"
    )


@pytest.mark.parametrize("name", ["ASSAY_SERVICE_HOST", "ASSAY_PORT", "ASSAY_PORT_8080_TCP_ADDR", "ASSAY_SHARED"])
def test_a_strange_variable_is_let_be(name: str) -> None:
    assert choose("", {}, **{name: "x"}) == Choices()
    assert strangers(Settings(environment={name: "x", "ASSAY_TIES": "input", "PATH": "/"})) == [name]


def test_every_convention_has_a_key_and_a_variable() -> None:
    names = variables()
    for f in fields(Conventions):
        assert names[f"ASSAY_{f.name.upper()}"] == f"conventions.{f.name}"
    assert names["ASSAY_PATHS_RUNS"] == "paths.runs"
    assert names["ASSAY_STORE_URL"] == "store.url"
    assert len(set(names.values())) == len(names), "no variable sets two things"


def test_a_measure_of_the_settings_that_is_unknown_names_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from assay.flows.evaluate import measures_of

    (tmp_path / "assay.toml").write_text('[measures]\nprimary = "RR"\nguardrails = ["P@5", "nDGC@10"]\n')
    monkeypatch.chdir(tmp_path)
    held = chosen(Workspace.find(tmp_path))
    with pytest.raises(InputError, match=r"^assay.toml:3: unknown measure nDGC@10; did you mean nDCG@10\?"):
        measures_of(None, held)
    with pytest.raises(InputError, match=r"^ASSAY_PRIMARY: unknown measure zzz"):
        measures_of(None, chosen(None, environment={"ASSAY_PRIMARY": "zzz"}))
    with pytest.raises(InputError, match=r"^unknown measure zzz"):
        measures_of("zzz", held)
