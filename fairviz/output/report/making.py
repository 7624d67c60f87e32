"""Building the report of a study from its settings and measures."""

from collections.abc import Iterable, Sequence

from fairviz.correction.corrected import correction, scores_under
from fairviz.errors import FairvizError, expect
from fairviz.evaluation import validation
from fairviz.evaluation.exports import today
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.output.capsule.packing import chosen_measures
from fairviz.output.report import parts
from fairviz.output.report.corrections import corrections_part
from fairviz.output.report.page import Section, page, paragraph
from fairviz.study.record import Study

A_SECTION = "Give Sections, as fairviz.output.report.Section makes."


def report(
    study: Study,
    measures: str | Sequence[str] = (),
    settings: Settings | None = None,
    *,
    sections: Iterable[Section] = (),
    date: str = "",
    **choices: object,
) -> str:
    """Return the page: study, choices, findings with intervals, tied scores, further sections, methods and citations.

    measures: by default those of the Overview page that the study has data for. sections: further sections, such as the
    sensitivity analysis, placed after the tied scores. date: printed as it is; by default today. Raises: see
    `fairviz.evaluate`; and FairvizError for a study with nothing to measure.
    """
    settings = validation.chosen_settings(study, settings, choices)
    expect("sections", sections, Iterable, A_SECTION)
    further_sections = list(sections)
    for section in further_sections:
        expect("sections", section, Section, A_SECTION)
    texts = validation.texts(measures)
    default = overview(study, settings)
    questions = chosen_measures(study, texts, settings)[0] if texts else list(default.questions)
    if not questions:
        reason = next((reason for _, reason in default.missing), "it has no runs.")
        raise FairvizError(
            f"{study.name} has nothing to report: {reason}", "A report needs runs, and labels, text or relevance."
        )
    no_tests = ""
    if settings.corrected_by:
        problem = correction(study, (), settings)
        settings, no_tests = problem.shown_settings, problem.no_tests
    lead = paragraph(study.title if study.title != study.name else "")
    lead += paragraph(f"A report of fairviz, {date or today()}.", "quiet")
    return page(
        f"Gender fairness of {study.name}",
        lead,
        [
            parts.study_part(study),
            parts.choices_part(study, settings),
            *([corrections_part(study, settings, questions)] if settings.corrected_by else []),
            *([] if no_tests else [_findings(study, settings, questions)]),
            parts.ties_part(study, settings, questions),
            *further_sections,
            parts.methods_part(questions),
            parts.citations_part(study, questions),
        ],
    )


def _findings(study: Study, settings: Settings, questions: Sequence[Question]) -> Section:
    """Return the findings: verdicts of corrected means where people correct them, and the figures of all queries."""
    return parts.findings_part(study, settings, scores_under(study, questions, settings), questions)
