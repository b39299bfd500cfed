from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.registry import Family


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Family[object]]:
    """A family whose home is a module of its own, `house`, which registers nothing."""
    (tmp_path / "house.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Family("animal", home="house")
    sys.modules.pop("house", None)


def test_a_member_is_found_by_its_name(family: Family[object]) -> None:
    @family.add("cat")
    def cat() -> str:
        return "miaow"

    assert family.find("cat") is cat
    assert "cat" in family
    assert "dog" not in family


def test_names_are_sorted_without_regard_to_case(family: Family[object]) -> None:
    for name in ("bee", "Ant", "cow", "ant"):
        family.add(name)(object())
    assert family.names() == ["Ant", "ant", "bee", "cow"]


def test_an_unknown_name_is_refused_with_the_nearest_ones(family: Family[object]) -> None:
    family.add("horse")(object())
    with pytest.raises(InputError) as caught:
        family.find("hrose")
    assert str(caught.value) == "unknown animal hrose; did you mean horse?\n    mend: the animals are horse"


def test_a_name_is_taken_once(family: Family[object]) -> None:
    family.add("cat")(object())
    with pytest.raises(ValueError, match="two entries called 'cat' in the family 'animal'"):
        family.add("cat")(object())


def test_the_same_entry_may_register_twice(family: Family[object]) -> None:
    entry = object()
    family.add("cat")(entry)
    family.add("cat")(entry)
    assert family.find("cat") is entry


def test_the_home_is_imported_at_the_first_look_up_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "barn.py").write_text("print('loaded')", encoding="utf-8")
    code = """
        from assay.registry import Family
        animals = Family("animal", home="barn")
        print("made")
        animals.names()
        animals.names()
    """
    assert _python(code, tmp_path).stdout.split() == ["made", "loaded"]


def _plugin(folder: Path, name: str, value: str, code: str) -> None:
    """An installed distribution with one entry point of the group `assay.plugins`."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[assay.plugins]\n{name} = {value}\n", encoding="utf-8")
    (folder / f"{name}_code.py").write_text(textwrap.dedent(code), encoding="utf-8")


def _python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env={"PYTHONPATH": str(folder)}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_an_installed_plugin_adds_a_member(tmp_path: Path) -> None:
    code = """
        from assay.results import KEEPERS
        KEEPERS.add("cloud")(print)
    """
    _plugin(tmp_path, "cloudy", "cloudy_code", code)
    (tmp_path / "house.py").write_text("", encoding="utf-8")
    found = _python("from assay.results import KEEPERS; KEEPERS.home = 'house'; print(KEEPERS.names())", tmp_path)
    assert found.stdout.strip() == "['cloud']", found.stderr


def test_a_broken_plugin_names_itself(tmp_path: Path) -> None:
    _plugin(tmp_path, "broken", "broken_code:register", "raise RuntimeError('no licence key')")
    (tmp_path / "house.py").write_text("", encoding="utf-8")
    code = """
        from assay.errors import InputError
        from assay.registry import Family
        animals = Family("animal", home="house")
        for _ in range(2):
            try:
                animals.names()
            except InputError as error:
                print(error)
    """
    message = (
        "the plug-in broken (broken_code:register) does not load: no licence key\n"
        "    mend: mend or uninstall the package that brings it\n"
    )
    assert _python(code, tmp_path).stdout == message * 2, "at every look-up: a member that is missing is never silent"
