"""The record of the analysis `never-shown`; see `fairviz.analyses.record`."""

from typing import TYPE_CHECKING

from fairviz.analyses.never_shown import NOUNS
from fairviz.analyses.record import Analysis, Drawing, Progress, Table
from fairviz.parameters import Parameter

if TYPE_CHECKING:
    from fairviz.analyses.never_shown.answer import NeverShown
    from fairviz.evaluation.settings import Settings
    from fairviz.figures.style import Theme
    from fairviz.study.record import Study

DETAILS = (
    "A document is never shown by a system if it appears in none of its lists within k, over all queries that the "
    "filter keeps. --documents relevant: those with a relevance above 0 for one of these queries; candidates: those "
    "that any system retrieved; all: also every other document of the study.",
    "Documents of a query are one cluster; one of several queries counts in each by the same part. The interval of a "
    "share is Clopper and Pearson's with the effective number of documents (Korn and Graubard, 1998). That of a "
    "difference of two groups combines their intervals and correlation over queries (Zou and Donner, 2008). No "
    "interval is corrected for the number of systems.",
    "Exposure of a document is the position bias at its ranks within k, summed over queries. gini: of exposure over "
    "the documents of the group, 0 if it is equal for all, near 1 if few have all of it.",
)


def _compute(study: "Study", settings: "Settings", progress: Progress, *, documents: str) -> "NeverShown":
    from fairviz.analyses.never_shown.answer import never_shown

    progress("reading lists", 0, 1)
    answer = never_shown(study, settings, documents)
    progress("reading lists", 1, 1)
    return answer


def _shares(answer: "NeverShown", theme: "Theme") -> Drawing:
    from fairviz.figures import crbo

    columns = ["system", "group", "share", "ci_low", "ci_high"]
    title = f"Never shown within {answer.pool.cutoff}"
    axis = f"share of {NOUNS[answer.documents]}, 95 % interval"
    overlaps = crbo.info(
        answer.shares, title, axis, answer.groups, columns, genders=True, nothing="No document has a label."
    )
    return Drawing(crbo.draw(overlaps, theme), overlaps.alt)


def _lorenz(answer: "NeverShown", theme: "Theme") -> Drawing:
    from fairviz.figures import lorenz

    curves = lorenz.info(answer.curves, answer.ginis)
    return Drawing(lorenz.draw(curves, theme), curves.alt)


NEVER_SHOWN = Analysis(
    name="never-shown",
    title="Never shown",
    question="Which documents appear in no list?",
    summary="count documents that appear in no list within k, by group",
    compute=_compute,
    tables={
        "shares": Table(lambda answer: answer.shares, "the share of never shown documents by system and group"),
        "differences": Table(lambda answer: answer.differences, "differences of these shares between groups"),
        "documents": Table(
            lambda answer: answer.rows_of_documents,
            "the never shown documents by group, with their best rank beyond k",
            opens="document",
        ),
        "lorenz": Table(
            lambda answer: answer.curves, "Lorenz curves: cumulative shares of documents and of their exposure"
        ),
    },
    sentences=lambda answer: answer.sentences,
    parameters=(
        Parameter("documents", "relevant", "relevant ones, candidates of any system, or all", choices=tuple(NOUNS)),
    ),
    needs={"runs": "", "labels": "to group documents by"},
    reads=(
        "systems", "cutoff", "position_bias", "custom_bias", "ties", "annotator", "voters", "unlabelled",
        "filter_column", "filter_values",
    ),
    figures={"Share of documents never shown": _shares, "Concentration of exposure": _lorenz},
    notes=lambda answer: answer.notes,
    details=DETAILS,
    manual="explanation/chance",
    quick=True,
)  # fmt: skip
