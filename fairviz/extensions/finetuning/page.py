"""The record of the page Fine-tuning; see `fairviz.ui.state.registry`."""

from fairviz.ui.state.registry import JobKind, Page, PageChoice


def _draw() -> None:
    from fairviz.extensions.finetuning.ui import card
    from fairviz.ui.shell import frame

    card(*frame.current())


FINETUNING = Page(
    name="finetuning",
    title="Fine-tuning",
    section="Rankers",
    question="Does training make an encoder put neither gender's wording first?",
    manual="how-to/mitigations",
    choices=(
        PageChoice("mended_adapter"),
        PageChoice("mended_strength", "1", "strength"),
        PageChoice("mended_seed", "0", "seed"),
        PageChoice("mended_minutes", "no limit", "minutes"),
    ),
    jobs={"mended": JobKind("Fine-tuning")},
    draw=_draw,
)
