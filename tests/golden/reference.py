"""Outputs of reference programs, and which of our measures each of their names means."""

from __future__ import annotations

import gzip
import math
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SHARED = Path(os.environ.get("ASSAY_SHARED") or HERE.parents[2] / "shared")
GOLDEN = SHARED / "golden"
COLLECTIONS = SHARED / "data" / "collections"

COUNTS = ("NumRet", "NumRel", "NumRelRet")
"""Measures whose `all` row is a sum."""

_TREC_EVAL = (
    (r"P_(\d+)", "P", "@{}"),
    (r"recall_(\d+)", "R", "@{}"),
    (r"relative_P_(\d+)", "R(cap=True)", "@{}"),
    (r"success_(\d+)", "HitRate", "@{}"),
    (r"map", "AP", ""),
    (r"map_cut_(\d+)", "AP", "@{}"),
    (r"recip_rank", "RR", ""),
    (r"Rprec", "Rprec", ""),
    (r"bpref", "Bpref", ""),
    (r"ndcg", "nDCG", ""),
    (r"ndcg_cut_(\d+)", "nDCG", "@{}"),
    (r"ndcg_1=3,2=9,4=4.5", "nDCG(gain={{1:3,2:9,4:4.5}})", ""),
    (r"set_P", "P", ""),
    (r"set_recall", "R", ""),
    (r"set_F", "F", ""),
    (r"set_relative_P", "R(cap=True)", ""),
    (r"num_ret", "NumRet", ""),
    (r"num_rel", "NumRel", ""),
    (r"num_rel_ret", "NumRelRet", ""),
    (r"unj_(\d+)", "Unjudged(short=pad)", "@{}"),
    (r"iprec_at_recall_([\d.]+)", "IPrec(recall={})", ""),
    (r"11pt_avg", "IAP(points=11)", ""),
    (r"infAP", "infAP", ""),
    (r"gm_map", "AP(average=geometric)", ""),
    (r"gm_bpref", "Bpref(average=geometric)", ""),
    (r"set_map", "SetAP", ""),
    (r"Rprec_mult_1.00", "Rprec", ""),
    (r"Rprec_mult_([\d.]+)", "Rprec(mult={})", ""),
)

_IR_MEASURES = (
    (r"(P|R|AP|RR|nDCG|Judged)(@\d+)?", "{0}", "{1}"),
    (r"(P|R|AP|RR)\(rel=2\)(@\d+)?", "{0}(rel=2)", "{1}"),
    (r"(P|AP|RR|nDCG)\(judged_only=True\)(@\d+)?", "{0}(judged_only=True)", "{1}"),
    (r"(Rprec|Bpref)", "{0}", ""),
    (r"(Rprec|Bpref)\(rel=2\)", "{0}(rel=2)", ""),
    (r"nDCG\(gains=\{2:3,3:7\}\)(@\d+)", "nDCG(gain={{2:3,3:7}})", "{0}"),
    (r"nDCG\(dcg='exp-log2'\)(@\d+)", "nDCG(gain=exp)", "{0}"),
    (r"Success(@\d+)", "HitRate", "{0}"),
    (r"Success\(rel=2\)(@\d+)", "HitRate(rel=2)", "{0}"),
    (r"SetP", "P", ""),
    (r"SetR", "R", ""),
    (r"SetP\(relative=True\)", "R(cap=True)", ""),
    (r"SetF", "F", ""),
    # trec_eval, which ir_measures calls, weighs precision by x itself where the usual F takes beta squared.
    (r"SetF\(beta=2.0\)", f"F(beta={math.sqrt(2)!r})", ""),
    (r"NumRet", "NumRet", ""),
    (r"NumRel", "NumRel", ""),
    (r"NumRet\(rel=1\)", "NumRelRet(rel=1)", ""),
    (r"SetAP", "SetAP", ""),
    (r"infAP", "infAP", ""),
    (r"IPrec@([\d.]+)", "IPrec(recall={0})", ""),
    (r"ERR(@\d+)", "ERR(max=4)", "{0}"),
    (r"RBP\(rel=1\)", "RBP(p=0.8,rel=1)", ""),
    (r"RBP\(p=0.5,rel=1\)", "RBP(p=0.5,rel=1)", ""),
    (r"Compat(\(p=0.8\))?", "Compat{0}", ""),
    (r"SDCG\(max_rel=3\)(@\d+)", "SDCG(max=3)", "{0}"),
    (r"(INST|INSQ)\(max_rel=3\)", "{0}(T=1,max=3)", ""),
    (r"BPM\(max_rel=3\)(@\d+)", "BPM(T=1,max=3)", "{0}"),
    (r"NERR8\(max_rel=3\)(@\d+)", "NERR(stop=cut,max=3)", "{0}"),
    (r"NERR9\(max_rel=3\)(@\d+)", "NERR(stop=rank,max=3)", "{0}"),
    (r"NERR10\(max_rel=3\)", "NERR(stop=patience,max=3)", ""),
    (r"NERR11\(max_rel=3\)", "NERR(stop=goal,max=3)", ""),
    (r"alpha_nDCG(@\d+)", "alpha-nDCG", "{0}"),
    (r"alpha_DCG(@\d+)", "alpha-DCG(norm=perfect)", "{0}"),
    (r"ERR_IA(@\d+)", "ERR-IA", "{0}"),
    (r"nERR_IA(@\d+)", "ERR-IA(norm=ideal)", "{0}"),
    (r"NRBP", "NRBP", ""),
    (r"nNRBP", "NRBP(norm=ideal)", ""),
    (r"AP_IA", "AP-IA", ""),
    (r"P_IA(@\d+)", "P-IA", "{0}"),
    (r"StRecall(@\d+)", "StRecall", "{0}"),
)

_UNAFFECTED = ("Bpref", "Bpref(average=geometric)", "NumRel", "NumRelRet")
"""Measures that look at judged documents alone: a condensed list changes nothing in them."""

ABOUT_LENGTH = ("NumRet", "Unjudged(short=pad)", "infAP")
"""Measures of what was returned and pooled, without a condensed form: compared on a list condensed beforehand."""

SPELLED_ALIKE = {("ir_measures", "ERR"): "its ERR takes 4 as the highest grade; ours the highest of the judgments"}
"""(program, measure) of names that are the same text in both and mean something else, with what."""


def from_trec_eval(name: str, *, judged_only: bool = False) -> str | None:
    """Our spelling of a measure of trec_eval; None when there is none."""
    for pattern, head, cutoff in _TREC_EVAL:
        found = re.fullmatch(pattern, name)
        if found:
            if judged_only and head not in _UNAFFECTED + ABOUT_LENGTH:
                inside = head[head.index("(") + 1 : -1] + ", " if "(" in head else ""
                head = f"{head.partition('(')[0]}({inside}judged_only=True)"
            return (head + cutoff).format(*found.groups())
    return None


def from_ir_measures(name: str) -> str | None:
    """Our spelling of a measure of ir_measures; None when there is none."""
    for pattern, head, cutoff in _IR_MEASURES:
        found = re.fullmatch(pattern, name)
        if found:
            groups = [group or "" for group in found.groups()]
            return head.format(*groups) + cutoff.format(*groups)
    return None


Values = dict[str, dict[str, str]]
"""Measure name to query id (`all` for the mean) to the printed value."""


def text_of(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


@cache
def read_output(path: Path) -> Values:
    """A table of measure, query, value; what is not a number (runid, relstring) is left in as text."""
    values: Values = {}
    for line in text_of(path).splitlines():
        name, query, value = (part.strip() for part in line.split("\t"))
        if (name, query) != ("measure", "query_id"):
            values.setdefault(name, {})[query] = value
    return values


@dataclass(frozen=True)
class Output:
    """One stored output of a reference program."""

    tool: str
    path: Path
    decimals: int

    @property
    def label(self) -> str:
        """How `not_reproduced.toml` calls it."""
        return self.path.relative_to(GOLDEN / "expected" if GOLDEN in self.path.parents else COLLECTIONS).as_posix()

    def ours(self, name: str) -> str | None:
        """Our spelling of one of its names."""
        return from_ir_measures(name) if self.tool == "ir_measures" else from_trec_eval(name)

    def names(self) -> list[str]:
        return list(read_output(self.path))


TREC_EVAL_TESTS = ("out.test", *(f"out.test.{flags}" for flags in ("a", "aq", "aqc", "aql", "meas_params")),
                   "out.comment.test")  # fmt: skip


def outputs() -> list[Output]:
    """Every stored output that this issue answers for."""
    found = []
    for path in sorted((GOLDEN / "expected").glob("*/*.tsv")):
        if path.parent.name.startswith("ir_measures"):
            found.append(Output("ir_measures", path, 5 if ".gdeval." in path.name else 12))
        else:
            found.append(Output("trec_eval", path, 4))
    for collection in ("robust03", "vaswani"):
        found += [Output("trec_eval", p, 4) for p in sorted((COLLECTIONS / collection / "trec_eval").glob("*.gz"))]
    paths = [COLLECTIONS / "trec_eval_tests" / f"{name}.gz" for name in TREC_EVAL_TESTS]
    return found + [Output("trec_eval", path, 4) for path in paths if path.is_file()]


@cache
def not_reproduced() -> Mapping[str, list[dict[str, Any]]]:
    """The table of names and values that are left out, each with its reason."""
    return tomllib.loads((HERE / "not_reproduced.toml").read_text(encoding="utf-8"))


def is_listed(tool: str, name: str) -> bool:
    """Whether a name is one that we do not reproduce."""
    return any(entry["tool"] == tool and fnmatchcase(name, entry["name"]) for entry in not_reproduced()["names"])


def is_left_out(output: Output, name: str) -> bool:
    """Whether the value of a name that we reproduce elsewhere is one not to copy from this output."""
    return any(
        fnmatchcase(output.label, entry["output"]) and any(fnmatchcase(name, p) for p in entry["names"])
        for entry in not_reproduced()["values"]
    )


def wanted(output: Output, *, judged_only: bool = False) -> dict[str, str]:
    """Each name of an output whose values we must give, with our spelling."""
    chosen = {}
    for name in output.names():
        ours = from_trec_eval(name, judged_only=judged_only) if output.tool == "trec_eval" else from_ir_measures(name)
        if ours is not None and not is_left_out(output, name):
            chosen[name] = ours
    return chosen


def run_values(scores: Any, texts: Iterable[str], run: int = 0) -> dict[str, dict[str, float]]:
    """Per-query values and the `all` value of one run, by measure as it was asked for; undefined ones are left out."""
    by_text = {}
    for j, (text, measure) in enumerate(zip(texts, scores.measures, strict=True)):
        row = scores.values[run, j]
        values = {q: float(v) for q, v in zip(scores.queries, row, strict=True) if not math.isnan(v)}
        total = sum(values.values())
        values["all"] = total if measure.name in COUNTS else float(scores.mean(measure, run=scores.runs[run]))
        by_text[text] = values
    return by_text


def differences(
    ours: Mapping[str, float], theirs: Mapping[str, str], tolerance: float, *, label: str = ""
) -> Iterator[str]:
    """One line a value that differs, in either direction."""
    for query in sorted(ours.keys() | theirs.keys()):
        if query not in theirs:
            yield f"{label} {query}: {ours[query]!r}, the reference has no such row"
        elif query not in ours:
            yield f"{label} {query}: undefined, the reference says {theirs[query]}"
        elif not abs(ours[query] - float(theirs[query])) <= tolerance:
            yield f"{label} {query}: {ours[query]!r}, the reference says {theirs[query]}"


def shown(lines: Iterable[str], most: int = 40) -> str:
    """The first lines of a list of differences, with how many there are."""
    found = list(lines)
    return "\n".join([f"{len(found)} values differ", *found[:most]]) if found else ""
