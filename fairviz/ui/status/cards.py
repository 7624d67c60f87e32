"""The parts of the page: facts of the server and its processes, its jobs, the log of changes, and the roles."""

import platform
import shutil
from dataclasses import asdict
from functools import partial
from importlib.metadata import version

import pandas as pd
import streamlit as st

from fairviz.evaluation.formats import to_csv
from fairviz.home import __version__, data_home
from fairviz.home.access import is_server_owner
from fairviz.home.change_log import COLUMNS as CHANGE_COLUMNS
from fairviz.home.change_log import FILE, read
from fairviz.home.server_config import ROLES, ServerConfig, server_config
from fairviz.ui.kit import html, jobs
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.job_store import RUNNING, WAITING
from fairviz.ui.status import processes
from fairviz.words.sentences import first_listed

NO_SERVER = ("Only a server has a status.", "Start one: fairviz serve STUDIES")
NOT_OWNER = ("Only owners of this server see its status.", "Your own jobs are below, where you have any.")
SHOWN_CHANGES = 500
ALL_STUDIES = "every study"
JOB_COLUMNS = ["position", "title", "visitor", "state", "since"]


def shown_config() -> ServerConfig | None:
    """Return the configuration of this server, if the visitor owns it; else draw a line, and on a server the visitor's
    own jobs, and return None."""
    config = server_config()
    if config is None or not is_server_owner():
        html.message("info", *(NO_SERVER if config is None else NOT_OWNER))
        if config is not None:
            queue()
        return None
    return config


def server(config: ServerConfig) -> None:
    """Draw the counts of the server, its versions, and a table of its processes where there are several."""
    counts = processes.table(config)
    html.facts(processes.total(counts))
    html.facts([*_disk(), *_versions(), *_limits(config)])
    st.button("Refresh", key="status_refresh")
    if len(counts) > 1:
        st.dataframe(
            counts.rename(columns=processes.COLUMNS), hide_index=True, key="status_processes", alt="Counts by process."
        )


def queue() -> None:
    """Draw the jobs that wait or run in all processes, in their order, with a button that ends each; without the
    server's owner, those of the visitor alone."""
    shown = [job for job in jobs.queue() if jobs.is_mine(job)]
    if not shown and not is_server_owner():
        return
    rows = pd.DataFrame([asdict(job) for job in shown], columns=JOB_COLUMNS)
    html.facts([(state, int((rows["state"] == state).sum())) for state in (RUNNING, WAITING)])
    if rows.empty:
        return
    st.dataframe(rows, hide_index=True, key="status_jobs", alt="Jobs in the order in which they were begun.")
    for job in shown:
        key = f"status_end_{job.number}"
        st.button(html.literal(f"End {job.title} ({job.visitor})"), key=key, on_click=guarded(partial(jobs.end, job)))


def log() -> None:
    """Draw the newest changes first, and a download of all."""
    found, damaged = read()
    rows = pd.DataFrame(found, columns=list(CHANGE_COLUMNS))
    if damaged:
        html.message(
            "warning", f"{FILE} has damaged lines: {first_listed(damaged, 10)}.", "A full disk cuts lines off."
        )
    if rows.empty:
        html.quiet("No changes yet.")
        return
    html.facts([("changes", f"{len(rows):,}"), ("people", rows["who"].nunique())])
    st.dataframe(
        rows.iloc[::-1].head(SHOWN_CHANGES), hide_index=True, key="status_changes", alt="Changes, the newest first."
    )
    st.download_button(
        "Download CSV", partial(to_csv, rows), "changes.csv", "text/csv", key="status_file", on_click="ignore"
    )


def roles(config: ServerConfig) -> None:
    """Draw the people of each role, on every study and on single ones, as the configuration names them."""
    tables = {ALL_STUDIES: config.roles, **config.studies}
    rows = [
        {"study": study, **{role: ", ".join(table.get(role, ())) for role in ROLES}} for study, table in tables.items()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="status_roles", alt="People by study and role.")


def _disk() -> list[tuple[str, str]]:
    try:
        free = shutil.disk_usage(data_home()).free
    except OSError:
        return []
    return [("free on the disk", f"{free / 1e9:,.1f} GB")]


def _versions() -> list[tuple[str, str]]:
    return [("fairviz", __version__), ("Python", platform.python_version()), ("Streamlit", version("streamlit"))]


def _limits(config: ServerConfig) -> list[tuple[str, str]]:
    limits = config.limits
    return [
        ("uploads of a session", f"{limits.upload_megabytes:,} MB"),
        ("jobs at once", f"{limits.jobs_at_once:,}"),
        ("tokens a person a day", f"{limits.tokens:,}"),
    ]
