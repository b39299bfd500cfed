"""JSON with a path to each value, and rows gathered from it."""

from __future__ import annotations

import io

import pytest

from assay.errors import InputError
from assay.formats.carried import Look
from assay.formats.gathered import Gathered, Grades, Losses
from assay.formats.nested import paths, plain, read_lines, read_tree, read_values, to_json
from assay.label_maps import parse_label_map
from assay.tables import Judgment


class Book(io.BytesIO):
    name = "book.json"


def said(text: str | bytes, read=read_tree) -> str:
    with pytest.raises(InputError) as caught:
        list(read(Book(text.encode() if isinstance(text, str) else text), "a list of things"))
    return str(caught.value)


def test_a_path_names_every_value():
    root = read_tree(Book(b'{"queries": [{}, {"two words": [1]}]}'))
    inner = next(root.need("queries").each())
    assert inner.where == "book.json: $.queries[0]"
    second = list(root.need("queries").each())[1]
    assert next(second.need("two words").each()).where == 'book.json: $.queries[1]["two words"][0]'


def test_numbers_keep_their_text():
    root = read_tree(Book(b'{"id": 1234567890123456789012345678901234567890, "x": 1.10}'))
    assert root.need("id").id() == "1234567890123456789012345678901234567890"
    assert plain(root.value) == {"id": 1234567890123456789012345678901234567890, "x": 1.1}
    assert to_json(plain(read_tree(Book(b'{"x": NaN}')).value)) == b'{\n  "x": null\n}\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "book.json: is empty\n    mend: write it anew"),
        (" \n", "book.json: holds nothing but blank lines\n    mend: write it anew"),
        ('{"a":\n tru}', "book.json:2: is not JSON: expecting value at column 2\n    tru}\n"
         "    mend: write a list of things"),
        ('{"a": 1} x', 'book.json:1: is not JSON: something follows the JSON value at column 10\n    {"a": 1} x\n'
         "    mend: write a list of things"),
        ('{"b": [{"a": 1, "a": 2}]}', "book.json: $.b[0]: the key a appears twice\n    mend: write each key once"),
        ("[" * 100_000, "book.json: is nested too deeply\n    mend: write a list of things"),
        (b'{"a": "\xff"}', "book.json:1: byte 0xff is not UTF-8\n    mend: save the file as UTF-8"),
    ],
)  # fmt: skip
def test_what_is_not_json_is_said_with_its_place(text, expected):
    assert said(text) == expected


def test_half_of_a_surrogate_pair_is_refused_and_a_whole_one_is_a_letter():
    assert read_tree(Book(b'{"a": "\\ud83e\\uddc0"}')).need("a").text() == "🧀"
    expected = "holds text that is not valid Unicode (half of a surrogate pair)\n    mend: write it anew as UTF-8"
    assert said('{"a": ["x", "\\ud83e"]}') == f"book.json: $.a[1]: {expected}"
    assert said('{"a": {"\\udc00": 1}}') == f'book.json: $.a["\\udc00"]: {expected}'


def test_values_are_those_of_a_list_of_one_object_or_of_lines():
    def values(text: str) -> list:
        return [node.value for node in read_values(Book(text.encode()))]

    assert values('[{"a": "x"}, {"a": "y"}]') == values('{"a": "x"}\n\n{"a": "y"}\n')
    assert values('{\n "a": "x"\n}') == [{"a": "x"}]
    assert said('{"a": "x"}\n{"a": \n', read_values).startswith("book.json:2: is not JSON: expecting value at column")
    assert said('{"a": "x"}\n{"a": 1, "a": 2}\n', read_lines) == (
        "book.json:2: the key a appears twice\n    mend: write each key once"
    )


def test_a_wrong_kind_is_said_with_its_path():
    root = read_tree(Book(b'{"a": {"b": 3}, "n": null}'), "a list of things")
    for act, what in (
        (lambda: root.need("a").text(), "$.a: expected text, found an object"),
        (lambda: list(root.need("a").each()), "$.a: expected a list, found an object"),
        (lambda: root.need("a").need("b").dict(), "$.a.b: expected an object, found the number 3"),
        (lambda: root.need("n"), "$: n is null"),
        (lambda: root.need("aa"), "$: has no key aa; did you mean a?"),
    ):
        with pytest.raises(InputError) as caught:
            act()
        assert str(caught.value) == f"book.json: {what}\n    mend: write a list of things"


def test_paths_of_a_beginning():
    assert paths(Look("x", b'[{"a": [1, {"b": "}"}], "c": 3}, {"d')) == {
        "$[]",
        "$[].a",
        "$[].a[]",
        "$[].a[].b",
        "$[].c",
    }
    assert paths(Look("x", b'{"a": 1}\n{"b": 2}\n')) == {"$", "$.a"}
    assert paths(Look("x", b"a,b\n1,2\n")) == frozenset()


def test_a_pair_judged_twice_is_refused_with_both_places():
    rows = Gathered(Judgment, "q.txt", "query_id", "doc_id", "grade")
    rows.add(1, "q", "d", 1)
    rows.add(2, "q", "d", 1)
    rows.add(3, "q", "d", 2)
    with pytest.raises(InputError) as caught:
        rows.block()
    assert str(caught.value) == (
        "q.txt:3: document d of query q is judged 2, and 1 at q.txt:1\n    mend: keep one of the two"
    )


def test_words_need_a_map_that_was_named():
    assert Grades(None)("2.5", 1, "x") == "2.5"
    assert Grades(parse_label_map("{good:2,bad:0}"))("Good", 1, "x") == 2
    with pytest.raises(InputError) as caught:
        Grades(None)("good", 7, "x.csv")
    assert str(caught.value) == (
        "x.csv:7: the grade 'good' is a word\n"
        "    mend: say what each label is worth, such as --labels '{good:2,fair:1,bad:0}'"
    )


def test_losses_are_counted_by_kind_with_three_places():
    losses = Losses("x")
    for line in range(1, 6):
        losses.add("notes", "no place", line)
    (lost,) = losses.all()
    assert (lost.what, lost.count, lost.places) == ("notes", 5, ("x:1", "x:2", "x:3"))
