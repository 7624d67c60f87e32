"""The section of a report with means by a machine, by people, and corrected."""

from collections.abc import Sequence

from fairviz.evaluation.corrected import COLUMNS, corrected
from fairviz.evaluation.correction import correction
from fairviz.evaluation.sampling import is_linear
from fairviz.evaluation.settings import Settings
from fairviz.figures import corrected as figure
from fairviz.figures.style import DARK, LIGHT
from fairviz.measures import Question
from fairviz.output.report.page import Section, figure_html, number, paragraph, table
from fairviz.study.record import Study

MEANING = "λ: how far the machine is trusted, 0 to 1. Corrected: for {target}."


def correctable(questions: Sequence[Question], design: str) -> list[Question]:
    """Return the measures that labels of a sample can correct."""
    of_labels = [question for question in questions if question.family == "labels"]
    return [question for question in of_labels if design == "queries" or is_linear(question)]


def corrections_part(study: Study, settings: Settings, questions: Sequence[Question]) -> Section:
    """Return the figure and the table of `fairviz.corrected`, with the sample. Raises: see there."""
    problem = correction(study, (), settings)
    asked = correctable(questions, problem.sample.design)
    title = "Machine labels, corrected by people"
    lead = paragraph(f"{problem.text}.")
    if not asked:
        return Section(title, lead + paragraph("No measure of this report can be corrected by this sample."))
    rows = corrected(study, asked, settings)
    data = figure.info(rows, problem.settings.annotator, problem.people)
    height = figure.height_of(data)
    looks = {name: figure.draw(data, theme, height) for name, theme in (("light", LIGHT), ("dark", DARK))}
    cells = [
        (
            row["system"], row["measure"], float(row["machine"]), float(row["people"]),
            _span(row["people_low"], row["people_high"]), float(row["value"]), _span(row["ci_low"], row["ci_high"]),
            float(row["weight"]),
        )
        for row in rows[COLUMNS].to_dict("records")
    ]  # fmt: skip
    names = (problem.settings.annotator, problem.people, "corrected")
    heads = (
        "system",
        "measure",
        f"{names[0]} alone",
        f"{names[1]} alone",
        "95 % interval",
        names[2],
        "95 % interval",
        "λ",
    )
    meaning = paragraph(MEANING.format(target=problem.target), "quiet")
    reason = paragraph(f"No verdict on systems: {problem.no_tests}.", "quiet") if problem.no_tests else ""
    return Section(title, lead + figure_html("corrected", figure.TITLE, looks) + table(heads, cells) + meaning + reason)


def _span(low: float, high: float) -> str:
    return f"{number(float(low))} to {number(float(high))}"
