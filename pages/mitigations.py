"""What does each mitigation do to fairness and to effectiveness?"""

from fairviz.ui.kit import pick
from fairviz.ui.mitigations import bench, mended
from fairviz.ui.shell import frame

SIDE_BY_SIDE, FINE_TUNED = "Side by side", "Fine-tuned encoders"

study, settings = frame.current()
view = pick.segmented("mitigations_view", "View", (SIDE_BY_SIDE, FINE_TUNED))
(mended.card if view == FINE_TUNED else bench.cards)(study, settings)
