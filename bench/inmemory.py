"""Tables and dicts ready: `evaluate` against pytrec_eval in one process, by the processor time of all threads.

python -m bench.inmemory RUN QRELS EXPECTED PAIRS
"""

from __future__ import annotations

import gc
import json
import sys
from time import process_time

import polars as pl

from bench.measure import RunError
from bench.reference import MEASURES


def main() -> None:
    """Prints the seconds of each pair as JSON."""
    import pytrec_eval

    import assay
    from bench.peers.use_pytrec_eval import MEASURES as THEIRS

    run_path, qrels_path, expected_path, pairs = sys.argv[1:]
    expected = pl.read_parquet(expected_path)
    run = _columns(run_path, {"query_id": 0, "doc_id": 2, "score": 4}, "score")
    qrels = _columns(qrels_path, {"query_id": 0, "doc_id": 2, "grade": 3}, "grade")
    run_dict, qrels_dict = (
        _dicts(run),
        {query: {d: int(g) for d, g in of.items()} for query, of in _dicts(qrels).items()},
    )
    gc.freeze()  # what was read stays out of the collector's way, for both
    seconds: list[tuple[float, float]] = []
    for pair in range(int(pairs) + 1):
        started = process_time()
        scores = assay.evaluate(run, qrels, list(MEASURES))
        ours = process_time() - started
        started = process_time()
        values = pytrec_eval.RelevanceEvaluator(qrels_dict, THEIRS).evaluate(run_dict)
        theirs = process_time() - started
        for name, mean in (
            ("nDCG@10", scores.mean("nDCG@10")),
            ("nDCG@10", sum(found["ndcg_cut_10"] for found in values.values()) / len(values)),
            ("AP", scores.mean("AP")),
            ("AP", sum(found["map"] for found in values.values()) / len(values)),
        ):
            right = expected[name].fill_nan(None).mean()
            if not isinstance(right, float) or not abs(mean - right) <= 5e-5:
                raise RunError(f"in memory: mean of {name} is {mean}, expected {right!r}")
        if pair:  # the first is not recorded
            seconds.append((ours, theirs))
    print(json.dumps(seconds))


def _columns(path: str, places: dict[str, int], number: str) -> pl.DataFrame:
    frame = pl.read_csv(path, has_header=False, separator=" ", quote_char=None, infer_schema=False)
    return frame.select(pl.nth(place).alias(name) for name, place in places.items()).with_columns(
        pl.col(number).cast(pl.Float64)
    )


def _dicts(frame: pl.DataFrame) -> dict[str, dict[str, float]]:
    dicts: dict[str, dict[str, float]] = {}
    for query, document, number in frame.iter_rows():
        dicts.setdefault(query, {})[document] = number
    return dicts


if __name__ == "__main__":
    main()
