"""The record of the analysis `bench`; see `fairviz.analyses.record`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairviz import declared
from fairviz.analyses.mitigations import USUAL
from fairviz.analyses.record import Analysis, ArgumentsOf, Control, Origin, Progress, Table
from fairviz.parameters import Parameter

if TYPE_CHECKING:
    from fairviz.analyses.mitigations.bench import Bench
    from fairviz.analyses.views import View
    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

DETAILS = (
    "A mitigation is written as a ranker: {examples}. It is compared with the same ranker without it, or with the run "
    "that it reorders; what the study lacks is ranked. Without --mitigations one of each kind is tried that the study "
    "can have.",
    "A warning appears where one measure gets better and another worse: in tests of both, or, marked as such, in the "
    "means alone.  All pairs of the systems tried are one family in each measure, by single-step maxT; "
    "--tests declares another method. Verdicts are those of `compare`; under ten queries there is none.",
)


def _compute(
    study: "Study",
    settings: "Settings",
    progress: Progress | None,
    *,
    measures: Sequence[str],
    mitigations: str,
    **numbers: Any,
) -> "Bench":
    from fairviz.analyses.mitigations.bench import mitigation_bench

    return mitigation_bench(study, mitigations, measures, settings, progress=progress, **numbers)


def _call(study: "Study", settings: "Settings", values: Mapping[str, Any]) -> ArgumentsOf:
    from fairviz.analyses.mitigations.bench import mitigation_bench

    arguments = (study, values["mitigations"], values["measures"], settings)
    return mitigation_bench, arguments, {"held_out": values["held_out"]}


def _said(bench: "Bench", _study: str) -> Iterator[str]:
    """Yield a line for each mitigation, as a warning where it is better by one measure and worse by another."""
    warned = {warning.partition(":")[0] for warning in bench.warnings}
    yield from (line for line in bench.outcomes if line.partition(":")[0] not in warned)
    yield from (f"warning: {line}" for line in (*bench.warnings, *bench.leanings))


def _origin(bench: "Bench", values: Mapping[str, Any]) -> Origin:
    numbers = [(name, values[name]) for name in declared.BENCH]
    tried = ", ".join(one.system for one in bench.mitigations)
    return Origin([("mitigations", tried), *numbers], [question.text for question in bench.questions])


def _views(bench: "Bench", _: Mapping[str, Any]) -> "Sequence[View]":
    from fairviz.analyses.mitigations.views import views

    return views(bench)


def _details() -> tuple[str, ...]:
    from fairviz.analyses.mitigations.mitigation import examples

    return DETAILS[0].format(examples=examples()), *DETAILS[1:]


def _mitigations(study: "Study", _settings: "Settings") -> Sequence[str]:
    from fairviz.analyses.mitigations.mitigation import offered, trained_here

    return offered(study, trained_here(study))


def _measures(study: "Study", settings: "Settings") -> Sequence[str]:
    from fairviz.analyses.mitigations.bench import measures_of

    return measures_of(study, settings)


def share_text(share: str) -> str:
    """Return the share of held-out queries as text: `20 %`."""
    return "all queries" if share == "1" else f"{100 * float(share):.0f} %"


BENCH = Analysis(
    name="bench",
    title="Mitigations",
    question="What does each mitigation do to fairness and to effectiveness?",
    summary="compare mitigations by fairness and effectiveness",
    compute=_compute,
    tables={
        "tests": Table(
            lambda bench: bench.table,
            "each mitigation against its baseline, measure by measure, with a paired test (the default)",
        ),
        "means": Table(
            lambda bench: bench.means,
            "the mean of each system over the held-out queries with its interval: the points of the plane",
        ),
    },
    sentences=lambda bench: bench.outcomes,
    parameters=(
        Parameter(
            "measures", (), "of fairness, or DPFR; nothing for the usual ones. Effectiveness is always among them",
            names="measures",
        ),
        Parameter("mitigations", "", "see below (default: one of each kind)", names="rankers"),
        *declared.BENCH.values(),
    ),
    reads=None,
    notes=lambda bench: (*bench.notes, f"Tests in each measure: {bench.family}."),
    details=_details,
    stopped="stopped: encoded texts and answers are kept; run the same command to resume",
    example="bench newswire --mitigations 'neutral(run=bm25)'",
    page="mitigations",
    group="Rankers",
    views=_views,
    controls=(
        Control(
            "mitigations", "calls", "audit_bench_mitigations", "Mitigations", width=5, offers=_mitigations,
            help="None chosen: every one in the list. Parameters has the fields of each.", value=str.strip,
        ),
        Control(
            "measures", "several", "audit_bench_measures", "Measures of fairness", width=8, offers=_measures,
            help="Effectiveness is always among them. All pairs of the systems tried are one family in each measure.",
            usual=USUAL, value=tuple,
        ),
        Control(
            "held_out", "select", "audit_bench_share", "Held out", term="held-out queries", width=2,
            offers=("0.5", "0.2", "0.8", "1"), texts=share_text, value=float,
        ),
    ),
    call=_call,
    said=_said,
    origin=_origin,
)  # fmt: skip
