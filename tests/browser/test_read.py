"""Reading and deciding with the keyboard, in a real browser: nothing is lost, nothing runs, nobody waits."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

import fairviz
from fairviz.annotation.adjudications import decide as store_decision
from fairviz.annotation.adjudications import decisions, history
from fairviz.ui.kit.highlight import MOST_MARKS
from tests.browser.conftest import Visitor, visiting

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=window.hacked=1>"
LONG_WORDS = 240_000  # a megabyte, every second word a gender word


class Texts(NamedTuple):
    """A study of texts that mean harm, on a server that this test shares with others: each has a study of its own."""

    address: str
    name: str

    @property
    def path(self) -> str:
        return f"/read?study={self.name}"


@pytest.fixture
def texts(server: str, home: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Texts:
    monkeypatch.setenv("FAIRVIZ_HOME", str(home))
    name = f"texts{len(list(home.glob('studies/texts*')))}"
    write_texts(home / "studies" / name, getattr(request, "param", 2))
    return Texts(server, name)


@pytest.fixture
def desk(visitor: Visitor, texts: Texts) -> Visitor:
    """A person at the page Read, with the first of the texts open."""
    visitor.open(texts.path)
    visitor.page.wait_for_selector(".fv-doc")
    visitor.settle(0)
    return visitor


def write_texts(study: Path, words: int) -> None:
    (study / "runs").mkdir(parents=True)
    documents = {
        "hostile": f"{HOSTILE} she said ![x](http://example.org/x.png) :red[he]",
        "arabic": "هي قالت she مرحبا بالعالم 👩‍👩‍👧 he",
        "long": "word she " * (words // 2),
        HOSTILE.replace(" ", "_"): "a tree",
    }
    rows = "".join(f"{name}\t{text}\n" for name, text in documents.items())
    (study / "documents.tsv").write_text("doc_id\ttext\n" + rows, encoding="utf-8")
    labels = "".join(f"{name},{HOSTILE},female,{HOSTILE}\n{name},plain,male,\n" for name in documents)
    (study / "labels.csv").write_text("doc_id,annotator,label,rationale\n" + labels, encoding="utf-8")
    for system in ("one", "two"):
        names = list(documents) if system == "one" else list(documents)[::-1]
        lines = [f"q Q0 {name} {rank} {9 - rank} tag\n" for rank, name in enumerate(names, start=1)]
        (study / "runs" / f"{system}.run").write_text("".join(lines), encoding="utf-8")


@contextmanager
def reading(browser, address: str, path: str) -> Iterator[Visitor]:
    """A person at the page Read, who finds it well at the end."""
    with visiting(browser, address, path) as visitor:
        visitor.page.wait_for_selector(".fv-doc")
        visitor.settle(0)
        yield visitor


def opened(visitor: Visitor) -> str:
    return visitor.page.locator(".fv-doc bdi").inner_text()


def press(visitor: Visitor, key: str) -> None:
    with visitor.asking():
        visitor.page.keyboard.press(key)


def following(visitor: Visitor, key: str = "n") -> str:
    """Presses the key and waits until another document lies open."""
    before = opened(visitor)
    visitor.page.keyboard.press(key)
    visitor.until("name => document.querySelector('.fv-doc bdi')?.textContent !== name", before)
    visitor.settle(0)
    return opened(visitor)


def decide(visitor: Visitor, key: str, count: int) -> None:
    """Presses the label's key and waits until so many documents are decided; without a name, if one is asked for."""
    visitor.page.keyboard.press(key)
    decided = visitor.page.get_by_role("button", name=f"{count} decided")
    who = visitor.page.get_by_test_id("stDialog")
    decided.or_(who).first.wait_for()
    if who.count():
        who.get_by_role("button", name="Store without a name").click()
        who.wait_for(state="detached")
    decided.wait_for()


def choose(visitor: Visitor, label: str, option: str) -> None:
    visitor.page.get_by_test_id("stMain").get_by_label(label, exact=True).first.click()
    with visitor.asking():
        visitor.page.get_by_role("option", name=option, exact=True).click()


def fill(visitor: Visitor, label: str, text: str) -> None:
    visitor.page.get_by_label(label, exact=True).fill(text)
    with visitor.asking():
        visitor.page.keyboard.press("Enter")
    visitor.page.locator(".st-key-heading h1").click()


@pytest.mark.lengthy
def test_two_readers_at_once_lose_nothing(browser, texts):
    with reading(browser, texts.address, texts.path) as first, reading(browser, texts.address, texts.path) as second:
        fill(first, "Your name", "Ada")
        fill(second, "Your name", "Bob")
        shared = opened(first)
        assert opened(second) == shared
        first.page.keyboard.press("2")
        second.page.keyboard.press("3")  # before the first is answered
        for visitor in (first, second):
            visitor.page.locator(".fv-history").wait_for()
            visitor.settle(0)
        one, two = following(first), following(second, "n")
        assert one == two != shared
        for visitor in (first, second):
            press(visitor, "p")
            assert opened(visitor) == shared
            told = visitor.page.locator(".fv-history").inner_text()
            assert "Ada" in told
            assert "Bob" in told
    past = history(fairviz.open_study(texts.name), shared)
    assert sorted(zip(past["author"], past["label"], strict=True)) == [("Ada", "female"), ("Bob", "male")]


def test_a_hostile_document_shows_as_text_and_a_decided_one_leaves_the_list_and_stays_open(desk: Visitor) -> None:
    """Whether the name is asked for at that moment or was given before."""
    page = desk.page
    assert f"{HOSTILE} she said ![x](http://example.org/x.png) :red[he]" in page.locator(".fv-text").inner_text()
    assert HOSTILE in page.locator(".fv-labels").inner_text()
    page.get_by_text("shade", exact=True).click()
    page.locator(".fv-text [title^='g = ']").first.wait_for()
    page.get_by_role("button", name="More filters").click()
    page.get_by_label("Decided", exact=True).click()
    with desk.asking():
        page.get_by_role("option", name="not decided yet").click()
    page.keyboard.press("Escape")
    page.locator(".st-key-heading h1").click()
    for count, (name, next_one) in enumerate((("hostile", "arabic"), ("arabic", "long")), start=1):
        assert opened(desk) == name
        if count == 2:
            fill(desk, "Your name", HOSTILE)
            fill(desk, "Reason", HOSTILE)
        decide(desk, "2", count)
        desk.settle(0)
        assert opened(desk) == name
        assert "not in the list any more" in page.locator(".fv-doc").inner_text()
        assert f"{4 - count} of 4 documents" in desk.text()
        assert page.locator(".fv-history").inner_text().count(HOSTILE) == 2 * (count - 1)
        assert following(desk) == next_one
    assert following(desk) == HOSTILE.replace(" ", "_")
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".fv-text img, .fv-labels img, .fv-history img, .fv-doc img").count() == 0


@pytest.mark.lengthy
@pytest.mark.parametrize("texts", [LONG_WORDS], indirect=True)
def test_other_scripts_and_a_text_of_a_megabyte(browser, texts):
    with reading(browser, texts.address, f"{texts.path}&document=arabic") as visitor:
        text = visitor.page.locator(".fv-text")
        assert "👩‍👩‍👧" in text.inner_text()
        assert text.locator(".fv-w0").all_inner_texts() == ["she"]
        assert text.evaluate("node => getComputedStyle(node).direction") == "rtl"
        following(visitor)
        assert "more characters" in text.inner_text()
        assert len(text.inner_text()) < 5_000
        visitor.page.get_by_text("show all", exact=True).click()
        visitor.until(f"() => document.querySelector('.fv-text')?.textContent.length > {LONG_WORDS * 4}")
        assert text.locator(".fv-w0").count() == MOST_MARKS


@pytest.mark.lengthy
def test_the_list_opens_documents_and_turns_its_pages(browser, texts):
    with reading(browser, texts.address, "/read") as visitor:
        choose(visitor, "Order", "order: effect on the measure")
        first = opened(visitor)
        assert "· 1 of 343" in visitor.page.locator(".fv-doc").inner_text()
        assert "inspect_order=effect" in visitor.page.url
        visitor.tick(visitor.page.get_by_test_id("stMain").get_by_test_id("stDataFrame").first, 3)
        visitor.until("name => document.querySelector('.fv-doc bdi')?.textContent !== name", first)
        visitor.settle(0)
        assert "· 3 of 343" in visitor.page.locator(".fv-doc").inner_text()
        visitor.page.get_by_role("button", name="ten ›").click()
        visitor.page.get_by_text("11 to 20 of 343").wait_for()
        visitor.settle(0)
        assert "· 11 of 343" in visitor.page.locator(".fv-doc").inner_text()
        assert following(visitor, "p") != ""
        assert "1 to 10 of 343\n" in visitor.text()


@pytest.mark.lengthy
def test_labels_that_decide_open_and_the_filters_outlive_other_pages(browser, texts):
    with reading(browser, texts.address, "/read") as visitor:
        page = visitor.page
        choose(visitor, "Which documents?", "project ≠ lexicon")
        kept = page.locator(".fv-listing").inner_text()
        assert "of 343 documents" in kept
        assert not kept.startswith("343")
        visitor.go("Overview")
        visitor.go("Read")
        page.wait_for_selector(".fv-doc")
        visitor.settle(0)
        assert page.locator(".fv-listing").inner_text() == kept
        with visitor.asking():
            page.get_by_role("button", name="Read the documents in this order").click()
        assert page.get_by_label("Order", exact=True).first.input_value() == "order: effect on the measure"
        assert "· 1 of" in page.locator(".fv-doc").inner_text()
        page.get_by_role("button", name="Clear", exact=True).click()
        page.get_by_text("343 of 343 documents").wait_for()
        for name in ("doubtful labels", "without one annotator", "missing labels"):
            page.get_by_test_id("stMain").get_by_text(name, exact=True).click()
            visitor.settle()
        assert "What missing labels could hide" in visitor.text()
        choose(visitor, "measure", "in AWRF")
        assert "AWRF" in page.locator(".fv-if").inner_text()


@pytest.mark.lengthy
def test_the_name_is_asked_for_once_and_kept_in_the_browser_only_where_that_is_wanted(browser, texts):
    with reading(browser, texts.address, texts.path) as visitor:
        page, who = visitor.page, visitor.page.get_by_test_id("stDialog")
        first = opened(visitor)
        page.keyboard.press("2")
        who.wait_for()
        page.keyboard.press("Escape")
        who.wait_for(state="detached")
        page.get_by_text(f"Not stored: female for {first}. The question for your name was left.").wait_for()
        assert page.get_by_role("button", name="0 decided").count() == 1
        page.keyboard.press("2")
        who.get_by_role("button", name="Store under this name").click()
        who.get_by_text("No name was given.").wait_for()
        who.get_by_label("Your name", exact=True).fill('Ada "; alert(1) </script>')
        page.keyboard.press("Enter")
        who.wait_for(state="detached")
        page.get_by_role("button", name="1 decided").wait_for()
        visitor.settle(0)
        assert 'Ada "; alert(1) </script>' in page.locator(".fv-history").inner_text()
        following(visitor)
        decide(visitor, "3", 2)
        assert who.count() == 0, "asked once"
        assert [cookie["name"] for cookie in visitor.context.cookies() if cookie["name"] == "fairviz_reader"] == []
        page.get_by_role("button", name="2 decided").click()
        page.get_by_text("Remember my name in this browser").click()
        visitor.until("() => document.cookie.includes('fairviz_reader=Ada%20%22%3B')")
        visitor.settle(0)
        visitor.open(texts.path)  # another session of the same browser
        page.wait_for_selector(".fv-doc")
        visitor.settle(0)
        decide(visitor, "2", 2)
        assert who.count() == 0
        assert page.get_by_label("Your name", exact=True).input_value() == 'Ada "; alert(1) </script>'
        page.get_by_role("button", name="2 decided").click()
        page.get_by_text("Remember my name in this browser").click()
        visitor.until("() => !document.cookie.includes('fairviz_reader')")
        page.keyboard.press("Escape")
        page.get_by_text("Remember my name in this browser").wait_for(state="hidden")
    past = history(fairviz.open_study(texts.name), first)
    assert past["author"].tolist() == ['Ada "; alert(1) </script>'] * 2


def test_undo_takes_back_the_reader_s_last_decision_and_decisions_leave_as_a_file_and_come_back(
    desk: Visitor, texts: Texts, tmp_path: Path
) -> None:
    study, page = fairviz.open_study(texts.name), desk.page
    fill(desk, "Your name", "Ann")
    page.get_by_text("then next", exact=True).click()
    desk.settle()
    for key, count in (("2", 1), ("3", 2)):
        decide(desk, key, count)
        desk.settle(0)
    assert opened(desk) == "long"
    assert "document=long" in page.url
    store_decision(study, "long", "male", author="Bob")
    taken = (("arabic", "male", {"hostile": "female", "long": "male"}), ("hostile", "female", {"long": "male"}))
    for name, label, left in taken:
        page.keyboard.press("u")
        page.locator(".fv-doc bdi", has_text=name).wait_for()
        desk.settle(0)
        assert f"Taken back: {label} for {name}." in desk.text()
        told = page.locator(".fv-history").inner_text()
        assert "taken back" in told
        assert label in told
        table = decisions(fairviz.open_study(texts.name))
        assert dict(zip(table["doc_id"], table["label"], strict=True)) == left
    assert page.get_by_role("button", name="Undo").is_disabled(), "what is left is another reader's"

    fill(desk, "Reason", "=1+1")
    decide(desk, "2", 2)
    desk.settle(0)
    page.get_by_role("button", name="2 decided").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Every decision, CSV").click()
    path = tmp_path / "decisions.csv"
    download.value.save_as(path)
    written = path.read_text(encoding="utf-8")
    assert written.startswith("mark,time,doc_id,action,label,reason,author,guarded_by_apostrophe\n")
    assert "'=1+1" in written
    path.write_text(written + f"m2,2026-01-01T00:00:00.000000Z,{HOSTILE.replace(' ', '_')},decide,male,,Eve,yes\n")
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(path)
    page.get_by_text("3 decided").first.wait_for()
    page.get_by_text("1 decision was added from the file.").wait_for()
    page.keyboard.press("Escape")


def test_keys_decide_but_in_fields_and_open_menus(desk: Visitor, texts: Texts) -> None:
    page = desk.page
    fill(desk, "Your name", "Ann")
    switch = page.get_by_role("switch", name="then next").or_(page.get_by_role("checkbox", name="then next"))
    switch.focus()
    page.keyboard.press("Space")
    desk.settle()
    for count, key in enumerate("132", start=1):  # while the switch has the focus
        decide(desk, key, count)
        desk.settle(0)
    assert page.locator(".fv-keyhint").is_hidden()
    table = decisions(fairviz.open_study(texts.name))
    assert table["label"].tolist() == ["neutral", "male", "female"]
    assert set(table["author"]) == {"Ann"}

    before = opened(desk)
    choose(desk, "Order", "order: disagreement (entropy)")
    field = page.get_by_test_id("stMain").get_by_label("Order", exact=True).first
    assert field.evaluate("node => node === document.activeElement"), "the menu keeps the focus"
    is_first = "· 1 of" in page.locator(".fv-doc").inner_text()
    assert following(desk, "n" if is_first else "p") != before
    assert field.input_value() == "order: disagreement (entropy)"
    assert page.get_by_role("option").count() == 0
    before = opened(desk)
    field.click()
    page.get_by_role("option").first.wait_for()
    page.keyboard.press("n")
    desk.settle()
    assert page.get_by_role("option").count() > 0, "it searches the open menu"
    assert opened(desk) == before
    page.keyboard.press("Escape")

    name = page.get_by_label("Your name", exact=True)
    for leaving, typed in (("Enter", "Ann 13"), ("Escape", "Bob 31")):
        name.fill("")
        page.locator(".fv-keyhint").wait_for()
        page.keyboard.type(typed)
        desk.settle()
        assert set(decisions(fairviz.open_study(texts.name))["author"]) <= {"Ann", "Ann 13"}
        with desk.asking():
            page.keyboard.press(leaving)
        page.locator(".fv-keyhint").wait_for(state="hidden")
        assert name.input_value() == typed
        with desk.asking():
            page.keyboard.press("2")
        assert typed in set(decisions(fairviz.open_study(texts.name))["author"])
    decided = len(decisions(fairviz.open_study(texts.name)))
    for label in ("Reason", "Your name", "Search"):
        page.get_by_label(label, exact=True).click()
        page.keyboard.type("n2u")
    desk.settle()
    assert len(decisions(fairviz.open_study(texts.name))) == decided
