"""The mitigation bench: every mitigation on one plane, with its tests and warnings."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from fairviz.analyses.mitigations.bench import NAME, USUAL, Bench, measures_of, mitigation_bench
from fairviz.analyses.mitigations.mitigation import (
    choices_of,
    not_installed,
    nothing_to_mend,
    offered,
    read_mitigations,
    trained_here,
)
from fairviz.comparison.pairs import AHEAD, BEHIND, UNTESTED
from fairviz.evaluation.columns import Column, Row, cells, plain, where
from fairviz.evaluation.settings import Settings
from fairviz.figures import mitigation_plane
from fairviz.measures.rankings import targets
from fairviz.output.recipes import Recipe, recipe
from fairviz.rankers import RANKERS
from fairviz.rankers.grammar import check_layers
from fairviz.study.record import Study
from fairviz.ui.kept import flow, tables
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept.flow import Task
from fairviz.ui.kit import charts, grids, html, jobs, pick
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.pick import pick_calls
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


def _before_and_after(row: Row) -> str:
    both = f"{number(row['base_value'])} → {number(row['value'])}"
    return f"{both} {MARKS.get(row['verdict'], '')}".strip()


MEASURES_COLUMNS = (  # a row a mitigation and a column a measure: the two means, and which way a test points
    Column("mitigation", plain("mitigation")),
    Column("against", plain("base")),
    Column(lambda row: row["measure"], where(lambda row: bool(row["queries"]), _before_and_after, "no scores")),
)


def cards(study: Study, settings: Settings) -> None:
    """Draw the controls, the run, and its results."""
    names = offered(study, trained_here(study))
    measures = measures_of(study, settings)
    if not names:
        error = nothing_to_mend(study)
        html.message("info", f"{error.message}.", error.remedy)
        return
    if not measures:
        html.message(
            "info", f"{study.name} has neither gender labels nor text, of which fairness is measured.",
            "Add labels.csv with the columns doc_id, annotator, label.",
        )  # fmt: skip
        return
    which, by, share, go = st.columns([5, 8, 2, 2], gap="small", vertical_alignment="bottom")
    choices.value_of(WHICH)
    values, defaults = {"run": study.systems}, {"embedding": settings.embedding}
    text = pick_calls(WHICH, "Mitigations", RANKERS, offered=names, values=values, defaults=defaults, place=which,
                      help=WHICH_HELP)  # fmt: skip
    usual = [name for name in USUAL if name in measures]
    chosen = pick.several(MEASURES, "Measures of fairness", measures, usual, place=by, help=MEASURES_HELP)
    held_out = pick.select(SHARE, "Held out", SHARES, place=share, help=term("held-out queries"), texts=_percent)
    request = text.strip(), tuple(chosen), held_out
    task = flow.asked(lambda: _task(study, settings, names, *request), go)
    if task is None:
        return
    bench = task.outcome()
    if bench is not None:
        _outcome(study, settings, request, bench)
    elif jobs.job(task.key) is None and (absent := not_installed()):
        html.message("info", f"{absent.message}.", absent.remedy)


def _task(
    study: Study, settings: Settings, names: Sequence[str], mitigations: str, measures: tuple[str, ...], held_out: str
) -> Task:
    """Return the run of the bench; where none is named, of the usual ones that can be tried. Raises FairvizError."""
    listed = mitigations or ",".join(names)
    tried = read_mitigations(study, listed, settings.embedding)
    check_layers(choices_of(tried))
    plain_settings = tables.plain(settings).changed(systems=(), tests=settings.tests)
    key = ("mitigations", study.fingerprint, repr(plain_settings), listed, measures, held_out)
    share = float(held_out)

    def work(progress: jobs.Progress) -> Bench:
        return mitigation_bench(study, mitigations, measures, plain_settings, held_out=share, progress=progress)

    def reading(seconds: float | None) -> str:
        return f"{seconds_text(seconds)} of reading" if seconds is not None and seconds >= 1 else ""

    def before(seconds: float | None) -> jobs.Texts:
        time = f", {reading(seconds)}" if reading(seconds) else ""
        return WILL_SHOW, f"{counted(len(tried), 'mitigation')}{time}: {', '.join(one.system for one in tried)}."

    def told(found: Bench, seconds: float | None) -> tuple[str, str]:
        held = f"{_percent(held_out)} of the queries held out" if share < 1 else "all queries"
        return f"{counted(len(found.mitigations), 'mitigation')}; {held}, seed 0", reading(seconds)

    return Task(
        study, key, work, "audit_bench", STOPPED, calls=tuple(one.choice.parameters for one in tried), at_once=False,
        seconds=lambda: kept.mitigation_seconds(study, choices_of(tried)) or None, before=before, told=told,
        packaged=(PACKAGED, key, {}),
    )  # fmt: skip


def _percent(share: str) -> str:
    return "all queries" if share == "1" else f"{100 * float(share):.0f} %"


def _outcome(study: Study, settings: Settings, request: tuple[str, tuple[str, ...], str], bench: Bench) -> None:
    """Draw the plane with its warnings, and below it the tests, the mitigations that differ by their means alone, with
    their names and differences one click away, and notes."""
    mitigations, measures, held_out = request
    call = partial(recipe, mitigation_bench, study, mitigations, measures, settings, held_out=float(held_out))
    _plane(study, bench, call(table="found.means"))
    text = f"Before → after; ✓ better, ✗ worse, else not significantly different. Tests: {bench.family}."
    alt = "Each mitigation against its baseline, a row a mitigation and a column a measure."
    grids.head(text, bench.table, alt, "audit_bench_tests", call(table="found.table"))
    grids.grid(cells(bench.table, MEASURES_COLUMNS), alt, "audit_bench_grid", most=10, row_height=32)
    if names := bench.leanings:
        who = "A mitigation is" if len(names) == 1 else f"{len(names):,} mitigations are"
        with st.expander(f"{who} better by one mean and worse by another, without a test for both", type="compact"):
            for sentence in names:
                html.quiet(sentence)
    about = [ABOUT_WORDING] if any(question.name == NAME for question in bench.questions) else []
    with st.expander("Notes", key="audit_bench_notes", type="compact"):
        html.note("\n".join([*about, *bench.notes]))


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
