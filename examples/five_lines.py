"""The bundled example in five lines: three systems, two measures, mean and interval."""

import assay
from assay.example import path

runs = {name: path(f"{name}.run") for name in ("bm25", "dense", "two-stage")}
scores = assay.evaluate(runs, path("judgments.qrels"), ["nDCG@10", "R@20"])
for run in scores.runs:
    print(f"{run:10} {scores.mean('nDCG@10', run):.4f} {scores.mean('R@20', run):.4f}")
