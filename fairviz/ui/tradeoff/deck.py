"""What the Trade-off page draws from: the answers to its questions, and the same of what is pinned."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from fairviz.comparison.family import untested
from fairviz.evaluation import questions
from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import SystemStyle, Theme
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, wide
from fairviz.ui.shell import legend
from fairviz.ui.state import pins

WIDE = "tradeoff_wide"
CARDS = ("scatter", "ternary", "curve", "bump")  # in their order on the page, row by row


@dataclass(frozen=True)
class Deck:
    """What every card draws from. hidden: how many systems of the study are not shown; wide: the card that is as wide
    as the page; then: the same of the pinned settings."""

    study: Study
    settings: Settings
    fairness: Asked
    effectiveness: Asked
    summary: pd.DataFrame
    styles: Mapping[str, SystemStyle]
    theme: Theme
    hidden: int = 0
    wide: str = ""
    then: "Deck | None" = None

    @property
    def questions(self) -> dict[str, Question]:
        """Effectiveness first, then the fairness measures, by name."""
        return {question.name: question for question in (*self.effectiveness.questions, *self.fairness.questions)}

    @property
    def asked(self) -> tuple[Question, ...]:
        """Fairness first, then effectiveness."""
        return (*self.fairness.questions, *self.effectiveness.questions)

    @property
    def texts(self) -> tuple[str, ...]:
        """The measures of the page as scores name them: one family of comparisons."""
        return (*self.fairness.texts, *self.effectiveness.texts)

    @property
    def labelled(self) -> bool:
        """Whether measures of labels can be computed."""
        return any(question.family == "labels" for question in self.fairness.questions)

    @property
    def untested(self) -> tuple[str, ...]:
        """Added systems that are drawn and that no statement counts."""
        return untested(self.study, self.settings)

    def told(self, alt: str) -> str:
        """A figure in a sentence, and how many systems are hidden."""
        hidden = legend.hidden_text(self.study, self.settings)
        return f"{alt} {hidden}." if hidden else alt

    def height(self, card: str, usual: int) -> int:
        """The height of the figure of this card in pixels."""
        return wide.HEIGHT if card == self.wide else usual

    def asked_then(self, *names: str) -> "Deck | None":
        """What is pinned, where all these measures were asked then."""
        return self.then if self.then and set(names) <= set(self.then.questions) else None


def deck(study: Study, settings: Settings, fairness: Asked, effectiveness: Asked) -> Deck:
    """The summary of all measures of the page, and the look of systems and page; the same of what is pinned."""
    held = pins.pinned(study, settings)
    then = _deck(study, held, questions.tradeoff(study, held), questions.effective(study, held)) if held else None
    made = _deck(study, settings, fairness, effectiveness)
    return replace(made, then=then, wide=wide.opened(WIDE, CARDS))


def _deck(study: Study, settings: Settings, fairness: Asked, effectiveness: Asked) -> Deck:
    summary = cache.summary(study, (*fairness.texts, *effectiveness.texts), settings)
    hidden = legend.hidden_count(study, settings)
    return Deck(study, settings, fairness, effectiveness, summary, charts.styles(study), charts.theme(), hidden)
