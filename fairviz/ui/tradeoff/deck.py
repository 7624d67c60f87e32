"""The data of the Trade-off page: scores of its measures, now and under the pinned settings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

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
CARDS = ("scatter", "ternary")  # side by side


@dataclass(frozen=True)
class Deck:
    """The data of the cards. hidden: number of systems of the study that are not shown. wide: the card that is as wide
    as the page. then: the data under the pinned settings."""

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

    @cached_property
    def axes(self) -> dict[str, Question]:
        """The measures of the scatter plot by name: those of the page, then every other one with a direction that can
        be computed."""
        names = questions.offered_columns(self.study, self.settings)
        others = questions.split_by_data(self.study, self.settings, names).questions
        directed = (question for question in others if question.direction != "none")
        own = {question.name: question for question in self.asked}
        return own | {question.name: question for question in directed if question.name not in own}

    @property
    def asked(self) -> tuple[Question, ...]:
        """Fairness first, then effectiveness."""
        return (*self.fairness.questions, *self.effectiveness.questions)

    @property
    def texts(self) -> tuple[str, ...]:
        """Measures of the page as scores name them: one family of comparisons."""
        return (*self.fairness.texts, *self.effectiveness.texts)

    @property
    def labelled(self) -> bool:
        """True if measures of labels can be computed."""
        return any(question.family == "labels" for question in self.fairness.questions)

    @property
    def untested(self) -> tuple[str, ...]:
        """Added systems that are drawn but not tested."""
        return untested(self.study, self.settings)

    def alt_text(self, alt: str) -> str:
        """Return the alt text with the number of hidden systems."""
        hidden = legend.hidden_text(self.study, self.settings)
        return f"{alt} {hidden}." if hidden else alt

    def height(self, card: str, usual: int) -> int:
        """Return the height of the figure of this card in pixels."""
        return wide.HEIGHT if card == self.wide else usual

    def means(self, x: str, y: str) -> pd.DataFrame:
        """Return the summary of the measures on two axes, of those that can be computed."""
        texts = [question.text for name, question in self.axes.items() if name in (x, y)]
        return cache.summary(self.study, texts, self.settings)


def deck(study: Study, settings: Settings, fairness: Asked, effectiveness: Asked) -> Deck:
    """Return the data of the page, now and under the pinned settings."""
    past = pins.pinned(study, settings)
    then = _deck(study, past, questions.tradeoff(study, past), questions.effective(study, past)) if past else None
    current = _deck(study, settings, fairness, effectiveness)
    return replace(current, then=then, wide=wide.opened(WIDE, CARDS))


def _deck(study: Study, settings: Settings, fairness: Asked, effectiveness: Asked) -> Deck:
    summary = cache.summary(study, (*fairness.texts, *effectiveness.texts), settings)
    hidden = legend.hidden_count(study, settings)
    return Deck(study, settings, fairness, effectiveness, summary, charts.styles(study), charts.theme(), hidden)
