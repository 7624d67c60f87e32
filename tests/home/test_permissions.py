"""Permissions: everything is allowed without a server, and nothing in a server's process without a whole answer."""

from pathlib import Path

import pytest

import fairviz
from fairviz import installed
from fairviz.errors import FairvizError
from fairviz.home import data_home, permissions, write_whole
from fairviz.home.permissions import OWNER, VARIABLE, Permissions, visitor

SENTENCE = "FAIRVIZ_SERVER is set, and what decides on a server who may do what is of "


@pytest.fixture
def of_server(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Makes this process that of a server, whose answers were not looked for yet."""
    permissions._of_server.cache_clear()
    monkeypatch.setenv(VARIABLE, "config.json")
    yield monkeypatch
    permissions._of_server.cache_clear()


def test_without_a_server_everything_is_allowed(tmp_path: Path) -> None:
    asked = permissions.permissions()
    assert (asked.is_server, asked.is_open(), asked.is_demo()) == (False, True, False)
    assert (asked.role("football"), asked.is_server_owner(), visitor()) == (OWNER, True, None)
    asked.require("football", OWNER, "look")
    asked.check_write(data_home() / "anything")
    assert asked.folder_to_save("mine").name == "mine"
    assert asked.without_paths(str(tmp_path)) == str(tmp_path)
    assert asked.take_place("k", "title", is_quick=False) is None


class Partial(Permissions):
    """Leaves all questions but one open, so that the defaults would allow."""

    is_server = True


class Faulty:
    """Stands for an entry point."""

    def __init__(self, found: object) -> None:
        self.found = found

    def load(self) -> object:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.mark.parametrize(
    "found", [None, ImportError("no module"), Partial(), object()], ids=lambda found: str(found)[:9]
)
def test_a_server_without_a_whole_answer_refuses_everything(
    found: object, tmp_path: Path, of_server: pytest.MonkeyPatch
) -> None:
    entries = {} if found is None else {"server": Faulty(found)}
    of_server.setattr(permissions, "bundled", lambda group: entries)
    of_server.setattr(installed, "bundled", lambda group: entries)
    deeds = (
        lambda: fairviz.open_study("football"),
        lambda: write_whole(data_home() / "x.txt", "x"),
        lambda: write_whole(tmp_path / "x.txt", "x"),
        lambda: permissions.permissions().role("football"),
        visitor,
    )
    for deed in deeds:
        with pytest.raises(FairvizError, match=SENTENCE):
            deed()
    assert not list(tmp_path.rglob("x.txt"))
