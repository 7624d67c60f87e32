"""The cache of the pages Two systems and Measures."""

from collections.abc import Sequence

from fairviz.comparison import atlas as atlases
from fairviz.comparison.compare import Comparison, compared_as, slices_of
from fairviz.comparison.family import How, how_on_pages, untested
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.entries import Entries, kept

Margins = tuple[tuple[str, float], ...]
_ENTRIES = Entries("compared", session=50)


def comparison(
    study: Study,
    measures: Sequence[str],
    settings: Settings,
    baseline: str = "",
    column: str = "",
    margins: Margins = (),
    power: float | None = None,
) -> Comparison:
    """All pairs of the systems shown, seen from the baseline, apart by a column of the queries, with margins by measure
    (an empty name for all others) and power where they are given."""
    texts = tuple(ask(text, settings).text for text in measures)
    return _comparison(study, settings, texts, baseline, how_on_pages(study, settings), column, margins, power)


@kept(_ENTRIES, reads=tables.SCORES)
def _comparison(
    study: Study,
    settings: Settings,
    texts: tuple[str, ...],
    baseline: str,
    how: How,
    column: str,
    margins: Margins,
    power: float | None,
) -> Comparison:
    scores = tables.scores(study, (*texts, *how.beside(texts)), settings)
    slices = slices_of(study, column) if column else None
    return compared_as(scores, how, baseline, slices=slices, margin=dict(margins) or None, power=power, requested=texts)


def atlas(study: Study, measures: Sequence[str], settings: Settings) -> atlases.Atlas:
    """Measures against measures, over the systems and queries shown."""
    return _atlas(study, settings, tuple(measures), untested(study, settings))


@kept(_ENTRIES, reads=tables.SCORES)
def _atlas(study: Study, settings: Settings, measures: tuple[str, ...], outside: tuple[str, ...]) -> atlases.Atlas:
    return atlases.atlas_of(tables.scores(study, measures, settings), outside=outside)
