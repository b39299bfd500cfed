"""One run to values, and what is said beside them."""

import io
import zipfile
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from assay.errors import InputError
from assay.measures.grammar import parse
from assay.measures.score import Part, join, score
from assay.ranking.align import judged
from assay.ranking.conventions import Conventions
from assay.results import dump, load
from assay.tables import Block
from report import by_hand as hand


def table(name: str, rows: list[tuple], columns: tuple[str, ...]) -> Block:
    return Block({c: [row[i] for row in rows] for i, c in enumerate(columns)}, lambda i: f"{name}:{i + 1}", name)


def qrels(*rows: tuple[str, str, float]) -> Block:
    return table("qrels", list(rows), ("query_id", "doc_id", "grade"))


def run(*rows: tuple[str, str, float]) -> Block:
    return table("run", list(rows), ("query_id", "doc_id", "score"))


JUDGED = qrels(("q1", "a", 2), ("q1", "b", 0), ("q2", "a", 1), ("q3", "a", 0), ("q4", "c", 3))
RUN = run(("q1", "b", 9), ("q1", "a", 8), ("q2", "x", 1), ("q3", "a", 1), ("q9", "a", 1))


def scored(measures: str = "P@2 RR", rows: Block = RUN, judgments: Block = JUDGED, **choices):
    conventions = Conventions(**choices)
    return score([rows], judged(judgments, conventions), parse(measures), conventions, "mine")


def test_values_stand_by_query_and_measure():
    s = scored(missing="zero", no_relevant="drop")
    assert s.queries == ("q1", "q2", "q3", "q4")
    np.testing.assert_array_equal(s.values[0], [[0.5, 0, np.nan, 0], [0.5, 0, np.nan, 0]])
    assert s.mean("P@2") == pytest.approx(0.5 / 3)
    assert s.n("P@2") == 3


@pytest.mark.parametrize(
    ("choices", "wanted"),
    [
        ({"missing": "skip"}, [0.5, 0, np.nan, np.nan]),
        ({"missing": "skip", "no_relevant": "zero"}, [0.5, 0, 0, np.nan]),
        ({"no_relevant": "zero"}, [0.5, 0, 0, 0]),
        ({"no_relevant": "one"}, [0.5, 0, 1, 0]),
    ],
)
@pytest.mark.parametrize("measure", ["P@2", "RR"])
def test_missing_and_no_relevant_follow_their_rules(choices, wanted, measure):
    np.testing.assert_array_equal(scored(measure, **choices).value(), wanted)


def test_measures_that_need_no_relevant_document_are_defined_everywhere():
    s = scored("NumRet NumRel Judged@2", no_relevant="drop")
    np.testing.assert_array_equal(s.value("NumRet"), [2, 1, 1, 0])
    np.testing.assert_array_equal(s.value("NumRel"), [1, 1, 0, 1])
    np.testing.assert_array_equal(s.value("Judged@2"), [1, 0, 1, 0])


def test_the_level_of_a_measure_decides_what_counts_as_relevant_for_it():
    s = scored("P@1 P(rel=2)@1", no_relevant="drop")
    np.testing.assert_array_equal(np.isnan(s.value("P(rel=2)@1")), [False, True, True, False])


def test_a_missing_query_can_be_an_error():
    with pytest.raises(InputError, match=r"^mine: the run lacks the judged query q4"):
        scored(missing="error")


def test_coverage_counts_what_the_means_are_over():
    c = scored().coverage[0]
    assert (c.judged, c.scored, c.missing, c.no_relevant, c.unknown, c.rows) == (4, 3, ("q4",), ("q3",), 1, 5)
    assert scored(missing="skip").coverage[0].scored == 2
    assert scored(no_relevant="zero").coverage[0].scored == 4


def test_notes_have_codes_and_counts():
    rows = run(
        ("q1", "b", 9), ("q1", "a", 9), ("q1", "c", 1), ("q2", "x", 1), ("q2", "y", 1), ("q3", "a", 1), ("q9", "a", 1)
    )
    notes = {note.code: note for note in scored("P@1", rows).notes}
    assert {code: note.count for code, note in notes.items()} == {
        "queries-missing": 1,
        "queries-without-relevant": 1,
        "queries-unknown": 1,
        "ties-inside-cutoff": 2,
    }
    assert (
        notes["ties-inside-cutoff"].text
        == "2 of 4 queries have equal scores inside rank 1; settled by document id, descending"
    )
    assert notes["queries-missing"].run == "mine"


@pytest.mark.parametrize(("ranks", "told"), [((2, 1, 1), "1 query"), ((2, 1, 0), "2 queries"), ((1, 2, 1), "")])
def test_a_rank_column_that_contradicts_the_scores_is_told(ranks: tuple[int, ...], told: str):
    rows = [("q1", "b", 9, ranks[0]), ("q1", "a", 8, ranks[1]), ("q2", "x", 2, 1), ("q2", "a", 1, 2 * ranks[2])]
    block = table("run", rows, ("query_id", "doc_id", "score", "rank"))
    texts = [note.text for note in scored(rows=block).notes if note.code == "rank-against-score"]
    assert texts == ([f"the rank column contradicts the scores in {told}; the order is by score"] if told else [])
    assert not [note for note in scored(rows=block, order="rank").notes if note.code == "rank-against-score"]


def test_ties_below_the_cutoff_are_not_told():
    rows = run(("q1", "b", 9), ("q1", "a", 5), ("q1", "c", 5), ("q2", "a", 1), ("q3", "a", 1), ("q4", "a", 1))
    assert "ties-inside-cutoff" not in [note.code for note in scored("P@1", rows).notes]
    assert "ties-inside-cutoff" in [note.code for note in scored("P@1,2", rows).notes]
    assert "ties-inside-cutoff" in [note.code for note in scored("P@1 AP", rows).notes]


def test_the_judged_share_is_over_the_documents_shown():
    s = scored("P@2 AP")
    np.testing.assert_array_equal(s.judged[0, 0], [1, 0, 1, np.nan])
    assert np.isnan(s.judged[0, 1]).all()
    assert s.judged_share("P@2") == 0.5


def test_where_only_relevant_documents_are_listed_the_judged_share_is_unknown():
    judgments = qrels(("q1", "a", 1), ("q2", "a", 2))
    s = scored("P@2", judgments=judgments)
    assert np.isnan(s.judged).all()
    assert "only-relevant-listed" in [note.code for note in s.notes]
    assert scored("P@2", judgments=judgments, unlisted="not-relevant").judged[0, 0].tolist() == [1, 1]


def test_a_run_of_other_queries_is_refused_with_examples_and_a_hint():
    with pytest.raises(InputError) as error:
        scored(rows=run(("007", "a", 1)), judgments=qrels(("7", "a", 1), ("8", "a", 1)))
    assert str(error.value) == (
        "mine: the run and the judgments have no query in common: the run has '007', the judgments '7', '8'\n"
        "    mend: the ids agree apart from leading zeros: write them the same way in both files"
    )


@pytest.mark.parametrize(
    ("ids", "hint"),
    [
        ("7 ", "white space"), ("Q7", "upper and lower case"), ("topic-7", "a prefix"), ("7.0", "a trailing .0"),
        ("other", "check that both files"),
    ],
)  # fmt: skip
def test_the_usual_slips_in_ids_are_recognised(ids, hint):
    judgments = qrels(("q7" if ids == "Q7" else "7", "a", 1))
    with pytest.raises(InputError, match=hint):
        scored(rows=run((ids, "a", 1)), judgments=judgments)


def test_an_empty_block_scores_every_query_as_missing():
    s = scored(rows=Block({"query_id": [], "doc_id": [], "score": []}, str, "run"))
    assert s.coverage[0].missing == s.queries
    assert s.mean("P@2") == 0


def test_runs_stand_side_by_side_and_say_a_note_once():
    s = join([scored(), scored()])
    assert s.values.shape == (2, 2, 4)
    assert s.runs == ("mine", "mine")
    assert len(s.notes) == len(set(s.notes)) == len(scored().notes)


def test_the_ideals_are_computed_once_and_shared_by_all_runs():
    known = judged(JUDGED, Conventions())

    def ideals() -> dict:
        return {key: id(best) for key, best in known._cache.items() if callable(key[0]) and callable(key[1])}

    measures = parse("nDCG@2,5 nDCG nDCG(gain=exp)@2 nDCG(gain={1:3,2:9})@2 nDCG(discount=zipf)@2 P@2")
    score([RUN], known, measures, Conventions(), "one")
    first = ideals()
    assert len(first) == 6 + 3  # for each gain also whether any document has one
    score([run(("q1", "a", 1), ("q2", "a", 1))], known, parse(", ".join(map(str, measures))), Conventions(), "two")
    assert ideals() == first


def test_what_is_undefined_is_null_in_frames():
    s = scored("P@2")
    frame = s.per_query
    assert frame.columns == ["run", "measure", "query_id", "value", "judged"]
    assert frame["value"].to_list() == [0.5, 0.0, None, 0.0]
    assert frame["judged"].to_list() == [1.0, 0.0, 1.0, None]
    row = s.summary.row(0, named=True)
    assert row["mean"] == pytest.approx(0.5 / 3)
    assert row["sd"] == pytest.approx(np.std([0.5, 0, 0], ddof=1))
    assert row["weighted"] is None
    one = s.only(["q1"])
    assert one.summary.row(0, named=True)["low"] is None
    assert one.summary.row(0, named=True)["no_interval_because"] == "one value has no spread"
    assert one.interval() is None
    assert np.isnan(one.sd())


def test_only_some_queries_narrows_everything():
    from dataclasses import replace

    s = replace(scored(), weights=np.array([1.0, 3.0, 5.0, np.nan]))
    some = s.only(["q4", "q2", "nobody"])
    assert some.queries == ("q2", "q4")
    assert some.values.shape == (1, 2, 2)
    assert (some.coverage[0].judged, some.coverage[0].missing) == (2, ("q4",))
    assert some.weights.tolist()[:1] == [3.0]


def test_the_weighted_mean_counts_traffic_and_leaves_out_what_has_none():
    from dataclasses import replace

    s = replace(scored("P@2"), weights=np.array([1.0, 3.0, 5.0, np.nan]))
    assert s.mean(weighted=True) == pytest.approx(0.5 / 4)
    with pytest.raises(InputError, match="the queries have no weights"):
        scored("P@2").mean(weighted=True)


def test_a_measure_or_run_that_is_not_there_is_named_with_its_neighbours():
    s = scored()
    with pytest.raises(InputError, match=r"no measure P@3; did you mean P@2\?"):
        s.mean("P@3")
    with pytest.raises(InputError, match="there are 2 measures: say which"):
        s.mean()
    with pytest.raises(InputError, match="no run your"):
        s.mean("P@2", "your")


def test_the_bootstrap_names_its_seed():
    s = scored("P@2", judgments=qrels(*((f"q{i}", "a", 1) for i in range(9))))
    found = s.interval(method="bootstrap", seed=4)
    assert found == s.interval(method="bootstrap", seed=4)
    assert (found.seed, found.n, found.covers_less) == (4, 9, True)
    with pytest.raises(InputError, match="unknown interval bootstrip; did you mean bootstrap"):
        s.interval(method="bootstrip")


def test_it_reads_well():
    assert repr(scored("P@2")).splitlines()[:2] == [
        "Scores of 1 run over 4 judged queries",
        "  mine: P@2 0.1667 [-0.5504, 0.8838]",
    ]


def test_frames_and_plain_columns_give_the_same_scores():
    def framed(block: Block) -> Block:
        return Block(pl.DataFrame(block.frame), block.place, block.name)

    conventions = Conventions()
    measures = parse("nDCG@2 AP P@2 RR Judged@2 Bpref")
    plain = score([RUN], judged(JUDGED, conventions), measures, conventions)
    other = score([framed(RUN)], judged(framed(JUDGED), conventions), measures, conventions)
    np.testing.assert_allclose(plain.values, other.values, rtol=0, atol=1e-12)
    assert plain.notes == other.notes
    assert plain.coverage == other.coverage


def test_every_array_has_the_shape_that_its_names_say():
    good = hand.scores()
    wrong = [
        {"runs": ("bm25",)},
        {"measures": good.measures[:1]},
        {"queries": good.queries[:3]},
        {"judged": good.judged[:, :, :3]},
        {"coverage": good.coverage[:1]},
        {"weights": np.ones(3)},
        {"parts": (Part("segment", "head", hand.many(4)),)},
    ]
    for changes in wrong:
        with pytest.raises(ValueError, match=r" of |other runs or measures"):
            replace(good, **changes)


def test_a_kept_file_with_arrays_of_another_shape_is_refused():
    import assay.flows.results  # noqa: F401 # what can be kept is registered there

    data = dump(hand.scores())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["result.json"] = parts["result.json"].replace(b'["bm25","dense"]', b'["bm25","dense","more"]')
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    with pytest.raises(InputError, match=r"x\.assay: is cut short or damaged"):
        load(target.getvalue(), "x.assay")


def test_the_coverage_says_what_ordered_the_run():
    for columns, order, said in (
        (("score", "rank"), "auto", "score"), (("score", "rank"), "rank", "rank"), (("rank",), "auto", "rank"),
        ((), "auto", "rows"),
    ):  # fmt: skip
        rows = [("q1", "a", *(1 for _ in columns)), ("q1", "b", *(2 for _ in columns))]
        block = table("run", rows, ("query_id", "doc_id", *columns))
        assert scored(rows=block, order=order).coverage[0].order == said


def test_a_value_is_the_same_to_the_last_bit_whatever_other_queries_there_are():
    from assay import evaluate

    rng = np.random.default_rng(3)
    run = {f"q{i:04d}": {f"d{j}": float(rng.normal()) for j in range(12)} for i in range(1500)}
    qrels = {query: {doc: int(rng.integers(0, 4)) for doc in list(docs)[2:]} for query, docs in run.items()}
    few = {query: run[query] for query in list(run)[-40:]}
    measures = "ERR ERR@5 nDCG@5 nDCG(ideal=returned)@5 RBP(p=0.8) AP RR Compat infAP ERR-IA alpha-nDCG@5 Bpref"
    many, alone = (evaluate(one, qrels, measures).values[0, :, -40:] for one in (run, few))
    assert many.tobytes() == alone.tobytes()
