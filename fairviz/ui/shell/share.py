"""The menu Share of every page: the link, the report, the capsule, and the Python of the panels on screen."""

from functools import partial

import streamlit as st

from fairviz.evaluation import questions
from fairviz.evaluation.exports import file_name, origin
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import capsule
from fairviz.output.report import report
from fairviz.output.sensitivity_report import is_of, section
from fairviz.study.record import Study
from fairviz.ui.kept.combinations import LATEST
from fairviz.ui.kit import exports
from fairviz.ui.kit.glossary import term
from fairviz.ui.shell.copy_link import LEFT, copy_link

REPORT_HELP = "One page of HTML: measures, intervals and figures, and Sensitivity if it ran. About 6 MB."


def menu(study: Study, settings: Settings) -> None:
    """Draw the menu. Called at the end of a run, when the panels of the page are known."""
    with st.popover("Share", key=f"share_{st.session_state.get(LEFT, 0)}"):  # a new key closes it
        copy_link(study)
        files(study, settings, "share")
        programs = exports.programs()
        if programs:
            with st.expander("Python of this page", key="share_python"):
                st.code(programs, language="python", height=320)


def files(study: Study, settings: Settings, key: str) -> None:
    """Draw buttons for a report and a capsule under these settings, each computed on request.

    key: the start of their keys.
    """
    if not study.systems or not questions.overview(study, settings).questions:
        return
    about = origin(study, settings)
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Report", partial(_report, study, settings), file_name(about, "report", "html"), "text/html",
            on_click="ignore", key=f"{key}_report", help=REPORT_HELP,
        )  # fmt: skip
        st.download_button(
            "Capsule", partial(_capsule, study, settings), file_name(about, "capsule", "zip"), "application/zip",
            on_click="ignore", key=f"{key}_capsule", help=term("capsule"),
        )  # fmt: skip


def _report(study: Study, settings: Settings) -> str:
    analysis = st.session_state.get(LATEST)
    sections = [section(analysis)] if analysis is not None and is_of(analysis, study, settings) else []
    return report(study, (), settings, sections=sections)


def _capsule(study: Study, settings: Settings) -> bytes:
    return capsule(study, (), settings)
