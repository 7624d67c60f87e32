"""The files of the Data page: their names, and that each says what it was made of."""

import pytest

from tests.pages.test_first_run import first_run, html_of


def buttons(**query: str) -> dict:
    page = first_run("data.py", study="football", **query)
    assert not page.exception
    assert "Each file names its study" in html_of(page)
    return {button.proto.label: button.proto for button in page.get("download_button")}


def test_every_file_has_a_button_and_none_is_computed_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from fairviz.ui.data import downloads

    monkeypatch.setattr(downloads, "to_wide_latex", lambda *_: pytest.fail("nobody asked for it"))
    labels = ["CSV: a row a system", "CSV: a row a query", "LaTeX: a row a value", "LaTeX: systems × measures"]
    assert [label for label in buttons() if label in labels] == labels


def test_a_capsule_and_a_report_wait_until_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from fairviz.ui.shell import menus

    for name in ("capsule", "report"):
        monkeypatch.setattr(menus, name, lambda *_: pytest.fail("nobody asked for it"))
    assert {"Capsule", "Report"} <= set(buttons())
