"""The one sentence of what to notice: pure functions from a summary to spans of text."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from fairviz.figures import bump
from fairviz.measures import Question
from fairviz.ui.kit.html import Sentence, Span

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

REASONS = {
    "labels": "no document in the top k has a label, or the system lacks the query",
    "words": "no document in the top k has text, or the system lacks the query",
    "effectiveness": "nothing is judged for the query",
    "NFaiRR": (
        "the ideal is 0, and 0/0 has no value, because no document of the background is neutral to any degree; "
        "another background, such as collection, may hold neutral ones"
    ),
    "AWRF": "no document of a gender stands in the top k",
    "GroupExposureRatio": "the top k lacks the protected group or all others",
}


class Standing(NamedTuple):
    """One measure's order of the systems: who is first, and every system's rank (None without a value)."""

    question: Question
    first: tuple[str, ...]
    ranks: Mapping[str, int | None]


def standings(summary: pd.DataFrame, questions: Sequence[Question]) -> list[Standing]:
    """The order by each measure that has a better end and a value for some system."""
    usable = [question for question in questions if question.direction != "none"]
    ranked = bump.info(summary, usable)
    found = []
    for place, question in enumerate(usable):
        ranks = {system: held[place] for system, held in ranked.ranks.items()}
        first = tuple(system for system, rank in ranks.items() if rank == 1)
        if first:
            found.append(Standing(question, first, ranks))
    return found


def disagreement(summary: pd.DataFrame, questions: Sequence[Question]) -> Sentence:
    """Which system is fairest by which measures, where they part, and whether the intervals allow to say so."""
    orders = standings(summary, questions)
    fairness = [order for order in orders if order.question.family != "effectiveness"]
    effective = [order for order in orders if order.question.family == "effectiveness"]
    systems = list(dict.fromkeys(summary["system"])) if len(summary) else []
    if not fairness:
        return (Span("No fairness measure has a value here: see below what is missing."),)
    if len(systems) == 1:
        only = Span(str(systems[0]), True)
        return (
            Span("Only "),
            only,
            Span(" is shown: a second system is needed to see whether measures agree."),
        )
    asked = sum(question.family != "effectiveness" for question in questions)
    spans = _leaders(fairness, effective, asked)
    spans += _parting(fairness, len(systems))
    return (*spans, Span("."), *_caution(summary, fairness))


def _leaders(fairness: Sequence[Standing], effective: Sequence[Standing], asked: int) -> list[Span]:
    """`MiniLM is fairest by CWEx and NFaiRR and the most effective; BM25 is fairest by TExFAIR`."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for order in fairness:
        groups.setdefault(order.first, []).append(order.question.name)
    best = effective[0].first if effective else ()
    spans: list[Span] = []
    for first, measures in sorted(groups.items(), key=lambda item: -len(item[1])):
        spans += [Span("; ")] if spans else []
        tie = len(first) == len(fairness[0].ranks)
        by = "all measures" if len(measures) == asked > 2 else _listed(measures)
        if tie:
            spans.append(Span(f"{by} cannot tell the systems apart"))
            continue
        spans += [*_names(first), Span(f" {'is' if len(first) == 1 else 'are'} fairest by {by}")]
        spans += [Span(" and the most effective")] if first == best else []
    if best and best not in groups and len(best) < len(fairness[0].ranks):
        spans += [Span("; "), *_names(best), Span(f" {'is' if len(best) == 1 else 'are'} the most effective")]
    return spans


def _parting(fairness: Sequence[Standing], systems: int) -> list[Span]:
    """`, where MiniLM is only fourth of seven`: how low the first measure's winner falls by another."""
    winner = fairness[0].first
    if len(winner) != 1:
        return []
    lowest = max(fairness, key=lambda order: order.ranks.get(winner[0]) or 0)
    rank = lowest.ranks.get(winner[0]) or 0
    if rank < 2 or systems < 3:
        return []
    place = ORDINALS[rank - 1] if rank <= len(ORDINALS) else f"number {rank}"
    of = NUMBERS[systems] if systems < len(NUMBERS) else str(systems)
    return [Span(f"; by {lowest.question.name} "), Span(winner[0], True), Span(f" comes {place} of {of}")]


def _caution(summary: pd.DataFrame, fairness: Sequence[Standing]) -> list[Span]:
    """Says by how many measures the first system's interval overlaps another's."""
    close = [order.question.name for order in fairness if len(order.first) == 1 and _overlaps(summary, order)]
    if not close:
        return []
    which = "By each of these measures" if len(close) == len(fairness) > 1 else f"By {_listed(close)}"
    return [Span(f" {which} the interval of the first overlaps that of another system.")]


def _overlaps(summary: pd.DataFrame, order: Standing) -> bool:
    rows = summary[summary["measure"] == order.question.text].set_index("system").dropna(subset=["ci_low", "ci_high"])
    if order.first[0] not in rows.index:
        return False
    first = rows.loc[order.first[0]]
    others = rows.drop(index=order.first[0])
    return bool(((others["ci_low"] <= first["ci_high"]) & (others["ci_high"] >= first["ci_low"])).any())


def _names(systems: Sequence[str]) -> list[Span]:
    if len(systems) > 3:
        return [Span(f"{len(systems)} systems", True)]
    spans: list[Span] = []
    for place, system in enumerate(systems):
        joint = "" if place == 0 else " and " if place == len(systems) - 1 else ", "
        spans += [Span(joint), Span(system, True)] if joint else [Span(system, True)]
    return spans


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def undefined_note(summary: pd.DataFrame, questions: Sequence[Question]) -> str:
    """A line for each measure that leaves rankings without a value: how many, and why."""
    notes = []
    for question in questions:
        missed = int(summary[summary["measure"] == question.text]["undefined"].sum())
        if missed:
            rankings = "1 ranking" if missed == 1 else f"{missed:,} rankings"
            reason = REASONS.get(question.name, REASONS[question.family])
            notes.append(f"{question.name} is undefined for {rankings}, which averages leave out: {reason}.")
    return "\n".join(notes)


def source_note(licence: str, citation: str) -> str:
    """Licence and citation of a study in one line."""
    parts = [f"Licence: {licence}." if licence else "", f"Cite: {citation}" if citation else ""]
    return " ".join(part for part in parts if part)
