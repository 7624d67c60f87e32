"""The measures of a bench: those that a study can feed, and the reasons why it lacks others."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from fairviz.analyses.mitigations.wording import NAME, QUESTION, has_wordings
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Question
from fairviz.measures.front_distance import DPFR
from fairviz.study.record import Study

USUAL = ("CWEx", "AbsExposureGap", "NFaiRR", "TExFAIR", NAME)


def measures_of(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the names of the fairness measures with a direction whose inputs the study has."""
    questions = {
        name: ask(name, settings) for name, one in MEASURES.items() if one.direction != "none" and one.per_query
    }
    study_with_run = _with_some_run(study)
    names = tuple(name for name, question in questions.items() if not missing_part(study_with_run, question, settings))
    return (*names, NAME) if has_wordings(study) else names


def _with_some_run(study: Study) -> Study:
    """The study as if it had a run: a bench makes its own."""
    if study.has("runs") or not study.has("queries") or not study.has("documents"):
        return study
    first = pd.DataFrame({"system": ["bench"], "query_id": study.queries["query_id"].iloc[:1].tolist(),
                          "doc_id": study.documents["doc_id"].iloc[:1].tolist(), "rank": 1, "score": 1.0})  # fmt: skip
    return replace(study, runs=first.astype(dict.fromkeys(("system", "query_id", "doc_id"), "category")))


def questions_of(study: Study, names: Sequence[str], settings: Settings) -> tuple[tuple[Question, ...], list[str]]:
    """The measures, effectiveness last, and a line for what the study lacks. Raises UsageError for one that takes no
    side, and FairvizError where no measure is left."""
    measure_names = measures_of(study, settings)
    requested = list(names) or [name for name in USUAL if name in measure_names]
    effective = ask(settings.effectiveness, settings).text
    questions: dict[str, Question] = {}
    notes: list[str] = []
    for text in (*requested, effective):
        question = QUESTION if text == NAME else ask(text, settings)
        _refuse_sideless(question)
        lacking = _lacking(study, question, settings)
        if lacking and text in names:
            raise FairvizError(f"{question.text} cannot be computed for {study.name}: {lacking}")
        if lacking:
            notes.append(f"{question.text}: {lacking}")
        else:
            questions[question.text] = question
    if not questions:
        raise FairvizError(f"no measure can be computed for {study.name}", "\n".join(notes))
    return tuple(questions.values()), notes


def _lacking(study: Study, question: Question, settings: Settings) -> str:
    if question.name == DPFR.name:
        parts = (_lacking(study, question.parameters[part], settings) for part in ("effectiveness", "fairness"))
        return next(filter(None, parts), "")
    if question.name == NAME:
        return "" if has_wordings(study) else "it has no documents in three wordings, as Grep-BiasIR has them."
    return missing_part(_with_some_run(study), question, settings)


def _refuse_sideless(question: Question) -> None:
    if question.direction == "none" or (question.measure is not None and not question.measure.per_query):
        raise UsageError(
            f"{question.text} does not measure which of two lists of a query is fairer",
            "Use a measure that does, such as CWEx, NFaiRR or AbsExposureGap.",
        )
