#!/bin/sh
# A gate for any CI host: baseline, candidate, judgments, then further options of `assay gate`.
#   examples/ci/gate.sh bm25.run two-stage.run judgments.qrels --topics topics.csv
# Leaves gate.assay, gate.html, gate.md and junit.xml, prints gate.md, and ends with the exit code of the gate.
set -u

code=0
assay gate "$@" -o gate.assay --html gate.html --markdown gate.md --junit junit.xml || code=$?
[ "$code" -eq 3 ] || cat gate.md
exit "$code"
