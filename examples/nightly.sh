#!/bin/sh
# Scores tonight's run, keeps the result and a page, and writes the means as CSV for whatever reads them next.
# Run it in a folder with bm25.run, two-stage.run, judgments.qrels and topics.csv (`assay demo --folder .` puts them there).
set -eu

night=${NIGHT:-$(date -u +%Y-%m-%d)}
mkdir -p results

assay evaluate bm25.run two-stage.run judgments.qrels -m nDCG@10,R@20 --topics topics.csv --by segment \
    -o "results/$night.assay" --html "results/$night.html"
assay show "results/$night.assay" --format csv >"results/$night.csv"
