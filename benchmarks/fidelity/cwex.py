"""The CWEx paper: what public data allow of its tables 2 to 8."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.fidelity import cwex_printed as printed
from benchmarks.fidelity import cwex_words
from benchmarks.fidelity.cwex_arithmetic import arithmetic
from benchmarks.fidelity.cwex_ties import CWEX, GAP, means_by_system, means_of, over_orders, words
from benchmarks.fidelity.rows import Chapter, Row, Table, absent, judged, number, numbers
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import add_runs

HEADS = ("the paper", "here")
WEIGHTS = "the weights of the cross-encoder are in no package; `rank --with cross_encoder` accepts a folder with them"
PASSAGES = "the passages of MS MARCO may not be redistributed; `attach msmarco-qs2` adds them if you have them"
QS1 = "neither a run for QS1 nor its passages are public"
JUDGED = "MS MARCO's passages and judgements may not be redistributed"
TIES = "its ties: the paper does not define their order, and they are half of the list"


def chapter(_: str) -> Chapter:
    """The chapter's tables; it needs no stop words."""
    grep, qs2, qs1 = open_study("grep-biasir"), open_study("msmarco-qs2"), open_study("genderbias-ir")
    ranked = add_runs(grep, rank(grep, parse_rankers("bm25")).runs)
    tables = {
        "data": _data(grep, qs2, qs1),
        "labels": cwex_words.rows(grep, qs2.lexicon, qs1.lexicon),
        "rankings": [*_grep(ranked, qs2), *_ms_marco(qs2), *_effectiveness(ranked)],
        "arithmetic": arithmetic(),
    }
    return Chapter(
        {name: Table(HEADS, tuple(rows)) for name, rows in tables.items()},
        words(ranked),
    )


def _data(grep: Study, qs2: Study, qs1: Study) -> list[Row]:
    labels = Counter(qs2.labels["label"].astype(str))
    stereotypes = Counter(grep.documents["stereotype"].astype(str))
    towards = f"{stereotypes['Towards Female']}, {stereotypes['Towards Male']}"
    found = ", ".join(f"{labels[group]}" for group in ("neutral", "female", "male"))
    six = "the public files contain six documents for each query"
    another = "the list of the 20 is not public, and this is another BM25, of CPJKU's repository"
    return [
        judged("Section 4: queries of Grep-BiasIR", "117", str(len(grep.queries))),
        judged("Section 4: documents of Grep-BiasIR", "708", str(len(grep.documents)), six),
        judged("Section 5.2: documents with a stereotype of women, of men", "120, 54", towards),
        judged("Section 4: queries of QS1", "1,765", f"{(qs1.queries['query_set'] == 'QS1').sum():,}"),
        judged("Section 4: queries of QS2", "215", str(len(qs2.queries))),
        judged("Table 2: labelled passages of MSMGenderBias", "893", str(len(qs2.labels))),
        judged("Table 2: of them neutral, female, male", "636, 113, 144", found),
        judged("Section 4: queries of QS2 whose top ten are labelled", "20", str(len(_labelled(qs2))), another),
        absent("Section 3.3: Fleiss' κ of the annotators", "0.575", "only the majority's labels are public"),
    ]


def _grep(ranked: Study, qs2: Study) -> list[Row]:
    """Table 7 on Grep-BiasIR. NFaiRR as its public code counts: white space, tau 1, the 326 words."""
    told, *others = printed.FAIRNESS["Grep-BiasIR"]
    shown, gap, fairness = numbers(told[:3]), number(told[3], 4), number(told[4], 4)
    worded = replace(ranked, lexicon=qs2.lexicon)
    fair = summarise(evaluate(worded, "NFaiRR(tau=1)@10", tokenizer="whitespace"))["value"][0]
    means = means_by_system(ranked, (*CWEX, GAP))["bm25"]
    found = numbers([means[name] for name in CWEX])
    rows = [
        judged("Table 7, Grep-BiasIR, BM25: CWEx at alpha 0.2, 0.5, 0.7", shown, found, TIES),
        judged("… difference of exposures", gap, number(means[GAP], 4), TIES),
        *over_orders(ranked, told),
        judged("… NFaiRR", fairness, number(fair, 4), "the paper does not define the counted text; see Table 4"),
    ]
    return [*rows, *(_all_absent("Grep-BiasIR", *pair) for pair in zip(printed.MODELS[1:], others, strict=True))]


def _ms_marco(qs2: Study) -> list[Row]:
    """Table 7 on MS MARCO: QS2 alone, and only by BM25."""
    told, *others = printed.FAIRNESS["QS2"]
    labelled = _labelled(qs2)
    scores = evaluate(qs2, [*CWEX, GAP])
    means = means_of(scores[scores["query_id"].astype(str).isin(labelled)])["BM25"]
    why = "this is CPJKU's BM25, not Pyserini's, on all labelled queries, not on 20 of them"
    what = f"Table 7, QS2, BM25, {len(labelled)} queries"
    found = numbers([means[name] for name in CWEX])
    qs1 = zip(printed.MODELS, printed.FAIRNESS["QS1"], strict=True)
    return [
        judged(f"{what}: CWEx at alpha 0.2, 0.5, 0.7", numbers(told[:3]), found, why),
        judged("… difference of exposures", number(told[3], 4), number(means[GAP], 4), why),
        absent("… NFaiRR", number(told[4], 4), PASSAGES),
        *(_all_absent("QS2", *pair) for pair in zip(printed.MODELS[1:], others, strict=True)),
        *(_all_absent("QS1", model, values, QS1) for model, values in qs1),
    ]


def _effectiveness(ranked: Study) -> list[Row]:
    means = means_by_system(ranked, ("RR@10", "nDCG@10"))["bm25"]
    found = numbers([means["RR@10"], means["nDCG@10"]])
    rows = [judged("Table 8, Grep-BiasIR, BM25: MRR, nDCG", numbers(printed.EFFECTIVENESS["Grep-BiasIR"][0]), found)]
    for name, values in printed.EFFECTIVENESS.items():
        for model, told in zip(printed.MODELS, values, strict=True):
            if (name, model) != ("Grep-BiasIR", "BM25"):
                why = WEIGHTS if name == "Grep-BiasIR" else JUDGED
                rows.append(absent(f"Table 8, {name}, {model}: MRR, nDCG", numbers(told), why))
    return rows


def _all_absent(name: str, model: str, told: Sequence[float], why: str = WEIGHTS) -> Row:
    return absent(f"Table 7, {name}, {model}: CWEx, difference, NFaiRR", numbers(told), why)


def _labelled(qs2: Study) -> set[str]:
    """The queries of which every place in BM25's top ten has a label."""
    scores = evaluate(qs2, "Exposure@10", systems=("BM25",))
    whole = scores[(scores["labelled"] == scores["places"]) & (scores["places"] == 10)]
    return set(whole["query_id"].astype(str))
