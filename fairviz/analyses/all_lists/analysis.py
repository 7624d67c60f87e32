"""The record of the analysis `all-lists`; see `fairviz.analyses.record`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairviz.analyses.record import Analysis, Drawing, Progress, Table
from fairviz.parameters import Parameter

if TYPE_CHECKING:
    from fairviz.analyses.all_lists.answer import AllLists
    from fairviz.evaluation.settings import Settings
    from fairviz.figures.style import Theme
    from fairviz.study.record import Study

USUAL = "CWEx AbsExposureGap AWRF NFaiRR TExFAIR"
DETAILS = (
    "Without --system and --query: every sequence of labels, 3ⁿ lists of n ranks for two genders. A list is written by "
    "the first letters of its labels, as N F M. A gendered document holds more words of its group than τ and a neutral "
    "one none, so that measures of words and of labels see the same lists. With both: every order of the first n "
    "documents of this list, with the study's own labels, words and judgements; 2F 1N 3M has the second document "
    "first.",
    "Two measures order a pair of lists oppositely if one list is fairer by the first measure, and the other by the "
    "second. Pairs that a measure finds equal, or cannot order, are not counted. The table is ordered by the mean of "
    "the places.",
)


def _compute(
    study: "Study", settings: "Settings", progress: Progress, *, ranks: int, measures: str, system: str, query: str
) -> "AllLists":
    from fairviz.analyses.all_lists.answer import all_lists

    return all_lists(study, settings, measures, ranks, system, query)


def _sentences(found: "AllLists") -> Sequence[str]:
    return found.sentences


def _notes(found: "AllLists") -> Sequence[str]:
    return found.notes


def _shares(found: "AllLists", theme: "Theme") -> Drawing:
    from fairviz.figures import opposed

    shares = opposed.info(found.opposed, [question.text for question in found.questions])
    return Drawing(opposed.draw(shares, theme), shares.alt)


ALL_LISTS = Analysis(
    name="all-lists",
    title="All lists",
    question="Which lists do two measures order oppositely?",
    summary="every list of a few ranks, ordered by each measure, and where two measures disagree",
    compute=_compute,
    tables={
        "lists": Table(lambda found: found.table, "a row a list, with its value and its place by each measure"),
        "opposed": Table(
            lambda found: found.opposed,
            "a row for two measures: pairs of lists, those in opposite orders, and the most opposed pair",
        ),
        "pairs": Table(
            lambda found: found.pairs, "a row a pair of lists in opposite orders by two measures, most opposed first"
        ),
    },
    sentences=_sentences,
    parameters=(
        Parameter("ranks", 3, "the number of ranks of each list", low=1, high=5, whole=True),
        Parameter("measures", USUAL, "two measures or more, with blanks between them"),
        Parameter("system", "", "with a query: all orders of the top of this system's list"),
        Parameter("query", "", "the id of the list's query"),
    ),
    reads=(
        "alpha", "position_bias", "custom_bias", "tokenizer", "lexicon", "tau", "background", "ties", "annotator",
        "voters", "unlabelled",
    ),
    figures={"Where two measures disagree": _shares},
    notes=_notes,
    details=DETAILS,
    example="all-lists football --ranks 3",
    manual="tutorials/why-measures-disagree",
    quick=True,
)  # fmt: skip
