"""A gate on the page: two systems, conditions as text, the verdict, and the report of `fairviz gate` as a file."""

from functools import partial

import streamlit as st

from fairviz.comparison.conditions import FORM, read_condition
from fairviz.comparison.gate import ALLOWED, BEYOND, UNDECIDED, Gate, gate, gate_background, require_defined
from fairviz.errors import FairvizError
from fairviz.evaluation.exports import file_name, origin
from fairviz.evaluation.settings import Settings
from fairviz.output.gate_page import VERDICT_TEXTS, page, verdict
from fairviz.statistics.references import DRAWS
from fairviz.study.record import Study
from fairviz.ui.kit import html

BASELINE, CANDIDATE, CONDITIONS = "gate_baseline", "gate_candidate", "gate_conditions"
HELP = f"{FORM} A gate fails where the whole 95 % interval is beyond a limit."
KINDS = {BEYOND: "warning", UNDECIDED: "info"}


def card(study: Study, settings: Settings) -> None:
    """Draw the fields of a gate and, once a condition is given, its verdict and the button of its report."""
    if len(study.systems) < 2:
        return
    html.strong("Gate report")
    left, right, rest = st.columns([3, 3, 6], gap="small")
    baseline = left.selectbox("Baseline", study.systems, key=BASELINE)
    candidate = right.selectbox("Candidate", study.systems, 1, key=CANDIDATE)
    typed = rest.text_area("Fail if (a condition a line)", key=CONDITIONS, height=68, help=HELP,
                           placeholder="CWEx falls by 0.02")  # fmt: skip
    texts = tuple(dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip()))
    if not texts:
        return
    try:
        _result(study, settings, (baseline, candidate), texts)
    except FairvizError as error:
        html.message("error", error.message, error.remedy)


def _result(study: Study, settings: Settings, pair: tuple[str, str], texts: tuple[str, ...]) -> None:
    """Draw the verdict and the button. Raises FairvizError for conditions or systems that cannot be compared."""
    named = settings.background if settings.background != Settings.background else ""
    settings = settings.changed(background=gate_background(study, pair[0], named))
    result = gate(study, *pair, [read_condition(text, settings) for text in texts], settings)
    rows = result.table.to_dict("records")
    lines = [f"{row['condition']}: {VERDICT_TEXTS[row['state']]}." for row in rows]
    html.message(KINDS.get(result.state, "good"), "\n".join([f"Gate {verdict(result)}.", *lines]))
    st.download_button(
        "Gate report", partial(_report, study, settings, result),
        file_name(origin(study, settings), "gate", "html"), "text/html", on_click="ignore", key="gate_report",
    )  # fmt: skip
    require_defined(result)


def _report(study: Study, settings: Settings, result: Gate) -> str:
    """Return the page that `fairviz gate --report` writes."""
    recorded = {"baseline": result.baseline, "candidate": result.candidate, "level": result.level, "draws": DRAWS,
                "undefined": ALLOWED}  # fmt: skip
    measures = tuple(result.table["measure"].unique())
    return page(result, origin(study, settings, measures, tuple(recorded.items())))
