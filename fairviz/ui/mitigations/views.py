"""The views of the page: all mitigations side by side, and the encoders that were fine-tuned on the study."""

from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kit import pick
from fairviz.ui.mitigations import bench, mended

VIEW = "mitigations_view"
SIDE_BY_SIDE, FINE_TUNED = "Side by side", "Fine-tuned encoders"


def draw(study: Study, settings: Settings) -> None:
    """Draw the view selector and the selected view."""
    view = pick.segmented(VIEW, "View", (SIDE_BY_SIDE, FINE_TUNED))
    (mended.card if view == FINE_TUNED else bench.cards)(study, settings)
