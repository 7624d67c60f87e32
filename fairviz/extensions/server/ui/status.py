"""The parts of the page: facts of the server and its processes, its jobs, the log of changes, and the roles."""

import http.client
import json
import platform
import shutil
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from ipaddress import ip_address
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.evaluation.formats import to_csv
from fairviz.extensions.server.access import CHANGE_COLUMNS, CHANGES, read_changes
from fairviz.extensions.server.configuration import ServerConfig, server_config
from fairviz.home import __version__, data_home
from fairviz.home.permissions import ROLES, RUNNING, WAITING, permissions
from fairviz.ui.kit import html, jobs
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.shell.gate import HEALTH, UP
from fairviz.ui.state import choices
from fairviz.words.sentences import first_listed

NO_SERVER = ("Only a server has a status.", "Start one: fairviz serve STUDIES")
NOT_OWNER = ("Only owners of this server see its status.", "Your own jobs are below, where you have any.")
TABS = ("Server", "Jobs", "Changes", "Roles")
SHOWN_CHANGES = 500
ALL_STUDIES = "every study"
JOB_COLUMNS = ["position", "title", "visitor", "state", "since"]
PROCESS_COLUMNS = {  # of the process_counts, by the name in the answer
    "port": "port",
    "status": "status",
    "sessions": "sessions",
    "memory_mb": "memory (MB)",
    "uptime_seconds": "up (s)",
}
SILENT = "no answer"
PATIENCE = 5.0  # seconds for the answer of a process


def draw() -> None:
    """Draw the page, for an owner of the server."""
    if config := shown_config():
        choices.among("status_tab", TABS)
        server_tab, queue_tab, changes_tab, roles_tab = st.tabs(TABS, key="status_tab", on_change="rerun")
        with server_tab:
            server(config)
        with queue_tab:
            queue()
        with changes_tab:
            log()
        with roles_tab:
            roles(config)


def shown_config() -> ServerConfig | None:
    """Return the configuration of this server, if the visitor owns it; else draw a line, and on a server the visitor's
    own jobs, and return None."""
    config = server_config() if permissions().is_server else None
    if config is None or not permissions().is_server_owner():
        html.message("info", *(NO_SERVER if config is None else NOT_OWNER))
        if config is not None:
            queue()
        return None
    return config


def server(config: ServerConfig) -> None:
    """Draw the counts of the server, its versions, and a table of its processes where there are several."""
    counts = process_counts(config)
    html.facts(totals(counts))
    facts = [("fairviz", __version__), ("Python", platform.python_version()), ("Streamlit", version("streamlit"))]
    with suppress(OSError):
        facts.insert(0, ("free on the disk", f"{shutil.disk_usage(data_home()).free / 1e9:,.1f} GB"))
    limits = config.limits
    html.facts(
        [
            *facts,
            ("uploads of a session", f"{limits.upload_megabytes:,} MB"),
            ("jobs at once", f"{limits.jobs_at_once:,}"),
            ("tokens a person a day", f"{limits.tokens:,}"),
        ]
    )
    st.button("Refresh", key="status_refresh")
    if len(counts) > 1:
        st.dataframe(
            counts.rename(columns=PROCESS_COLUMNS), hide_index=True, key="status_processes", alt="Counts by process."
        )


def queue() -> None:
    """Draw the jobs that wait or run in all processes, in their order, with a button that ends each; without the
    server's owner, those of the visitor alone."""
    shown = [job for job in jobs.queue() if jobs.is_mine(job)]
    if not shown and not permissions().is_server_owner():
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
    found, damaged = read_changes()
    rows = pd.DataFrame(found, columns=list(CHANGE_COLUMNS))
    if damaged:
        html.message(
            "warning", f"{CHANGES} has damaged lines: {first_listed(damaged, 10)}.", "A full disk cuts lines off."
        )
    if rows.empty:
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


def process_counts(config: ServerConfig) -> pd.DataFrame:
    """Return a row of counts for each process of the server; one that does not answer has only its port and status."""
    host = _host(config.address)
    ports = range(config.port, config.port + config.processes)
    rows = [{"port": port, **_answer(host, port)} for port in ports]
    return pd.DataFrame(rows).reindex(columns=list(PROCESS_COLUMNS))


def totals(processes: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the sums over processes, and the time since the oldest started, as (name, value)."""
    answering = int((processes["status"] == UP).sum())
    return [
        ("processes answer", f"{answering} of {len(processes)}"),
        ("sessions", f"{processes['sessions'].sum():,.0f}"),
        ("memory", f"{processes['memory_mb'].sum():,.0f} MB"),
        ("up", _span(processes)),
    ]


def _span(processes: pd.DataFrame) -> str:
    seconds = processes["uptime_seconds"].max()
    if pd.isna(seconds):
        return "not known"
    hours, rest = divmod(int(seconds), 3600)
    return f"{hours // 24} d {hours % 24} h" if hours >= 24 else f"{hours} h {rest // 60} min"


def _host(address: str) -> str:
    """Return the address at which this machine reaches what listens at the address."""
    try:
        is_every = ip_address(address).is_unspecified
    except ValueError:
        return address
    return {"::": "::1"}.get(address, "127.0.0.1") if is_every else address


def _answer(host: str, port: int) -> Mapping[str, Any]:
    try:
        with closing(http.client.HTTPConnection(host, port, timeout=PATIENCE)) as connection:
            connection.request("GET", HEALTH)
            facts = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return {"status": SILENT}
    return facts if isinstance(facts, dict) else {"status": SILENT}
