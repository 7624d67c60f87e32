"""This process as a server, for tests that start none."""

import shutil
from pathlib import Path

import pytest

from fairviz.extensions.server.configuration import ServerConfig, to_json
from fairviz.home import BUILTIN, SERVED, data_home
from fairviz.home.permissions import VARIABLE


def configure(folder: Path, config: ServerConfig, patch: pytest.MonkeyPatch) -> None:
    """Make this process a server with the configuration, whose folder of studies has `mine`, a copy of football."""
    if not (folder / "studies").exists():
        shutil.copytree(BUILTIN["football"], folder / "studies" / "mine")
    file = folder / f"config-{len(list(folder.iterdir()))}.json"  # a process reads each file once
    file.write_text(to_json(config), encoding="utf-8")
    patch.setenv(VARIABLE, str(file))
    patch.setenv(SERVED, str(folder / "studies"))
    data_home().mkdir(parents=True, exist_ok=True)
