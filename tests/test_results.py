from __future__ import annotations

import io
import json
import math
import subprocess
import sys
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.errors import InputError
from assay.flows.results import show
from assay.results import QUIET, Note, Result, Source, codec, dump, kept, load


@kept("test-leaf")
@dataclass(frozen=True, slots=True)
class Leaf:
    name: str
    size: float = 1.0
    kind: Literal["a", "b"] = "a"


class Colour:
    """A class kept as text."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Colour) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


codec("test-colour", Colour, lambda colour: colour.name, Colour)


@kept("test-tree")
@dataclass(frozen=True, kw_only=True)
class Tree(Result):
    label: str = ""
    leaves: tuple[Leaf, ...] = ()
    anything: Any = None
    limit: float | None = None
    count: int = 0
    table: NDArray[np.float64] | None = None
    _cache: dict[str, int] = field(default_factory=dict)


def parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(entries: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return target.getvalue()


def same(a: Any, b: Any) -> bool:
    """Equal, of one type, with NaN equal to itself."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return a == b or (math.isnan(a) and math.isnan(b))
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return bool(a == b)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts | st.binary(max_size=5)
arrays = st.builds(
    lambda dtype, shape: (np.arange(math.prod(shape)) % 3).reshape(shape).astype(dtype),
    st.sampled_from(["?", "i1", "u2", "<i4", "<i8", "<f4", "<f8", "<U3"]),
    st.lists(st.integers(0, 3), max_size=3).map(tuple),
)
values = st.recursive(
    plain | arrays | st.builds(Leaf, texts, st.floats(allow_nan=False)) | st.builds(Colour, texts),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(texts | st.integers() | st.tuples(texts, st.integers()), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
@example({"$": "array", "number": 0})
@example([float("inf"), -0.0, float("-inf"), float("nan"), 2**70])
def test_what_is_kept_comes_back_the_same(value: Any) -> None:
    tree = load(dump(Tree(anything=value)))
    assert same(tree.anything, value)
    assert dump(tree) == dump(Tree(anything=value))


def test_notes_and_source_come_back() -> None:
    tree = Tree(
        label="oak", leaves=(Leaf("x", 2.5, "b"),), notes=(Note("ties", "3 queries have ties", "bm25", 3, "warning"),),
        source=Source((("a.run", "ab" * 32),), (("assay", "0.1.0"),), (("ties", "docid"),), 7, "assay evaluate"),
    )  # fmt: skip
    assert load(dump(tree)) == tree


def test_an_array_in_its_own_field_comes_back() -> None:
    table = load(dump(Tree(table=np.arange(3.0)))).table
    assert same(table, np.arange(3.0))


def test_a_cache_is_not_kept() -> None:
    assert dump(Tree(_cache={"a": 1})) == dump(Tree())


def test_numpy_numbers_become_python_numbers() -> None:
    tree = load(dump(Tree(anything=(np.float64(0.5), np.int32(3), np.bool_(True), np.str_("x")))))
    assert same(tree.anything, (0.5, 3, True, "x"))


def test_equal_arrays_give_equal_bytes_however_they_lie_in_memory() -> None:
    array = np.arange(12.0).reshape(3, 4)
    strided = np.asfortranarray(np.repeat(array, 2, axis=1)[:, ::2])
    big = array.astype(">f8")
    assert dump(Tree(anything=array)) == dump(Tree(anything=strided)) == dump(Tree(anything=big))


def test_arrays_are_files_that_numpy_reads() -> None:
    array = np.array([[0.1, np.nan, np.inf]])
    entry = parts(dump(Tree(anything=array)))["arrays/0.npy"]
    assert entry == _numpys_own(array)
    assert same(np.load(io.BytesIO(entry), allow_pickle=False), array)


def _numpys_own(array: np.ndarray[Any, Any]) -> bytes:
    target = io.BytesIO()
    np.lib.format.write_array(target, array, version=(1, 0), allow_pickle=False)
    return target.getvalue()


@pytest.mark.parametrize("array", [np.zeros(0), np.zeros((2, 0, 3), "i4"), np.array(5), np.array(["a", "bc"])])
def test_array_files_are_byte_for_byte_those_of_numpy(array: np.ndarray[Any, Any]) -> None:
    assert parts(dump(Tree(anything=array)))["arrays/0.npy"] == _numpys_own(array)


def test_a_loaded_array_may_be_written_to() -> None:
    array = load(dump(Tree(anything=np.zeros(3)))).anything
    array[0] = 1.0
    assert array.tolist() == [1.0, 0.0, 0.0]


def test_the_bytes_are_the_same_in_another_process() -> None:
    code = """
import sys
sys.path[:0] = sys.argv[1:]
from test_results import Tree, Leaf, dump
import numpy as np
sys.stdout.buffer.write(dump(Tree(label="oak", leaves=(Leaf("x"),), anything={"b": np.arange(3), "a": 0.1})))
"""
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    there = subprocess.run(command, capture_output=True, check=True, env={"PYTHONHASHSEED": "5", "TZ": "Asia/Tokyo"})
    assert there.stdout == dump(Tree(label="oak", leaves=(Leaf("x"),), anything={"b": np.arange(3), "a": 0.1}))


def test_what_cannot_be_kept_is_named() -> None:
    with pytest.raises(TypeError, match="a object cannot be kept"):
        dump(Tree(anything=object()))
    with pytest.raises(TypeError, match="an array of object cannot be kept"):
        dump(Tree(anything=np.array([object()])))


def test_a_field_that_holds_something_else_is_named_before_a_file_is_written() -> None:
    with pytest.raises(TypeError, match=r"leaves of a test-tree is not tuple.*, but \[\]"):
        dump(Tree(leaves=[]))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="name of a test-leaf"):
        dump(Tree(leaves=(Leaf(5),)))  # type: ignore[arg-type]


def test_numpy_numbers_fit_where_python_numbers_do() -> None:
    tree = load(dump(Tree(limit=np.float32(0.5), count=np.int64(3))))  # type: ignore[arg-type]
    assert same((tree.limit, tree.count), (0.5, 3))


def test_a_result_saves_itself_and_is_shown_again(tmp_path: Path) -> None:
    tree = Tree(label="oak", leaves=(Leaf("x"),))
    path = tree.save(tmp_path / "tree.assay")
    assert path.read_bytes() == dump(tree)
    assert show(path) == tree


def test_what_cannot_be_kept_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = Tree().save(tmp_path / "tree.assay")
    with pytest.raises(TypeError):
        Tree(anything=object()).save(path)
    assert show(path) == Tree()
    assert list(tmp_path.iterdir()) == [path]


def test_a_result_opens_in_a_process_that_has_computed_nothing(tmp_path: Path) -> None:
    from assay.flows.setup import Check, Checks

    path = Checks(checks=(Check("packages", "numpy", "ok", "2.4"),)).save(tmp_path / "checks.assay")
    code = "import sys; from assay.results import load; print(load(open(sys.argv[1], 'rb').read()).checks[0].name)"
    there = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert there.stdout == "numpy\n", there.stderr


def refused(data: bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        load(data, "x.assay")
    return caught.value


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        show(tmp_path / "none.assay")


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is empty"),
        (b"q1 0 d1 1\n", "is not a kept result"),
        (zipped({"word/document.xml": b"<xml/>"}), "is a zip file of another program"),
        (zipped({"result.json": b'{"a": 1}'}), "is a zip file of another program"),
        (zipped({"result.json": b"0" * 5000}, zipfile.ZIP_DEFLATED), "is a zip file of another program"),
        (zipped({"result.json": b"{"}), "is cut short or damaged"),
    ],
)
def test_foreign_files_are_refused(data: bytes, what: str) -> None:
    error = refused(data)
    assert error.what.startswith(what)
    assert error.where == "x.assay"
    assert error.remedy


def test_a_cut_or_changed_file_is_refused_and_never_gives_other_numbers() -> None:
    tree = Tree(label="oak", leaves=(Leaf("x"), Leaf("y", 0.25)), anything=np.arange(6.0))
    data = dump(tree)
    for cut in range(len(data)):
        assert refused(data[:cut]).where == "x.assay"
    rng = np.random.default_rng(3)
    survived = 0
    for _ in range(1000):
        broken = bytearray(data)
        broken[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        try:
            found = load(bytes(broken), "x.assay")
        except InputError:
            continue
        survived += 1  # a date or an attribute in a directory of the zip, which nobody reads
        assert same(found.anything, tree.anything)
        assert replace(found, anything=None) == replace(tree, anything=None)
    assert survived < 500


def forged(result: Any, version: Any = 1, **arrays: bytes) -> bytes:
    content = {"format": "assay result", "version": version, "result": result}
    return zipped(
        {"result.json": json.dumps(content).encode(), **{f"arrays/{k[1:]}.npy": v for k, v in arrays.items()}}
    )


def test_a_newer_format_is_named() -> None:
    error = refused(forged({"$": "test-leaf", "name": "x"}, version=2))
    assert error.what == "was written by a newer assay (file format 2; this one reads up to 1)"
    assert "install the newer assay" in error.remedy


def test_a_kind_that_nobody_knows_is_named() -> None:
    assert refused(forged({"$": "galaxy"})).what == "holds a 'galaxy', which this assay does not know"


def test_a_field_that_nobody_knows_comes_from_a_newer_assay() -> None:
    error = refused(forged({"$": "test-leaf", "name": "x", "smell": "good"}))
    assert error.what == "was written by a newer assay: its test-leaf says smell"


def test_a_field_that_is_missing_takes_its_default() -> None:
    assert load(forged({"$": "test-leaf", "name": "x"})) == Leaf("x")


def header(dtype: str, shape: str) -> bytes:
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def array(dtype: Any, shape: Any, number: Any = 0) -> dict[str, Any]:
    return {"$": "test-tree", "anything": {"$": "array", "number": number, "dtype": dtype, "shape": shape}}


@pytest.mark.parametrize(
    "data",
    [
        forged({"$": "test-leaf"}),
        forged({"$": "test-leaf", "name": 5}),
        forged({"$": "test-leaf", "name": "x", "size": "large"}),
        forged({"$": "test-leaf", "name": "x", "kind": "c"}),
        forged({"$": "test-tree", "leaves": ["x"]}),
        forged({"$": "test-tree", "leaves": {"$": "list", "items": []}}),
        forged({"$": "test-tree", "count": True}),
        forged({"$": "test-tree", "limit": "none"}),
        forged({"$": "test-tree", "table": []}),
        forged({"$": "test-tree", "table": array("<i8", [0])["anything"]}, _0=header("<i8", "(0,)")),
        forged({"$": ["list"]}),
        forged({"a": 1}),
        forged({"$": "dict", "items": [[{"$": "list", "items": []}, 1]]}),
        forged({"$": "float", "value": "much"}),
        forged({"$": "bytes", "value": "xyz"}),
        forged(array("<f8", [3])),
        forged(array("<f8", [3]), _0=header("<f8", "(3,)") + bytes(16)),
        forged(array("<f8", [10**15]), _0=header("<f8", "(1000000000000000,)")),
        forged(array("|O", [1]), _0=header("|O", "(1,)") + bytes(8)),
        forged(array("<U0", [10**12]), _0=header("<U0", "(1000000000000,)")),
        forged(array("<f8", [-1, -1]), _0=header("<f8", "(-1, -1)") + bytes(8)),
        forged(array("<f8", 3), _0=header("<f8", "(3,)") + bytes(24)),
        forged(array(None, [3]), _0=header("<f8", "(3,)") + bytes(24)),
        forged(array("<U1", [1]), _0=header("<U1", "(1,)") + b"\xff" * 4),
        forged({"$": "test-tree", "anything": json.loads("[" * 500 + "]" * 500)}, version="new"),
        zipped(
            {"result.json": b'{"format": "assay result", "version": 1, "result": ' + b"[" * 10**5 + b"]" * 10**5 + b"}"}
        ),
    ],
)
def test_a_forged_file_is_refused(data: bytes) -> None:
    assert refused(data).where == "x.assay"


def test_a_name_twice_in_the_zip_is_no_way_to_more_memory() -> None:
    target = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(target, "w") as archive:
        warnings.simplefilter("ignore")
        for _ in range(3):
            leaf = {"$": "test-leaf", "name": "x"}
            archive.writestr("result.json", json.dumps({"format": "assay result", "version": 1, "result": leaf}))
    assert load(target.getvalue()) == Leaf("x")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.sampled_from(["test-leaf", "list", "array", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$", "name", "items", "value", "number", "dtype", "shape"]), inner, max_size=4
        )
    ),
    max_leaves=10,
)


@settings(max_examples=300)
@given(json_values)
def test_any_index_ends_in_a_value_or_in_an_error_with_a_place(value: Any) -> None:
    places = {"x.assay"}
    try:
        load(forged(value), "x.assay")
    except InputError as error:
        places.add(error.where)
    assert places == {"x.assay"}


def test_the_quiet_progress_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    QUIET.start("reading", 10, "rows")
    QUIET.advance(5)
    QUIET.stop()
    assert capsys.readouterr() == ("", "")


def test_a_renderer_is_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.results import RENDERERS

    make: Callable[[Any], str] = lambda tree: f"<p>{tree.label}</p>"  # noqa: E731
    monkeypatch.setattr(RENDERERS, "_loaded", True)
    monkeypatch.setitem(RENDERERS._entries, "html", make)
    assert Tree(label="oak")._repr_html_() == "<p>oak</p>"


@pytest.mark.parametrize("content", ["1.5", '"text"', "true", "[]", '{"$": "dict", "items": []}', "null"])
def test_a_file_whose_root_is_no_result_is_refused(content: str) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("result.json", f'{{"format": "assay result", "version": 1, "result": {content}}}')
    with pytest.raises(InputError, match=r"x.assay: is cut short or damaged \(TypeError: a \w+ where the result"):
        load(held.getvalue(), "x.assay")


def test_text_that_could_be_printed_nowhere_is_refused() -> None:
    data = dump(Tree(label="half"))
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(held, "w") as archive:
        archive.writestr("result.json", given.read("result.json").replace(b"half", b"\\ud800"))
    with pytest.raises(InputError, match="is cut short or damaged"):
        load(held.getvalue())
