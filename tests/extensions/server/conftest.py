"""This process as a server, for tests that start none; the browser of tests/browser, for two people on a server."""

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from fairviz.extensions.server.configuration import ServerConfig, to_json
from fairviz.home import BUILTIN, SERVED, data_home
from fairviz.home.permissions import VARIABLE
from tests.browser.conftest import browser, chromium

__all__ = ["browser", "chromium"]


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Callable[[ServerConfig], None]:
    """Makes this process that of a server with the configuration."""
    folder, numbers = tmp_path_factory.mktemp("configurations"), count()

    def start(config: ServerConfig) -> None:
        file = folder / f"{next(numbers)}.json"  # a process reads each file once
        file.write_text(to_json(config), encoding="utf-8")
        monkeypatch.setenv(VARIABLE, str(file))

    return start


@pytest.fixture
def studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of studies of a server, with `mine`, a copy of football."""
    folder = tmp_path / "studies"
    shutil.copytree(BUILTIN["football"], folder / "mine")
    monkeypatch.setenv(SERVED, str(folder))
    data_home().mkdir(parents=True)
    return folder
