"""ranx: RUN QRELS -> one line a query and measure on standard output."""

import sys

from ranx import Qrels, Run, evaluate

MEASURES = [
    "ndcg@10",
    "ndcg_burges@10",
    "precision@10",
    "recall@100",
    "mrr",
    "map",
    "ndcg",
    "bpref",
    "r-precision",
    "hit_rate@10",
]


def main() -> None:
    qrels = Qrels.from_file(sys.argv[2], kind="trec")
    run = Run.from_file(sys.argv[1], kind="trec")
    evaluate(qrels, run, MEASURES, make_comparable=True)
    sys.stdout.writelines(
        f"{measure}\t{query}\t{float(value)!r}\n"
        for measure, values in run.scores.items()
        for query, value in values.items()
    )


if __name__ == "__main__":
    main()
