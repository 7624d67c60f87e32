"""The records of the pages Studies and Status, which servers have; see `fairviz.ui.state.registry`."""

from fairviz.home.permissions import permissions
from fairviz.ui.state.registry import Page, PageChoice

MENU = "Server"


def _draw_studies() -> None:
    from fairviz.extensions.server.ui.studies import draw

    draw()


def _draw_status() -> None:
    from fairviz.extensions.server.ui.status import draw

    draw()


STUDIES = Page(
    name="studies",
    title="Studies",
    section=MENU,
    question="Which studies are here, and what may I do with them?",
    manual="how-to/server",
    draw=_draw_studies,
    offered=lambda: permissions().is_server,
)
STATUS = Page(
    name="status",
    title="Status",
    section=MENU,
    question="Is the server well, and who is on it?",
    manual="how-to/server",
    choices=(PageChoice("status_tab"),),
    draw=_draw_status,
    offered=lambda: permissions().is_server and not permissions().is_demo(),
)
