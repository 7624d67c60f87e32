"""GSR by the paper's text and by its authors' public code: the chapter of docs/fidelity.md on what differs."""

from collections.abc import Sequence

from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.study.study import Study
from fairviz.words.genderedness import GenderDirection

THEIRS = {  # their code on these studies' lists, as deep as relevant, with the Google News subset; their lemmas' tables
    "grep-biasir": {"perfect": "0.147", "bm25": "0.058", "tfidf": "0.094"},
    "newswire": {"perfect": "0.132", "bm25": "–", "tfidf": "–"},
}
HEADS = (
    "", "their code", "the text", "lemmas alone", "weights alone", "stop words alone", "all three",
    "GloVe: the text", "GloVe: all three",
)  # fmt: skip


def ways(listed: str) -> tuple[Settings, ...]:
    """The text, each of the three differences alone, and all three; listed: the authors' stop words."""
    text = Settings(gsr_depth="relevant")
    changes = ({"query_terms": "lemma"}, {"list_weights": "code"}, {"stop_words": listed})
    everything = text.changed(query_terms="lemma", list_weights="code", stop_words=listed)
    return text, *(text.changed(**change) for change in changes), everything


def table(studies: Sequence[Study], google: GenderDirection, glove: GenderDirection, listed: str) -> str:
    """GSR of `perfect`, bm25 and tfidf in each way, as a Markdown table."""
    text, *_, everything = ways(listed)
    lines = [f"| {' | '.join(HEADS)} |", "|---" * len(HEADS) + "|"]
    for study in studies:
        theirs = THEIRS[study.name]
        found = [_slopes(study, way, google, tuple(theirs)) for way in ways(listed)]
        found += [_slopes(study, way, glove, tuple(theirs)) for way in (text, everything)]
        for place, (system, printed) in enumerate(theirs.items()):
            lines.append(f"| {study.name}, {system} | {printed} | {' | '.join(each[place] for each in found)} |")
    return "\n".join(lines)


def _slopes(study: Study, way: Settings, direction: GenderDirection, systems: tuple[str, ...]) -> list[str]:
    points = gsr_points(study, way.changed(systems=systems), direction=direction)
    return [f"{slope + 0.0:.3f}".replace("-", "−") for slope in gsr(points, resamples=1)["slope"].round(3)]
