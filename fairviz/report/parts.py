"""What stands in every report: the study, its choices, findings with intervals, ties, methods and citations."""

from collections.abc import Sequence
from math import isnan

import pandas as pd

from fairviz.capsule.figures import TITLES, figures
from fairviz.capsule.packing import kept_settings, versions
from fairviz.evaluation import ahead, finding
from fairviz.evaluation.compare import Comparison, compared_as, starred
from fairviz.evaluation.family import how_of, measures_of, with_family
from fairviz.evaluation.questions import MAIN
from fairviz.evaluation.scores import summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.speakers import labels_note
from fairviz.evaluation.ties import EXACT, is_ranked, ties
from fairviz.measures import Question
from fairviz.measures.record import Measure
from fairviz.report.page import Section, definitions, drawn, number, paragraph, sentence, table
from fairviz.study.study import Study

INTERVALS = f"Means over queries with 95 % intervals (Student's t). {ahead.NOT_FOR}"
TIES_SAID = (
    "A run does not order documents of equal score. The smallest and the largest mean over all orders of such "
    "documents, where they reach the cutoff; “at most” and “at least” mark ends that a seeded search found, with "
    "the bound that no order passes where one is known."
)
NO_TIES = "No two documents of equal score stand where their order would change a value."
PROGRAM = "fairviz: gender fairness in ranked search results"
LONGEST = 200  # characters of one setting


def study_part(study: Study) -> Section:
    """What was looked at, and what it says of itself."""
    counts = [("queries", len(study.queries)), ("documents", len(study.documents)), ("systems", len(study.systems))]
    counts += [("relevance judgements", len(study.qrels)), ("labels", len(study.labels))]
    told = ", ".join(f"{count:,} {name}" for name, count in counts if count)
    facts = [("Study", study.name), ("Holds", told), ("Groups", ", ".join((study.neutral, *study.groups)))]
    facts += [("Protected", study.protected), ("Licence", study.licence), ("Fingerprint", study.fingerprint[:16])]
    notes = "".join(paragraph(line, "quiet") for line in (*study.notices, *study.warnings))
    return Section("The study", paragraph(study.description) + definitions(facts) + notes)


def choices_part(settings: Settings, annotator: str) -> Section:
    """Every choice that a number rests on; those that differ from the default in bold."""
    held = kept_settings(settings)
    rows, marked = [], []
    for place, (name, value) in enumerate(held.items()):
        default = getattr(Settings, name)
        rows.append((name.replace("_", " "), _written(value), _written(default)))
        marked += [place] if value != default else []
    said = paragraph(f"Labels count as {annotator} gives them." if annotator else "")
    return Section("The choices", said + table(("choice", "here", "default"), rows, marked))


def _written(value: object) -> str:
    listed = ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else str(value)
    shown = listed if len(listed) <= LONGEST else f"{listed[:LONGEST]}…"
    return shown or "–"


def findings_part(study: Study, settings: Settings, scores: pd.DataFrame, questions: Sequence[Question]) -> Section:
    """The sentence that the program says of these systems, the means with their intervals, and the figures."""
    summary = summarise(scores)
    found = compared_as(with_family(study, settings, scores), how_of(study, settings)).showing(measures_of(scores))
    fair = [question for question in questions if question.family != "effectiveness"]
    main = [question for question in fair if question.name in MAIN] or fair[:2]
    effective = [question for question in questions if question.family == "effectiveness"][:1]
    body = sentence(finding.disagreement(summary, (*main, *effective), found))
    note = labels_note(study, settings, scores)
    body += paragraph(note[:1].upper() + note[1:], "quiet") + _means(summary, found)
    for line in (ahead.stars_note(found), ahead.outside_note(found), ahead.warned_note(found), INTERVALS):
        body += paragraph(line, "quiet")
    for line in finding.undefined_note(summary, questions).splitlines():
        body += paragraph(line, "quiet")
    light, dark = (figures(study, settings, scores, dark=dark) for dark in (False, True))
    body += "".join(drawn(name, TITLES[name], {"light": light[name], "dark": dark[name]}) for name in light)
    return Section("Findings", body)


def _means(summary: pd.DataFrame, found: Comparison) -> str:
    """A row a system and a column a measure: the mean, its star, and below it the interval; the number of
    queries where it is not that of all."""
    cells: dict[str, dict[str, tuple[str, str]]] = {}
    stars = starred(found)
    most = int(summary["queries"].max())
    for row in summary.to_dict("records"):
        star = " ★" if row["system"] in stars.get(row["measure"], ()) else ""
        span = f"{number(float(row['ci_low']))} to {number(float(row['ci_high']))}"
        span += f", {int(row['queries']):,} queries" if row["queries"] < most else ""
        cells.setdefault(row["system"], {})[row["measure"]] = (f"{number(float(row['value']))}{star}", span)
    measures = list(dict.fromkeys(summary["measure"]))
    rows = [
        (found.how.labelled(system), *(held.get(text, ("–", "")) for text in measures))
        for system, held in cells.items()
    ]
    return table(("system", *measures), rows) + paragraph(f"Over {most:,} queries, unless fewer are named.", "quiet")


def ties_part(study: Study, settings: Settings, questions: Sequence[Question]) -> Section:
    """How far the order of documents with equal scores could move each mean."""
    asked = [question.text for question in questions if is_ranked(question)]
    held = ties(study, asked, settings)
    moved = held[(held["largest"] - held["smallest"]) > 0]
    rows = [
        (
            row["measure"],
            row["system"],
            float(row["value"]),
            _tied_end(row["smallest"], row["smallest_is"], row["outer_smallest"], "at most "),
            _tied_end(row["largest"], row["largest_is"], row["outer_largest"], "at least "),
            int(row["tied"]),
        )
        for row in moved.to_dict("records")
    ]
    heads = ("measure", "system", "mean", "smallest", "largest", "queries with such ties")
    return Section("Ties", paragraph(TIES_SAID) + table(heads, rows) if rows else paragraph(NO_TIES))


def _tied_end(value: float, how: str, outer: float, searched: str) -> str:
    """An end of a range over ties; where it was searched, with the bound that no order passes, if one is known."""
    if how == EXACT:
        return f"{number(float(value))}"
    bound = "" if isnan(outer) else f" (bound {number(float(outer))})"
    return f"{searched}{number(float(value))}{bound}"


def methods_part(questions: Sequence[Question]) -> Section:
    """The definition of each measure that was used, as the program computes it."""
    body = ""
    for measure in _used(questions):
        facts = [
            ("Says", measure.summary),
            ("Formula (LaTeX)", measure.formula),
            ("Range", measure.range_text),
            ("Position bias", "matters" if measure.uses_bias else "ignored, by definition"),
            ("Decided here", measure.decided),
            ("Example", measure.example),
            ("After", f"{measure.paper}, {measure.equation}"),
        ]
        body += f"<h3>{measure.name}</h3>\n{definitions(facts)}"
    effective = [question.text for question in questions if question.measure is None]
    body += paragraph(f"{', '.join(effective)} as ir_measures defines {'it' if len(effective) == 1 else 'them'}."
                      if effective else "")  # fmt: skip
    return Section("Methods", body)


def _used(questions: Sequence[Question]) -> list[Measure]:
    held = {question.measure.name: question.measure for question in questions if question.measure is not None}
    return list(held.values())


def citations_part(study: Study, questions: Sequence[Question]) -> Section:
    """What to cite, and what the numbers were made with."""
    papers = dict.fromkeys(measure.paper for measure in _used(questions))
    made = versions()
    body = "".join(paragraph(text) for text in (study.citation, *papers))
    told = ", ".join(f"{name} {version}" for name, version in made.items() if name != "fairviz")
    return Section("Citations", body + paragraph(f"{PROGRAM}, version {made['fairviz']}; {told}.", "quiet"))
