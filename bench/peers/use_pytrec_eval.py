"""pytrec_eval: RUN QRELS -> one line a query and measure on standard output."""

import sys

import pytrec_eval

MEASURES = {
    "ndcg_cut.10",
    "P.10",
    "recall.100",
    "recip_rank",
    "map",
    "ndcg",
    "bpref",
    "Rprec",
    "success.10",
    "num_rel_ret",
}


def main() -> None:
    with open(sys.argv[2], encoding="utf-8") as lines:
        qrels = pytrec_eval.parse_qrel(lines)
    with open(sys.argv[1], encoding="utf-8") as lines:
        run = pytrec_eval.parse_run(lines)
    values = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    sys.stdout.writelines(
        f"{measure}\t{query}\t{value!r}\n" for query, found in values.items() for measure, value in found.items()
    )


if __name__ == "__main__":
    main()
