"""Every spelling of a measure, and what is said of those that are none."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measures.grammar import ALIASES, parse, split
from assay.measures.measure import MEASURES, Measure
from assay.ranking.discounts import GainMap

SPELLINGS = {
    "nDCG@10": "nDCG@10",
    "nDCG @ 10": None,
    "nDCG@5,10": "nDCG@5 nDCG@10",
    "nDCG@5, 10": "nDCG@5 nDCG@10",
    "nDCG@5,10,P@10 RR": "nDCG@5 nDCG@10 P@10 RR",
    "nDCG@5,10 P(rel=2)@5 ndcg_cut_10, map": "nDCG@5 nDCG@10 P(rel=2)@5 AP",
    " nDCG@10\n P@5\tRR ": "nDCG@10 P@5 RR",
    "P@5,P@5": "P@5",
    "P@010": "P@10",
    "nDCG(gain=linear)@10": "nDCG@10",
    "nDCG( gain = exp , judged_only = True )@10": "nDCG(gain=exp,judged_only=True)@10",
    "nDCG(judged_only=true,gain=exp)@10": "nDCG(gain=exp,judged_only=True)@10",
    "nDCG()@10": "nDCG@10",
    "nDCG(gain='exp')@10": "nDCG(gain=exp)@10",
    'nDCG(gain="exp")@10': "nDCG(gain=exp)@10",
    "nDCG:gain=exp@10": "nDCG(gain=exp)@10",
    "nDCG:gain=exp:discount=zipf@5,10": "nDCG(gain=exp,discount=zipf)@5 nDCG(gain=exp,discount=zipf)@10",
    "nDCG(gain={1:3,2:9,4:4.5})@10": "nDCG(gain={1:3,2:9,4:4.5})@10",
    "nDCG(gain={2: 9, 1: 3.0})@10": "nDCG(gain={1:3,2:9})@10",
    "nDCG:gain={1:3,2:9}:judged_only=True@10": "nDCG(gain={1:3,2:9},judged_only=True)@10",
    "nDCG:gain=1=3/2=9/4=4.5@10": "nDCG(gain={1:3,2:9,4:4.5})@10",
    "P:rel=2@5": "P(rel=2)@5",
    "P(rel=2.0)@5": "P(rel=2)@5",
    "P(rel=0.5)@5": "P(rel=0.5)@5",
    "P(rel=qrels)@5": "P@5",
    "F(beta=2)": "F(beta=2)",
    "F(beta=0)": "F(beta=0)",
    # what no default is universal of is always printed
    "RBP": "RBP(p=0.8)",
    "RBP(p=0.8)": "RBP(p=0.8)",
    "RBP(rel=2,p=0.5)@10": "RBP(p=0.5,rel=2)@10",
    "Compat": "Compat(p=0.95)",
    "IPrec@0.1": "IPrec(recall=0.1)",
    "IPrec@0.0,0.5, 1": "IPrec(recall=0) IPrec(recall=0.5) IPrec(recall=1)",
    "IPrec(recall=0.1,rel=2)": "IPrec(recall=0.1,rel=2)",
    "AP(average=geometric)@10": "AP(average=geometric)@10",
    "AP(rel=2,average=median)": "AP(rel=2,average=median)",
    "AP(average=mean)": "AP",
    # trec_eval
    "gm_map gm_bpref": "AP(average=geometric) Bpref(average=geometric)",
    "11pt_avg": "IAP(points=11)",
    "iprec_at_recall_0.10": "IPrec(recall=0.1)",
    "iprec_at_recall.0.1,0.5": "IPrec(recall=0.1) IPrec(recall=0.5)",
    "Rprec_mult_1.20": "Rprec(mult=1.2)",
    "Rprec_mult.0.5,1.0": "Rprec(mult=0.5) Rprec",
    "set_map": "SetAP",
    "infAP": "infAP",
    "rbp": "RBP(p=0.9,gain=scaled)",
    # ir_measures
    "RBP(rel=1)": "RBP(p=0.8,rel=1)",
    "INST(max_rel=3)": "INST(T=1,max=3)",
    "INSQ(T=2,min_rel=0,max_rel=3)": "INSQ(T=2,max=3)",
    "NERR8(max_rel=3)@10": "NERR(stop=cut,max=3)@10",
    "NERR10(p=0.8,max_rel=3)": "NERR(stop=patience,p=0.8,max=3)",
    "BPM(max_rel=3)@10": "BPM(T=1,max=3)@10",
    "SDCG(max_rel=3)@5,10": "SDCG(max=3)@5 SDCG(max=3)@10",
    # ranx
    "rbp.80": "RBP(p=0.8)",
    # trec_eval
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.5,10": "nDCG@5 nDCG@10",
    "ndcg_1=3,2=9,4=4.5": "nDCG(gain={1:3,2:9,4:4.5})",
    "ndcg.1=3,2=9": "nDCG(gain={1:3,2:9})",
    "P_10": "P@10",
    "P.5,10": "P@5 P@10",
    "P.5,10 map": "P@5 P@10 AP",
    "map": "AP",
    "map_cut_10": "AP@10",
    "map_cut.5": "AP@5",
    "recip_rank": "RR",
    "recall_100": "R@100",
    "success_5": "HitRate@5",
    "Rprec bpref": "Rprec Bpref",
    "num_ret num_rel num_rel_ret": "NumRet NumRel NumRelRet",
    "set_P set_recall set_F": "P R F",
    "unj_10": "Unjudged(short=pad)@10",
    "relative_P_10": "R(cap=True)@10",
    "set_relative_P": "R(cap=True)",
    # ir_measures
    "nDCG(dcg='exp-log2')@10": "nDCG(gain=exp)@10",
    "nDCG(dcg='log2')@10": "nDCG@10",
    "nDCG(gains={2:3,3:7})@10": "nDCG(gain={2:3,3:7})@10",
    "Success@5": "HitRate@5",
    "Success(rel=2)@5": "HitRate(rel=2)@5",
    "SetP SetR SetF": "P R F",
    "SetP(relative=True)": "R(cap=True)",
    "SetP(relative=True,rel=2)": "R(rel=2,cap=True)",
    "SetP(relative=False)": "P",
    "SetF(beta=4.0)": "F(beta=2)",
    "MRR MAP": "RR AP",
    "NumRet(rel=1)": "NumRelRet(rel=1)",
    "Precision@5 Recall@5 RPrec BPref": "P@5 R@5 Rprec Bpref",
    # BEIR, MTEB
    "NDCG@10 MRR@10 Recall@100 MAP@100 P@1": "nDCG@10 RR@10 R@100 AP@100 P@1",
    "ndcg_at_10 map_at_5 recall_at_100 precision_at_1 mrr_at_10": "nDCG@10 AP@5 R@100 P@1 RR@10",
    "R_cap@10": "R(cap=True)@10",
    # ranx
    "ndcg_burges@10": "nDCG(gain=exp)@10",
    "map@100-l2": "AP(rel=2)@100",
    "mrr-l3": "RR(rel=3)",
    "hit_rate@10 hits@10 r-precision mrr f1@5": "HitRate@10 NumRelRet@10 Rprec RR F@5",
    # scikit-learn and RAG toolkits
    "ndcg_score dcg_score": "nDCG(ideal=returned) DCG",
    "context_precision@5": "ContextPrecision@5",
    # case, where only one name fits
    "p@5 r@5 rr ap f judged@10 RPREC rankoffirst": "P@5 R@5 RR AP F Judged@10 Rprec RankOfFirst",
}


@pytest.mark.parametrize("text", [text for text, printed in SPELLINGS.items() if printed])
def test_each_spelling_is_understood_and_printed_in_one_way(text: str):
    assert " ".join(map(str, parse(text))) == SPELLINGS[text]


REFUSED = {
    "nDGC@10": "unknown measure nDGC@10; did you mean nDCG@10?\n    mend: `assay measures` lists all of them",
    "precison@5": "unknown measure precison@5; did you mean P@5",
    "recal_10": "unknown measure recal_10; did you mean R@10",
    "xyzzy": "unknown measure xyzzy\n    mend: `assay measures` lists all of them",
    "10": "unknown measure 10",
    "@10": "unknown measure @10",
    "nDCG@5 10": "unknown measure 10",
    "nDCG@0": "cutoff 0 of nDCG is not a whole number from 1",
    "nDCG@-1": "cutoff -1 of nDCG@-1 is not a whole number from 1",
    "nDCG@1.5": "cutoff 1.5 of nDCG@1.5 is not a whole number from 1",
    "nDCG@ten": "cutoff ten of nDCG@ten is not a whole number from 1",
    "nDCG@١٠": "cutoff ١٠ of nDCG@١٠ is not a whole number from 1",
    "nDCG@": "is not a whole number from 1",
    "nDCG@99999999999": "is not a whole number from 1 to 2147483647",
    "nDCG@9999999999999999999999999": "is not a whole number from 1",
    "Rprec@10": "Rprec takes no cutoff\n    mend: write Rprec",
    "nDCG(gian=exp)": "nDCG has no option gian; did you mean gain?",
    "nDCG(rel=2)": "nDCG has no option rel",
    "NumRet(rel2=1)": "NumRet has no option rel2",
    "nDCG(gain=expo)": "gain=expo of nDCG is not linear, exp or a map such as {1:3,2:9}; did you mean exp?",
    "nDCG(gain=2)": "gain=2 of nDCG is not linear",
    "nDCG(gain={})": "is not grade:gain",
    "nDCG(gain={1:3,1:4})": "grade 1 is given two gains",
    "nDCG(gain={1:-3})": "gain -3 of grade 1 is not a finite number from 0",
    "nDCG(gain={1:1e999})": "is not a finite number from 0",
    "nDCG(gain={a:b})": "a:b is not grade:gain",
    "P(rel=two)": "rel=two of P is not a number",
    "P(rel=1e999)": "rel=inf of P is not a number",
    "P(judged_only=1)": "judged_only=1 of P is not True or False",
    "F(beta=-1)": "beta=-1 of F is not a number from 0 to 1000\n    mend: write F(beta=1)",
    "RBP(p=1)": "p=1 of RBP is not a number between 0 and 1\n    mend: write RBP(p=0.8)",
    "rbp.x": "unknown measure rbp.x",
    "IPrec@10": "recall=10 of IPrec is not a number from 0 to 1",
    "IPrec@ten": "recall=ten of IPrec is not a number from 0 to 1",
    "INST(T=0.1)": "T=0.1 of INST is not a number from 0.5",
    "INST(min_rel=1)": "INST has no option min_rel",
    "IAP(points=1)": "points=1 of IAP is not a whole number from 2 to 101",
    "ERR(max=0)@10": "max=0 of ERR is not a number above 0",
    "AP(average=mode)": "average=mode of AP is not mean, geometric or median",
    "P(rel)": "rel is not key=value",
    "P(=2)": "=2 is not key=value",
    "P(rel=2": "a bracket in P(rel=2 is not closed",
    "P(rel='2)": "a quote in P(rel='2) is not closed",
    "P(rel=2)x": "x stands where @cutoff is expected",
    "P)": "unknown measure P)",
    "__import__('os').system('true')": "unknown measure",
    "": "no measure was named",
    " , ": "no measure was named",
}


@pytest.mark.parametrize("text", REFUSED)
def test_each_mistake_is_named(text: str):
    with pytest.raises(InputError) as caught:
        parse(text)
    assert REFUSED[text] in str(caught.value)
    assert "mend: " in str(caught.value)


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    about = MEASURES.find(draw(st.sampled_from(MEASURES.names())))
    measure = Measure(about.name)
    number = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x + 0.0)
    for parameter in about.parameters:
        options = [st.just(parameter.default)]
        if parameter.choices:
            options.append(st.sampled_from(parameter.choices))
        if bool in parameter.kinds:
            options.append(st.booleans())
        if float in parameter.kinds:
            options.append(number if parameter.limits is None else number.filter(parameter.limits.__contains__))
        if GainMap in parameter.kinds:
            gains = st.dictionaries(number, st.floats(0, 1e300), min_size=1, max_size=4)
            options.append(gains.map(GainMap.of))
        measure = measure(**{parameter.name: draw(st.one_of(options))})
    cutoff = draw(st.none() | st.integers(1, 10**6)) if about.takes_cutoff else None
    return measure if cutoff is None else measure @ cutoff


@given(measures())
def test_what_is_printed_reads_back_the_same(measure: Measure):
    assert parse(str(measure)) == [measure]
    assert parse(measure.definition()) == [measure]
    assert str(parse(str(measure))[0]) == str(measure)


@given(st.lists(measures(), min_size=1, max_size=4, unique=True), st.sampled_from([" ", ",", ", ", " , ", "\n"]))
def test_a_list_reads_back_in_its_order(wanted: list[Measure], separator: str):
    assert parse(separator.join(map(str, wanted))) == wanted


@given(st.text(max_size=40))
def test_any_text_gives_measures_or_a_message(text: str):
    with suppress(InputError):
        assert parse(text)


@given(
    st.lists(st.sampled_from(["nDCG", "P", "(", ")", "@", "10", ",", "=", "gain", "{", "}", ":", "'", " ", "1", "-l2"]))
)
def test_any_mix_of_its_pieces_gives_measures_or_a_message(pieces: list[str]):
    with suppress(InputError):
        assert parse("".join(pieces))


def test_measures_texts_and_lists_of_both_are_taken():
    one = Measure("nDCG") @ 10
    assert parse(one) == [one]
    assert parse([one, "P@5 RR", Measure("AP")]) == [one, Measure("P") @ 5, Measure("RR"), Measure("AP")]


def test_every_alias_leads_to_a_measure_and_hides_none():
    for alias, target in ALIASES.items():
        assert parse(alias) == parse(target)
        assert alias not in MEASURES.names()


def test_a_list_is_split_at_commas_and_blanks_outside_brackets():
    assert split("a(b, c)@1, 2 d {e , f}") == ["a(b, c)@1,2", "d", "{e , f}"]
