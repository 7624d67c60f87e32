"""The pinned picture on Overview and Trade-off: its buttons, its settings in a line, the changes since, and its numbers
beside the current ones."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

import pandas as pd
import streamlit as st

from fairviz.comparison.compare import Comparison, starred
from fairviz.comparison.curves import without_cutoff
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, parse
from fairviz.study.record import Study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell import chips
from fairviz.ui.state import pins
from fairviz.words.sentences import Sentence, Span, agreeing, joined, listed

PIN_HELP = "Keeps these settings and values. Later changes of the finding are named."
AGAIN_HELP = "Keeps the present picture instead of the kept one."
UNPIN_HELP = "Removes the kept picture."
IN_A_TABLE = "Δ = now − kept"  # how a page shows what is pinned
EMPTY = {
    **{"filter_column": "all", "annotator": "the study's default", "lexicon": "the study's default"},
    **{"columns": "the default ones", "tested": "none", "not_tested": "none"},
}
LEAD = "Against the kept picture: "
ALWAYS = ("cutoff", "alpha", "position_bias")  # what the line tells whether it is at its default or not


def buttons(settings: Settings) -> None:
    """Draw the button that keeps the picture, and the one that removes it if a picture is kept."""
    is_pinned = bool(st.session_state.get(pins.KEY))
    help_text = AGAIN_HELP if is_pinned else PIN_HELP
    st.button("Keep to compare", key="pin_now", help=help_text, on_click=guarded(partial(pins.pin, settings)))
    if is_pinned:
        st.button("Remove kept", key="pin_let_go", help=UNPIN_HELP, on_click=guarded(pins.unpin))


def elsewhere(study: Study) -> None:
    """Draw a note if the pinned picture is of another study."""
    if name := pins.resting(study):
        html.quiet(f"The kept picture is of the study {name[:80]}: nothing here is compared with it.")


def lacking(now: Iterable[str], then: Collection[str]) -> list[str]:
    """Return the measures of the page that the pinned picture lacks."""
    return [name for name in now if name not in then]


def line(then: Settings, now: Settings, unpinned: Sequence[str], look: str = "") -> Sentence:
    """Return `Kept (…): k = 10, α = 0.5, position bias log2. Changed: position bias → reciprocal.`

    unpinned: names of measures that have no kept value. look: how the page shows what is pinned, if it does.
    """
    setting_texts, changes = [], []
    for names in chips.NAMED:
        if not set(names) <= set(pins.FIELDS):
            continue
        differs = any(getattr(then, name) != getattr(now, name) for name in names)
        if differs or names[0] in ALWAYS or chips.is_changed(then, names):
            setting_texts.append(_setting_text(then, names))
        if differs:
            changes.append(_setting_text(now, names, " → "))
    how = f" ({look})" if look else ""
    spans = [Span("Kept", True), Span(f"{how}: {', '.join(setting_texts)}. ")]
    if changes:
        spans += [Span("Changed: "), *joined([Span(text, True) for text in changes]), Span(".")]
    else:
        spans.append(Span("Nothing has changed."))
    if unpinned:
        spans.append(Span(f" {listed(unpinned)} {agreeing(len(unpinned), 'has', 'have')} no kept value."))
    return tuple(spans)


def _setting_text(settings: Settings, names: tuple[str, ...], arrow: str = "") -> str:
    value = chips.value_text(settings, names) if getattr(settings, names[0]) not in ("", ()) else EMPTY[names[0]]
    sign = {"cutoff": "k", "alpha": "α"}.get(names[0])
    if sign:
        return f"{sign}{arrow or ' = '}{value}"
    return f"{chips.NAMED[names]}{arrow or ' '}{value}"


class Standing(NamedTuple):
    """The best system by one measure, and the starred systems."""

    best: str
    stars: frozenset[str]


def standings(comparison: Comparison) -> dict[str, Standing]:
    """Return best and starred systems of a comparison with the best of each measure, by the measure's name."""
    stars = starred(comparison)
    return {parse(text).name: Standing(rows[0].baseline, stars[text]) for text, rows in comparison.rows.items()}


def answer(then: Comparison, now: Comparison) -> Sentence:
    """Return the changes of the finding since it was pinned: of the best system by each measure, and of the stars.

    Only measures of both comparisons count; empty without any.
    """
    before, after = standings(then), standings(now)
    names = [name for name in after if name in before]
    if not names:
        return ()
    spans: list[Span] = []
    for name in names:
        if before[name].best != after[name].best:
            spans += [Span("; " if spans else LEAD), Span(f"by {name} the best was ")]
            spans += [Span(before[name].best, True), Span(", now "), Span(after[name].best, True)]
    same = [name for name in names if before[name].best == after[name].best]
    if same:
        spans.append(Span(f"{'; ' if spans else LEAD}by {listed(same)} the best is unchanged"))
    spans.append(Span(". "))
    won = {name: after[name].stars - before[name].stars for name in names}
    lost = {name: before[name].stars - after[name].stars for name in names}
    if not any(won.values()) and not any(lost.values()):
        return (*spans, Span("The stars are unchanged."))
    return (*spans, *_stars("Starred now", won), *_stars("No longer starred", lost))


def _stars(lead: str, systems: dict[str, frozenset[str]]) -> list[Span]:
    """Return `Starred now: bm25 and qlm by nDCG; rrf by CWEx. `"""
    spans: list[Span] = []
    for name, names in systems.items():
        if names:
            spans += [Span("; " if spans else f"{lead}: ")]
            spans += [*joined([Span(system, True) for system in sorted(names)]), Span(f" by {name}")]
    return [*spans, Span(". ")] if spans else []


def as_now(
    then: pd.DataFrame, questions: Sequence[Question], now: Sequence[Question], *, without_cutoffs: bool = False
) -> pd.DataFrame:
    """Return a pinned table with the current names of its measures, without other measures. without_cutoffs: the
    table is of curves over the cutoff, whose measures are named without it."""
    text = without_cutoff if without_cutoffs else attrgetter("text")
    texts = {question.name: text(question) for question in now}
    current_texts = {text(question): texts[question.name] for question in questions if question.name in texts}
    return then[then["measure"].isin(current_texts)].assign(measure=lambda rows: rows["measure"].map(current_texts))


def beside(now: pd.DataFrame, then: pd.DataFrame | None, on: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """Return the table with `NAME kept` and, for numbers, `NAME change` (now minus kept) of these columns."""
    if then is None:
        return now
    pinned_columns = then[[*on, *columns]].rename(columns={name: f"{name} kept" for name in columns})
    table = now.merge(pinned_columns, on=list(on), how="left", validate="one_to_one")
    for name in columns:
        if pd.api.types.is_numeric_dtype(table[name]):
            table[f"{name} change"] = table[name] - table[f"{name} kept"]
    return table
