"""ir_measures: RUN QRELS -> one line a query and measure on standard output."""

import sys

import ir_measures

MEASURES = (
    "nDCG@10",
    "nDCG(gains={0:0,1:1,2:3,3:7})@10",
    "P@10",
    "R@100",
    "RR",
    "AP",
    "nDCG",
    "Bpref",
    "Rprec",
    "Judged@10",
)


def main() -> None:
    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    qrels = ir_measures.read_trec_qrels(sys.argv[2])  # type: ignore[no-untyped-call]
    run = ir_measures.read_trec_run(sys.argv[1])  # type: ignore[no-untyped-call]
    sys.stdout.writelines(
        f"{found.measure}\t{found.query_id}\t{found.value!r}\n" for found in ir_measures.iter_calc(measures, qrels, run)
    )


if __name__ == "__main__":
    main()
