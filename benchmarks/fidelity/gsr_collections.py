"""The GSR paper, section 4.2, on two free collections: Robust04, which it used, needs a licence."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from benchmarks.fidelity.gsr import RELEVANT, Both
from benchmarks.fidelity.rows import Row, absent, number, over, percent
from fairviz.analyses.gsr_validity.direct import (
    DebiasedComparison,
    by_genderedness,
    compare_debiased,
    direct_stereotypes,
    reliability,
)
from fairviz.evaluation.choices import align
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.words.genderedness import GenderDirection

ROBUST = "Robust04 needs a licence; this is another collection"
PRINTED = {  # Table 2, relative GSR in per cent by word2vec and by fastText, from `perfect` to BM25
    "w2v": (0, 84, 62, 62, 77, 55, 54, 46, 35, 35, 6, 6, 6, 28, 25, 26, 4, 11, 11),
    "ftt": (0, 62, 53, 53, 64, 53, 53, 58, 44, 43, 4, 5, 5, 24, 21, 21, 12, 14, 14),
}


def collection(study: Study, both: Both) -> list[Row]:
    """Section 4.2 on a collection of ours: the paper's is Robust04, which is not free."""
    done = [_compared(study, direction) for direction in both]
    what = "Table 2: GSR of `perfect`"
    rows = [_compared_row(what, "0.085", done, lambda c: number(_at(c, "perfect", "", "slope"), 3))]
    for ranker, printed in (("w2v_add", ("+84 %", "+62 %", "+62 %")), ("w2v_si", ("+77 %", "+55 %", "+54 %"))):
        for kind, told in zip(("none", "regular", "strong"), printed, strict=True):
            what = f"Table 2: GSR of {ranker} over `perfect`, debiasing {kind}"
            rows.append(_compared_row(what, told, done, lambda c, r=ranker, k=kind: over(_at(c, r, k, "relative"))))
    slopes = [gsr(gsr_points(study, RELEVANT, direction=each)).set_index("system") for each in both]
    for name, told in (("bm25", "+11 %"), ("tfidf", "+11 %"), ("qlm", "+4 %")):
        pair = [over(each["relative"][name]) for each in slopes]
        rows.append(_row(f"Table 2: GSR of {name} over `perfect`", told, *pair))
    pair = [_interval(each) for each in slopes]
    rows.append(_row("Figure 8: GSR of random, with its 95 % interval", "near 0", *pair))
    for ranker, told in (("w2v_add", "+2 %"), ("w2v_si", "+1 %")):
        what = f"Table 3: change of average precision by regular debiasing, {ranker}"
        rows.append(_compared_row(what, told, done, lambda c, r=ranker: _change(c, r)))
    rows.append(_compared_row("Figure 10: r of absolute g(q) and Kendall τ distance", "0.81", done, _figure_10))
    pair = [_figure_12(each.study, direction) for each, direction in zip(done, both, strict=True)]
    rows.append(_row("Figure 12: w2v_add shows more women, of queries with g ≤ 0 / > 0", "rising", *pair))
    return [*rows, *_reliability_rows(study, done[0], both)]


def with_judged_runs(study: Study) -> Study:
    """The study with `perfect`, lexical runs and a random one, where it has none."""
    lacking = [name for name in ("perfect", "bm25", "tfidf", "qlm", "random") if name not in study.systems]
    return add_runs(study, rank(study, parse_rankers(",".join(lacking))).runs) if lacking else study


def spearman_of_table_2() -> float:
    """Spearman's ρ of the paper's own two columns."""
    from scipy.stats import spearmanr

    return float(spearmanr(PRINTED["w2v"], PRINTED["ftt"]).statistic)


def _row(what: str, printed: str, google: str, glove: str) -> Row:
    return absent(what, printed, ROBUST, google, glove)


def _reliability_rows(study: Study, compared: DebiasedComparison, both: Both) -> list[Row]:
    """Over the study's own systems and those with Google News vectors, measured by both."""
    runs = compared.study.runs
    everything = add_runs(study, runs[~runs["system"].isin(study.systems)].astype({"system": "str"}))
    found = reliability(everything, RELEVANT, *both)
    queries, systems = len(found.queries.dropna()), len(found.systems.dropna())
    return [
        _row(
            "Figure 11: r of g(q) by two sets of vectors", "0.78", f"{number(found.pearson)} ({queries} queries)", "〃"
        ),
        _row("Table 2: Spearman’s ρ of GSR by two sets", "0.96", f"{number(found.spearman)} ({systems} systems)", "〃"),
    ]


def _compared_row(
    what: str, printed: str, done: Sequence[DebiasedComparison], found: Callable[[DebiasedComparison], str]
) -> Row:
    return _row(what, printed, found(done[0]), found(done[1]))


@cache
def _compared(study: Study, direction: GenderDirection) -> DebiasedComparison:
    """w2v_add and w2v_si with these vectors, measured by these vectors."""
    return compare_debiased(study, RELEVANT, embedding=direction.embedding.name, direction=direction)


def _at(compared: DebiasedComparison, ranker: str, kind: str, column: str) -> float:
    rows = compared.systems[(compared.systems["ranker"] == ranker) & (compared.systems["debias"] == kind)]
    return float(rows[column].iloc[0])


def _change(compared: DebiasedComparison, ranker: str) -> str:
    before, after = (_at(compared, ranker, kind, "AP@100") for kind in ("none", "regular"))
    return percent(after / before - 1, 1, "+")


def _figure_10(compared: DebiasedComparison) -> str:
    row = compared.correlations.set_index(["ranker", "debias"]).loc[("w2v_add", "regular")]
    return f"{number(row['r'])} (centred: {number(row['centred_r'])})"


def _interval(slopes) -> str:
    row = slopes.loc["random"]
    return f"{number(row['slope'])} [{number(row['ci_low'])}, {number(row['ci_high'])}]"


def _figure_12(study: Study, direction: GenderDirection) -> str:
    """Of the queries whose sign is defined, how many lists of w2v_add hold relatively more women than perfect's."""
    plain = next(name for name in study.systems if name.startswith("w2v_add") and "debias" not in name)
    settings = RELEVANT.changed(systems=(plain,))
    table = direct_stereotypes(study, settings, smoothing=1, rankings=align(study, RELEVANT), direction=direction)
    bins = by_genderedness(table, (-np.inf, 0, np.inf))
    return " / ".join(f"{percent(row.female / max(row.queries, 1))}" for row in bins.itertuples())
