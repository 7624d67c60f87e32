"""The record of the page TREC Fair Ranking, a view of the page Audit; see `fairviz.ui.state.registry`."""

from fairviz.extensions.tracks.declared import COLUMN
from fairviz.study.record import Study
from fairviz.ui.state.registry import Page, PageChoice


def _fits(study: Study) -> bool:
    return COLUMN in study.documents.columns and study.has("runs")


def _draw() -> None:
    from fairviz.extensions.tracks.ui import card, other_files
    from fairviz.ui.shell import frame

    study = frame.current().study
    if _fits(study):
        card(study)
    else:
        other_files(study)


TRACK = Page(
    name="audit_track",
    title="TREC Fair Ranking",
    section="Rankers",
    question="How does the TREC Fair Ranking track score these runs?",
    manual="how-to/audits",
    choices=(
        PageChoice("audit_track_unknown", "group", "unknown"),
        PageChoice("audit_track_targets", label="targets"),
        PageChoice("audit_track_several", "split", "several"),
        PageChoice("audit_track_depth", "500", "depth"),
    ),
    part_of="audit",
    fits=_fits,
    draw=_draw,
)
