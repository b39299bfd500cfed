"""Measures as values: composed, compared, pickled, printed; a new one is one function."""

from __future__ import annotations

import importlib
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

from assay.errors import InputError
from assay.measures.card import card, cards
from assay.measures.grammar import parse
from assay.measures.measure import MEASURES, Measure
from assay.ranking.discounts import GainMap, discount_function, exponential, gain_function
from measures.lists import Shown, ranking, value

nDCG, P = Measure("nDCG"), Measure("P")  # noqa: N816 # as it is typed


def test_measures_compose_and_print_as_they_are_typed():
    assert str(nDCG @ 10) == repr(nDCG @ 10) == "nDCG@10"
    assert str(P(rel=2) @ 5) == str((P @ 5)(rel=2)) == "P(rel=2)@5"
    assert str(nDCG(gain={2: 9, 1: 3}) @ 10) == "nDCG(gain={1:3,2:9})@10"
    assert str(nDCG(judged_only=True, gain="exp")) == "nDCG(gain=exp,judged_only=True)"
    assert P(rel=2)(rel=None) == P


def test_measures_are_values():
    assert nDCG @ 10 == parse("nDCG(gain=linear)@10")[0]
    assert nDCG @ 10 != nDCG @ 5
    assert len({nDCG @ 10, parse("ndcg_cut_10")[0], nDCG(gain={1: 3}) @ 10, nDCG(gain=GainMap.of({1: 3.0})) @ 10}) == 2
    for measure in (nDCG @ 10, P(rel=2) @ 5, nDCG(gain={1: 3, 2: 9})):
        assert pickle.loads(pickle.dumps(measure)) == measure


def test_names_are_attributes_of_the_package():
    package = importlib.import_module("assay.measures")
    assert package.nDCG @ 10 == nDCG @ 10
    with pytest.raises(AttributeError):
        _ = package.nDGC


def test_the_whole_definition_hides_nothing():
    assert (nDCG @ 10).definition() == "nDCG(gain=linear, discount=log2, ideal=judged, judged_only=False)@10"
    assert (P @ 5).definition() == "P(rel=qrels, short=pad, judged_only=False)@5"
    assert Measure("NumRet").definition() == "NumRet"


def test_the_foot_line_says_it_for_people():
    assert (nDCG @ 10).foot() == "linear gain, log2(rank + 1), ideal over all judged documents cut at 10"
    assert nDCG(gain="exp").foot() == "gain 2^grade - 1, log2(rank + 1), ideal over all judged documents"
    assert (
        P(rel=2).foot()
        == "relevant documents in the whole list divided by the documents returned, grade >= 2 is relevant"
    )
    for name in MEASURES.names():
        measure = Measure(name) @ 7 if MEASURES.find(name).takes_cutoff else Measure(name)
        assert measure.foot()
        assert not measure.foot().endswith(".")


@pytest.mark.parametrize("cutoff", [0, -1, 1.5, True, "10", 2**31, None])
def test_a_cutoff_is_a_whole_number_from_1(cutoff: object):
    with pytest.raises(InputError, match="is not a whole number from 1"):
        _ = nDCG @ cutoff


def test_numpy_numbers_are_numbers():
    assert nDCG @ np.int64(10) == nDCG @ 10
    assert P(rel=np.float32(2)) == P(rel=2)


@pytest.mark.parametrize("rel", [float("nan"), float("inf"), "2", True, [2]])
def test_a_level_is_a_finite_number(rel: object):
    with pytest.raises(InputError, match="of P is not a number"):
        P(rel=rel)


def test_what_a_measure_needs():
    assert nDCG.needs_relevant
    assert P.needs_relevant
    assert not Measure("Judged").needs_relevant
    assert P(rel=2).rel == 2
    assert P.rel is None
    assert P.params == {"rel": None, "short": "pad", "judged_only": False}
    only_ones = ranking(Shown((1, 0))).judged
    assert P.has_relevant(only_ones).tolist() == [True]
    assert P(rel=2).has_relevant(only_ones).tolist() == [False]
    assert nDCG(gain={1: 0}).has_relevant(only_ones).tolist() == [False]


def test_gains_and_discounts_by_name():
    grades, ranks = np.array([-1.0, 0, 1, 2, 3]), np.array([1.0, 2, 3, 4])
    assert gain_function("linear")(grades).tolist() == [0, 0, 1, 2, 3]
    assert gain_function("exp")(grades).tolist() == [0, 0, 1, 3, 7]
    assert gain_function(GainMap.of({3: 10, 1: 0.5}))(grades).tolist() == [0, 0, 0.5, 2, 10]
    np.testing.assert_allclose(discount_function("log2")(ranks), [1, 1 / np.log2(3), 0.5, 1 / np.log2(5)])
    np.testing.assert_allclose(discount_function("jarvelin")(ranks), [1, 1, 1 / np.log2(3), 0.5])
    assert discount_function("zipf")(ranks).tolist() == [1, 1 / 2, 1 / 3, 1 / 4]
    assert discount_function("none")(ranks).tolist() == [1, 1, 1, 1]
    assert gain_function("exp") is exponential
    with pytest.raises(InputError, match="unknown gain exq; did you mean exp"):
        gain_function("exq")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="grade 2000 is too large"):
        value("DCG(gain=exp)", Shown((2000,)))


NEW = '''
from assay.measures.measure import Values, measure
from assay.ranking.ranking import Ranking


@measure("HarmonicHits", sees="all", foot="sum of 1 / rank over the relevant documents", range="0 or more", says="much")
def harmonic_hits(r: Ranking, cutoff: int | None = None, rel: float | None = None) -> Values:
    """Sum of 1 / rank over the relevant documents in the first k, per query.

    Args:
        r: one run joined with its qrels.
        cutoff: ranks 1..cutoff are counted.
        rel: the lowest relevant grade.
    """
    hits = r.relevant(rel).top(cutoff)
    return hits.per_query(1.0 / hits.rank)
'''


@pytest.fixture
def harmonic_hits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A new measure, in a module of its own, as somebody would write it."""
    (tmp_path / "harmonic_hits.py").write_text(NEW, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("harmonic_hits")
    yield Measure("HarmonicHits")
    del MEASURES._entries["HarmonicHits"], sys.modules["harmonic_hits"]


def test_a_measure_is_added_by_one_file_and_one_import_line(harmonic_hits: Measure):
    from assay.measures.explain import explain

    assert parse("HarmonicHits@3 harmonichits(rel=2)") == [harmonic_hits @ 3, harmonic_hits(rel=2)]
    r = ranking(Shown((1, 0, 2, 1), (1,)))
    assert (harmonic_hits @ 3).compute(r)[0] == pytest.approx(1 + 1 / 3)
    assert value("HarmonicHits(rel=2)", Shown((1, 0, 2, 1))) == pytest.approx(1 / 3)
    with pytest.raises(InputError, match="unknown measure HarmonicHit; did you mean HarmonicHits"):
        parse("HarmonicHit")
    found = explain(r, harmonic_hits @ 3, "q00000")
    assert [line.adds for line in found.lines] == [1.0, 0.0, pytest.approx(1 / 3)]
    assert found.closing == "HarmonicHits@3 = 1.3333"
    about = card("HarmonicHits")
    assert about.definition == "HarmonicHits(rel=qrels)@cutoff"
    assert about.summary == "Sum of 1 / rank over the relevant documents in the first k, per query."
    assert about.worked is None


def test_every_measure_has_a_card_with_a_worked_example():
    for name in MEASURES.names():
        about = card(name)
        assert about.worked is not None, name
        assert about.worked.value is not None
        assert about.worked.measure.name == name
        assert about.summary.endswith(".")
        for said in (about.says, about.use_for, about.undefined, about.agrees, about.paper, about.range, about.example):
            assert said, name
        assert about.blind_to
    assert [about.name for about in cards().cards] == MEASURES.names()
    assert all(about.worked is None for about in cards().cards)


def test_the_card_of_ndcg():
    about = card("ndcg_cut_10")
    assert about.name == "nDCG"
    assert about.definition == "nDCG(gain=linear, discount=log2, ideal=judged, judged_only=False)@cutoff"
    assert about.example == "nDCG@3; shown 3, 2, unjudged; judged for this query 3, 3, 2, 0"
    assert about.worked is not None
    assert about.worked.closing == "nDCG@3 = 4.2619 / 5.8928 = 0.7232"
    assert about.also_as[:2] == ("ndcg_cut", "ndcg_burges (nDCG(gain=exp))")
    assert about.options[0] == ("gain", "linear, exp or a map such as {1:3,2:9}")
