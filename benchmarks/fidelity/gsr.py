"""The GSR paper, sections 2 to 4.1: single words, lists of words and constructed systems."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from benchmarks.fidelity.rows import Row, absent, agrees, differs, judged, number, percent, science
from fairviz.analyses.gsr_validity.parity import parity_agreement, word_list_test
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.genderedness import GenderDirection, text_genderedness
from fairviz.words.stereotype_lists import WORD_LISTS

HEADS = ("the paper", "Google News subset", "GloVe 6B 50d")
RELEVANT = Settings(gsr_depth="relevant")  # the paper's depth: as many documents as are relevant
FEMALE_QUERIES = (
    "women in parliaments", "women clergy", "postmenopausal estrogen britain", "osteoporosis", "agoraphobia",
    "anorexia nervosa bulimia", "quilts income", "child labor", "in vitro fertilization",
)  # fmt: skip
MALE_WORDS = (
    "dismantling", "heroic", "evasion", "retirement", "term", "dangerous", "arsenal", "crime", "traps", "cigar", "rap",
)  # fmt: skip
LISTS_DIFFER = {
    "agency-communion-printed": "“corageous” has no vector anywhere, and *possessive* none in the subset",
    "agency-communion": "*possessive* has no vector in the subset",
    "science-arts": "three words have no vector in the subset, and the paper drew divisions at random",
    "career-family-printed": "the printed list has “cousin” for cousins",
    "career-family": "the paper drew divisions at random",
    "jobs": "a p is never 0, and eight words have no vector in the subset",
}
OCCUPATIONS_DIFFER = "the subset contains 12 of the 20 occupations"
TRAITS_DIFFER = "*courageous* replaces the paper's “corageous”, and *possessive* has no vector in the subset"
_OTHER = "other vectors than the paper's"
_LARGE = "fastText's Common Crawl vectors are gigabytes; any such file can be named with `--embedding`"
_TRAINED = "trained on Robust04, which needs a licence"
_UNPRINTED = "their numbers are not in the text"
Both = tuple[GenderDirection, GenderDirection]


def words(both: Both) -> list[Row]:
    """Sections 2.2, 3.2 and 4.2.1: single words, lists of words, one ranked list."""
    rows = [
        _row("2.2: variance explained by the direction", "60 %", both, lambda d: percent(d.explained[0], 1), _OTHER),
        _row("2.2: g(sister)", "0.31", both, lambda d: number(d.of(["sister"])[0]), _OTHER),
        _row("2.2: g(brother)", "−0.22", both, lambda d: number(d.of(["brother"])[0]), _OTHER),
        _row("3.2.3: g of the list for “electrician”", "−3.8e−3", both, lambda d: science(_worked_example(d)), _OTHER),
    ]
    for name, lists in WORD_LISTS.items():
        printed = science(lists.printed_p) if lists.printed_p else "0"
        what = f"Figure 1: p, {lists.title}"
        rows.append(_row(what, printed, both, lambda d, lists=lists: _p(d, lists), LISTS_DIFFER[name]))
    with_vector = "of those that have a vector"
    signs = [[_signs(direction, sign) for direction in both] for sign in (1, -1)]
    beauty = [number(direction.of(["beauty"])[0]) for direction in both]
    return [
        *rows,
        _signed("Figure 1: g(beauty)", "> 0", beauty, ""),
        _signed("Figure 7: “female” queries named in the text, with g > 0", "9 of 9", signs[0], with_vector),
        _signed("Figure 7: “male” words named in the text, with g < 0", "11 of 11", signs[1], with_vector),
    ]


def toys(both: Both) -> list[Row]:
    """Sections 3.4, 3.5 and 4.1: constructed systems."""
    rows = []
    for where, name, printed, why in (
        ("Figure 4", "occupations", "1.61", OCCUPATIONS_DIFFER),
        ("Figure 6", "traits", "0.16", TRAITS_DIFFER),
    ):
        study = open_study(name)
        for system, told in (("S", printed), ("N", "0"), ("CS", f"−{printed}")):
            what = f"{where}: GSR of {system}, study `{name}`"
            rows.append(_row(what, told, both, lambda d, s=study, n=system: _slope(s, n, d), why))
    what = "Figure 5: r of GSR and share of stereotypical documents"
    return [*rows, _row(what, "0.92", both, _parity, OCCUPATIONS_DIFFER)]


def missing() -> list[Row]:
    """What the paper has and nobody can compute from free data."""
    return [
        absent("Table 2, Figures 10 to 12: `ftt_add` by fastText's own vectors", "–", _LARGE, "–", "–"),
        absent("Tables 2 and 3: DRMM and MatchPyramid", "–", _TRAINED, "–", "–"),
        absent(
            "Table 3: effectiveness itself", "–", "the documents and judgements of Robust04 need a licence", "–", "–"
        ),
        absent("Figures 2, 7 and 9: their points", "–", _UNPRINTED, "–", "–"),
    ]


def _row(what: str, printed: str, both: Both, found: Callable[[GenderDirection], str], why: str) -> Row:
    return judged(what, printed, found(both[0]), why, found(both[1]))


def _signed(what: str, printed: str, found: list[str], but: str) -> Row:
    """A row on signs: `9 of 9`, or a number above 0."""
    right, _, asked = found[0].partition(" of ")
    if right == asked or (not asked and not right.startswith("−")):
        return agrees(what, printed, *found, but=but)
    return differs(what, printed, found[0], "a word is on the other side", *found[1:])


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
    gone = ", ".join(found.missing) if len(found.missing) < 4 else f"{len(found.missing)} words"
    return science(found.test.p) + (f" (without {gone})" if gone else "")


def _signs(direction: GenderDirection, sign: int) -> str:
    texts = FEMALE_QUERIES if sign > 0 else MALE_WORDS
    g = text_genderedness(direction, texts)["g"].dropna()
    return f"{int((np.sign(g) == sign).sum())} of {len(g)}"


def _slope(study: Study, system: str, direction: GenderDirection) -> str:
    table = gsr(gsr_points(study, RELEVANT, direction=direction)).set_index("system")
    return f"{number(table['slope'][system])} ({table['queries'][system]} queries)"


def _parity(direction: GenderDirection) -> str:
    found = parity_agreement(direction)
    return f"{number(found.r)} (all {found.solutions:,} solutions)"
