"""What the holder of a link sees and says, and where the app runs that she asks. Kills of the same kind of database:
tests/reliability."""

import sqlite3
import subprocess
import sys
import threading
from dataclasses import fields
from pathlib import Path

import pytest

from fairviz.annotation.forms import answering, forms
from fairviz.annotation.forms.answering import GONE, Batch, Question, answer, comment_on, open_batch, question, rename
from fairviz.annotation.forms.database import store, store_path
from fairviz.annotation.forms.serving import address, announce_address, running_address
from fairviz.errors import FairvizError
from fairviz.home import data_home
from fairviz.study.record import Study
from tests.annotation.forms.small import formed, saved, small
from tests.conftest import refused


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return saved(tmp_path_factory.mktemp("studies"))


@pytest.fixture
def token(study: Study) -> str:
    return formed(study)[0].token


def test_a_link_opens_its_own_batch_and_no_other_token_any(study: Study) -> None:
    assert open_batch("abc") is None
    assert not store_path().exists(), "no link opens without a database"
    token, *others = (link.token for link in formed(study))
    assert len({token, *others}) == 3
    assert len(token) == 43  # 256 bits, six a sign
    assert address("abc", "http://lab:80/") == "http://lab:80/label?token=abc"
    assert open_batch(token) == Batch(
        token, "person-1", "", False, ("neutral", "female", "male"), "Read, then say.", 12, frozenset()
    )
    assert question(token, 1).text.startswith("text number ")
    for wrong in ("", "abc", "x" * 5000, "' OR 1=1 --", "\ud800", "a\0b", f"{token}\0"):
        assert open_batch(wrong) is None
    rename(token, "  Ada \n Lovelace" + "x" * 200)
    assert open_batch(token).name == ("Ada Lovelace" + "x" * 200)[:78]
    rename(token, "")
    assert open_batch(token).name == ""


def test_a_closed_form_opens_nothing_and_takes_nothing(study: Study) -> None:
    link = formed(study)[0]
    answer(link.token, 1, "label", "male")
    assert forms.close(study) == 3
    assert open_batch(link.token) is None
    with refused(GONE):
        answer(link.token, 2, "label", "male")
    assert forms.links(study)[0].answered == 1, "what was answered stays"


def test_nothing_that_a_page_is_given_says_what_is_right(token: str) -> None:
    """Neither ids (which may say it), nor right answers, nor which question is a test, nor what others said."""
    assert {one.name for one in fields(Batch)} == {
        "token", "person", "name", "named", "choices", "guideline", "questions", "answered", "gone",
    }  # fmt: skip
    assert {one.name for one in fields(Question)} == {
        "number", "title", "text", "said", "label", "comment", "suggestion",
    }  # fmt: skip
    given = repr([open_batch(token), *(question(token, number) for number in range(1, 13))])
    assert "secret" not in given
    assert "expert" not in given
    assert "right_answer" not in Path(answering.__file__).read_text(encoding="utf-8")


def test_the_last_answer_counts_and_earlier_ones_stay(token: str) -> None:
    comment_on(token, 3, "hm")
    assert (question(token, 3).said, question(token, 3).comment) == ("nothing", "hm")
    assert open_batch(token).answered == frozenset(), "a comment alone is no answer"
    answer(token, 3, "label", "male")
    answer(token, 3, "undecided")
    answer(token, 3, "label", "female", "a queen\r\nand a king\0\ud800")
    last = question(token, 3)
    assert (last.said, last.label, last.comment) == ("label", "female", "a queen\nand a king?")
    comment_on(token, 3, "yes")
    assert (question(token, 3).label, question(token, 3).comment) == ("female", "yes"), "and changes none"
    assert open_batch(token).answered == {3}
    with sqlite3.connect(store_path()) as database:
        said = database.execute("SELECT DISTINCT said, label FROM answers WHERE said != 'nothing'").fetchall()
    assert said == [("label", "male"), ("undecided", ""), ("label", "female")]
    with store().writing() as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert database.execute("PRAGMA synchronous").fetchone() == (2,), "full: each answer is on the disk"
    with pytest.raises(ZeroDivisionError), store().writing() as database:
        assert database.execute("DELETE FROM answers").rowcount / 0
    assert open_batch(token).answered == {3}, "a transaction that raises is undone"
    with store().reading() as database, pytest.raises(sqlite3.OperationalError, match="readonly"):
        database.execute("DELETE FROM answers")


def test_what_the_form_does_not_ask_is_refused_and_where_to_go_on(token: str) -> None:
    for number, label, message in (
        (1, "dog", "'dog' is not an answer of this form\nUse one of neutral, female, male."),
        (0, "male", GONE),
        (13, "male", GONE),
    ):
        with refused(message):
            answer(token, number, "label", label)
    assert open_batch(token).answered == frozenset()
    for number in (1, 2, 12):
        answer(token, number, "label", "male")
    batch = open_batch(token)
    assert [batch.open_from(number) for number in (1, 3, 5, 12)] == [3, 3, 5, 3]
    for number in range(3, 12):
        answer(token, number, "undecided")
    assert open_batch(token).open_from(1) == 0


def test_two_people_at_once_wait_for_each_other(study: Study) -> None:
    links = formed(study)

    def label(link: forms.Link, said: str) -> None:
        for number in range(1, 13):
            answer(link.token, number, "label", said)

    people = [threading.Thread(target=label, args=pair) for pair in zip(links, ("male", "female"), strict=False)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert [open_batch(link.token).answered for link in links] == [frozenset(range(1, 13))] * 2 + [frozenset()]
    assert {question(links[1].token, number).label for number in range(1, 13)} == {"female"}


def test_what_cannot_be_stored_or_read_is_said(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with refused(
        "small has no folder yet, so people's answers would have no place to go to\n"
        "Save the study first: on the Data page, under Add and save."
    ):
        formed(small())
    path = store_path()
    path.parent.mkdir(parents=True)
    path.write_text("no database at all, but long enough to be taken for one" * 100)
    with refused(
        f"the labelling forms in {path} could not be read (file is not a database)\n"
        "Close other programs that use the file; if it is not a sound database, move it away."
    ):
        open_batch("abc")
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "file"))
    (tmp_path / "file").write_text("")
    with pytest.raises(FairvizError) as told:
        forms.close(study)
    assert told.value.message.startswith(f"nothing could be stored in {tmp_path}/file/labelling/forms.sqlite (")
    assert told.value.remedy == "Make it a file that you can write, with room, and do it again."


# --- Where the app runs: told while it does, and by nobody after it has ended, however it ended


APP = """
import sys
from fairviz.annotation.forms.serving import announce_address
with announce_address(sys.argv[1], only_labelling=sys.argv[2:] == ["alone"]):
    print("runs", flush=True)
    sys.stdin.read()
"""


def started(*arguments: str) -> subprocess.Popen:
    """Another process that announces its address until its input ends."""
    other = subprocess.Popen([sys.executable, "-c", APP, *arguments], stdin=-1, stdout=-1, text=True)
    assert other.stdout is not None
    assert other.stdout.readline() == "runs\n"
    return other


def test_an_app_that_was_killed_is_not_told_and_its_file_goes_with_the_next() -> None:
    with started("http://localhost:8600") as other:
        assert running_address() == "http://localhost:8600"
        other.kill()
    (left,) = (data_home() / "running").glob("*.json")
    assert left.name == f"{other.pid}.json"
    assert running_address() == ""
    with announce_address("http://localhost:8777"):
        (file,) = (data_home() / "running").glob("*.json")
        assert file != left
        assert running_address() == "http://localhost:8777"
        for content in (b"", b"[]", b"{", b'{"address": 1}', b"\xff"):
            file.write_bytes(content)
            assert running_address() == "", "a file of something else"
    assert list((data_home() / "running").iterdir()) == []


def test_of_several_the_newest_is_told_and_one_for_labelling_alone_before_it() -> None:
    with started("http://lab:9000", "alone") as first, started("http://localhost:8600") as second:
        with announce_address("http://localhost:8777"):
            assert running_address() == "http://lab:9000"
            first.communicate()
            assert running_address() == "http://localhost:8777"
        assert running_address() == "http://localhost:8600"
        second.communicate()
    assert running_address() == ""


def test_a_data_folder_that_takes_nothing_does_not_stop_the_app() -> None:
    data_home().mkdir(parents=True, exist_ok=True)
    (data_home() / "running").write_text("a file")
    with announce_address("http://localhost:8777"):
        assert running_address() == ""
