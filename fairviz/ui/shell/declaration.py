"""The declared claim on a page: its verdict, or what was declared where nothing is tested yet, and the form for it."""

import datetime
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.checks.claim import EXPLORATORY, State, claim_text, when_declared
from fairviz.checks.declare import OTHERS, declare, with_runs
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.questions import ask, overview
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import annotators
from fairviz.measures import MEASURES, Question
from fairviz.study.loaders.metadata import Claim
from fairviz.study.record import Study
from fairviz.ui.kept import checked
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.tables import DIRECTIONS
from fairviz.ui.state import going, library
from fairviz.words.sentences import agreeing, listed

KINDS: dict[State, str] = {"holds": "good", "does not hold": "warning", "could not be tested": "info"}
KEY = "declare"  # of the form, and the beginning of the keys of its fields
MEASURE_HELP = "As commands take it, with its parameters: CWEx(alpha=0.2)@5. Any other text can be typed."
SYSTEM_HELP = "A run that is here, or the name of one that comes later."
MARGIN_HELP = "The whole interval must lie beyond it. In units of the measure."
EXPLORATORY_HELP = "This study declares a claim. Its verdict is on Overview; this page tests other things."
KEPT = "The claim so far stays on record, with its date."


def verdict_box(study: Study) -> None:
    """Draw the verdict on the declared claim, with its history, and that all else is exploratory; nothing without a
    claim."""
    found = checked.declared(study)
    if found is None:
        return
    below = " ".join(filter(None, [f"{found.when}.", found.history, EXPLORATORY]))
    why = found.why[:1].upper() + found.why[1:]
    body = f"<b>The claim {found.state}: {html.escape(found.said)}.</b> {html.escape(why)}."
    html.box(KINDS[found.state], f'{body}<div class="fv-remedy">{html.escape(below)}</div>')


def exploratory_chip(study: Study) -> None:
    """Draw the mark of a page whose findings are not the declared one, which opens the verdict; nothing without a
    claim."""
    if study.claim is not None:
        show = guarded(partial(going.to_place, "overview", {}))
        st.button("Exploratory", key="exploratory", on_click=show, help=EXPLORATORY_HELP)


def panel(study: Study) -> None:
    """Draw what is declared, untested, and the form: for a page where runs are added or missing."""
    if study.claim is not None:
        when, unknown = when_declared(study, study.claim)
        html.message("info", f"{when}: {claim_text(study.claim)}.", unknown)
    form(study)


def form(study: Study) -> None:
    """Draw the form, closed, that declares a claim or changes it; nothing for who may not change the study."""
    if not library.may_keep(study):
        return
    label = "Declare a claim" if study.claim is None else "Change the claim"
    fold = st.expander(label, key=KEY, type="compact", on_change="rerun")
    if not fold.open:
        return
    with fold:
        _fields(study)


def _fields(study: Study) -> None:
    """Draw the fields, filled with the present claim, else with the first measure and the labels that count; what
    readers will see of them; and the button."""
    now = study.claim
    measures, systems = _measures(study), [*study.systems]
    whose = [name for name in annotators(study) if name]
    counting = (now.annotator if now else "") or (chosen_annotator(study, Settings()) if whose else "")
    better, worse, margin = st.columns([3, 4, 2])
    measure, labels, button = st.columns([4, 3, 2], vertical_alignment="bottom")
    ours = _one(better, "Fairer system", systems, now.better if now else None, "better", SYSTEM_HELP)
    theirs = worse.multiselect(
        "than", _with(systems, *(now.worse if now else ()), *st.session_state.get(f"{KEY}_worse", ())),
        list(now.worse) if now else [],
        key=f"{KEY}_worse", accept_new_options=True, placeholder="all others", help=SYSTEM_HELP,
    )  # fmt: skip
    by = margin.number_input(
        "by more than", 0.0, None, now.margin if now else 0.0, 0.01, "%g", key=f"{KEY}_margin", help=MARGIN_HELP
    )
    text = _one(measure, "in the measure", measures, now.measure if now else measures[0], "measure", MEASURE_HELP)
    who = _one(labels, "by the labels of", whose, counting, "annotator") if whose else ""
    typed = (text or "", ours or "", tuple(theirs), float(by), who or "")
    html.quiet(_told(study, *typed))
    button.button(
        "Declare", key=f"{KEY}_go", type="primary", width="stretch", disabled=not (ours and text),
        on_click=guarded(partial(_declare, study, *typed)),
    )  # fmt: skip


def _one(place: DeltaGenerator, label: str, names: list[str], now: str | None, key: str, help: str = "") -> str | None:
    """Draw a field for one of the names, or any other, with the present value; return what it has."""
    options = _with(names, now, st.session_state.get(f"{KEY}_{key}"))
    return place.selectbox(
        label, options, options.index(now) if now else None, key=f"{KEY}_{key}", help=help or None,
        accept_new_options=True, placeholder="Choose or type a name",
    )  # fmt: skip


def _with(names: list[str], *more: str | None) -> list[str]:
    """Return the names, before them those that are not among them."""
    return [*dict.fromkeys(name for name in more if name and name not in names), *names]


def _measures(study: Study) -> list[str]:
    """Return the measures with a fairer end, first those of Overview."""
    settings = Settings(study=study.name)
    shown = [one for one in overview(study, settings).questions if one.direction != "none"]
    questions: list[Question] = [*shown, *(ask(name, settings) for name in MEASURES)]
    return list(dict.fromkeys(one.text for one in questions if one.direction != "none"))


def _told(study: Study, measure: str, better: str, worse: tuple[str, ...], margin: float, annotator: str) -> str:
    """Return which end is fairer, which runs are here already, the date, and what becomes of the claim so far."""
    try:
        question = ask(measure, Settings(study=study.name))
    except FairvizError:
        return ""
    end = DIRECTIONS.get(question.direction)
    parts = [f"Of two values {end} is {'better' if question.family == 'effectiveness' else 'fairer'}."] if end else []
    there = with_runs(study, Claim(measure, better, worse, "", margin, annotator))
    if there:
        verb = agreeing(len(there), "has a run", "have runs")
        parts.append(f"{listed(there, 'and')} {verb} already, and readers see that.")
    else:
        parts.append("None of these runs is here yet.")
    dated = f"The claim is dated {datetime.date.today().isoformat()}."
    return " ".join([*parts, dated, *([KEPT] if study.claim else [])])


def _declare(study: Study, measure: str, better: str, worse: tuple[str, ...], margin: float, annotator: str) -> None:
    """Store the claim with the study. For on_click."""
    declared = declare(study, measure, better, worse or OTHERS, margin=margin, annotator=annotator)
    if declared.claim is not None:
        library.keep_claim(study, declared.claim)
    for name in ("", "_better", "_worse", "_margin", "_measure", "_annotator"):
        st.session_state.pop(f"{KEY}{name}", None)
