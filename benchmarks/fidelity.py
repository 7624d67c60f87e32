"""`python -m benchmarks.fidelity STOPLIST`: docs/fidelity.md, every number in it computed here and now.

Needs the Google News subset and Grep-BiasIR: `fairviz fetch google-news-subset`, `… fetch grep-biasir`; and the file of
Indri's English stop list, as the GSR paper's authors publish it beside their code.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks import authors_code
from fairviz.cli.record import stop_words_text
from fairviz.datasets import open_study
from fairviz.evaluation.choices import align
from fairviz.evaluation.gsr import gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import gsr
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.study import Study, add_runs, make_study
from fairviz.validity import (
    by_genderedness,
    compare_debiased,
    direct_stereotypes,
    parity_agreement,
    reliability,
    word_list_test,
)
from fairviz.validity.debiasing import DebiasedComparison
from fairviz.words.genderedness import GenderDirection, gender_direction, text_genderedness
from fairviz.words.stereotype_lists import WORD_LISTS
from fairviz.words.vectors import GLOVE, GOOGLE_NEWS, Embedding, load_embedding

TARGET = Path(__file__).parents[1] / "docs" / "fidelity.md"
TEMPLATE = Path(__file__).parent / "fidelity.md.txt"
RELEVANT = Settings(gsr_depth="relevant")  # the paper's depth: as many documents as are relevant
FEMALE_QUERIES = (
    "women in parliaments", "women clergy", "postmenopausal estrogen britain", "osteoporosis", "agoraphobia",
    "anorexia nervosa bulimia", "quilts income", "child labor", "in vitro fertilization",
)  # fmt: skip
MALE_WORDS = (
    "dismantling", "heroic", "evasion", "retirement", "term", "dangerous", "arsenal", "crime", "traps", "cigar", "rap",
)  # fmt: skip
PRINTED = {  # Table 2, relative GSR in per cent by word2vec and by fastText, from `perfect` to BM25
    "w2v": (0, 84, 62, 62, 77, 55, 54, 46, 35, 35, 6, 6, 6, 28, 25, 26, 4, 11, 11),
    "ftt": (0, 62, 53, 53, 64, 53, 53, 58, 44, 43, 4, 5, 5, 24, 21, 21, 12, 14, 14),
}
Row = tuple[str, str, str, str]  # what, printed, with Google News, with GloVe
Both = tuple[GenderDirection, GenderDirection]


def words(both: Both) -> list[Row]:
    """Sections 2.2, 3.2 and 4.2.1: single words, lists of words, one ranked list."""
    rows = [
        _row("2.2: variance explained by the direction", "60 %", both, lambda d: _percent(d.explained[0], 1)),
        _row("2.2: g(sister)", "0.31", both, lambda d: _number(d.of(["sister"])[0])),
        _row("2.2: g(brother)", "−0.22", both, lambda d: _number(d.of(["brother"])[0])),
        _row("3.2.3: g of the list for “electrician”", "−3.8e−3", both, lambda d: _science(_worked_example(d))),
    ]
    for lists in WORD_LISTS.values():
        printed = _science(lists.printed_p) if lists.printed_p else "0"
        rows.append(_row(f"Figure 1: p, {lists.title}", printed, both, lambda d, lists=lists: _p(d, lists)))
    rows += [
        _row("Figure 1: g(beauty)", "> 0", both, lambda d: _number(d.of(["beauty"])[0])),
        _row("Figure 7: “female” queries named in the text, with g > 0", "9 of 9", both, lambda d: _signs(d, 1)),
        _row("Figure 7: “male” words named in the text, with g < 0", "11 of 11", both, lambda d: _signs(d, -1)),
    ]
    return rows


def toys(both: Both) -> list[Row]:
    """Sections 3.4, 3.5 and 4.1: constructed systems."""
    rows = []
    for where, name, printed in (("Figure 4", "occupations", "1.61"), ("Figure 6", "traits", "0.16")):
        study = open_study(name)
        for system, told in (("S", printed), ("N", "0"), ("CS", f"−{printed}")):
            what = f"{where}: GSR of {system}, study `{name}`"
            rows.append(_row(what, told, both, lambda d, s=study, n=system: _slope(s, n, d)))
    rows.append(_row("Figure 5: r of GSR and share of stereotypical documents", "0.92", both, _parity))
    return rows


def collection(study: Study, both: Both) -> list[Row]:
    """Section 4.2 on a collection of ours: the paper's is Robust04, which is not free."""
    done = [_compared(study, direction) for direction in both]
    what = "Table 2: GSR of `perfect`"
    rows = [_compared_row(what, "0.085", done, lambda c: _number(_at(c, "perfect", "", "slope"), 3))]
    for ranker, printed in (("w2v_add", ("+84 %", "+62 %", "+62 %")), ("w2v_si", ("+77 %", "+55 %", "+54 %"))):
        for kind, told in zip(("none", "regular", "strong"), printed, strict=True):
            what = f"Table 2: GSR of {ranker} over `perfect`, debiasing {kind}"
            rows.append(_compared_row(what, told, done, lambda c, r=ranker, k=kind: _over(_at(c, r, k, "relative"))))
    slopes = [gsr(gsr_points(study, RELEVANT, direction=each)).set_index("system") for each in both]
    for name, told in (("bm25", "+11 %"), ("tfidf", "+11 %"), ("qlm", "+4 %")):
        pair = [_over(each["relative"][name]) for each in slopes]
        rows.append((f"Table 2: GSR of {name} over `perfect`", told, *pair))
    rows.append(("Figure 8: GSR of random, with its 95 % interval", "near 0", *(_interval(each) for each in slopes)))
    for ranker, told in (("w2v_add", "+2 %"), ("w2v_si", "+1 %")):
        what = f"Table 3: change of average precision by regular debiasing, {ranker}"
        rows.append(_compared_row(what, told, done, lambda c, r=ranker: _change(c, r)))
    rows.append(_compared_row("Figure 10: r of absolute g(q) and Kendall τ distance", "0.81", done, _figure_10))
    pair = [_figure_12(each.study, direction) for each, direction in zip(done, both, strict=True)]
    rows.append(("Figure 12: w2v_add shows more women, of queries with g ≤ 0 / > 0", "rising", *pair))
    return [*rows, *_reliability_rows(study, done[0], both)]


def _reliability_rows(study: Study, compared: DebiasedComparison, both: Both) -> list[Row]:
    """Over the study's own systems and those with Google News vectors, measured by both."""
    runs = compared.study.runs
    everything = add_runs(study, runs[~runs["system"].isin(study.systems)].astype({"system": "str"}))
    found = reliability(everything, RELEVANT, *both)
    queries, systems = len(found.queries.dropna()), len(found.systems.dropna())
    return [
        ("Figure 11: r of g(q) by two sets of vectors", "0.78", f"{_number(found.pearson)} ({queries} queries)", "〃"),
        ("Table 2: Spearman’s ρ of GSR by two sets", "0.96", f"{_number(found.spearman)} ({systems} systems)", "〃"),
    ]


def _row(what: str, printed: str, both: Both, value: Callable[[GenderDirection], str]) -> Row:
    return what, printed, value(both[0]), value(both[1])


def _compared_row(
    what: str, printed: str, done: Sequence[DebiasedComparison], value: Callable[[DebiasedComparison], str]
) -> Row:
    return what, printed, value(done[0]), value(done[1])


def _number(value: float, digits: int = 2) -> str:
    return f"{round(float(value), digits) + 0.0:.{digits}f}".replace("-", "−")


def _percent(share: float, digits: int = 0, sign: str = "") -> str:
    return f"{round(100 * float(share), digits) + 0.0:{sign}.{digits}f} %".replace("-", "−")


def _over(relative: float) -> str:
    return _percent(relative - 1, sign="+")


def _science(value: float) -> str:
    digits, _, power = f"{float(value):.1e}".partition("e")
    return f"{digits}e{int(power)}".replace("-", "−")


def _worked_example(direction: GenderDirection) -> float:
    documents = {"d1": "The man is an electrician.", "d2": "The woman is an electrician."}
    study = make_study(
        "example",
        queries=pd.DataFrame({"query_id": ["q"], "text": ["electrician"]}),
        documents=pd.DataFrame({"doc_id": [*documents], "text": [*documents.values()]}),
        runs=pd.DataFrame({"system": "s", "query_id": "q", "doc_id": [*documents], "rank": [1, 2], "score": [2, 1]}),
    )
    return float(gsr_points(study, Settings(), direction=direction)["list"][0])


def _p(direction: GenderDirection, lists) -> str:
    found = word_list_test(direction, lists)
    absent = ", ".join(found.missing) if len(found.missing) < 4 else f"{len(found.missing)} words"
    return _science(found.test.p) + (f" (without {absent})" if absent else "")


def _signs(direction: GenderDirection, sign: int) -> str:
    texts = FEMALE_QUERIES if sign > 0 else MALE_WORDS
    g = text_genderedness(direction, texts)["g"].dropna()
    return f"{int((np.sign(g) == sign).sum())} of {len(g)}"


def _slope(study: Study, system: str, direction: GenderDirection) -> str:
    table = gsr(gsr_points(study, RELEVANT, direction=direction)).set_index("system")
    return f"{_number(table['slope'][system])} ({table['queries'][system]} queries)"


def _parity(direction: GenderDirection) -> str:
    found = parity_agreement(direction)
    return f"{_number(found.r)} (all {found.solutions:,} solutions)"


def _compared(study: Study, direction: GenderDirection) -> DebiasedComparison:
    """w2v_add and w2v_si with these vectors, measured by these vectors."""
    return compare_debiased(study, RELEVANT, embedding=direction.embedding.name, direction=direction)


def _at(compared: DebiasedComparison, ranker: str, kind: str, column: str) -> float:
    rows = compared.systems[(compared.systems["ranker"] == ranker) & (compared.systems["debias"] == kind)]
    return float(rows[column].iloc[0])


def _change(compared: DebiasedComparison, ranker: str) -> str:
    before, after = (_at(compared, ranker, kind, "AP@100") for kind in ("none", "regular"))
    return _percent(after / before - 1, 1, "+")


def _figure_10(compared: DebiasedComparison) -> str:
    row = compared.correlations.set_index(["ranker", "debias"]).loc[("w2v_add", "regular")]
    return f"{_number(row['r'])} (centred: {_number(row['centred_r'])})"


def _interval(slopes: pd.DataFrame) -> str:
    row = slopes.loc["random"]
    return f"{_number(row['slope'])} [{_number(row['ci_low'])}, {_number(row['ci_high'])}]"


def _figure_12(study: Study, direction: GenderDirection) -> str:
    """Of the queries whose sign is defined, how many lists of w2v_add hold relatively more women than perfect's."""
    plain = next(name for name in study.systems if name.startswith("w2v_add") and "debias" not in name)
    settings = RELEVANT.changed(systems=(plain,))
    table = direct_stereotypes(study, settings, smoothing=1, places=align(study, RELEVANT), direction=direction)
    bins = by_genderedness(table, (-np.inf, 0, np.inf))
    return " / ".join(f"{_percent(row.female / max(row.queries, 1))}" for row in bins.itertuples())


def with_judged_runs(study: Study) -> Study:
    """The study with `perfect`, lexical runs and a random one, where it has none."""
    missing = [name for name in ("perfect", "bm25", "tfidf", "qlm", "random") if name not in study.systems]
    return add_runs(study, rank(study, parse_rankers(",".join(missing))).runs) if missing else study


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| | the paper | Google News subset | GloVe 6B 50d |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def document(google: Embedding, glove: Embedding, biased: Study, listed: str) -> str:
    """The whole of docs/fidelity.md; listed: Indri's stop words, as `Settings.stop_words` writes them."""
    both = (gender_direction(google), gender_direction(glove))
    newswire, judged = open_study("newswire"), with_judged_runs(biased)
    text = TEMPLATE.read_text(encoding="utf-8")
    parts = {
        "words": words(both),
        "toys": toys(both),
        "newswire": collection(newswire, both),
        "grep": collection(judged, both),
    }
    for name, rows in parts.items():
        text = text.replace(f"{{{name}}}", table(rows))
    text = text.replace("{code}", authors_code.table((judged, newswire), *both, listed))
    return text.replace("{spearman}", _number(_spearman_of_table_2()))


def _spearman_of_table_2() -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(PRINTED["w2v"], PRINTED["ftt"]).statistic)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Name the file of Indri's English stop list: python -m benchmarks.fidelity STOPLIST")
    listed = stop_words_text(sys.argv[1])
    page = document(load_embedding(GOOGLE_NEWS), load_embedding(GLOVE), open_study("grep-biasir"), listed)
    TARGET.write_text(page, encoding="utf-8")
    print(f"wrote {TARGET}")
