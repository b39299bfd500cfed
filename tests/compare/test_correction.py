"""Families of differences: flips that the correction needs, the randomised Tukey test, and what each test supposes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from numpy.typing import NDArray

import assay
from assay.compare.asked import Asked
from assay.compare.comparison import Comparison
from assay.errors import InputError
from assay.flows.compare import compared
from assay.measures.measure import Measure
from assay.measures.scores import Coverage, Part, Scores

F64 = NDArray[np.float64]
NDCG, RR = Measure("nDCG") @ 10, Measure("RR")


def scores_of(values: F64, measures: tuple[Measure, ...], names: tuple[str, ...] = ()) -> Scores:
    """Scores of shape (runs, measures, queries)."""
    return Scores(
        runs=names or tuple(f"s{i}" for i in range(len(values))),
        measures=measures,
        queries=tuple(f"q{i:03d}" for i in range(values.shape[2])),
        values=values,
        judged=np.full(values.shape, np.nan),
        coverage=(Coverage(values.shape[2], values.shape[2]),) * len(values),
    )


def all_pairs(scores: Scores, **asked: object) -> Comparison:
    return compared(scores, scores.runs[0], True, Asked(**asked))  # type: ignore[arg-type] # keyword by keyword


def columns(*d: F64, **asked: object) -> Comparison:
    """Candidates that differ from a baseline of zeros by d."""
    values = np.array([np.zeros_like(d[0]), *d])[:, None, :]
    scores = scores_of(values, (NDCG,))
    return compared(scores, "s0", False, Asked(**asked))  # type: ignore[arg-type] # keyword by keyword


def with_p(n: int, p: float, seed: int) -> F64:
    """Differences whose paired t test gives p, that of sign flips being near it."""
    d = np.random.default_rng(seed).normal(0, 0.1, n)
    t = float(scipy.stats.t.ppf(1 - p / 2, n - 1))
    return d - d.mean() + t * d.std(ddof=1) / np.sqrt(n)


def test_more_flips_are_drawn_where_the_first_step_of_holm_stands_and_not_only_at_alpha() -> None:
    at_half, other = with_p(40, 0.025, 1), with_p(40, 0.7, 2)
    alone = columns(at_half)
    assert alone.differences[0].tests is not None
    assert alone.differences[0].tests.randomisation is not None
    assert alone.differences[0].tests.randomisation.patterns == 100_000
    both = columns(at_half, other)
    patterns = [d.tests.randomisation.patterns for d in both.differences if d.tests and d.tests.randomisation]
    assert patterns == [1_000_000, 100_000]


def test_what_stands_behind_an_open_step_is_not_drawn_again() -> None:
    """Three hypotheses: the first is at 5 % / 3; the second, 0.019, is clear of 5 % / 2 but has to wait for it."""
    first, second, third = with_p(40, 0.05 / 3, 1), with_p(40, 0.019, 6), with_p(40, 0.7, 2)
    found = columns(first, second, third).differences
    assert 0.016 < (found[0].p or 0) < 0.0175 < (found[1].p or 0) < 0.022
    patterns = [d.tests.randomisation.patterns for d in found if d.tests and d.tests.randomisation]
    assert patterns == [1_000_000, 100_000, 100_000]


@pytest.fixture(scope="module")
def at_0025() -> F64:
    """30 differences whose p is as near 0.025 as a million flips can tell, which is a half of 5 %."""
    d, other = with_p(30, 0.025, 3), with_p(30, 0.7, 2)
    low, high = d.mean() * 0.9, d.mean() * 1.1
    for _ in range(8):
        middle = d - d.mean() + (low + high) / 2
        p = columns(middle, other).differences[0].p or 0
        low, high = (low, (low + high) / 2) if p < 0.025 else ((low + high) / 2, high)
    return middle


def test_a_p_that_a_million_flips_leave_at_the_first_step_of_holm_is_not_called_better(at_0025: F64) -> None:
    found = columns(at_0025, with_p(30, 0.7, 2)).differences[0]
    assert (found.outcome, found.because) == (
        "cannot tell",
        "p is at 0.05 after correction: 1,000,000 patterns do not settle it",
    )
    assert found.adjusted == pytest.approx(0.05, abs=2 * 0.00041)  # 99 % of a million at 0.025, doubled


def test_an_exact_p_behind_one_that_is_not_settled_is_not_settled_either(at_0025: F64) -> None:
    """Holm goes step by step: a claim needs the one before it."""
    few, exact = np.zeros(30), np.zeros(30)
    few[:12] = 0.1  # all wins: p = 2 / 2^12, far below its step
    exact[:12] = [0.1] * 10 + [-0.1] * 2  # p = 2 (1 + 12 + 66) / 2^12 = 0.0386, the last of three: its step is 5 %
    first, second, third = columns(few, at_0025, exact).differences
    assert first.outcome == "better"
    assert third.p == pytest.approx(158 / 4096)
    assert second.because.startswith("p is at 0.05 after correction")
    assert third.because.startswith("p is at 0.05 after correction")
    assert [d.outcome for d in columns(few, exact).differences] == ["better", "better"]


def test_an_exact_p_at_the_level_is_settled() -> None:
    exact = np.zeros(30)
    exact[:12] = [0.1] * 10 + [-0.1] * 2
    found = columns(exact, alpha=158 / 4096).differences[0]
    assert (found.outcome, found.because) == ("better", "")


def test_flips_grow_to_what_holm_needs_unless_their_number_was_asked_for() -> None:
    rng = np.random.default_rng(0)
    d = [rng.normal(0.2, 0.1, 60) for _ in range(60)]
    fixed = columns(*d, correction="holm", flips=2000)
    assert (fixed.family.is_resolvable, fixed.differences[0].outcome) == (False, "cannot tell")
    grown = columns(*d, correction="holm", flips=2000, more_flips=True)
    assert (grown.family.flips, grown.family.needed) == (12_000, 12_000)
    assert {found.outcome for found in grown.differences} == {"better"}
    assert grown.differences[0].adjusted == pytest.approx(60 / 12_001, abs=1e-12)


def test_a_false_discovery_rate_takes_as_many_flips_as_holm() -> None:
    rng = np.random.default_rng(0)
    d = [rng.normal(0.2, 0.1, 60) for _ in range(60)]
    found = columns(*d, correction="bh", flips=2000).differences[0]
    assert found.because == "not resolvable with 2,000 flips; 12,000 would do"


def test_max_t_says_when_its_flips_leave_a_p_at_alpha() -> None:
    d = with_p(40, 0.05, 4)
    found = columns(d, correction="max-t", flips=2000).differences[0]
    assert found.because == "p is at 0.05: 2,000 patterns do not settle it"
    clear = columns(with_p(40, 0.001, 4), correction="max-t", flips=2000).differences[0]
    assert (clear.outcome, clear.because) == ("better", "")


def test_under_max_t_every_p_comes_from_the_same_flips_as_alone() -> None:
    rng = np.random.default_rng(5)
    values = rng.random((9, 2, 60)) + 0.01 * np.arange(9)[:, None, None]
    together = all_pairs(scores_of(values, (NDCG, RR)), correction="max-t", flips=3000)
    for found in together.differences[::7]:
        a, b = int(found.baseline[1:]), int(found.candidate[1:])
        measure = (NDCG, RR).index(found.measure)
        alone = columns(values[b, measure] - values[a, measure], flips=3000, correction="max-t").differences[0]
        assert found.p == alone.p
        assert found.tests is not None
        assert found.tests.randomisation is not None
        assert found.tests.randomisation.method == "monte-carlo"
        assert found.tests.randomisation.patterns == 3000


def shuffled_ranges(values: F64, count: int, seed: int) -> F64:
    """The range of the systems' means under shuffles of each query, by a plain loop."""
    rng, found = np.random.default_rng(seed), np.empty(count)
    for i in range(count):
        found[i] = np.ptp(rng.permuted(values, axis=0).mean(axis=1))
    return found


def test_tukey_is_a_plain_loop_over_shuffles_and_bonferroni_over_measures() -> None:
    rng = np.random.default_rng(6)
    values = rng.normal(0, 0.1, (4, 2, 40)) + 0.02 * np.arange(4)[:, None, None]
    found = all_pairs(scores_of(values, (NDCG, RR)), correction="tukey", flips=4000)
    assert (found.family.correction, found.family.size, found.family.flips) == ("tukey", 12, 4000)
    ranges = [shuffled_ranges(values[:, m], 20_000, 99) for m in (0, 1)]
    for d in found.differences:
        m = (NDCG, RR).index(d.measure)
        share = np.mean(ranges[m] >= abs(d.difference or 0) - 1e-12)
        error = 2 * 5 * np.sqrt(share * (1 - share) / 3000) + 2 * 5 / 3000  # five standard errors, doubled as p is
        assert d.adjusted == pytest.approx(min(1.0, 2 * share), abs=error)
    assert found.family.null == "all systems are exchangeable within each query"
    assert found.family.statement == (
        "randomised Tukey HSD (systems shuffled within each query) over 12 hypotheses (2 measures, 6 pairs of runs), "
        "Bonferroni over 2 sets of pairs"
    )


def test_tukey_of_two_systems_is_the_test_of_sign_flips() -> None:
    rng = np.random.default_rng(7)
    d = np.zeros(30)
    d[:14] = rng.normal(0.05, 0.1, 14)  # 14 differ: every sign pattern is counted, and p is exact
    found = columns(d, correction="tukey", flips=20_000).differences[0]
    assert found.p is not None
    assert found.adjusted == pytest.approx(found.p, abs=5 * np.sqrt(found.p / 20_000))


def test_tukey_without_all_pairs_is_refused() -> None:
    with pytest.raises(InputError, match="over all pairs of systems, and 2 of 3 pairs are compared"):
        columns(np.ones(30) * 0.1, np.arange(30) * 0.01, correction="tukey")


def test_tukey_says_how_many_queries_some_system_has_no_value_for() -> None:
    values = np.random.default_rng(8).random((3, 2, 40))
    values[1, 0, :4] = np.nan
    found = all_pairs(scores_of(values, (NDCG, RR)), correction="tukey", flips=500)
    assert found.family.statement.endswith(", 4 queries without a value in some system left out")
    assert [d.n for d in found.differences] == [36, 40, 36, 40, 40, 40]


def test_too_few_shuffles_for_many_measures_are_not_resolvable() -> None:
    rng = np.random.default_rng(8)
    scores = scores_of(rng.random((3, 2, 30)), (NDCG, RR))
    found = all_pairs(scores, correction="tukey", flips=300)
    assert (found.family.needed, found.differences[0].adjusted) == (400, None)
    assert found.differences[0].because == "not resolvable with 300 shuffles; 400 would do"


def test_wilcoxon_by_pratt_is_that_of_scipy() -> None:
    d = np.round(np.random.default_rng(9).normal(0.03, 0.1, 80), 1)
    assert 5 < (d == 0).sum() < 40
    for zeros, p_of in (("wilcox", d), ("pratt", d)):
        found = columns(d, zeros=zeros).differences[0]
        want = scipy.stats.wilcoxon(p_of, zero_method=zeros, correction=False, method="asymptotic")
        assert found.tests is not None
        assert found.tests.wilcoxon is not None
        assert found.tests.wilcoxon.zeros == zeros
        assert found.tests.wilcoxon.p == pytest.approx(want.pvalue, abs=1e-12)
    assert columns(d, zeros="wilcox").differences[0].tests != columns(d, zeros="pratt").differences[0].tests


@pytest.mark.parametrize(
    ("correction", "null"),
    [
        ("holm", "each difference is as likely positive as negative (symmetric about 0)"),
        ("bh", "each difference is as likely positive as negative (symmetric about 0)"),
        ("none", "each difference is as likely positive as negative (symmetric about 0)"),
        ("max-t", "each query's differences are as likely all turned over together (jointly symmetric about 0)"),
        ("tukey", "all systems are exchangeable within each query"),
    ],
)
def test_a_family_and_every_test_name_what_they_suppose(correction: str, null: str) -> None:
    found = columns(with_p(40, 0.3, 1), correction=correction, flips=1000)
    assert found.family.null == null
    tests = found.differences[0].tests
    assert tests is not None
    assert tests.randomisation is not None
    assert tests.t is not None
    assert tests.wilcoxon is not None
    assert tests.nulls == {
        "randomisation": tests.randomisation.null,
        "t": tests.t.null,
        "wilcoxon": tests.wilcoxon.null,
        "sign": "a win is as likely as a loss",
    }
    assert (tests.t.null, tests.wilcoxon.null) == (
        "the mean difference is 0",
        "the differences are symmetric about 0",
    )


def of(comparison: Comparison) -> dict[tuple[object, ...], tuple[object, ...]]:
    """Every number of every difference, by what it is of; those of a turned pair the other way round."""
    found: dict[tuple[object, ...], tuple[object, ...]] = {}
    whole = [("", "all", d) for d in comparison.differences]
    parts = [(s.kind, s.name, d) for s in comparison.segments for d in s.differences]
    for kind, name, d in (*whole, *parts):
        turned = d.candidate < d.baseline
        interval = (d.interval.low, d.interval.high) if d.interval else ()
        ends = tuple(-x for x in reversed(interval)) if turned else interval
        at_once = (d.simultaneous.low, d.simultaneous.high) if d.simultaneous else ()
        at_once = tuple(-x for x in reversed(at_once)) if turned else at_once
        tests = d.tests
        assert tests is not None
        found[kind, name, str(d.measure), *sorted((d.baseline, d.candidate))] = (
            d.p, d.adjusted, ends, at_once, d.losses if turned else d.wins, tests.sign_p,
            tests.t and tests.t.p, tests.wilcoxon and tests.wilcoxon.p,
        )  # fmt: skip
    return found


@pytest.mark.parametrize("correction", ["holm", "max-t", "bh", "tukey"])
@pytest.mark.parametrize("interval", ["t", "bca"])
def test_no_order_of_systems_measures_or_segments_changes_a_number(correction: str, interval: str) -> None:
    rng = np.random.default_rng(10)
    values = rng.random((4, 2, 90)) + 0.03 * np.arange(4)[:, None, None]
    values[2, 1, :3] = np.nan
    straight = scores_of(values, (NDCG, RR))
    which = [straight.queries[:40], straight.queries[40:]]
    parts = tuple(Part("segment", name, straight.only(q)) for name, q in zip("ab", which, strict=True))
    straight = replace(straight, parts=parts, _cache={})
    order = [2, 0, 3, 1]
    turned = scores_of(values[order][:, ::-1], (RR, NDCG), tuple(f"s{i}" for i in order))
    parts = tuple(Part("segment", name, turned.only(q)) for name, q in zip("ba", which[::-1], strict=True))
    turned = replace(turned, parts=parts, _cache={})
    one = of(all_pairs(straight, correction=correction, interval=interval, flips=1500))
    other = of(all_pairs(turned, correction=correction, interval=interval, flips=1500))
    assert one.keys() == other.keys()
    for name, numbers in one.items():
        for mine, theirs in zip(numbers, other[name], strict=True):
            assert mine == pytest.approx(theirs, abs=1e-12), name


SCRIPT = """
import numpy as np
from assay.stats.max_t import all_pairs, max_t
from assay.stats.randomisation import randomisation
from assay.stats.resample import resampled_intervals
rng = np.random.default_rng(0)
scores, queries = rng.random((9, 700)), [f"q{i}" for i in range(700)]
d = scores[1:] - scores[:1]
print(all_pairs(scores, queries, 1, 2000).tests.adjusted.tolist())
print(max_t(d, queries, 1, 2000).adjusted.tolist())
print([p.p for p in randomisation(d, queries, 1, 2000)])
print([(x.low, x.high) for x in resampled_intervals(d, queries, 1, resamples=500)])
"""


def test_one_thread_and_four_give_the_same_numbers_to_the_last_digit() -> None:
    said = set()
    for threads in ("1", "4"):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "POLARS_MAX_THREADS")
        environment = {**dict.fromkeys(names, threads), "PATH": ""}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        said.add(done.stdout)
    assert len(said) == 1


def test_the_options_are_there_in_python() -> None:
    qrels = {f"q{i}": {"a": 1.0, "b": 0.0, "c": 2.0} for i in range(30)}
    runs = {
        name: {q: dict(zip("abc", rng.random(3).tolist(), strict=True)) for q in qrels}
        for name, rng in ((f"r{i}", np.random.default_rng(i)) for i in range(3))
    }
    found = assay.compare(runs, qrels, "nDCG@3", all_pairs=True, family="tukey", wilcoxon_zeros="pratt")
    assert found.family.correction == "tukey"
    assert found.family.flips == 10_000
    tests = found.difference().tests
    assert tests is not None
    assert tests.wilcoxon is not None
    assert tests.wilcoxon.zeros == "pratt"
    with pytest.raises(InputError, match="--wilcoxon-zeros 'prat' is not one of wilcox, pratt; did you mean pratt"):
        assay.compare(runs, qrels, "nDCG@3", wilcoxon_zeros="prat")
