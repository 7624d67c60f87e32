"""Counts of every process of this server, requested from each at its port."""

import http.client
import json
from collections.abc import Mapping
from contextlib import closing
from ipaddress import ip_address
from typing import Any

import pandas as pd

from fairviz.home.server_config import ServerConfig
from fairviz.ui.shell.health import PATH, UP

COLUMNS = {  # of the table, by the name in the answer
    "port": "port",
    "status": "status",
    "sessions": "sessions",
    "memory_mb": "memory (MB)",
    "uptime_seconds": "up (s)",
}
SILENT = "no answer"
PATIENCE = 5.0  # seconds for the answer of a process


def table(config: ServerConfig) -> pd.DataFrame:
    """Return a row of counts for each process of the server; one that does not answer has only its port and status."""
    host = _host(config.address)
    ports = range(config.port, config.port + config.processes)
    rows = [{"port": port, **_answer(host, port)} for port in ports]
    return pd.DataFrame(rows).reindex(columns=list(COLUMNS))


def total(processes: pd.DataFrame) -> list[tuple[str, str]]:
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
            connection.request("GET", PATH)
            facts = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return {"status": SILENT}
    return facts if isinstance(facts, dict) else {"status": SILENT}
