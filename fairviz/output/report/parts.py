"""Sections of every report: study, choices, findings with intervals, tied scores, methods and citations."""

from collections.abc import Sequence
from math import isnan

import pandas as pd

from fairviz.annotation.voters import votes_of
from fairviz.comparison import finding, ranking_sentences
from fairviz.comparison.compare import Comparison, compared_as
from fairviz.comparison.family import how_of
from fairviz.comparison.system_table import marked_text, marks
from fairviz.evaluation.choices import Resolved, chosen_annotator, near_miss_note
from fairviz.evaluation.questions import MAIN
from fairviz.evaluation.scores import summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import disagreement_text, labels_note, speakers
from fairviz.measures import Question
from fairviz.measures.record import Measure
from fairviz.orders.ties import EXACT, ties
from fairviz.output.capsule.figures import figures, title_of
from fairviz.output.capsule.packing import recorded_settings, versions
from fairviz.output.report.page import Section, definitions, figure_html, number, paragraph, sentence, table
from fairviz.study.record import Study
from fairviz.words.sentences import agreeing

INTERVALS = f"Means over queries with 95 % intervals (Student's t). {ranking_sentences.NOT_FOR}"
TIES_SAID = (
    "A run does not order documents of equal score. Below: the smallest and the largest mean over all their orders, "
    "where they reach the cutoff. “At most” and “at least” mark ends found by a seeded search, with a bound where "
    "one is known."
)
NO_TIES = "The order of documents with equal scores changes no value."
PROGRAM = "fairviz: gender fairness in ranked search results"
LONGEST = 200  # characters printed of one setting


def study_part(study: Study) -> Section:
    """Return the section on the study: its facts and notices."""
    counts = [("queries", len(study.queries)), ("documents", len(study.documents)), ("systems", len(study.systems))]
    counts += [("relevance judgements", len(study.qrels)), ("labels", len(study.labels))]
    counts_text = ", ".join(f"{count:,} {name}" for name, count in counts if count)
    facts = [("Study", study.name), ("Holds", counts_text), ("Groups", ", ".join((study.neutral, *study.groups)))]
    facts += [("Protected", study.protected), ("Licence", study.licence), ("Fingerprint", study.fingerprint[:16])]
    notes = "".join(paragraph(line, "quiet") for line in (*study.notices, *study.warnings))
    return Section("The study", paragraph(study.description) + definitions(facts) + notes)


def choices_part(study: Study, settings: Settings) -> Section:
    """Return the section with every setting that numbers depend on; those that differ from the default in bold. It
    begins with whose labels count, and on how many documents the voters disagree."""
    settings_by_name = recorded_settings(settings)
    rows, marked = [], []
    for place, (name, value) in enumerate(settings_by_name.items()):
        default = getattr(Settings, name)
        rows.append((name.replace("_", " "), _format_value(value), _format_value(default)))
        marked += [place] if value != default else []
    notes = ""
    if annotator := chosen_annotator(study, settings):
        notes = paragraph(f"Labels count as given by {speakers(study, annotator, settings.voters)}.")
        notes += paragraph(f"Votes: {disagreement_text(votes_of(study, settings.voters))}.")
    return Section("The choices", notes + table(("choice", "here", "default"), rows, marked))


def _format_value(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
    cut_text = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return cut_text or "–"


def findings_part(study: Study, settings: Settings, scores: pd.DataFrame, questions: Sequence[Question]) -> Section:
    """Return the section with the main finding, the means with their intervals, and the figures."""
    summary = summarise(scores)
    result = compared_as(scores, how_of(study, settings))
    fair = [question for question in questions if question.family != "effectiveness"]
    main = [question for question in fair if question.name in MAIN] or fair[:2]
    effective = [question for question in questions if question.family == "effectiveness"][:1]
    body = "".join(map(sentence, finding.finding(summary, (*main, *effective), result)))
    note = labels_note(study, settings, scores)
    body += paragraph(note[:1].upper() + note[1:], "quiet") + _means_table(summary, result)
    sentences = (ranking_sentences.stars_note, ranking_sentences.outside_note, ranking_sentences.warned_note)
    notes = [Resolved(study, settings).notes_on(questions), near_miss_note(study, scores)]
    lines = [*notes, *(note_of(result) for note_of in sentences), INTERVALS]
    for line in (*lines, *finding.undefined_note(summary, questions).splitlines()):
        body += paragraph(line, "quiet")
    if settings.corrected_by:
        body += paragraph(f"Exposure and curves are by {settings.annotator}'s labels, uncorrected.", "quiet")
    light, dark = (figures(study, settings, scores, dark=dark) for dark in (False, True))
    body += "".join(figure_html(name, title_of(name), {"light": light[name], "dark": dark[name]}) for name in light)
    return Section("Findings", body)


def _means_table(summary: pd.DataFrame, result: Comparison) -> str:
    """Return a row per system and a column per measure: the mean, its mark, and the interval below it.

    The number of queries is added where it is not the largest.
    """
    cells: dict[str, dict[str, tuple[str, str]]] = {}
    marks_by_measure = marks(result)
    largest = int(summary["queries"].max())
    for row in summary.to_dict("records"):
        mark = marks_by_measure.get(row["measure"], {}).get(row["system"], "")
        span = f"{number(float(row['ci_low']))} to {number(float(row['ci_high']))}"
        span += f", {int(row['queries']):,} queries" if row["queries"] < largest else ""
        cells.setdefault(row["system"], {})[row["measure"]] = (marked_text(row["value"], mark), span)
    measures = list(dict.fromkeys(summary["measure"]))
    rows = [
        (result.how.labelled(system), *(held.get(text, ("–", "")) for text in measures))
        for system, held in cells.items()
    ]
    return table(("system", *measures), rows) + paragraph(f"Over {largest:,} queries, unless fewer are named.", "quiet")


def ties_part(study: Study, settings: Settings, questions: Sequence[Question]) -> Section:
    """Return the section on the ranges of means over all orders of documents with tied scores."""
    ranges = ties(study, [question.text for question in questions if question.per_query], settings)
    rows = [
        (
            row["measure"],
            row["system"],
            float(row["value"]),
            _format_end(row["smallest"], row["smallest_is"], row["outer_smallest"], "at most "),
            _format_end(row["largest"], row["largest_is"], row["outer_largest"], "at least "),
            int(row["tied"]),
        )
        for row in ranges[(ranges["largest"] - ranges["smallest"]) > 0].to_dict("records")
    ]
    heads = ("measure", "system", "mean", "smallest", "largest", "queries with such ties")
    return Section("Ties", paragraph(TIES_SAID) + table(heads, rows) if rows else paragraph(NO_TIES))


def _format_end(value: float, method: str, outer_bound: float, prefix: str) -> str:
    """Return an end of a range over tied scores; if it was searched for, with its proven bound, if there is one."""
    if method == EXACT:
        return f"{number(float(value))}"
    bound = "" if isnan(outer_bound) else f" (bound {number(float(outer_bound))})"
    return f"{prefix}{number(float(value))}{bound}"


def methods_part(questions: Sequence[Question]) -> Section:
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
    body += paragraph(f"{', '.join(effective)} as ir_measures defines {agreeing(len(effective), 'it', 'them')}."
                      if effective else "")  # fmt: skip
    return Section("Methods", body)


def _used_measures(questions: Sequence[Question]) -> list[Measure]:
    measures = {question.measure.name: question.measure for question in questions if question.measure is not None}
    return list(measures.values())


def citations_part(study: Study, questions: Sequence[Question]) -> Section:
    """Return the section on citations and versions."""
    papers = dict.fromkeys(measure.paper for measure in _used_measures(questions))
    releases = versions()
    body = "".join(paragraph(text) for text in (study.citation, *papers))
    packages = ", ".join(f"{name} {version}" for name, version in releases.items() if name != "fairviz")
    return Section("Citations", body + paragraph(f"{PROGRAM}, version {releases['fairviz']}; {packages}.", "quiet"))
