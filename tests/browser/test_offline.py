"""A form as one file: opened from the disk, labelled by keys, closed, opened again, exported and collected."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from fairviz.annotation.forms import forms
from fairviz.annotation.forms.forms import Link
from fairviz.annotation.forms.offline import offline_form
from fairviz.study.record import Study
from tests.annotation.forms.small import formed, saved, small
from tests.browser.conftest import OPTIONS, PATIENCE, SCREEN
from tests.conftest import Call

pytestmark = pytest.mark.browser

HOSTILE = '</script><script>window.hacked = 1</script><img src="http://example.org/x.png" onerror="window.hacked = 1">'


@contextmanager
def opened(browser, chromium: str, folder: Path, link: Link) -> Iterator:
    """A person's file in a browser whose storage is in this folder, and stays there when it is closed."""
    file = folder / "form.html"
    file.write_text(offline_form(link.token), encoding="utf-8")
    context = browser.browser_type.launch_persistent_context(
        folder / "browser", executable_path=chromium, args=list(OPTIONS), viewport=SCREEN
    )
    page, troubles = context.pages[0], []
    page.set_default_timeout(PATIENCE)
    page.on("request", lambda request: troubles.append(request.url) if request.url.startswith("http") else None)
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(file.as_uri())
    yield page
    assert page.evaluate("window.hacked") is None
    assert troubles == []
    context.close()


def exported(page, path: Path) -> str:
    with page.expect_download() as download:
        page.keyboard.press("e")
    download.value.save_as(path)
    return str(path)


def says(page, text: str) -> None:
    page.get_by_text(text, exact=True).wait_for()


def test_a_file_is_labelled_closed_opened_exported_and_collected(
    browser, chromium: str, tmp_path: Path, call: Call
) -> None:
    table = small().documents
    study: Study = saved(tmp_path, replace(small(), documents=table.assign(title=HOSTILE)))
    link, _ = formed(study, people=2)
    verb = f"study-form {study.folder} --least-tests 0 --collect"
    here = partial(opened, browser, chromium, tmp_path, link)
    with here() as page:
        says(page, "0 of 12 answered")
        page.get_by_text(HOSTILE, exact=True).wait_for()
        for key in "230":
            page.keyboard.press(key)
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("c")
        page.keyboard.type("a 1")
        page.keyboard.press("Escape")
        page.get_by_label("Your name").fill("Ada")
        page.reload()
        says(page, "3 of 12 answered")
        says(page, "Document 4 of 12")
    with here() as page:
        says(page, "3 of 12 answered")
        assert page.get_by_label("Your name").input_value() == "Ada"
        early = exported(page, tmp_path / "early.jsonl")
        assert call(verb, early).err.startswith(f"{early}: 3 of 12 questions answered by Ada, 3 answers new\n")
        assert [(one.said, one.label, one.comment) for one in forms.links(study)[0].answers] == [
            ("label", "female", ""), ("label", "male", ""), ("undecided", "", "a 1"),
        ]  # fmt: skip
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("1")
        says(page, "Stored: neutral. Another answer replaces it.")
        page.get_by_role("button", name="First without an answer").click()
        for _ in range(9):
            page.keyboard.press("2")
        says(page, "All 12 documents are answered. Export the answers, and send the file back.")
        page.keyboard.press("3")  # changes nothing here
        last = exported(page, tmp_path / "last.jsonl")
    assert call(verb, last).err.startswith(f"{last}: 12 of 12 questions answered by Ada, 10 answers new\n")
    labels = [one.label for one in forms.links(study)[0].answers]
    assert labels == ["female", "male", "neutral", *["female"] * 9]
