"""The report of a study: one self-contained HTML page for a paper's appendix or a class, and its findings in a
notebook.

May import what output may.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import isnan
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from markupsafe import Markup

from fairviz.analyses import ANALYSES
from fairviz.analyses.label_effects.correction import corrections
from fairviz.analyses.running import analyse
from fairviz.analyses.views import FigureView, TextView, View
from fairviz.annotation.voters import votes_of
from fairviz.checks.claim import Verdict, verdict
from fairviz.checks.context import Context
from fairviz.checks.running import Outcome, outcomes
from fairviz.comparison import finding, ranking_sentences
from fairviz.comparison.compare import Comparison, compared_as
from fairviz.comparison.family import how_of
from fairviz.comparison.system_table import marked_text, marks
from fairviz.correction.corrected import correction, scores_under
from fairviz.errors import FairvizError, expect
from fairviz.evaluation.choices import Resolved, chosen_annotator, near_miss_note
from fairviz.evaluation.exports import today
from fairviz.evaluation.formats import one_line
from fairviz.evaluation.questions import MAIN, chosen_settings, overview, questions_of, texts_of
from fairviz.evaluation.scores import summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import disagreement_text, labels_note, missing_lines, nothing_ranked, speakers
from fairviz.figures import corrected as figure
from fairviz.figures.style import DARK, LIGHT
from fairviz.measures import Measure, Question
from fairviz.orders.ties import EXACT, ties
from fairviz.output.capsule import chosen_measures, drawings, recorded_settings, title_of, versions
from fairviz.output.html import (
    Drawing,
    Section,
    definitions,
    number,
    page,
    paragraph,
    rendered,
    sentence,
    table,
)  # fmt: skip
from fairviz.plot.drawing import theme
from fairviz.study.record import Study
from fairviz.words.sentences import Sentence, Span, agreeing, plain

__all__ = ["Exploration", "Section", "explore", "report"]

INTERVALS = f"Means over queries with 95 % intervals (Student's t). {ranking_sentences.NOT_FOR}"
TIES_SAID = (
    "A run does not order documents of equal score. Below: the smallest and the largest mean over all their orders, "
    "where they reach the cutoff. “At most” and “at least” mark ends found by a seeded search, with a bound where "
    "one is known."
)
NO_FINDINGS = "No check finds what would change a conclusion."
NO_TIES = "The order of documents with equal scores changes no value."
PROGRAM = "fairviz: gender fairness in ranked search results"
LONGEST = 200  # characters printed of one setting
INTERVAL = "95 % interval"
MEANING = "λ: how far the machine is trusted, 0 to 1. Corrected: for {target}."
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
    """Return the page: study, choices, findings with intervals, tied scores, further sections, quick analyses, methods
    and citations.

    measures: by default those of the Overview page that the study has data for. sections: further sections, such as the
    sensitivity analysis, placed after the tied scores. date: printed as it is; by default today. Raises: see
    `fairviz.evaluate`; and FairvizError for a study with nothing to measure.
    """
    settings = chosen_settings(study, settings, choices)
    expect("sections", sections, Iterable, A_SECTION)
    further_sections = list(sections)
    for section in further_sections:
        expect("sections", section, Section, A_SECTION)
    texts = texts_of(measures)
    default = overview(study, settings)
    questions = chosen_measures(study, texts, settings)[0] if texts else default.questions
    if not questions:
        reason = next((reason for _, reason in default.missing), "it has no runs.")
        raise FairvizError(
            f"{study.name} has nothing to report: {reason}", "A report needs runs, and labels, text or relevance."
        )
    no_tests = ""
    answers = []
    if settings.corrected_by:
        problem = correction(study, (), settings)
        settings, no_tests = problem.shown_settings, problem.no_tests
        answers.append(_corrections_part(study, settings, questions))
    if not no_tests:
        answers.append(_findings(study, settings, questions).section)
    asked = tuple(question.text for question in questions)
    lead = paragraph(study.title if study.title != study.name else "")
    lead += paragraph(f"A report of fairviz, {date or today()}.", "quiet")
    return page(
        f"Gender fairness of {study.name}",
        lead,
        [
            _study_part(study),
            _choices_part(study, settings),
            _checks_part(outcomes(Context(study, settings, measures=asked)), verdict(study)),
            *answers,
            _ties_part(study, settings, questions),
            *further_sections,
            *_quick_parts(study, settings),
            _methods_part(questions),
            _citations_part(study, questions),
        ],
    )


@dataclass(frozen=True, eq=False)
class Exploration:
    """The sections of a report on a study and its findings: drawn by a notebook as its last expression, by a terminal
    as text.

    table: a row for each system and measure, see `fairviz.summarise`; empty if nothing can be compared. text: the
    sections as a terminal shows them. dark: whether figures have the colours of a dark page.
    """

    title: str
    sections: Sequence[Section]
    table: pd.DataFrame
    text: str
    dark: bool = False

    @property
    def figures(self) -> dict[str, go.Figure]:
        """The figures by name, such as `tradeoff`."""
        parts = (part for section in self.sections for part in section.parts)
        return {part.name: part.draw(self.dark) for part in parts if isinstance(part, Drawing)}

    def html(self) -> str:
        """Return the whole page of HTML with its figures in light and dark, which loads nothing: 5 MB with figures."""
        return page(self.title, "", self.sections)

    def __str__(self) -> str:
        """Return the text: counts, what is missing, findings, and the table of means."""
        return self.text

    __repr__ = __str__

    def _blocks(self) -> list[str | Drawing]:
        """Return what a notebook shows in its order: fragments of HTML without a script, and drawings."""
        blocks: list[str | Drawing] = []
        body = str(Markup("<h3>{}</h3>").format(self.title))
        for section in self.sections:
            body += str(Markup("<h4>{}</h4>").format(section.title))
            for part in section.parts:
                if isinstance(part, str):
                    body += part
                    continue
                blocks += [body] if body else []
                blocks.append(part)
                body = ""
        blocks += [body] if body else []
        return [
            rendered("explore.html", body=Markup(block), title=self.title) if isinstance(block, str) else block
            for block in blocks
        ]

    def _repr_html_(self) -> str:
        """Return the sections as HTML without their figures, which need a script."""
        return "".join(block for block in self._blocks() if isinstance(block, str))

    def _ipython_display_(self) -> None:
        """Show the sections in a notebook, their figures by the notebook's own renderer of Plotly. In IPython's
        terminal, which has no HTML, show the text alone: Plotly would open a browser."""
        from IPython import get_ipython
        from IPython.display import display

        shell = get_ipython()
        is_terminal = shell is not None and "text/html" not in shell.display_formatter.active_types
        blocks: Sequence[Any] = [self._repr_html_()] if is_terminal else self._blocks()
        for place, block in enumerate(blocks):
            if isinstance(block, str):
                display({"text/html": block, "text/plain": "" if place else self.text}, raw=True)
            else:
                display(block.draw(self.dark))


def explore(
    study: Study,
    measures: str | Sequence[str] = (),
    settings: Settings | None = None,
    *,
    dark: bool = False,
    **choices: object,
) -> Exploration:
    """Return the report's sections on the study, what it lacks, and its findings, for a notebook or a terminal.

    Parameters
    ----------
    study : Study
        What it lacks is a line with its remedy.
    measures : str or sequence of str
        By default those of the page Overview that the study has data for.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    dark : bool
        Whether figures have the colours of a dark page.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Exploration
        Text in a console, sections with their figures in a notebook; with the attributes table and figures.

    Raises
    ------
    FairvizError
        For an unknown measure or system.

    Examples
    --------
    >>> import fairviz
    >>> overview = fairviz.explore(fairviz.open_study("football"), "CWEx@4")
    >>> overview.table[["system", "measure"]].to_numpy().tolist()
    [['left', 'CWEx(alpha=0.5)@4'], ['right', 'CWEx(alpha=0.5)@4']]
    """
    chosen = chosen_settings(study, settings, choices).changed(study=study.name)
    theme(dark)
    if texts := texts_of(measures):
        questions_of(texts, chosen)
        chosen = chosen.changed(columns=tuple(dict.fromkeys(texts)))
    request = overview(study, chosen)
    lacking = missing_lines(request.missing) if study.systems else [" ".join(nothing_ranked(study))]
    about = _study_part(study)
    sections = [Section(about.title, about.html + "".join(map(paragraph, lacking)))]
    title = one_line(study.title or study.name)
    paragraphs = [f"{title}\n{_counts(study)}", "\n".join(lacking)]
    no_tests, found = "", None
    if request.questions and chosen.corrected_by:
        problem = correction(study, (), chosen)
        chosen, no_tests = problem.shown_settings, problem.no_tests
        sections.append(_corrections_part(study, chosen, request.questions))
    checked, declared = outcomes(Context(study, chosen)), verdict(study)
    sections.insert(1, _checks_part(checked, declared))
    if request.questions and not no_tests:
        found = _findings(study, chosen, request.questions)
        sections.append(found.section)
    paragraphs.append(declared.text if declared else "")
    paragraphs.append("\n".join(f"{one.state} {one.check.code}: {one.text}" for one in checked if one.finding))
    if found:
        rows = [
            [name, *(f"{value} ({span})" if span else value for value, span in cells)] for name, *cells in found.rows
        ]
        means = pd.DataFrame(rows, columns=list(found.heads)).map(one_line).set_index("system").rename_axis(None)
        paragraphs += ["\n".join(map(plain, found.sentences)), means.to_string(line_width=120)]
        paragraphs.append("\n".join(found.notes))
    text = "\n".join(one_line(line) for line in "\n\n".join(filter(None, paragraphs)).split("\n"))
    return Exploration(title, sections, found.summary if found else pd.DataFrame(), text, dark)


@dataclass(frozen=True, eq=False)
class Findings:
    """Findings on the systems' means. heads, rows: a row per system, and a pair per measure of its marked mean and its
    interval; notes: on labels, marks and undefined values."""

    summary: pd.DataFrame
    sentences: Sequence[Sentence]
    heads: Sequence[str]
    rows: Sequence[Sequence[Any]]
    largest: str
    notes: Sequence[str]
    drawings: Sequence[Drawing]

    @property
    def section(self) -> Section:
        """The section: findings, the means with their intervals, notes, and figures."""
        lead, *notes = (paragraph(note, "quiet") for note in self.notes)
        means = table(self.heads, self.rows) + paragraph(self.largest, "quiet")
        text = "".join(map(sentence, self.sentences)) + lead + means + "".join(notes)
        body: list[str | Drawing] = [text, *self.drawings]
        return Section("Findings", body)


def _findings(study: Study, settings: Settings, questions: Sequence[Question]) -> Findings:
    """Return the verdicts, of corrected means where people correct them, and the figures of all queries."""
    scores = scores_under(study, questions, settings)
    summary = summarise(scores)
    result = compared_as(scores, how_of(study, settings))
    fair = [question for question in questions if question.family != "effectiveness"]
    main = [question for question in fair if question.name in MAIN] or fair[:2]
    effective = [question for question in questions if question.family == "effectiveness"][:1]
    label_note = labels_note(study, settings, scores)
    of_result = (ranking_sentences.stars_note, ranking_sentences.outside_note, ranking_sentences.warned_note)
    notes = [
        Resolved(study, settings).notes_on(questions),
        near_miss_note(study, scores),
        *(note_of(result) for note_of in of_result),
        INTERVALS,
        *finding.undefined_note(summary, questions).splitlines(),
        f"Exposure and curves are by {settings.annotator}'s labels, uncorrected." if settings.corrected_by else "",
    ]
    return Findings(
        summary=summary,
        sentences=finding.finding(summary, (*main, *effective), result),
        heads=("system", *dict.fromkeys(summary["measure"])),
        rows=_mean_rows(summary, result),
        largest=f"Over {int(summary['queries'].max()):,} queries, unless fewer are named.",
        notes=[label_note[:1].upper() + label_note[1:], *filter(None, notes)],
        drawings=[Drawing(name, title_of(name), draw) for name, draw in drawings(study, settings, scores).items()],
    )


def _mean_rows(summary: pd.DataFrame, result: Comparison) -> list[tuple]:
    """Return a row per system: its marked mean in each measure, and its interval, with the number of queries where it
    is not the largest."""
    marks_by_measure, largest = marks(result), summary["queries"].max()
    cells: dict[str, dict[str, tuple[str, str]]] = {}
    for row in summary.to_dict("records"):
        mark = marks_by_measure.get(row["measure"], {}).get(row["system"], "")
        span = _span(row["ci_low"], row["ci_high"])
        span += f", {int(row['queries']):,} queries" if row["queries"] < largest else ""
        cells.setdefault(row["system"], {})[row["measure"]] = (marked_text(row["value"], mark), span)
    measures = list(dict.fromkeys(summary["measure"]))
    return [
        (result.how.labelled(system), *(held.get(text, ("–", "")) for text in measures))
        for system, held in cells.items()
    ]


def _counts(study: Study) -> str:
    counts = [("queries", len(study.queries)), ("documents", len(study.documents)), ("systems", len(study.systems))]
    counts += [("relevance judgements", len(study.qrels)), ("labels", len(study.labels))]
    return ", ".join(f"{count:,} {name}" for name, count in counts if count)


def _study_part(study: Study) -> Section:
    facts = [("Study", study.name), ("Holds", _counts(study)), ("Groups", ", ".join((study.neutral, *study.groups)))]
    facts += [("Protected", study.protected), ("Licence", study.licence), ("Fingerprint", study.fingerprint[:16])]
    notes = "".join(paragraph(line, "quiet") for line in (*study.notices, *study.warnings))
    return Section("The study", paragraph(study.description) + definitions(facts) + notes)


def _choices_part(study: Study, settings: Settings) -> Section:
    """Return the section with every setting that numbers depend on; those that differ from the default in bold. It
    begins with whose labels count, and on how many documents the voters disagree."""
    rows, marked = [], []
    for place, (name, value) in enumerate(recorded_settings(settings).items()):
        default = getattr(Settings, name)
        rows.append((name.replace("_", " "), _format_value(value), _format_value(default)))
        if value != default:
            marked.append(place)
    notes = ""
    if annotator := chosen_annotator(study, settings):
        notes = paragraph(f"Labels count as given by {speakers(study, annotator, settings.voters)}.")
        notes += paragraph(f"Votes: {disagreement_text(votes_of(study, settings.voters))}.")
    return Section("The choices", notes + table(("choice", "here", "default"), rows, marked))


def _format_value(value: object) -> str:
    """Return a setting's value as text, a long one cut; a dash for an empty one."""
    text = ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
    if len(text) > LONGEST:
        return f"{text[:LONGEST]}…"
    return text or "–"


def _checks_part(checked: Sequence[Outcome], declared: Verdict | None) -> Section:
    """Return the verdict on the declared claim, the findings of the checks of claims, then the other checks with the
    reasons of their states."""
    rows, others = [], []
    for one in checked:
        name = f"{one.check.code} {one.check.title}"
        if one.finding is None:
            others.append((f"{one.state}: {name}", one.text or "–"))
        else:
            text = f"{one.finding.remedy} Muted: {one.reason}" if one.reason else one.finding.remedy
            rows.append((one.state, name, (one.text, text)))
    body = table(("state", "check", "finding and remedy"), rows) if rows else paragraph(NO_FINDINGS)
    first = paragraph(declared.text) if declared else ""
    return Section("Checks", first + body + definitions(others))


def _ties_part(study: Study, settings: Settings, questions: Sequence[Question]) -> Section:
    """Return the section on the ranges of means over all orders of documents with tied scores."""
    ranges = ties(study, [question.text for question in questions if question.per_query], settings)
    rows = [
        (
            row["measure"], row["system"], float(row["value"]), _end(row, "smallest", "at most "),
            _end(row, "largest", "at least "), int(row["tied"]),
        )
        for row in ranges[(ranges["largest"] - ranges["smallest"]) > 0].to_dict("records")
    ]  # fmt: skip
    heads = ("measure", "system", "mean", "smallest", "largest", "queries with such ties")
    return Section("Ties", paragraph(TIES_SAID) + table(heads, rows) if rows else paragraph(NO_TIES))


def _end(row: dict[Any, Any], side: str, prefix: str) -> str:
    """Return an end of a range: after the prefix if it was searched for, with its proven bound if there is one."""
    if row[f"{side}_is"] == EXACT:
        return str(number(float(row[side])))
    outer = float(row[f"outer_{side}"])
    return f"{prefix}{number(float(row[side]))}" + ("" if isnan(outer) else f" (bound {number(outer)})")


def _quick_parts(study: Study, settings: Settings) -> list[Section]:
    """Return the section of each analysis of the study that takes no time and has a result here."""
    sections = []
    for analysis in ANALYSES.values():
        if analysis.quick and analysis.needs and not any(analysis.missing(study)):
            with suppress(FairvizError):  # of relevance that the study lacks, say
                answer = analyse(study, analysis.name, settings)
                sections.append(Section(analysis.title, _printed(analysis.shown(answer.value))))
    return sections


def _printed(views: Iterable[View]) -> list[str | Drawing]:
    """Return the views as parts of a section: texts and figures, and the first of the tables."""
    parts: list[str | Drawing] = []
    has_table = False
    for view in views:
        if isinstance(view, TextView) and view.kind in ("finding", "small", "named"):
            parts += [sentence([Span(text)]) for text in view.texts]
        elif isinstance(view, TextView):
            parts += [paragraph(text, "quiet") for text in (*view.texts, view.remedy)]
        elif isinstance(view, FigureView):
            parts.append(Drawing(view.key.replace("_", "-"), view.title or view.alt, partial(_figure_of, view)))
        elif not has_table:
            has_table = True
            shown = view.shown
            rows = [[None if pd.isna(cell) else cell for cell in row] for row in shown.itertuples(index=False)]
            parts.append(paragraph(view.text, "quiet") + table(list(map(str, shown)), rows))
    return parts


def _figure_of(view: FigureView, dark: bool) -> go.Figure:
    return view.figure(DARK if dark else LIGHT)


def _corrections_part(study: Study, settings: Settings, questions: Sequence[Question]) -> Section:
    """Return the figure and the table of `fairviz.corrected`, with the sample. Raises: see there."""
    means = corrections(study, settings, questions)
    title, rows = "Machine labels, corrected by people", means.table
    lead = paragraph(f"{means.text}.")
    if rows.empty:
        return Section(title, lead + paragraph("No measure of this report can be corrected by this sample."))
    data = figure.info(rows, means.machine, means.people)
    height = figure.height_of(data)
    drawing = Drawing("corrected", figure.TITLE, lambda dark: figure.draw(data, DARK if dark else LIGHT, height))
    cells = [
        (
            row["system"], row["measure"], float(row["machine"]), float(row["people"]),
            _span(row["people_low"], row["people_high"]), float(row["value"]), _span(row["ci_low"], row["ci_high"]),
            float(row["weight"]),
        )
        for row in rows.to_dict("records")
    ]  # fmt: skip
    heads = ("system", "measure", f"{means.machine} alone", f"{means.people} alone", INTERVAL, "corrected", INTERVAL,
             "λ")  # fmt: skip
    notes = paragraph(MEANING.format(target=means.target), "quiet")
    notes += paragraph(f"No verdict on systems: {means.no_tests}.", "quiet") if means.no_tests else ""
    return Section(title, [lead, drawing, table(heads, cells) + notes])


def _span(low: float, high: float) -> str:
    return f"{number(float(low))} to {number(float(high))}"


def _methods_part(questions: Sequence[Question]) -> Section:
    """Return the section with the definition of each measure as the program computes it."""
    body = ""
    for measure in _used_measures(questions):
        facts = [
            ("Definition", measure.summary),
            ("Formula (LaTeX)", measure.formula),
            ("Range", measure.range_text),
            ("Position bias", "matters" if measure.uses_bias else "ignored, by definition"),
            ("Decided here", measure.decided),
            ("Example", measure.example),
            ("After", f"{measure.paper}, {measure.equation}"),
        ]
        body += definitions(facts, measure.name)
    effective = [question.text for question in questions if question.measure is None]
    if effective:
        body += paragraph(f"{', '.join(effective)} as ir_measures defines {agreeing(len(effective), 'it', 'them')}.")
    return Section("Methods", body)


def _citations_part(study: Study, questions: Sequence[Question]) -> Section:
    """Return the section on citations and versions."""
    papers = dict.fromkeys(measure.paper for measure in _used_measures(questions))
    releases = versions()
    body = "".join(paragraph(text) for text in (study.citation, *papers))
    packages = ", ".join(f"{name} {version}" for name, version in releases.items() if name != "fairviz")
    return Section("Citations", body + paragraph(f"{PROGRAM}, version {releases['fairviz']}; {packages}.", "quiet"))


def _used_measures(questions: Sequence[Question]) -> list[Measure]:
    measures = {question.measure.name: question.measure for question in questions if question.measure is not None}
    return list(measures.values())
