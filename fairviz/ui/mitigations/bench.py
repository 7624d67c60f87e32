"""The mitigation bench: every mitigation on one plane, with its tests and warnings."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from fairviz.analyses.mitigations.analysis import BENCH, share_text
from fairviz.analyses.mitigations.bench import Bench, measures_of, mitigation_bench
from fairviz.analyses.mitigations.mitigation import (
    choices_of,
    not_installed,
    nothing_to_mend,
    offered,
    read_mitigations,
    trained_here,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.figures import mitigation_plane
from fairviz.measures.rankings import targets
from fairviz.output.recipes import Recipe
from fairviz.rankers.grammar import check_layers
from fairviz.study.record import Study
from fairviz.ui.kept import flow, tables
from fairviz.ui.kept import runs as kept
from fairviz.ui.kept.flow import Task
from fairviz.ui.kit import charts, html, jobs, pick
from fairviz.ui.kit.views import draw_views
from fairviz.words.sentences import counted, seconds_text

UP, ACROSS = "audit_bench_up", "audit_bench_across"
STOPPED = ("Stopped: nothing of it is shown.", "Encoded texts and answers are kept.")
PACKAGED = "mitigations"  # the name of packaged results
WILL_SHOW = "Run shows fairness against effectiveness, before and after each mitigation, on held-out queries."


def cards(study: Study, settings: Settings) -> None:
    """Draw the controls, the run, and its results."""
    names = offered(study, trained_here(study))
    if not names or not measures_of(study, settings):
        what = f"{study.name} has neither gender labels nor text, of which fairness is measured"
        unmeasured = FairvizError(what, "Add labels.csv with the columns doc_id, annotator, label.")
        html.problem(unmeasured if names else nothing_to_mend(study), "info")
        return
    values, go = flow.choose(BENCH, study, settings)
    task = flow.asked(lambda: _task(study, settings, names, values), go)
    if task is None:
        return
    bench = task.outcome()
    if bench is not None:
        code = flow.code_of(BENCH, study, settings, values)
        _plane(study, bench, code(table="found.means"))
        draw_views(BENCH.shown(bench), code)
    elif jobs.job(task.key) is None and (absent := not_installed()):
        html.problem(absent, "info")


def _task(study: Study, settings: Settings, names: Sequence[str], values: Mapping[str, Any]) -> Task:
    """Return the run of the bench; where none is named, of the usual ones that can be tried. Raises FairvizError."""
    listed = values["mitigations"] or ",".join(names)
    tried = read_mitigations(study, listed, settings.embedding)
    check_layers(choices_of(tried))
    plain_settings = tables.plain(settings).changed(systems=(), tests=settings.tests)
    held_out = f"{values['held_out']:g}"
    key = ("mitigations", study.fingerprint, repr(plain_settings), listed, values["measures"], held_out)

    def work(progress: jobs.Progress) -> Bench:
        return mitigation_bench(study, values["mitigations"], values["measures"], plain_settings,
                                held_out=values["held_out"], progress=progress)  # fmt: skip

    def reading(seconds: float | None) -> str:
        return f"{seconds_text(seconds)} of reading" if seconds is not None and seconds >= 1 else ""

    def before(seconds: float | None) -> jobs.Texts:
        time = f", {reading(seconds)}" if reading(seconds) else ""
        return WILL_SHOW, f"{counted(len(tried), 'mitigation')}{time}: {', '.join(one.system for one in tried)}."

    def told(found: Bench, seconds: float | None) -> tuple[str, str]:
        held = "all queries" if held_out == "1" else f"{share_text(held_out)} of the queries held out"
        return f"{counted(len(found.mitigations), 'mitigation')}; {held}, seed 0", reading(seconds)

    return Task(
        study, key, work, "audit_bench", STOPPED, calls=tuple(one.choice.parameters for one in tried), at_once=False,
        seconds=lambda: kept.mitigation_seconds(study, choices_of(tried)) or None, before=before, told=told,
        packaged=(PACKAGED, key, {}),
    )  # fmt: skip


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
            absent = f"Without a value on both axes: {', '.join(plane.absent)}." if plane.absent else ""
            if lines := [*bench.warnings, *([absent] if absent else [])]:
                html.message("warning", "\n".join(lines))
        with left:
            charts.chart(mitigation_plane.draw(plane, charts.theme()), plane.alt, "audit_bench_plane")
