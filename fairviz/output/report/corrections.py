"""The section of a report with means by a machine, by people, and corrected."""

from collections.abc import Sequence

from fairviz.analyses.label_effects.correction import corrections
from fairviz.evaluation.settings import Settings
from fairviz.figures import corrected as figure
from fairviz.figures.style import DARK, LIGHT
from fairviz.measures import Question
from fairviz.output.report.page import Section, figure_html, number, paragraph, table
from fairviz.study.record import Study

INTERVAL = "95 % interval"
MEANING = "λ: how far the machine is trusted, 0 to 1. Corrected: for {target}."


def corrections_part(study: Study, settings: Settings, questions: Sequence[Question]) -> Section:
    """Return the figure and the table of `fairviz.corrected`, with the sample. Raises: see there."""
    corrected_means = corrections(study, settings, questions)
    title, rows = "Machine labels, corrected by people", corrected_means.table
    lead = paragraph(f"{corrected_means.text}.")
    if rows.empty:
        return Section(title, lead + paragraph("No measure of this report can be corrected by this sample."))
    data = figure.info(rows, corrected_means.machine, corrected_means.people)
    height = figure.height_of(data)
    looks = {name: figure.draw(data, theme, height) for name, theme in (("light", LIGHT), ("dark", DARK))}
    cells = [
        (
            row["system"], row["measure"], float(row["machine"]), float(row["people"]),
            _span(row["people_low"], row["people_high"]), float(row["value"]), _span(row["ci_low"], row["ci_high"]),
            float(row["weight"]),
        )
        for row in rows.to_dict("records")
    ]  # fmt: skip
    names = (corrected_means.machine, corrected_means.people, "corrected")
    heads = ("system", "measure", f"{names[0]} alone", f"{names[1]} alone", INTERVAL, names[2], INTERVAL, "λ")
    meaning = paragraph(MEANING.format(target=corrected_means.target), "quiet")
    reason = (
        paragraph(f"No verdict on systems: {corrected_means.no_tests}.", "quiet") if corrected_means.no_tests else ""
    )
    return Section(title, lead + figure_html("corrected", figure.TITLE, looks) + table(heads, cells) + meaning + reason)


def _span(low: float, high: float) -> str:
    return f"{number(float(low))} to {number(float(high))}"
