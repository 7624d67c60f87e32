"""The mitigation bench: every mitigation on one plane, with its tests and warnings."""

from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from fairviz.analyses.mitigations.bench import NAME, USUAL, Bench, measures_of, mitigation_bench
from fairviz.analyses.mitigations.mitigation import (
    Mitigation,
    choices_of,
    not_installed,
    nothing_to_mend,
    offered,
    read_mitigations,
    trained_here,
)
from fairviz.comparison.pairs import AHEAD, BEHIND, UNTESTED
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.figures import mitigation_plane
from fairviz.measures.rankings import targets
from fairviz.output.recipes import Recipe, recipe
from fairviz.rankers import RANKERS
from fairviz.rankers.grammar import check_layers
from fairviz.study.record import Study
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept import tables
from fairviz.ui.kept.runs import packaged, tell
from fairviz.ui.kit import charts, html, jobs, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.call_picker import pick_calls
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.jobs import confirm_sending
from fairviz.ui.state import choices
from fairviz.words.sentences import counted, number, seconds_text

WHICH, MEASURES, SHARE, UP, ACROSS = (
    "audit_bench_mitigations", "audit_bench_measures", "audit_bench_share", "audit_bench_up", "audit_bench_across",
)  # fmt: skip
STOPPED = ("Stopped: nothing of it is shown.", "Encoded texts and answers are kept.")
PACKAGED = "mitigations"  # the name of packaged results
SHARES = ("0.5", "0.2", "0.8", "1")
WHICH_HELP = "None chosen: every one in the list. Parameters has the fields of each."
MEASURES_HELP = "Effectiveness is always among them. All pairs of the systems tried are one family in each measure."
WILL_SHOW = "Run shows fairness against effectiveness, before and after each mitigation, on held-out queries."
ABOUT_WORDING = (
    "WordingGap: distance of the scores of two genders' wordings, in SDs of the query's scores. Re-rankers have no "
    "scores of their own."
)
MARKS = {AHEAD: "✓", BEHIND: "✗", UNTESTED: "untested"}  # short: a column a measure, and all are to be seen
ROW_HEIGHT = 32


@dataclass(frozen=True)
class _Request:
    """The requested bench, the key of its job, and the time of reading texts, empty for none."""

    mitigations: str
    measures: tuple[str, ...]
    share: float
    key: tuple
    tried: tuple[Mitigation, ...]
    time: str


def cards(study: Study, settings: Settings) -> None:
    """Draw the controls, the run as a job, and its results."""
    names = offered(study, trained_here(study))
    measures = measures_of(study, settings)
    if not names or not measures:
        html.message("info", *_lacking(study, names))
        return
    request = _controls(study, settings, names, measures)
    if request is None:
        return
    is_running = jobs.follow(request.key, "audit_bench", STOPPED)
    if job := jobs.completed(request.key):
        _outcome(study, settings, request, job.outcome)
    elif found := packaged(study, PACKAGED, request.key):
        share = f"{_percent(str(request.share))} of the queries held out" if request.share < 1 else "all queries"
        tell(found, f"{counted(len(found.outcome.mitigations), 'mitigation')}; {share}, seed 0", request.time)
        _outcome(study, settings, request, found.outcome)
    elif not is_running and jobs.job(request.key) is None:
        _before(request)


def _lacking(study: Study, names: tuple[str, ...]) -> tuple[str, str]:
    if not names:
        error = nothing_to_mend(study)
        return f"{error.message}.", error.remedy
    return (
        f"{study.name} has neither gender labels nor text, of which fairness is measured.",
        "Add labels.csv with the columns doc_id, annotator, label.",
    )


def _controls(study: Study, settings: Settings, names: tuple[str, ...], offered: tuple[str, ...]) -> _Request | None:
    """Return the requested mitigations; None if they cannot be run, or were not run yet."""
    which, by, share, go = st.columns([5, 8, 2, 2], gap="small", vertical_alignment="bottom")
    choices.value_of(WHICH)
    values, defaults = {"run": study.systems}, {"embedding": settings.embedding}
    text = pick_calls(WHICH, "Mitigations", RANKERS, offered=names, values=values, defaults=defaults, place=which,
                      help=WHICH_HELP)  # fmt: skip
    usual_measures = [name for name in USUAL if name in offered]
    chosen = pick.several(MEASURES, "Measures of fairness", offered, usual_measures, place=by, help=MEASURES_HELP)
    held_out = pick.select(SHARE, "Held out", SHARES, place=share, help=term("held-out queries"), texts=_percent)
    mitigations, usual = text.strip(), ",".join(names)  # who names none gets the usual ones that can be tried
    try:
        tried = read_mitigations(study, mitigations or usual, settings.embedding)
        check_layers(choices_of(tried))
        sending = confirm_sending("audit_bench", study.name, (one.choice.parameters.get("url") for one in tried))
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
        return None
    plain = tables.plain(settings).changed(systems=(), tests=settings.tests)
    key = ("mitigations", study.fingerprint, repr(plain), mitigations or usual, tuple(chosen), held_out)
    seconds = kept.mitigation_seconds(study, choices_of(tried)) if jobs.job(key) is None else None
    time = f"{seconds_text(seconds)} of reading" if seconds is not None and seconds >= 1 else ""
    request = _Request(mitigations, tuple(chosen), float(held_out), key, tried, time)
    done = jobs.is_running(key) or jobs.completed(key) is not None
    terms = jobs.Terms(study, tuple(one.choice.parameters for one in tried), seconds or None)
    reason = jobs.refusal(key, terms)
    go.button("Run", key="audit_bench_run", type="primary", width="stretch",
              disabled=bool(done or not sending or reason), help=" ".join(reason) or None,
              on_click=guarded(partial(_begin, study, plain, request, terms)))  # fmt: skip
    return request


def _before(request: _Request) -> None:
    """Draw what a run shows, with the time for reading texts where it is known."""
    time = f", {request.time}" if request.time else ""
    names = ", ".join(one.system for one in request.tried)
    html.message("info", WILL_SHOW, f"{counted(len(request.tried), 'mitigation')}{time}: {names}.")
    if absent := not_installed():
        html.message("info", f"{absent.message}.", absent.remedy)


def _percent(share: str) -> str:
    return "all queries" if share == "1" else f"{100 * float(share):.0f} %"


def _begin(study: Study, settings: Settings, request: _Request, terms: jobs.Terms) -> None:
    def work(progress: jobs.Progress) -> Bench:
        return mitigation_bench(
            study, request.mitigations, request.measures, settings, held_out=request.share, progress=progress
        )

    jobs.start(request.key, work, terms)


def _outcome(study: Study, settings: Settings, request: _Request, bench: Bench) -> None:
    """Draw the plane with its warnings, and below it the tests."""
    _plane(study, bench, _recipe(study, settings, request, "found.means"))
    words, more = st.columns([12, 2], gap="small", vertical_alignment="center")
    with words:
        html.quiet(f"Before → after; ✓ better, ✗ worse, else not significantly different. Tests: {bench.family}.")
    alt = "Each mitigation against its baseline, a row a mitigation and a column a measure."
    with more:
        charts.table(
            bench.table, alt, "audit_bench_tests", _recipe(study, settings, request, "found.table"), figure=False
        )
    cells = wide_cells(bench)
    st.dataframe(
        cells, hide_index=True, key="audit_bench_grid", alt=alt, row_height=ROW_HEIGHT,
        height=(min(len(cells), 10) + 1) * ROW_HEIGHT + 3,
    )  # fmt: skip
    _leanings(bench.leanings)
    about = [ABOUT_WORDING] if any(question.name == NAME for question in bench.questions) else []
    with st.expander("Notes", key="audit_bench_notes", type="compact"):
        html.note("\n".join([*about, *bench.notes]))


def _leanings(names: tuple[str, ...]) -> None:
    """Draw the number of mitigations that differ by their means alone, with their names and differences one click
    away."""
    if not names:
        return
    who = "A mitigation is" if len(names) == 1 else f"{len(names):,} mitigations are"
    with st.expander(f"{who} better by one mean and worse by another, without a test for both", type="compact"):
        for sentence in names:
            html.quiet(sentence)


def _plane(study: Study, bench: Bench, code: Recipe) -> None:
    """Draw the plane, and at its right the axes to choose and the warnings; its points are one click away."""
    by_text = {question.text: question for question in bench.questions}
    effective = [text for text, one in by_text.items() if one.family == "effectiveness"]
    with st.container(border=True, gap="xsmall", key="audit_bench_card"):
        left, right = st.columns([8, 4], gap="medium")
        export = right.container()
        across = pick.select(ACROSS, "Across", tuple(by_text), next(iter([*effective, *by_text])), place=right)
        others = tuple(text for text in by_text if text != across) or tuple(by_text)
        up = pick.select(UP, "Up", others, place=right)
        pairs = [(each.base, each.system) for each in bench.mitigations]
        plane = mitigation_plane.info(bench.means, pairs, by_text[across], by_text[up], targets(study))
        with export:
            charts.table(bench.means, plane.alt, "audit_bench_plane", code)
        with right:
            if bench.warnings:
                html.message("warning", "\n".join(bench.warnings))
            if plane.absent:
                html.quiet(f"Without a value on both axes: {', '.join(plane.absent)}.")
        with left:
            charts.chart(mitigation_plane.draw(plane, charts.theme()), plane.alt, "audit_bench_plane")


def wide_cells(bench: Bench) -> pd.DataFrame:
    """A row a mitigation and a column a measure: the two means, and which way a test points."""
    rows: dict[str, dict[str, str]] = {}
    for row in bench.table.to_dict("records"):
        cells = rows.setdefault(row["mitigation"], {"mitigation": row["mitigation"], "against": row["base"]})
        both = f"{number(row['base_value'])} → {number(row['value'])}"
        cells[row["measure"]] = f"{both} {MARKS.get(row['verdict'], '')}".strip() if row["queries"] else "no scores"
    return pd.DataFrame(list(rows.values()))


def _recipe(study: Study, settings: Settings, request: _Request, part: str) -> Recipe:
    """Return how a part of the bench is made again."""
    arguments = (study, request.mitigations, request.measures, settings)
    return recipe(mitigation_bench, *arguments, held_out=request.share, table=part)
