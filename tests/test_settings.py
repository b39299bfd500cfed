from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from annotated_types import Ge
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from assay.errors import InputError
from assay.settings import Secret, Settings, check

TEXT = """\
# head
[measures] # decides
primary = "nDCG@10"   # k of a page
guardrails = [
  "R@100",  # ] not the end
  "RR",
]
"quoted key" = 1
gain.exp = true

[ conventions ]
ties = 'in#put'
note = \"\"\"
ties = "not a key"
[not.a.table]
\"\"\"
raw = '''
[nor this]
'''
map = { a = 1, b = [1, 2] }

[segments.deep]
head = 0.5
[[list]]
x = 1
[[list]]
x = 2
"""


@dataclass(frozen=True, slots=True)
class Model:
    ties: Literal["docid", "input"] = "docid"
    rel: float | None = None
    k: Annotated[int, Ge(1)] = 10
    include: tuple[str, ...] = ()
    names: str | tuple[str, ...] = ()
    on: bool = False

    def __post_init__(self) -> None:
        if self.rel is not None and self.rel < 0:
            raise ValueError("Rel is negative")


def parse(text: str, **environment: str) -> Settings:
    return Settings.parse(text, "assay.toml", environment)


def refused(text: str, **environment: str) -> InputError:
    with pytest.raises(InputError) as caught:
        check(parse(text, **environment).section("s", "ASSAY_"), Model)
    return caught.value


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("measures",), 2),
        (("measures", "primary"), 3),
        (("measures", "guardrails"), 4),
        (("measures", "quoted key"), 8),
        (("measures", "gain", "exp"), 9),
        (("conventions",), 11),
        (("conventions", "ties"), 12),
        (("conventions", "note"), 13),
        (("conventions", "raw"), 17),
        (("conventions", "map"), 20),
        (("segments",), 22),
        (("segments", "deep", "head"), 23),
        (("list",), 24),
    ],
)
def test_every_key_knows_its_line(path: tuple[str, ...], line: int) -> None:
    assert parse(TEXT).lines[path] == line


def test_nothing_inside_a_text_is_taken_for_a_key() -> None:
    assert not any(name in path for path in parse(TEXT).lines for name in ("not", "nor this"))


def test_lines_count_the_same_with_windows_line_ends() -> None:
    assert parse(TEXT.replace("\n", "\r\n")).lines == parse(TEXT).lines


def test_origins_name_every_key_of_the_file() -> None:
    origins = parse(TEXT).origins()
    assert origins["measures.primary"] == "assay.toml:3"
    assert origins["segments.deep.head"] == "assay.toml:23"
    assert "list" in origins


keys = st.text("abcXYZ_-09", min_size=1, max_size=4)
scalars = st.sampled_from(
    ["1", "0.5", "true",
     '"a # [b]"', "'x = 1'", '"\\""', '"""\nq = 1\n"""', "'''\n[t]\n'''", '""""a"""""', "1979-05-27",
     "[\n1,\n2]", "[ # [\n]", "[[1],\n['#']]", "{ a = 1, b.c = [2] }", "[{a = 1},\n{a = 2}]"]
)  # fmt: skip


@given(st.dictionaries(keys, st.dictionaries(keys, scalars, max_size=4), max_size=4), st.randoms())
def test_the_scan_of_the_lines_agrees_with_what_was_written(tree: dict[str, dict[str, str]], random: object) -> None:
    text, expected = "", {}
    for table, values in tree.items():
        text += "# comment = 1\n\n" * random.randint(0, 2)  # type: ignore[attr-defined]
        expected[(table,)] = text.count("\n") + 1
        text += f" [ {table} ]\n"
        for key, value in values.items():
            expected[(table, key)] = text.count("\n") + 1
            text += f"\t{key}  = {value}  # {key} = 2\n"
    settings = parse(text)
    assert {path: line for path, line in settings.lines.items() if len(path) < 3} == expected


def test_text_that_is_not_toml_is_refused_with_its_line() -> None:
    with pytest.raises(InputError) as caught:
        parse("[s]\nk = 1\nties = input\n")
    assert str(caught.value).startswith("assay.toml:3: is not TOML: invalid value")
    assert "    ties = input\n" in str(caught.value)


def test_text_that_ends_too_early_is_refused_at_its_last_line() -> None:
    with pytest.raises(InputError) as caught:
        parse("[s]\nk = [1,\n2")
    assert caught.value.where == "assay.toml:3"


def test_values_of_the_file_become_the_model() -> None:
    model = check(parse("[s]\nties = 'input'\nrel = 2\ninclude = ['a', 'b']\nnames = 'x, y'\n").section("s"), Model)
    assert model == Model(ties="input", rel=2.0, include=("a", "b"), names="x, y")


def test_a_section_that_is_not_there_gives_the_defaults() -> None:
    assert check(Settings(environment={}).section("s"), Model) == Model()


def test_a_variable_stands_above_the_file() -> None:
    section = parse("[s]\nties = 'docid'\nk = 5\n", ASSAY_S_TIES="input", ASSAY_S_ON="true").section("s")
    assert check(section, Model) == Model(ties="input", k=5, on=True)
    assert section.given(["ties", "k", "on", "rel"]) == {
        "ties": "ASSAY_S_TIES", "k": "assay.toml:3", "on": "ASSAY_S_ON",
    }  # fmt: skip


def test_an_empty_variable_is_none() -> None:
    assert check(parse("[s]\nk = 5\n", ASSAY_S_K="").section("s"), Model).k == 5


def test_a_variable_with_commas_is_a_list_only_where_no_text_is_allowed() -> None:
    section = parse("", ASSAY_INCLUDE="a, b,", ASSAY_NAMES="nDCG@5,10").section("s", "ASSAY_")
    assert check(section, Model) == Model(include=("a", "b"), names="nDCG@5,10")


def test_an_unknown_key_is_refused_with_its_line_and_the_nearest_name() -> None:
    error = refused("[s]\nk = 1\nteis = 'input'\n")
    assert str(error) == (
        "assay.toml:3: unknown key teis in [s]; did you mean ties?\n"
        "    mend: the keys are ties, rel, k, include, names, on"
    )  # fmt: skip


def test_several_unknown_keys_are_shown_together() -> None:
    error = refused("[s]\na1 = 1\nb2 = 1\n")
    assert "assay.toml:3: unknown key b2 in [s]" in str(error)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ties = 'inptu'", "assay.toml:2: ties 'inptu' is not one of docid, input; did you mean input?"),
        ("ties = 3", "assay.toml:2: ties 3 is not one of docid, input"),
        ("k = 0", "assay.toml:2: k: input should be greater than or equal to 1"),
        ("k = 1.5", "assay.toml:2: k: input should be a valid integer, got a number with a fractional part"),
        ("rel = 'much'", "assay.toml:2: rel: input should be a valid number, unable to parse string as a number"),
        ("rel = -1.0", "assay.toml:1: s: rel is negative"),
        ("include = 3", "assay.toml:2: include 3 is not a list"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_its_line(text: str, message: str) -> None:
    assert str(refused(f"[s]\n{text}\n")).splitlines()[0] == message


def test_a_value_of_a_variable_is_refused_with_the_variable() -> None:
    error = refused("[s]\nties = 'input'\n", ASSAY_TIES="odd")
    assert error.where == "ASSAY_TIES"
    assert error.what == "ties 'odd' is not one of docid, input"


def test_several_values_that_are_not_allowed_are_shown_together() -> None:
    error = refused("[s]\nties = 'odd'\nk = 0\n")
    assert error.where == "assay.toml:2"
    assert error.more == ("assay.toml:3: k: input should be greater than or equal to 1",)


def test_pydantic_models_are_checked_alike() -> None:
    class Room(BaseModel):
        model_config = ConfigDict(frozen=True)
        key: Secret = Secret("")
        depth: int = 100

    section = parse("[room]\nkey = 'k1'\n", ASSAY_ROOM_DEPTH="7").section("room")
    room = check(section, Room)
    assert (room.key.reveal(), room.depth) == ("k1", 7)
    with pytest.raises(InputError, match=r"unknown key dpeth in \[room\]; did you mean depth"):
        check(parse("[room]\ndpeth = 1\n").section("room"), Room)


def test_an_unknown_section_is_refused_with_its_line() -> None:
    with pytest.raises(InputError) as caught:
        parse("\n[mesures]\n").only(["measures", "paths"])
    assert str(caught.value).startswith("assay.toml:2: unknown section [mesures]; did you mean measures?")


def test_a_key_in_no_section_is_refused_with_its_line() -> None:
    with pytest.raises(InputError) as caught:
        parse("\nties = 1\n").only(["measures"])
    assert str(caught.value).startswith("assay.toml:2: ties stands in no section")


def test_a_secret_never_prints() -> None:
    secret = Secret("s3cret")
    for text in (str(secret), repr(secret), f"{secret:>20}", f"{secret!r}", "%s" % secret, str([secret])):  # noqa: UP031
        assert "s3cret" not in text
    assert secret.reveal() == "s3cret"
    assert secret == Secret("s3cret")
    assert secret != Secret("other")
    for leak in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="a secret is not written anywhere"):
            leak(secret)


def test_a_secret_that_is_not_text_is_refused_without_showing_it() -> None:
    @dataclass(frozen=True)
    class Room:
        key: Secret = Secret("")  # noqa: RUF009

    with pytest.raises(InputError) as caught:
        check(parse("[room]\nkey = 12345\n").section("room"), Room)
    assert "12345" not in str(caught.value)
    assert caught.value.where == "assay.toml:2"


def test_neither_pydantic_nor_tomllib_is_loaded_where_nothing_is_set() -> None:
    code = """
import sys
from assay.flows.choices import chosen
from assay.workspace import Workspace
choices = chosen(Workspace.find("/"), {"ties": "input"})
assert choices.conventions.ties == "input"
print(sorted({"pydantic", "pydantic_core", "tomllib", "polars", "difflib"} & set(sys.modules)))
"""
    there = subprocess.run([sys.executable, "-c", code], env={}, capture_output=True, text=True, check=False)
    assert there.stdout == "[]\n", there.stderr


@dataclass(frozen=True)
class Strict:
    """A model whose own check names the key, as the models of the rooms do."""

    k: float = 1.0
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError("k is at least 1")


@pytest.mark.parametrize(
    ("text", "environment", "message"),
    [
        ("[s]\nk = true", {}, "assay.toml:2: k true is a truth value\n"
         "    mend: write a number or a text in quotes"),
        ('[s]\nnames = "a"', {}, "assay.toml:2: names 'a' is not a list\n"
         "    mend: write names = [\"...\"], also for one"),
        ("[s]\nk = 0", {}, "assay.toml:2: k is at least 1\n    mend: change the value 0"),
        ("", {"ASSAY_S_K": "0"}, "ASSAY_S_K: k is at least 1\n    mend: change the value '0'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_of_the_key(text: str, environment: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check(Settings.parse(text, environment=environment).section("s"), Strict)
    assert str(caught.value) == message
