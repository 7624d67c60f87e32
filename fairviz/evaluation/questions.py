"""Which measures the pages ask for, in the measure grammar, under the current settings."""

from collections.abc import Sequence
from typing import NamedTuple

from fairviz.evaluation.asking import ask
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.words.sentences import shortest

MAIN = ("CWEx", "NFaiRR", "TExFAIR")


class Asked(NamedTuple):
    """The questions that a study can feed, and for each other measure the sentence that says what is missing."""

    questions: tuple[Question, ...]
    missing: tuple[tuple[str, str], ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The canonical texts, as the column `measure` holds them."""
        return tuple(question.text for question in self.questions)


def fairness_texts(settings: Settings) -> tuple[str, ...]:
    """The three measures that the trade-off is about."""
    k = settings.cutoff
    return (f"CWEx(alpha={shortest(settings.alpha)})@{k}", f"NFaiRR(tau={settings.tau})@{k}", f"TExFAIR@{k}")


def tradeoff(study: Study, settings: Settings) -> Asked:
    """The three measures; where the study can feed fewer than two, others that it can, so that two can be compared."""
    main = asked(study, settings, fairness_texts(settings))
    if len(main.questions) != 1:
        return main
    spare = asked(study, settings, [f"{name}@{settings.cutoff}" for name in ("AWRF", "AbsExposureGap")])
    return Asked((*main.questions, *spare.questions), main.missing)


def effective(study: Study, settings: Settings) -> Asked:
    """The measure of effectiveness, where the study can feed it."""
    return asked(study, settings, (effectiveness_text(settings),))


def effectiveness_text(settings: Settings) -> str:
    """The measure that fairness is set against."""
    return f"{settings.effectiveness}@{settings.cutoff}"


def overview_texts(settings: Settings) -> tuple[str, ...]:
    """The columns of the Overview."""
    k = settings.cutoff
    others = tuple(f"{name}@{k}" for name in ("ExposureGap", "AWRF", "RaB", "ARaB"))
    return (*fairness_texts(settings), *others, effectiveness_text(settings))


def headline(asked: Asked) -> tuple[Question, ...]:
    """Of the Overview's columns those that its sentence is about: the three of the trade-off, or else the first two of
    fairness, and effectiveness."""
    fair = [question for question in asked.questions if question.family != "effectiveness"]
    main = [question for question in fair if question.name in MAIN]
    effective = [question for question in asked.questions if question.family == "effectiveness"]
    return (*(main or fair[:2]), *effective)


def asked(study: Study, settings: Settings, texts: Sequence[str]) -> Asked:
    """The texts parsed, those that the study cannot feed set apart."""
    parsed = [ask(text, settings) for text in texts]
    missing = {question.text: missing_part(study, question, settings) for question in parsed}
    return Asked(
        tuple(question for question in parsed if not missing[question.text]),
        tuple((question.name, missing[question.text]) for question in parsed if missing[question.text]),
    )
