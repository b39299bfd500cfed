"""What each tool answers, by measure, with its version and where that is known from.

Where "run" stands as the source, the tool of that version was run on small inputs and the tests hold its printed
numbers; elsewhere the named source file or thread says it. Only answers that differ from `Ways()` are listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.measures.reconcile.ways import Asked, Ways

Answers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Use:
    """One measure of a tool.

    Args:
        measure: what we call it.
        spelled: what the tool calls it; `K` stands for the cutoff, `PP` for the p of RBP in percent.
        answers: where it differs from what the tool does everywhere.
        without: whether the spelling is for a measure with a cutoff (False), without one (True), or either (None).
    """

    measure: str
    spelled: str
    answers: Answers
    without: bool | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """One version of one tool.

    Args:
        name, version: of the program.
        source: how its answers are known.
        every: its answers for all measures.
        uses: its measures.
    """

    name: str
    version: str
    source: str
    every: Answers
    uses: tuple[Use, ...]

    @property
    def label(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"


def _use(measure: str, spelled: str, *, without: bool | None = None, **answers: str) -> Use:
    return Use(measure, spelled, answers, without)


def _trec(names: Mapping[str, str], **more: str) -> tuple[Use, ...]:
    """The measures of trec_eval under the names that a wrapper gives them."""
    whole = {"nDCG": "ndcg", "AP": "map", "P": "set_P", "R": "set_recall"}
    cut = tuple(_use(measure, spelled + more.get("note", ""), without=False) for measure, spelled in names.items())
    plain = tuple(
        _use(measure, name, without=None, **({"cutoff": "none"}), **({"short": "list"} if measure == "P" else {}))
        for measure, name in whole.items()
    )
    return (*cut, *plain, _use("RR", "recip_rank", cutoff="none"), _use("Bpref", "bpref", negative="unjudged"))


_TREC = {"nDCG": "ndcg_cut.K", "P": "P.K", "R": "recall.K", "AP": "map_cut.K", "HitRate": "success.K"}
_TREC_10 = {**_TREC, "DCG": "dcg_cut.K"}
_PYTREC = {"nDCG": "ndcg_cut_K", "P": "P_K", "R": "recall_K", "AP": "map_cut_K", "HitRate": "success_K"}

_NINE = {"scores": "32-bit", "grades": "whole", "queries": "both", "undefined": "zero"}
_TEN = {"grades": "whole", "queries": "both", "undefined": "zero"}
_AS_RECEIVED = {"order": "input"}

TOOLS: tuple[Tool, ...] = (
    Tool("trec_eval", "9.0.8", "run; trec_eval.c, form_res_rels.c", _NINE, _trec(_TREC)),
    Tool("trec_eval -c", "9.0.8", "run", {**_NINE, "queries": "judged"}, _trec(_TREC)),
    Tool("trec_eval -J", "9.0.8", "run", {**_NINE, "listed": "condensed", "negative": "unjudged"}, _trec(_TREC)),
    Tool("trec_eval", "10.0", "run; stops with exit code 4 where the run lacks a judged query", _TEN, _trec(_TREC_10)),
    Tool("trec_eval -c", "10.0", "run", {**_TEN, "queries": "judged"}, _trec(_TREC_10)),
    Tool("trec_eval -J", "10.0", "run", {**_TEN, "listed": "condensed", "negative": "unjudged"}, _trec(_TREC_10)),
    Tool("pytrec_eval", "0.5", "run as pytrec-eval-terrier 0.5.11; both hold trec_eval 9.0.8", _NINE, _trec(_PYTREC)),
    Tool(
        "ir_measures", "0.4.3", "run",
        {"scores": "32-bit", "queries": "judged", "undefined": "zero"},
        (
            _use("nDCG", "nDCG@K"), _use("P", "P@K"), _use("R", "R@K"), _use("AP", "AP@K"),
            _use("nDCG", "nDCG(dcg='exp-log2')@K", without=False, gain="exp", scores="64-bit", rounding="5"),
            _use("RR", "RR", without=True),
            _use("RR", "RR@K", without=False, order="ascending", scores="64-bit"),
            _use("HitRate", "Success@K"),
            _use("ERR", "ERR@K", scale="4", rounding="5", scores="64-bit"),
            _use("RBP", "RBP(p=..., rel=1)", scale="binary", order="input", scores="64-bit"),
            _use("Bpref", "Bpref"),
        ),
    ),
    Tool(
        "ranx", "0.3.21", "run",
        {"order": "mixed", "grades": "whole", "undefined": "zero"},
        (
            _use("nDCG", "ndcg@K", gain="level"), _use("nDCG", "ndcg_burges@K", gain="exp"),
            _use("DCG", "dcg@K", gain="level"), _use("DCG", "dcg_burges@K", gain="exp"),
            _use("P", "precision@K", without=False), _use("P", "precision", cutoff="none", short="list"),
            _use("R", "recall@K"), _use("AP", "map@K"), _use("RR", "mrr@K"), _use("HitRate", "hit_rate@K"),
            _use("RBP", "rbp.PP", scale="raw"), _use("Bpref", "bpref"),
        ),
    ),
    Tool(
        "ranx from plain dicts", "0.3.21", "run; a dict is sorted anew, which turns equal scores round",
        {"order": "turned", "grades": "whole", "undefined": "zero"},
        (
            _use("nDCG", "ndcg@K", gain="level"), _use("P", "precision@K"), _use("R", "recall@K"),
            _use("AP", "map@K"), _use("RR", "mrr@K"),
        ),
    ),
    Tool(
        "trectools", "0.0.50", "run; the mean is over all queries of the run, nDCG in the order of the file",
        {"queries": "run", "undefined": "zero"},
        (
            _use("nDCG", "get_ndcg(depth=K)", order="rows"),
            _use("nDCG", "get_ndcg(depth=K, trec_eval=False)", order="rows", gain="exp"),
            _use("AP", "get_map(depth=K)"), _use("P", "get_precision(depth=K)"), _use("R", "get_recall(depth=K)"),
            _use("RR", "get_reciprocal_rank(depth=K)"),
        ),
    ),
    Tool(
        "scikit-learn", "1.8.0", "run over the returned documents; average precision without equal scores",
        {"queries": "both", "undefined": "zero"},
        (
            _use("nDCG", "ndcg_score(k=K)", order="averaged", ideal="returned"),
            _use("nDCG", "ndcg_score(k=K, ignore_ties=True)", order="reversed", ideal="returned"),
            _use("DCG", "dcg_score(k=K)", order="averaged", negative="signed"),
            _use("AP", "average_precision_score", order="input", cutoff="none", average="returned"),
        ),
    ),
    Tool(
        "torchmetrics", "1.9.0", "run",
        {"scores": "32-bit", "queries": "both", "undefined": "zero", "order": "input"},
        (
            _use("nDCG", "RetrievalNormalizedDCG(top_k=K)", order="averaged", ideal="returned", negative="signed"),
            _use("nDCG", "RetrievalNormalizedDCG(top_k=K, empty_target_action='skip')", order="averaged",
                 ideal="returned", negative="signed", undefined="skip-unseen"),
            _use("nDCG", "RetrievalNormalizedDCG(top_k=K, empty_target_action='pos')", order="averaged",
                 ideal="returned", negative="signed", undefined="one-unseen"),
            _use("P", "RetrievalPrecision(top_k=K)"),
            _use("P", "RetrievalPrecision(top_k=K, adaptive_k=True)", short="list"),
            _use("R", "RetrievalRecall(top_k=K)", found="returned"),
            _use("AP", "RetrievalMAP(top_k=K)", average="hits"),
            _use("RR", "RetrievalMRR(top_k=K)"), _use("HitRate", "RetrievalHitRate(top_k=K)"),
        ),
    ),
    Tool(
        "LightGBM", "4.7.0", "run; sees the rows of the run alone",
        {**_AS_RECEIVED, "queries": "both", "undefined": "one-unseen"},
        (
            _use("nDCG", "ndcg@K", gain="exp", ideal="returned"),
            _use("AP", "map@K", average="returned"),
        ),
    ),
    Tool(
        "XGBoost", "3.2.0", "run; sees the rows of the run alone, scores as 32-bit floats",
        {**_AS_RECEIVED, "scores": "32-bit", "queries": "both", "undefined": "one-unseen"},
        (
            _use("nDCG", "ndcg@K", gain="exp", ideal="returned"),
            _use("nDCG", "ndcg@K-", gain="exp", ideal="returned", undefined="zero"),
            _use("AP", "map@K", average="returned"),
            _use("P", "pre@K", short="list", undefined="zero"),
        ),
    ),
    Tool(
        "RecTools", "0.19.0", "run with the relevant rows as truth; every row handed over is relevant",
        {"order": "rank"},
        (
            _use("nDCG", "NDCG(K)", gain="binary", ideal="slots"),
            _use("nDCG", "NDCG(K, divide_by_achievable=True)", gain="binary"),
            _use("AP", "MAP(K)"), _use("AP", "MAP(K, divide_by_k=True)", average="k"),
            _use("P", "Precision(K)"), _use("R", "Recall(K)"), _use("RR", "MRR(K)"), _use("HitRate", "HitRate(K)"),
        ),
    ),
    Tool(
        "recommenders", "1.2.1", "run; each row of the truth is relevant, rating 0 too; not nDCG of duplicates",
        {**_AS_RECEIVED, "rel": "any", "queries": "both", "duplicates": "twice"},
        (
            _use("nDCG", "ndcg_at_k(k=K)", gain="binary", queries="judged"),
            _use("nDCG", "ndcg_at_k(k=K, score_type='raw')", queries="judged"),
            _use("nDCG", "ndcg_at_k(k=K, score_type='exp')", gain="exp", queries="judged"),
            _use("P", "precision_at_k(k=K)"), _use("R", "recall_at_k(k=K)"),
            _use("AP", "map(k=K)"), _use("AP", "map_at_k(k=K)", average="min"),
        ),
    ),
    Tool(
        "RePlay", "0.22.0", "run with the relevant rows as truth; every row handed over is relevant",
        {**_AS_RECEIVED, "duplicates": "twice"},
        (
            _use("nDCG", "NDCG(K)", gain="binary"), _use("AP", "MAP(K)", average="min"),
            _use("P", "Precision(K)", duplicates="first"), _use("R", "Recall(K)", duplicates="first"),
            _use("RR", "MRR(K)"), _use("HitRate", "HitRate(K)"),
        ),
    ),
    Tool(
        "Elasticsearch _rank_eval", "9", "DiscountedCumulativeGain.java, PrecisionAtK.java, elasticsearch#154362",
        {**_AS_RECEIVED, "queries": "both", "undefined": "zero"},
        (
            _use("nDCG", "dcg, normalize, k=K", gain="exp", ideal="hits"),
            _use("nDCG", "dcg, k=K", gain="exp", ideal="none"), _use("DCG", "dcg, k=K", gain="exp"),
            _use("P", "precision, k=K", short="list"),
            _use("P", "precision, k=K, ignore_unlabeled", short="judged"), _use("R", "recall, k=K"),
            _use("RR", "mean_reciprocal_rank, k=K"), _use("ERR", "expected_reciprocal_rank, k=K"),
        ),
    ),
    Tool(
        "Quepid", "8.1", "run: the scorers of db/scorers",
        {**_AS_RECEIVED, "undefined": "zero"},
        (
            _use("nDCG", "nDCG@K", gain="exp", ideal="uncut"), _use("nDCG", "nDCG_cut@K", gain="exp"),
            _use("DCG", "DCG@K", gain="exp"), _use("DCG", "CG@K", discount="none"),
            _use("P", "P@K", short="list"), _use("AP", "AP@K", undefined="out"), _use("RR", "RR@K"),
            _use("ERR", "ERR@K"),
        ),
    ),
    Tool(
        "Search Relevance Workbench", "3.1", "run: Evaluation.java of June 2025; queries without results keep no value",
        {**_AS_RECEIVED, "duplicates": "twice", "queries": "nonempty", "undefined": "zero", "rounding": "2"},
        (
            _use("nDCG", "NDCG@K", gain="exp"), _use("P", "Precision@K", short="list"), _use("AP", "MAP@K"),
        ),
    ),
    Tool(
        "Search Relevance Workbench", "after #394", "search-relevance#394: the level follows the judgment list",
        {**_AS_RECEIVED, "duplicates": "twice", "queries": "nonempty", "undefined": "zero", "rounding": "2",
         "rel": "adaptive"},
        (_use("P", "Precision@K", short="list"), _use("AP", "MAP@K")),
    ),
    Tool(
        "Rated Ranking Evaluator", "1.2", "run: classes of rre-core of October 2021; whatever is listed is relevant",
        {**_AS_RECEIVED, "rel": "any", "duplicates": "twice", "undefined": "zero", "rounding": "2"},
        (
            _use("nDCG", "NDCG@K", rel="asked", gain="exp", terms="floor-2", rounding="floor-2"),
            _use("P", "Precision@K", short="list"), _use("R", "Recall@K", rounding="ceil-4"),
            _use("RR", "RR@K", first="best"),
        ),
    ),
    Tool(
        "pyvespa", "1.1", "run from source of July 2026 (42b584a5): vespa/evaluation/_base.py",
        {**_AS_RECEIVED, "undefined": "zero"},
        (
            _use("nDCG", "ndcg@K, graded qrels", negative="signed"), _use("nDCG", "ndcg@K, sets of ids", gain="binary"),
            _use("P", "precision@K"), _use("R", "recall@K"), _use("AP", "map@K", average="min"),
            _use("RR", "mrr@K"), _use("HitRate", "accuracy@K"),
        ),
    ),
    Tool(
        "Phoenix", "RetrievalMetrics", "hands the returned documents to scikit-learn",
        {"queries": "both", "undefined": "zero", "order": "averaged"},
        (_use("nDCG", "ndcg(k=K)", ideal="returned"),),
    ),
    Tool(
        "BEIR", "ef83d29", "run from source; pytrec_eval for all but MRR, R_cap and accuracy",
        {"own": "dropped", "undefined": "zero", "queries": "both", "scores": "32-bit", "grades": "whole"},
        (
            _use("nDCG", "NDCG@K"), _use("AP", "MAP@K"), _use("R", "Recall@K"), _use("P", "P@K"),
            _use("RR", "MRR@K", own="kept", order="input", scores="64-bit", queries="judged"),
            _use("R", "R_cap@K", own="kept", order="input", scores="64-bit", queries="judged", found="cap"),
            _use("HitRate", "Accuracy@K", own="kept", order="input", scores="64-bit", queries="judged"),
        ),
    ),
    Tool(
        "MTEB", "a905523", "run from source",
        {"undefined": "zero", "queries": "both", "scores": "32-bit", "grades": "whole"},
        (
            _use("nDCG", "ndcg_at_K"), _use("AP", "map_at_K"), _use("R", "recall_at_K"), _use("P", "precision_at_K"),
            _use("RR", "mrr_at_K", scores="64-bit"), _use("HitRate", "accuracy_at_K", queries="found"),
            _use("R", "r_cap_at_K", scores="64-bit", found="cap", undefined="out"),
            _use("HitRate", "hit_rate_at_K"),
        ),
    ),
)  # fmt: skip


def uses(asked: Asked, base: Ways) -> Iterator[tuple[Tool, Use, Ways]]:
    """Every tool's way to the measure that was asked for.

    Args:
        asked: name and cutoff.
        base: the house's way; of it a tool shares only what the measure itself says (its map of gains).
    """
    for tool in TOOLS:
        for use in tool.uses:
            if use.measure != asked.name or (use.without is not None and use.without != (asked.cutoff is None)):
                continue
            answers = {**tool.every, **use.answers}
            ways = Ways().but(**answers)
            if base.gain == "map" and "gain" not in answers:
                ways = ways.but(gain="map")
            yield tool, use, ways


def spelled(use: Use, asked: Asked) -> str:
    """The tool's name of the measure that was asked for."""
    text = use.spelled.replace("PP", f"{asked.patience * 100:.0f}").replace("p=...", f"p={asked.patience:g}")
    if asked.cutoff is not None:
        return text.replace("K", str(asked.cutoff))
    text = re.sub(r"(@|\.|_at_|_|, k=)K", "", text)
    return re.sub(r"\(((top_)?k=|depth=)?K(, )?", "(", text).replace("()", "")
