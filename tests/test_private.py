"""Stores of what people entered, and their folders: no other user of the machine can open them."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import platformdirs
import pytest

from fairviz import files
from fairviz.annotation.adjudications import decide, rows_of
from fairviz.annotation.adjudications import store_path as decisions_path
from fairviz.annotation.forms import database as labelling
from fairviz.datasets import additions_folder, data_home, save_labels
from fairviz.evaluation.opening import open_study
from fairviz.models.answers import answers, answers_path
from fairviz.study.record import Annotator
from tests.annotation.forms.small import saved

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no rights of group and others")


@pytest.fixture(autouse=True)
def _usual_mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def modes(folder: Path) -> dict[str, int]:
    """The mode of each file in the folder, by name."""
    return {path.name: mode(path) for path in folder.iterdir() if path.is_file()}


def loosen(folder: Path) -> None:
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o644)


def test_labelling_forms_are_private_with_their_log() -> None:
    folder = labelling.store_path().parent
    expected = dict.fromkeys(("forms.sqlite", "forms.sqlite-wal", "forms.sqlite-shm"), 0o600)
    with labelling.store().writing():
        assert modes(folder) == expected
        assert (mode(folder), mode(data_home())) == (0o700, 0o700)
        loosen(folder)
        with labelling.store().reading():
            assert modes(folder) == expected
            assert mode(folder) == 0o700
        loosen(folder)
    with labelling.store().writing():
        assert modes(folder) == expected
        assert mode(folder) == 0o700


def test_a_store_is_never_open_to_others_while_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def connect(path: Path, **options: object) -> sqlite3.Connection:
        seen.append((mode(path), mode(path.parent)))
        return sqlite3.Connection(path, **options)

    monkeypatch.setattr(sqlite3, "connect", connect)
    with labelling.store().writing():
        pass
    assert seen == [(0o600, 0o700)]
    assert modes(labelling.store_path().parent) == {"forms.sqlite": 0o600}


def test_answers_of_models_are_private() -> None:
    with answers():
        assert set(modes(data_home()).values()) == {0o600}
    assert mode(data_home()) == 0o700
    answers_path().chmod(0o644)
    with answers():
        assert modes(data_home()) == dict.fromkeys(
            ("answers.sqlite", "answers.sqlite-wal", "answers.sqlite-shm"), 0o600
        )


def test_a_folder_that_somebody_named_keeps_its_rights_and_the_users_is_tightened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data_home().mkdir()
    data_home().chmod(0o775)
    with answers():
        pass
    assert (mode(data_home()), mode(answers_path())) == (0o775, 0o600)
    monkeypatch.setattr(platformdirs, "user_data_path", lambda *_, **__: data_home())
    with answers():
        pass
    assert mode(data_home()) == 0o700


def test_decisions_are_private_in_the_data_folder() -> None:
    study = open_study("newswire")
    path = decisions_path(study)
    decide(study, study.documents["doc_id"].iloc[0], study.groups[0])
    assert modes(path.parent) == {path.name: 0o600}
    assert mode(path.parent) == 0o700
    loosen(path.parent)
    assert len(rows_of(study)) == 1
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)


def test_decisions_in_a_folder_of_ones_own_have_its_rights(tmp_path: Path) -> None:
    study = saved(tmp_path)
    before = mode(study.folder)
    decide(study, "secret-1", "male")
    assert (mode(decisions_path(study)), mode(study.folder)) == (0o644, before)
    assert len(rows_of(study)) == 1


def test_labels_beside_a_study_of_the_program_are_private() -> None:
    study = open_study("newswire")
    labels = pd.DataFrame({"doc_id": study.documents["doc_id"][:1], "annotator": "ann", "label": study.groups[0]})
    save_labels(study, labels, {"ann": Annotator("ann", "person")})
    assert mode(additions_folder(study.name)) == 0o700


def test_nothing_is_changed_where_there_are_no_such_rights_or_of_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(files, "HAS_RIGHTS", False)
        patch.setattr(Path, "chmod", lambda *_: pytest.fail("a mode was changed"))
        with labelling.store().writing() as database:
            database.execute("SELECT 1")
        with labelling.store().reading():
            pass
    with labelling.store().writing():
        pass
    labelling.store_path().chmod(0o644)

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "chmod", refuse)
    with labelling.store().reading() as database:  # it is opened as it is
        assert database.execute("SELECT COUNT(*) FROM answers").fetchone() == (0,)
