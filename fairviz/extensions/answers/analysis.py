"""The record of the analysis `answers`; see `fairviz.analyses.record`."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from fairviz.analyses.record import Analysis, Progress, Table
from fairviz.analyses.views import FigureView, TableView, TextView, View
from fairviz.extensions.answers.declared import ANSWERS as PARAMETERS

if TYPE_CHECKING:
    from fairviz.evaluation.settings import Settings
    from fairviz.extensions.answers.answering import Answered
    from fairviz.study.record import Study

DETAILS = (
    "The study's folder has answers/NAME.jsonl, in the layout of TREC RAG 2024 or 2025, NeuCLIR, RAGTIME, or plain: "
    '{"query_id", "text", "context": [doc_id], "citations": [doc_id]}. A system GPT becomes the runs "GPT · context", '
    'what it was shown in its order, and "GPT · cited", what it cites by first citation, for all verbs and pages.',
    "A gap is the share of the protected group less that of the other groups, 0 where both are equal. The slope is of "
    "the gap of citations, or of the answer's words, on that of the context, over queries (Kim and others, Findings of "
    "ACL 2025); with three systems or more also over their means.",
    "Suppression of a group is 1 − its share of the citations / its share by chance, a random choice of as many "
    "documents from the same context. Documents that were not shown, and those without a label, are left out. Its "
    "interval clusters by query (Donner and Zou, 2012).",
    "CAB and CAS compare two files in which the same documents have exchanged authors "
    '({"authors": {doc_id: group}}): the rate of citation under an author of the protected group less that under '
    "another, and the mean of its size (Abolghasemi and others, Findings of ACL 2025).",
)


def _lacks(study: "Study") -> tuple[str, str]:
    from fairviz.extensions.answers.layouts import HOW, NONE, answering

    return ("", "") if any(map(answering, study.run_names)) else (f"{study.name} {NONE}", HOW)


def _compute(study: "Study", settings: "Settings", progress: Progress | None, **values: Any) -> "Answered":
    from fairviz.extensions.answers.answering import answers

    return answers(study, settings, **values)


def _views(found: "Answered", chosen: Mapping[str, Any]) -> Sequence[View]:
    from fairviz.extensions.answers.figures import answer_plane
    from fairviz.figures import crbo

    planes = [
        answer_plane.info(found.queries, found.gaps, found.slopes, found.protected, side) for side in ("cited", "words")
    ]
    groups = list(dict.fromkeys(found.suppression["group"]))
    suppressed = crbo.info(
        found.suppression, "Suppression of groups in citations",
        "1 − cited share / share by chance, 95 % interval (dotted: as by chance)", groups,
        ("system", "group", "suppression", "ci_low", "ci_high"), 0.0, genders=True,
        nothing="No answer cites a labelled document that it was shown.",
    )  # fmt: skip
    views: list[View] = [
        TextView(found.sentences, "finding"),
        FigureView("answers_suppression", found.suppression, partial(crbo.draw, suppressed), suppressed.alt,
                   {"table": "found.table('suppression')"}, below=[TextView(found.notes)]),
    ]  # fmt: skip
    views += [
        FigureView(f"answers_{plane.side}", found.queries, partial(answer_plane.draw, plane), plane.alt,
                   {"table": "found.table('queries')"})
        for plane in planes
    ]  # fmt: skip
    about = "Slopes on the gap of the context."
    tables = [("slopes", found.slopes, about, "Slopes of the gaps of citations and words, two rows a system.")]
    if len(found.attribution):
        about = "Citations under exchanged authors."
        tables.append(("attribution", found.attribution, about, "CAB and CAS, two rows a pair of systems."))
    views += [
        TableView(f"answers_{name}", table, alt, recipe={"table": f"found.table({name!r})"}, text=text, on_card=True)
        for name, table, text, alt in tables
    ]
    return views


ANSWERS = Analysis(
    name="answers",
    title="Generated answers",
    question="Which groups does a generated answer show, cite and leave out?",
    summary="compare gender in what generated answers were shown, in what they cite, and in their words",
    compute=_compute,
    tables={
        "suppression": Table(
            lambda found: found.suppression, "how much less often each group is cited than by chance (the default)"
        ),
        "gaps": Table(lambda found: found.gaps, "the mean gap of contexts, citations and words of each system"),
        "slopes": Table(lambda found: found.slopes, "slopes of the gaps of citations and words on that of the context"),
        "queries": Table(lambda found: found.queries, "a row an answer"),
        "attribution": Table(lambda found: found.attribution, "CAB and CAS of files with exchanged authors"),
    },
    sentences=lambda found: found.sentences,
    parameters=(*PARAMETERS.values(),),
    needs={"labels": "to group documents by"},
    lacks=_lacks,
    reads=(
        "cutoff", "position_bias", "custom_bias", "annotator", "voters", "unlabelled", "lexicon", "tokenizer",
        "filter_column", "filter_values",
    ),
    notes=lambda found: found.notes,
    details=DETAILS,
    example="answers my-study --table slopes",
    manual="tutorials/answers",
    quick=True,
    views=_views,
)  # fmt: skip
