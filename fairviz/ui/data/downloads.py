"""Downloads of scores, and the settings as a link."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode, urlsplit

import streamlit as st

from fairviz.comparison.conditions import form, read_condition
from fairviz.comparison.gate import ALLOWED, BEYOND, UNDECIDED, Gate, gate, gate_background, require_defined
from fairviz.evaluation import questions, study_facts
from fairviz.evaluation.exports import Origin, file_name, headed, origin, rendered
from fairviz.evaluation.formats import EXCEL
from fairviz.evaluation.settings import Settings, to_query
from fairviz.output.comparison_tables import to_wide_latex
from fairviz.output.gate_page import VERDICT_TEXTS, page, verdict
from fairviz.statistics.references import DRAWS
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import explained
from fairviz.ui.shell import frame, menus

MIME_TYPES = {"csv": "text/csv", "tex": "text/x-tex"}
BASELINE, CANDIDATE, CONDITIONS = "gate_baseline", "gate_candidate", "gate_conditions"
HELP = "A gate fails where the whole 95 % interval is beyond a limit."
KINDS = {BEYOND: "warning", UNDECIDED: "info"}


@dataclass(frozen=True)
class File:
    """A file of scores to download. label: of its button. content: a part of its name."""

    label: str
    content: str
    suffix: str
    make: Callable[[], str]


IN_FILES = (
    "Each file names its study, measures, settings, version and date. CSV has them as last columns, LaTeX as comments."
)


def scores(study: Study, settings: Settings, *, is_open: bool) -> None:
    """Draw a field of measures in the grammar, and buttons for their scores as CSV and LaTeX, which are computed only
    where the tab is open."""
    if not study.systems:
        html.message("info", *study_facts.nothing_ranked(study))
        return
    default = " ".join(questions.overview(study, settings).texts)
    typed = st.text_input(
        "Measures, with a space between them", default, help="Such as CWEx(alpha=0.5)@10 NFaiRR(tau=1)@10 nDCG@10"
    )
    with explained():
        answerable = questions.split_by_data(study, settings, split(typed))
        frame.missing(answerable.missing)
        if answerable.questions and is_open:
            _draw_files(study, settings, answerable.texts)


def _draw_files(study: Study, settings: Settings, texts: tuple[str, ...]) -> None:
    """Draw the table as in the files, and a button for each file, which is made when it is pressed."""
    summary = cache.summary(study, texts, settings)
    st.dataframe(summary, hide_index=True, key="download_preview", height=240, alt="The content of the files.")
    about = origin(study, settings, texts)
    files = (
        File("CSV: a row a system", "scores", "csv", partial(rendered, summary, "csv", about)),
        File("CSV: a row a query", "scores-per-query", "csv", partial(_per_query_csv, study, settings, texts, about)),
        File("CSV for spreadsheets", "scores", "csv", partial(rendered, summary, EXCEL, about)),
        File("LaTeX: a row a value", "scores", "tex", partial(rendered, summary, "latex", about)),
        File("LaTeX: systems × measures", "scores-wide", "tex", partial(_wide_latex, study, settings, texts, about)),
    )
    for column, file in zip(st.columns(len(files)), files, strict=True):
        column.download_button(
            file.label,
            file.make,
            file_name(about, file.content, file.suffix),
            MIME_TYPES[file.suffix],
            on_click="ignore",
            width="stretch",
            key=f"file_{file.label}",
            help=IN_FILES,
        )


def _per_query_csv(study: Study, settings: Settings, texts: tuple[str, ...], about: Origin) -> str:
    table = cache.scores(study, texts, settings)[["system", "query_id", "measure", "value"]]
    return rendered(table, "csv", about)


def _wide_latex(study: Study, settings: Settings, texts: tuple[str, ...], about: Origin) -> str:
    summary, comparison = cache.summary(study, texts, settings), cache.comparison(study, texts, settings)
    return headed(to_wide_latex(summary, comparison), about)


def to_hand_on(study: Study, settings: Settings) -> None:
    """Draw buttons for a report and a capsule under these settings, as in the menu Share."""
    html.strong("To hand on")
    menus.files(study, settings, "file")


def split(typed: str) -> list[str]:
    """Return the measures in a line, separated by spaces and commas outside brackets."""
    measures, depth = [""], 0
    for sign in typed:
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth <= 0 and (sign.isspace() or sign == ","):
            measures.append("")
        else:
            measures[-1] += sign
    return [measure for measure in measures if measure]


def link(settings: Settings) -> None:
    """Draw the address of the current page for copying."""
    parts = urlsplit(st.context.url or "")
    query = urlencode(to_query(settings), doseq=True)
    address = f"{parts.scheme}://{parts.netloc}/" if parts.netloc else "/"
    html.strong("These settings as a link; the study is not in it")
    st.code(f"{address}?{query}" if query else address, language=None, wrap_lines=True)


def gate_card(study: Study, settings: Settings) -> None:
    """Draw the fields of a gate and, once a condition is given, its verdict and the button of its report."""
    if len(study.systems) < 2:
        return
    html.strong("Gate report")
    left, right, rest = st.columns([3, 3, 6], gap="small")
    baseline = left.selectbox("Baseline", study.systems, key=BASELINE)
    candidate = right.selectbox("Candidate", study.systems, 1, key=CANDIDATE)
    typed = rest.text_area("Fail if (a condition a line)", key=CONDITIONS, height=68, help=f"{form()} {HELP}",
                           placeholder="CWEx falls by 0.02")  # fmt: skip
    texts = tuple(dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip()))
    if not texts:
        return
    with explained():
        _draw_verdict(study, settings, (baseline, candidate), texts)


def _draw_verdict(study: Study, settings: Settings, pair: tuple[str, str], texts: tuple[str, ...]) -> None:
    """Draw the verdict and the button of its report. Raises FairvizError for conditions or systems that cannot be
    compared, and where a measure is undefined for too many queries."""
    named = settings.background if settings.background != Settings.background else ""
    settings = settings.changed(background=gate_background(study, pair[0], named))
    result = gate(study, *pair, [read_condition(text, settings) for text in texts], settings)
    lines = [f"{row['condition']}: {VERDICT_TEXTS[row['state']]}." for row in result.table.to_dict("records")]
    html.message(KINDS.get(result.state, "good"), "\n".join([f"Gate {verdict(result)}.", *lines]))
    st.download_button(
        "Gate report", partial(page, result, _origin_of_gate(study, settings, result)),
        file_name(origin(study, settings), "gate", "html"), "text/html", on_click="ignore", key="gate_report",
    )  # fmt: skip
    require_defined(result)


def _origin_of_gate(study: Study, settings: Settings, result: Gate) -> Origin:
    """Return the origin that the page of `fairviz gate --report` tells."""
    recorded = {"baseline": result.baseline, "candidate": result.candidate, "level": result.level, "draws": DRAWS,
                "undefined": ALLOWED}  # fmt: skip
    return origin(study, settings, tuple(result.table["measure"].unique()), tuple(recorded.items()))
