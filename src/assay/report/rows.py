"""Scores row by row for programs: CSV, JSON lines and the layout of `trec_eval -q`.

Plain Python below a hundred thousand numbers: a small run must not wait for a data frame library to load.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from assay.report.reading import Line, Reading, lines
from assay.tables.formulas import guarded, guarded_frame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.measures.measure import Measure
    from assay.measures.scores import Scores

SUMMARY = ("run", "measure", "part", "n", "mean", "low", "high", "sd", "q25", "median", "q75", "judged", "weighted",
           "share", "claim", "definition")  # fmt: skip
"""Columns of the mean table. `part` is `all` or `segment=tail`; `share` is the part's share of the traffic; `claim`
says whether the interval rests on 25 queries or more."""

PER_QUERY = ("run", "measure", "query_id", "value", "judged", "definition")
"""Columns of the values by query; an undefined value is empty."""


def csv(scores: Scores, reading: Reading) -> bytes:
    """The mean table, or one row a run, measure and query; numbers in full."""
    if reading.per_query:
        return per_query_csv(scores)
    rows = [",".join(SUMMARY)]
    for row in summary(scores, reading):
        rows.append(",".join(field(row[name]) for name in SUMMARY))
    return ("\n".join(rows) + "\n").encode("utf-8")


def jsonl(scores: Scores, reading: Reading) -> bytes:
    """One object a line, with the columns of the CSV."""
    import json

    if not reading.per_query:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in summary(scores, reading)).encode("utf-8")
    chunks = []
    quoted = [json.dumps(query_id, ensure_ascii=False) for query_id in scores.queries]
    for run, measure, values, judged in blocks(scores):
        head = json.dumps({"run": run, "measure": str(measure)}, ensure_ascii=False)[:-1] + ', "query_id": '
        tail = ', "definition": ' + json.dumps(measure.definition(), ensure_ascii=False) + "}\n"
        chunks += [f'{head}{q}, "value": {v}, "judged": {j}{tail}'
                   for q, v, j in zip(quoted, texts(values, "null"), texts(judged, "null"), strict=True)]  # fmt: skip
    return "".join(chunks).encode("utf-8")


def summary(scores: Scores, reading: Reading) -> Iterator[dict[str, Any]]:
    """The mean table as dicts: the total, then each part."""
    for line in lines(scores, reading):
        yield as_row(line, "all", None)
    for part in scores.parts:
        for line in lines(part.scores, reading):
            yield as_row(line, f"{part.kind}={part.name}", share_of(part.scores, scores))


def as_row(line: Line, part: str, share: float | None) -> dict[str, Any]:
    """One line of the summary with the names of the CSV."""
    return {"run": line.run, "measure": str(line.measure), "part": part, "n": line.n, "mean": line.mean,
            "low": line.low, "high": line.high, "sd": line.sd, "q25": line.q25, "median": line.median,
            "q75": line.q75, "judged": line.judged, "weighted": line.weighted, "share": share, "claim": line.claim,
            "definition": line.measure.definition()}  # fmt: skip


def share_of(part: Scores, whole: Scores) -> float | None:
    """A part's share of the traffic; None where the traffic is not known."""
    if whole.weights is None or part.weights is None or not float(whole.weights.sum()):
        return None
    return float(part.weights.sum() / whole.weights.sum())


def per_query_csv(scores: Scores) -> bytes:
    """One row a run, measure and query."""
    if scores.values.size >= (MANY if "polars" in sys.modules else HUGE):
        return _by_polars(scores)
    chunks = [",".join(PER_QUERY) + "\n"]
    queries = [field(query_id) for query_id in scores.queries]
    for run, measure, values, judged in blocks(scores):
        head = f"{field(run)},{field(str(measure))},"
        tail = f",{field(measure.definition())}\n"
        ends = [f",{share}{tail}" for share in texts(judged, "")]
        chunks += [f"{head}{q},{v}{end}" for q, v, end in zip(queries, texts(values, ""), ends, strict=True)]
    return "".join(chunks).encode("utf-8")


HUGE = 100_000
"""From so many numbers on polars writes them, in a third of the time; for fewer, loading it would cost more."""

MANY = 5_000
"""The same where polars is loaded already."""


def _by_polars(scores: Scores) -> bytes:
    import io

    import polars as pl

    target = io.BytesIO()
    target.write((",".join(PER_QUERY) + "\n").encode("ascii"))
    queries = pl.Series(scores.queries, dtype=pl.String)
    for run, measure, values, judged in blocks(scores):
        frame = pl.DataFrame({"query_id": queries, "value": values, "judged": judged})
        constant = {"run": run, "measure": str(measure), "definition": measure.definition()}
        frame = frame.with_columns(
            pl.col("value", "judged").fill_nan(None), *(pl.lit(text).alias(name) for name, text in constant.items())
        )
        guarded_frame(frame.select(PER_QUERY)).write_csv(target, include_header=False)
    return target.getvalue()


def blocks(scores: Scores) -> Iterator[tuple[str, Measure, NDArray[Any], NDArray[Any]]]:
    """(run, measure, values, judged) in the order in which rows are written."""
    for r, run in enumerate(scores.runs):
        for m, measure in enumerate(scores.measures):
            yield run, measure, scores.values[r, m], scores.judged[r, m]


def exact(x: float) -> str:
    """The shortest text that reads back as the same number, as polars writes it."""
    text = repr(x)
    if "e-" not in text:
        return text
    digits, _, power = text.partition("e-")
    places = 4 + len(digits.lstrip("-").replace(".", ""))
    return f"{x:.{places}f}" if power == "05" else f"{digits}e-{int(power)}"


def texts(values: NDArray[Any], missing: str, write: Callable[[float], str] = exact) -> list[str]:
    """Each number as the shortest text that reads back as the same number; in a long list each distinct one once."""
    said: dict[float, str] = {}
    out = []
    for x in values.tolist():
        text = said.get(x)
        if text is None:
            text = said[x] = missing if x != x else write(x)  # NaN is not itself
        out.append(text)
    return out


def field(value: Any) -> str:
    """One field of a CSV line, quoted where it must be; a text that a spreadsheet would calculate is guarded."""
    text = "" if value is None else guarded(value) if isinstance(value, str) else repr(value)
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


TREC_EVAL: dict[str, tuple[str | None, str | None]] = {
    "nDCG": ("ndcg", "ndcg_cut"),
    "P": ("set_P", "P"),
    "R": ("set_recall", "recall"),
    "R(cap=True)": ("set_relative_P", "relative_P"),
    "F": ("set_F", None),
    "RR": ("recip_rank", None),
    "AP": ("map", "map_cut"),
    "Rprec": ("Rprec", None),
    "Bpref": ("bpref", None),
    "HitRate": (None, "success"),
    "Unjudged(short=pad)": (None, "unj"),
    "AP(average=geometric)": ("gm_map", None),
    "Bpref(average=geometric)": ("gm_bpref", None),
    "SetAP": ("set_map", None),
    "IAP(points=11)": ("11pt_avg", None),
    "infAP": ("infAP", None),
    "NumRet": ("num_ret", None),
    "NumRel": ("num_rel", None),
    "NumRelRet": ("num_rel_ret", None),
}
"""trec_eval's names, without and with a cutoff, of the measures that are exactly its own."""
COUNTS = {"NumRet", "NumRel", "NumRelRet"}


def trec_eval_name(measure: Measure) -> str:
    """What trec_eval calls the measure; our own name where trec_eval has no such measure.

    Other parameters make another measure, so that a script never takes one for the other.
    """
    text = str(measure)
    if text.startswith("nDCG(gain={") and text.endswith("})"):
        return "ndcg_" + text[11:-2].replace(":", "=")  # as `-m ndcg.1=3,2=9` prints
    for ours, theirs in (("IPrec(recall=", "iprec_at_recall_"), ("Rprec(mult=", "Rprec_mult_")):
        number = text[len(ours) : -1]
        if text.startswith(ours) and "," not in number and float(f"{float(number):.2f}") == float(number):
            return f"{theirs}{float(number):.2f}"
    whole, cut = TREC_EVAL.get(str(measure.without_cutoff), (None, None))
    name = whole if measure.cutoff is None else f"{cut}_{measure.cutoff}" if cut else None
    return name or text


def trec_eval(scores: Scores, run: str | None = None) -> bytes:
    """The layout of `trec_eval -q`: name padded to 22, a tab, the query, a tab, four decimals; `all` stands last.

    Queries whose values are all undefined are left out, as trec_eval leaves them out.
    """
    import numpy as np

    out: list[str] = []
    for r, name in enumerate(scores.runs):
        if run is not None and name != run:
            continue
        values = scores.values[r]
        heads = [f"{trec_eval_name(measure):<22}\t" for measure in scores.measures]
        columns = [texts(values[m], "", write(measure)) for m, measure in enumerate(scores.measures)]
        for m, measure in enumerate(scores.measures):
            if measure.average != "mean":  # gm_map has one line, that of all queries
                columns[m] = [""] * len(columns[m])
        said = ~np.isnan(values)
        has = [m for m, measure in enumerate(scores.measures) if measure.needs_relevant] or range(len(scores.measures))
        counted = said[list(has)].any(axis=0) if len(scores.measures) else np.zeros(len(scores.queries), bool)
        for q in np.flatnonzero(counted).tolist():
            end = f"{scores.queries[q]}\t"
            out += [f"{head}{end}{column[q]}\n" for head, column in zip(heads, columns, strict=True) if column[q]]
        out.append(f"{'runid':<22}\tall\t{name}\n")
        out.append(f"{'num_q':<22}\tall\t{int(counted.sum())}\n")
        for m, measure in enumerate(scores.measures):
            kept = values[m][counted & said[m]]
            total = measure.about.total == "sum"
            value = (float(kept.sum()) if total else over_queries(kept, measure)) if len(kept) else None
            out.append(f"{heads[m]}all\t{write(measure)(value) if value is not None else 'nan'}\n")
    return "".join(out).encode("utf-8")


def over_queries(values: Any, measure: Measure) -> float:
    """The one figure of the values of all queries."""
    from assay.stats.averages import average

    return float(values.mean()) if measure.average == "mean" else average(values, measure.average)


def write(measure: Measure) -> Callable[[float], str]:
    """How trec_eval prints a value: counts whole, all else with four decimals."""
    return (lambda x: f"{x:.0f}") if measure.name in COUNTS else (lambda x: f"{x:.4f}")
