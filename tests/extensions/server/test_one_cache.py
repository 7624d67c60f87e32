"""Sessions share what the server has computed; what a person may do to a study is not shared."""

from pathlib import Path

import pytest

from fairviz.annotation.adjudications import decide
from fairviz.extensions.server.configuration import Login, ServerConfig
from fairviz.home.permissions import Visitor, visiting
from fairviz.study.record import Study
from fairviz.ui.kept.tables import study_named
from tests.extensions.server.configured import configure

ADA, BOB, CARL = (Visitor(f"{name}@x.org") for name in ("ada", "bob", "carl"))
CONFIG = ServerConfig(
    login=Login(header="X-User"),
    roles={"owner": ("ada@x.org",), "annotator": ("bob@x.org",), "viewer": ("carl@x.org",)},
)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    configure(tmp_path, CONFIG, monkeypatch)


def opened(person: Visitor) -> Study:
    with visiting(person):
        return study_named("mine")


def test_who_may_change_a_study_opens_it_so_whoever_opened_it_before(served: None) -> None:
    assert [opened(person).read_only for person in (CARL, ADA, CARL, ADA)] == [True, False, True, False]


def test_a_study_with_decisions_is_opened_so_too(served: None) -> None:
    with visiting(BOB):
        study = opened(BOB)
        document = study.documents["doc_id"].iloc[0]
        decide(study, document, study.neutral, "bob")
    assert [opened(person).read_only for person in (CARL, ADA, CARL, ADA)] == [True, False, True, False]
