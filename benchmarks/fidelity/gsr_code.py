"""GSR by the paper's text and by its authors' public code: what differs, and by how much."""

from collections.abc import Sequence

from benchmarks.fidelity.rows import AGREES, DIFFERS, NOTHING, Row, absent, number, value
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.words.genderedness import GenderDirection

THEIRS = {  # their code on these studies' lists, as deep as relevant, with the Google News subset; their lemmas' tables
    "grep-biasir": {"perfect": "0.147", "bm25": "0.058", "tfidf": "0.094"},
    "newswire": {"perfect": "0.132", "bm25": NOTHING, "tfidf": NOTHING},
}
HEADS = (
    "their code", "the text", "lemmas alone", "weights alone", "stop words alone", "all three", "GloVe: the text",
    "GloVe: all three",
)  # fmt: skip
NEAR = 0.002  # what remains of their tool chain, below the table
_ALL_THREE = HEADS.index("all three")


def ways(listed: str) -> tuple[Settings, ...]:
    """The text, each of the three differences alone, and all three; listed: the authors' stop words."""
    text = Settings(gsr_depth="relevant")
    changes = ({"query_terms": "lemma"}, {"list_weights": "code"}, {"stop_words": listed})
    everything = text.changed(query_terms="lemma", list_weights="code", stop_words=listed)
    return text, *(text.changed(**change) for change in changes), everything


def rows(studies: Sequence[Study], google: GenderDirection, glove: GenderDirection, listed: str) -> list[Row]:
    """GSR of `perfect`, bm25 and tfidf in each way."""
    text, *_, everything = ways(listed)
    made = []
    for study in studies:
        theirs = THEIRS[study.name]
        found = [_slopes(study, way, google, tuple(theirs)) for way in ways(listed)]
        found += [_slopes(study, way, glove, tuple(theirs)) for way in (text, everything)]
        for place, (system, printed) in enumerate(theirs.items()):
            made.append(_row(f"{study.name}, {system}", (printed, *(each[place] for each in found))))
    return made


def _row(what: str, cells: tuple[str, ...]) -> Row:
    if cells[0] == NOTHING:
        return absent(what, cells[0], "their code was not run on this list", *cells[1:])
    remains = abs(value(cells[_ALL_THREE]) - value(cells[0]))
    verdict = f"{AGREES}, with all three" if remains <= NEAR else f"{DIFFERS}: see below the table"
    return Row(what, cells, verdict)


def _slopes(study: Study, way: Settings, direction: GenderDirection, systems: tuple[str, ...]) -> list[str]:
    points = gsr_points(study, way.changed(systems=systems), direction=direction)
    return [number(slope, 3) for slope in gsr(points)["slope"]]
