"""Two people label the same batch in two browsers, each by a link; nothing that they said is lost."""

import os
import signal
from pathlib import Path

import pytest

from fairviz.annotation.forms.answering import answer, open_batch, question
from fairviz.annotation.forms.forms import Link
from tests.annotation.forms.small import formed, saved
from tests.browser.conftest import SCREEN, Visitor, running
from tests.browser.test_screens import PHONE, SIZES, assert_fits, resize

pytestmark = pytest.mark.browser


@pytest.fixture
def links(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Link, ...]:
    """Two links to one batch of nine documents and three test questions, on the server's own data folder."""
    monkeypatch.setenv("FAIRVIZ_HOME", str(home))
    return formed(saved(tmp_path), people=2)


def press(visitor: Visitor, key: str, said: str) -> None:
    """Presses a key, and waits until the page says this."""
    visitor.page.keyboard.press(key)
    visitor.shows(said)
    visitor.settle(0)


def test_two_people_label_one_batch_each_for_herself(links, visitor: Visitor, visit) -> None:
    people = (visitor, another) = (visitor, visit())
    for person, link in zip(people, links, strict=True):
        person.open(f"/label?token={link.token}")
        person.shows("0 of 12 answered")
        assert person.page.get_by_test_id("stSidebar").count() == 0
        assert person.page.get_by_test_id("stSidebarNav").count() == 0
    for size in (PHONE, SIZES["projector"], SCREEN):
        resize(visitor, size)
        assert_fits(visitor)
    for number, (first, second) in enumerate((("2", "3"), ("1", "0")), start=1):
        press(visitor, first, f"{number} of 12 answered")
        press(another, second, f"{number} of 12 answered")
    press(visitor, "ArrowLeft", "Document 2 of 12")
    press(visitor, "3", "Stored: male. Another answer replaces it.")
    comment = visitor.page.get_by_label("Comment (optional)")
    comment.fill("a 1")
    comment.press("2")
    comment.press("ArrowLeft")
    with visitor.asking():
        comment.blur()
    assert "Document 2 of 12" in visitor.text(), "in a text field keys mean nothing else"
    visitor.page.reload()
    visitor.shows("Document 3 of 12")
    said = [[question(link.token, number) for number in (1, 2)] for link in links]
    assert [[one.label for one in mine] for mine in said] == [["female", "male"], ["male", ""]]
    assert (said[0][1].comment, said[1][1].said) == ("a 12", "undecided")
    for person in people:
        person.assert_well()


@pytest.mark.lengthy
def test_a_server_that_is_killed_loses_no_answer(links, home: Path, browser) -> None:
    """Two people answer, the server is killed as one of them answers, and both go on where they stopped."""
    with running(home, FAIRVIZ_ONLY_LABELLING="1") as (address, process):
        people = [Visitor(browser, address) for _ in links]
        for person, link in zip(people, links, strict=True):
            person.open(f"/label?token={link.token}")
            for number in range(1, 4):
                press(person, "2", f"{number} of 12 answered")
        people[0].page.keyboard.press("3")
        os.kill(process.pid, signal.SIGKILL)
        for person in people:
            person.context.close()
    kept = [len(open_batch(link.token).answered) for link in links]
    assert kept in ([3, 3], [4, 3]), "what was shown as counted is there, and what was under way is there or is not"
    with running(home, FAIRVIZ_ONLY_LABELLING="1") as (address, _):
        curious = Visitor(browser, address)
        curious.open("/tradeoff?study=newswire")  # nothing but batches is served
        curious.shows("This link is unknown or closed.")
        curious.context.close()
        for link, count, label in zip(links, kept, ("1", "3"), strict=True):
            person = Visitor(browser, address)
            person.open(f"/label?token={link.token}")
            person.shows(f"Document {count + 1} of 12")
            for number in range(count + 1, 13):
                press(person, label, f"{number} of 12 answered")
            person.shows("All 12 documents are answered and stored.")
            person.assert_well()
            person.context.close()
    assert [len(open_batch(link.token).answered) for link in links] == [12, 12]
    assert {question(links[0].token, number).label for number in (1, 2, 3)} == {"female"}
    assert question(links[1].token, 12).label == "male"


def test_keys_change_nothing_once_every_document_is_answered(links, visitor: Visitor) -> None:
    (link, _) = links
    for number in range(1, 12):
        answer(link.token, number, "label", "male")
    visitor.open(f"/label?token={link.token}")
    visitor.shows("Document 12 of 12")
    press(visitor, "2", "All 12 documents are answered and stored.")
    for key in ("1", "3", "0", "ArrowLeft"):
        visitor.page.keyboard.press(key)
    visitor.settle()
    assert question(link.token, 12).label == "female"
    assert [question(link.token, number).label for number in range(1, 12)] == ["male"] * 11
    with visitor.asking():
        visitor.page.get_by_role("button", name="Change an answer").click()
    press(visitor, "1", "Stored: neutral. Another answer replaces it.")
    assert question(link.token, 12).label == "neutral"
