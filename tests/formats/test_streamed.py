"""A large JSON file read a member at a time says the same as one that is parsed whole."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.formats import nested, streamed
from assay.formats.carried import OUTSIDE, Carried, Wishes
from assay.formats.gathered import columns_of
from assay.formats.nested import plain, read_tree
from assay.formats.streamed import Elements, Members
from assay.tables import Block

LONG = ("$.requests", "$.topics[].queries", "$.wide")


class Book(io.BytesIO):
    name = "book.json"


@pytest.fixture
def all_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of any size are gone through in members."""
    monkeypatch.setattr(nested, "LARGE", 0)


def tree(text: str, long: tuple[str, ...] = LONG):
    return read_tree(Book(text.encode()), "a list of things", long)


def test_members_are_parsed_when_they_are_asked_for(all_large: None):
    root = tree('{"a": 1, "requests": [{"id": "x"}, {"id": "y"}], "wide": {"p": [1], "q": {}}, "z": [2]}')
    requests, wide = root.need("requests"), root.need("wide")
    assert isinstance(requests.value, Elements)
    assert isinstance(wide.value, Members)
    assert [one.need("id").text() for one in requests.each()] == ["x", "y"]
    assert [one.where for one in requests.each()] == ["book.json: $.requests[0]", "book.json: $.requests[1]"]
    assert [key for key, _ in wide.members()] == ["p", "q"]
    assert wide.need("p").is_list
    assert (requests.is_list, wide.is_dict, len(wide.dict())) == (True, True, 2)
    assert not wide.has("r")


@pytest.mark.parametrize(
    "text",
    [
        '{"requests": [1, 2}',
        '{"requests": [1 2]}',
        '{"requests": {"a": 1, "a": 2}}',
        '{"requests": [{"a": 1, "a": 2}]}',
        '{"requests": [], "requests": []}',
        '{"requests": [], }',
        '{"requests": [1,]}',
        '{"requests" []}',
        '{"requests": [1]} x',
        '{"requests": [1]',
        '{"wide": {"a" 1}}',
        '{"wide": {a: 1}}',
        '{"requests": ["\\ud800"]}',
        '{"requests": ' + "[" * 100_000,
        "[",
    ],
    ids=lambda text: text[:30],
)
def test_what_is_no_json_is_said_as_for_a_small_file(text: str, monkeypatch: pytest.MonkeyPatch):
    said = []
    for large in (streamed.LARGE, 0):
        monkeypatch.setattr(nested, "LARGE", large)
        with pytest.raises(InputError) as caught:
            tree(text)
        said.append(str(caught.value))
    assert said[0] == said[1]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "requests", "]}"]), inner),
    max_leaves=20,
)


@given(
    st.fixed_dictionaries(
        {"requests": values, "topics": st.lists(st.fixed_dictionaries({"queries": values}), max_size=3), "wide": values}
    ),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_any_value_is_the_same_in_members(value, indent, escaped):
    text = json.dumps(value, indent=indent, ensure_ascii=escaped)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nested, "LARGE", 0)
        try:
            found = plain(tree(text).value)
        except InputError:  # half of a surrogate pair
            assert not text.isascii() or "\\ud" in text
            return
    assert found == value


FILES = {
    "ranx-run": '{"q1": {"d1": 2.5, "d2": 1}, "q2": {}}',
    "ranx-qrels": '{"q1": {"d1": 2, "d2": 0}}',
    "beir-results": '{"q1": {"d1": 2.5, "d2": 1e-3}}',
    "rank-eval": '{"requests": [{"id": "q1", "request": {}, "ratings": [{"_index": "a", "_id": "d1", "rating": 3}]},'
    ' {"id": "q2", "request": {}, "ratings": [{"_index": "b", "_id": "d1", "rating": 1}]}], "metric": {"dcg": {}}}',
    "rank-eval-answer": '{"metric_score": 0.5, "details": {"q1": {"metric_score": 1, "hits": [{"hit": {"_index": "a",'
    ' "_id": "d1", "_score": 2.5}, "rating": 3}, {"hit": {"_index": "b", "_id": "d1", "_score": null}}]},'
    ' "q2": {"metric_score": 0, "hits": []}}, "failures": {}}',
    "srw-judgments": '{"name": "x", "judgmentRatings": [{"query": "red", "ratings": [{"docId": "d1", "rating": "3"}]}],'
    ' "type": "LLM_JUDGMENT"}',
    "srw-experiment": '{"id": "1", "results": [{"queryText": "red", "snapshots":'
    ' [{"searchConfigurationId": "a", "docIds": ["d1", "d2"]}]}]}',
    "rre": '{"index": "i", "topics": [{"description": "all", "query_groups": [{"name": "g", "queries":'
    ' [{"placeholders": {"$query": "red"}}], "relevant_documents": {"d1": {"gain": 3}}}]}]}',
}


def _held(carried: Carried) -> dict[str, object]:
    def of(block: Block) -> object:
        return (
            {key: list(column) for key, column in columns_of(block).items()},
            block.empty,
            [block.place(row) for row in range(len(block))],
        )

    tables = {row.__name__: of(block) for row, block in carried.tables.items()}
    runs = {name: of(block) for name, block in carried.runs.items()}
    return {"tables": tables, "runs": runs, "lost": carried.lost, "facts": carried.facts, "more": carried.more}


@pytest.mark.parametrize("format", FILES)
def test_a_large_file_gives_the_rows_and_places_of_a_small_one(format: str, tmp_path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "file.json"
    path.write_text(FILES[format], encoding="utf-8")
    small = _held(OUTSIDE.find(format).read(path, Wishes()))
    monkeypatch.setattr(nested, "LARGE", 0)
    monkeypatch.setattr("assay.formats.gathered._MANY", 0)
    assert _held(OUTSIDE.find(format).read(path, Wishes())) == small


def test_a_document_of_two_indices_is_named_by_index_and_id(tmp_path):
    path = tmp_path / "file.json"
    path.write_text(FILES["rank-eval"], encoding="utf-8")
    carried = OUTSIDE.find("rank-eval").read(path, Wishes())
    assert _held(carried)["tables"]["Judgment"][0]["doc_id"] == ["a/d1", "b/d1"]


def test_two_grades_of_a_pair_are_found_among_many(monkeypatch: pytest.MonkeyPatch, tmp_path):
    monkeypatch.setattr("assay.formats.gathered._MANY", 0)
    path = tmp_path / "x.json"
    entry = '{"query": "red", "ratings": [{"docId": "d1", "rating": "%d"}]}'
    path.write_text(f'{{"judgmentRatings": [{entry % 1}, {entry % 2}]}}', encoding="utf-8")
    with pytest.raises(InputError, match="document d1 of query red is judged 2, and 1 at"):
        OUTSIDE.find("srw-judgments").read(path, Wishes())
