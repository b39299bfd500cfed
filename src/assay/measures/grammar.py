"""Text to measures: `Name(key=value, ...)@cutoff`, with other tools' spellings in one table of aliases.

A list of measures is separated by commas or blanks; `nDCG@5,10` is two cutoffs; `nDCG:gain=exp@10` is the same as
`nDCG(gain=exp)@10` without characters that a shell would take for itself, and `nDCG:gain=1=3/2=9@10` is a map of
gains. Nothing is ever evaluated: the parser below reads names, numbers and maps, and no more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from assay.errors import InputError, nearest
from assay.measures.measure import MEASURES, Measure
from assay.ranking.discounts import GainMap

ALIASES = {
    # trec_eval; a cutoff follows as `_10` or `.5,10`
    "ndcg_cut": "nDCG", "recip_rank": "RR", "recall": "R", "success": "HitRate", "map": "AP", "map_cut": "AP",
    "relative_P": "R(cap=True)", "set_P": "P", "set_recall": "R", "set_F": "F", "set_relative_P": "R(cap=True)",
    "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet", "unj": "Unjudged(short=pad)",
    "ideal_dcg": "IDCG", "ideal_dcg_cut": "IDCG", "dcg_cut": "DCG", "gm_map": "AP(average=geometric)",
    "gm_bpref": "Bpref(average=geometric)", "set_map": "SetAP", "11pt_avg": "IAP(points=11)",
    "iprec_at_recall": "IPrec", "Rprec_mult": "Rprec", "rbp": "RBP(p=0.9,gain=scaled)",
    "rbp_resid": "RBPResidual(p=0.9)",
    # ir_measures
    "Success": "HitRate", "MRR": "RR", "MAP": "AP", "SetP": "P", "SetR": "R", "SetF": "F", "SetRelP": "R(cap=True)",
    "NERR8": "NERR(stop=cut)", "NERR9": "NERR(stop=rank)", "NERR10": "NERR(stop=patience)",
    "NERR11": "NERR(stop=goal)", "RPrec": "Rprec", "BPref": "Bpref", "Precision": "P", "Recall": "R",
    "alpha_DCG": "alpha-DCG(norm=perfect)", "alpha_nDCG": "alpha-nDCG", "ERR_IA": "ERR-IA",
    "nERR_IA": "ERR-IA(norm=ideal)", "nNRBP": "NRBP(norm=ideal)", "P_IA": "P-IA", "AP_IA": "AP-IA",
    # ndeval, beside its names that ir_measures has too
    "nERR-IA": "ERR-IA(norm=ideal)", "strec": "StRecall", "MAP-IA": "AP-IA",
    # BEIR, MTEB, LlamaIndex; a cutoff follows as `@10` or `_at_10`
    "R_cap": "R(cap=True)", "hit_rate": "HitRate", "Hit": "HitRate", "Hit_Rate": "HitRate",
    # ranx; `-l2` at the end is the relevance level 2
    "r-precision": "Rprec", "ndcg_burges": "nDCG(gain=exp)", "dcg_burges": "DCG(gain=exp)", "f1": "F",
    "hits": "NumRelRet", "precision": "P",
    # scikit-learn, torchmetrics
    "ndcg_score": "nDCG(ideal=returned)", "dcg_score": "DCG",
    "retrieval_normalized_dcg": "nDCG(ideal=returned)", "retrieval_reciprocal_rank": "RR",
    "retrieval_precision": "P", "retrieval_recall": "R", "retrieval_hit_rate": "HitRate",
    "retrieval_average_precision": "ContextPrecision", "retrieval_r_precision": "Rprec",
    # RAG toolkits
    "context_precision": "ContextPrecision", "ContextualPrecision": "ContextPrecision", "CtxP": "ContextPrecision",
}  # fmt: skip
"""Other tools' names, on input only: never printed."""

OPTIONS: dict[tuple[str, str, str], tuple[str, dict[str, Any]]] = {
    ("*", "dcg", "log2"): ("", {"gain": "linear"}),
    ("*", "dcg", "exp-log2"): ("", {"gain": "exp"}),
    ("*", "gains", "*"): ("", {"gain": "*"}),
    ("P", "relative", "True"): ("R", {"cap": True}),
    ("P", "relative", "False"): ("", {}),
    ("NumRet", "rel", "*"): ("NumRelRet", {"rel": "*"}),
    ("*", "max_rel", "*"): ("", {"max": "*"}),
    ("*", "min_rel", "0"): ("", {}),
    ("SetF", "beta", "*"): ("", {"beta": "sqrt"}),  # ir_measures' beta is trec_eval's x, the square of beta
}
"""Other tools' options: (name as typed, or measure, or `*`; option; value) to (measure instead, options instead).

`*` is any value, and stands for it; `sqrt` is its square root.
"""

BEHIND = {"IPrec": "recall", "iprec_at_recall": "recall", "Rprec_mult": "mult"}
"""What a number behind a name or an @ is, where it is no cutoff."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*|11pt_avg")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[0-9]+")
_SUFFIX = re.compile(r"(?P<name>.+?)(?:_at_|_|\.)(?P<rest>[0-9].*)", re.DOTALL)
_LEVEL = re.compile(r"(?P<rest>.+)-l(?P<level>[0-9]+)", re.DOTALL)


def parse(measures: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """The measures of a text, each once, in the order in which they were named.

    Args:
        measures: text such as `"nDCG@5,10 P(rel=2)@5 ndcg_cut_10, map"`, a measure, or several of either.

    Returns:
        One measure for each name and cutoff. `nDCG@10` and `nDCG(gain=linear)@10` are equal and both are given: only
        the second keeps its gain where a team's settings name another.
    """
    if isinstance(measures, Measure):
        return [measures]
    if isinstance(measures, str):
        found = [one for piece in split(measures) for one in _parse_one(piece)]
    elif isinstance(measures, Iterable):
        found = [one for each in measures for one in parse(each)]
    else:
        raise InputError(f"{measures!r:.80} is no measure", remedy='pass text such as "nDCG@10", or a measure')
    if not found:
        raise InputError(
            "no measure was named", remedy="name one, such as -m nDCG@10; `assay measures` lists all of them"
        )
    return list({(one, one.typed): one for one in found}.values())


def split(text: str) -> list[str]:
    """A list of measures to the text of each one, further cutoffs (`@5,10`) with the measure that they belong to."""
    pieces: list[str] = []
    start, depth = 0, 0
    separator = ""
    for at, sign, depth in _nested(text + ","):
        if depth == 0 and (sign == "," or sign.isspace()):
            piece = text[start:at]
            start = at + 1
            if piece:
                if pieces and "," in separator and re.fullmatch(r"[0-9.]+(=[0-9.]+)?", piece):
                    pieces[-1] += "," + piece
                else:
                    pieces.append(piece)
                separator = sign
            else:
                separator += sign
    if depth > 0:
        what = "quote" if text.count("'") % 2 or text.count('"') % 2 else "bracket"
        raise InputError(
            f"a {what} in {text.strip()} is not closed",
            remedy="write it like nDCG(gain=exp)@10",
        )
    return pieces


def _nested(text: str) -> Iterator[tuple[int, str, int]]:
    """(place, sign, depth): how many brackets and quotes are open behind each sign; 0 is outside of all."""
    depth, quote = 0, ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in "({[":
            depth += 1
        elif sign in ")}]":
            depth = max(depth - 1, 0)
        yield at, sign, depth + bool(quote)


def _parse_one(text: str) -> list[Measure]:
    """One measure with all its cutoffs."""
    found = _read(text)
    if found is None:
        name = _NAME.match(text)
        raise _unknown(text, name.group() if name else "")
    return found


def _read(text: str) -> list[Measure] | None:
    """One measure with all its cutoffs; None where the name is unknown."""
    name = _NAME.match(text)
    whole = name.group() if name else ""
    rest = text[len(whole) :]
    if whole and (rest == "" or rest[0] in "(:@"):
        found = _named(whole)
        if found is not None:
            return _finish(found, rest, text, whole)
    level = _LEVEL.fullmatch(text)
    if level and (at := _read_quietly(level["rest"])):
        return [one(rel=float(level["level"])) for one in at]
    suffix = _SUFFIX.fullmatch(text)
    if suffix and (found := _named(suffix["name"])) is not None:
        if "=" in suffix["rest"]:  # trec_eval's `ndcg.1=3,2=9`
            return [found(gain=_gains(suffix["rest"].replace("/", ","), text, "="))]
        return _behind(suffix["rest"], found, text, suffix["name"])
    return None


def _read_quietly(text: str) -> list[Measure]:
    try:
        return _read(text) or []
    except InputError:
        return []


def _named(name: str) -> Measure | None:
    """The measure of that name or alias: exactly, else as the only one that differs in case alone."""
    if name in MEASURES:
        return Measure(name)
    if name in ALIASES:
        return _parse_one(ALIASES[name])[0]
    folded = name.casefold()
    matches = {known for known in MEASURES.names() if known.casefold() == folded}
    if len(matches) == 1:
        return Measure(matches.pop())
    targets = {target for alias, target in ALIASES.items() if alias.casefold() == folded}
    return _parse_one(targets.pop())[0] if len(targets) == 1 else None


def _finish(found: Measure, rest: str, text: str, typed: str) -> list[Measure]:
    """Reads `(key=value, ...)`, `:key=value` and `@cutoffs` behind a name."""
    while rest and rest[0] in "(:":
        if rest[0] == "(":
            inside, rest = _bracket(rest, text)
            given = _pairs(inside, text)
        else:
            end = re.search(r"[:@]", rest[1:])
            inside, rest = (rest[1:], "") if end is None else (rest[1 : end.start() + 1], rest[end.start() + 1 :])
            if "{" in inside and "}" not in inside:  # gain={1:3,2:9}: its colons do not begin an option
                close = rest.index("}") + 1 if "}" in rest else len(rest)
                inside, rest = inside + rest[:close], rest[close:]
            given = _pairs(inside, text)
        for key, value in given:
            found = _option(found, key, value, text, typed)
    if not rest:
        return [found]
    level = _LEVEL.fullmatch(rest)
    if level:
        found, rest = found(rel=float(level["level"])), level["rest"]
    if rest[0] != "@":
        raise _malformed(text, f"{rest} stands where @cutoff is expected")
    return _behind(rest[1:], found, text, typed)


def _behind(text: str, found: Measure, whole: str, typed: str) -> list[Measure]:
    """The measure with each number that stands behind it: a cutoff, or what `BEHIND` says."""
    if typed == "rbp":  # ranx: `rbp.80` is p 0.80
        return [Measure("RBP")(p=float(f"0.{hundredths}")) for hundredths in _cutoffs(text, found, whole)]
    option = BEHIND.get(typed, BEHIND.get(found.name))
    if option is None:
        return [found @ cutoff for cutoff in _cutoffs(text, found, whole)]
    return [found(**{option: _value(part.strip(), whole)}) for part in text.split(",")]


def _cutoffs(text: str, found: Measure, whole: str) -> list[int]:
    cutoffs = []
    for part in text.split(","):
        part = part.strip()
        if not _WHOLE.fullmatch(part) or len(part) > 12:
            raise InputError(
                f"cutoff {part or 'without a number'} of {whole} is not a whole number from 1",
                remedy=f"write {found.without_cutoff}@10",
            )
        cutoffs.append(int(part))
    return cutoffs


def _bracket(text: str, whole: str) -> tuple[str, str]:
    """What stands in the bracket that the text begins with, and what follows it."""
    for at, sign, depth in _nested(text):
        if depth == 0 and sign in ")}]":
            return text[1:at], text[at + 1 :]
    raise _malformed(whole, "a bracket is not closed")


def _pairs(text: str, whole: str) -> list[tuple[str, str]]:
    """`key=value, key=value` to pairs of text."""
    pairs: list[tuple[str, str]] = []
    part = ""
    for _, sign, depth in _nested(text + ","):
        if sign == "," and depth == 0:
            if part.strip():
                key, equals, value = part.partition("=")
                if not equals or not key.strip() or not value.strip():
                    raise _malformed(whole, f"{part.strip()} is not key=value")
                if key.strip() in dict(pairs):
                    raise _malformed(whole, f"{key.strip()} is given twice")
                pairs.append((key.strip(), value.strip()))
            part = ""
        else:
            part += sign
    return pairs


def _option(found: Measure, key: str, value: str, whole: str, typed: str) -> Measure:
    """The measure with one more option, translated where it is another tool's."""
    plain = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
    for name, text in ((name, text) for name in (typed, found.name, "*") for text in (plain, "*")):
        if (name, key, text) not in OPTIONS:
            continue
        instead, options = OPTIONS[name, key, text]
        if instead:
            found = Measure(instead, cutoff=found.cutoff)(**dict(found.changed))
        for option, changed in options.items():
            read = _value(plain, whole) if changed in ("*", "sqrt") else changed
            if changed == "sqrt" and isinstance(read, (int, float)) and read >= 0:
                read = math.sqrt(read)
            found = found(**{option: read})
        return found
    found.about.parameter(key)  # an unknown option is refused before its value is read
    return found(**{key: _value(plain, whole)})


def _value(text: str, whole: str) -> Any:
    """A word, a number, True, False, or a map of gains."""
    if text.startswith("{") and text.endswith("}"):
        return _gains(text[1:-1], whole, ":")
    if text in ("True", "False", "true", "false"):
        return text in ("True", "true")
    if text in ("qrels", "None"):
        return None
    if _NUMBER.fullmatch(text):
        return int(text) if _WHOLE.fullmatch(text) and len(text) < 16 else float(text)
    if re.fullmatch(r"[^=/]+=[^=/]+(/[^=/]+=[^=/]+)*", text):
        return _gains(text.replace("/", ","), whole, "=")
    return text


def _gains(text: str, whole: str, between: str) -> GainMap:
    """`1:3,2:9` to a map of grades to gains."""
    gains: dict[float, float] = {}
    for part in text.split(","):
        grade, _, gain = (piece.strip() for piece in part.partition(between))
        if not _NUMBER.fullmatch(grade) or not _NUMBER.fullmatch(gain):
            raise _malformed(whole, f"{part.strip() or 'an empty part'} is not grade{between}gain")
        if float(grade) in gains:
            raise _malformed(whole, f"grade {grade} is given two gains")
        gains[float(grade)] = float(gain)
    return GainMap.of(gains)


def _malformed(text: str, why: str) -> InputError:
    return InputError(f"cannot read the measure {text}: {why}", remedy="write it like nDCG(gain=exp)@10 or P(rel=2)@5")


def _unknown(text: str, name: str) -> InputError:
    """Unknown name: the nearest known ones with the same ending."""
    shortened = _SUFFIX.fullmatch(name)
    base, ending = (shortened["name"], text[len(shortened["name"]) :]) if shortened else (name, text[len(name) :])
    close = nearest(base, [*ALIASES, *MEASURES.names()]) if base else []
    printed = [",".join(map(str, _read_quietly(one + ending))) for one in close]
    hint = " or ".join(dict.fromkeys(filter(None, printed))) or " or ".join(one + ending for one in close)
    return InputError(
        f"unknown measure {text}" + (f"; did you mean {hint}?" if hint else ""),
        remedy="`assay measures` lists all of them",
    )
