"""The record of the page Backpack; see `fairviz.ui.state.registry`."""

from fairviz.ui.state.registry import STUDY_OWNER, JobKind, Page, PageChoice


def _draw() -> None:
    from fairviz.extensions.backpack.ui import layout

    layout.draw()


BACKPACK = Page(
    name="backpack",
    title="Backpack",
    section="Rankers",
    question="What do a ranker's gender senses do, beyond a placebo?",
    manual="explanation/backpack",
    choices=(
        PageChoice("backpack_model", label="model"),
        PageChoice("backpack_weight", "0.5", "sense weight"),
        PageChoice("backpack_beside", "1", "beside weight"),
        PageChoice("backpack_seeds", True, "other seeds"),
        PageChoice("backpack_figure"),
        PageChoice("backpack_word", "nurse", "senses of"),
    ),
    jobs={
        "backpack": JobKind("Lists of Backpack models", STUDY_OWNER),
        "backpack training": JobKind("Training of a Backpack"),
    },
    draw=_draw,
)
