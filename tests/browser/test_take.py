"""What a person takes along: a capsule that is replayed, a report without a network, a panel's figure and Python."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from fairviz.cli.main import main
from fairviz.home import BUILTIN
from tests.browser.conftest import SCREEN, Visitor

COPIED = "navigator.clipboard.readText().then(copied => copied.trim() === text)"
pytestmark = pytest.mark.browser


@pytest.fixture
def mine(home: Path) -> Path:
    """A study of the person's own, by the name `mine`."""
    folder = home / "studies" / "mine"
    shutil.copytree(BUILTIN["football"], folder, dirs_exist_ok=True)
    return folder


def taken(visitor: Visitor, name: str, folder: Path) -> Path:
    """The file behind the button of this name."""
    with visitor.page.expect_download() as waiting:
        visitor.page.get_by_role("button", name=name, exact=True).click()
    file = folder / waiting.value.suggested_filename
    waiting.value.save_as(file)
    return file


def test_files_of_a_study_a_capsule_that_is_replayed_and_a_report_without_a_network(
    visitor: Visitor, browser, mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    visitor.open("/data?study=mine&cutoff=4&position_bias=reciprocal")
    with visitor.asking():
        visitor.page.get_by_role("tab", name="Download").click()
    labels = ("CSV: a row a system", "CSV: a row a query", "LaTeX: a row a value", "LaTeX: systems × measures")
    whole, by_query, latex, wide = files = [taken(visitor, label, tmp_path) for label in labels]
    assert [path.name for path in files] == [
        f"mine-scores{end}" for end in (".csv", "-per-query.csv", ".tex", "-wide.tex")
    ]
    table = pd.read_csv(whole)
    assert set(table["study"]) == {"mine"}
    assert table["date"].str.fullmatch(r"\d{4}-\d\d-\d\d").all()
    assert set(pd.read_csv(by_query)["k"]) == {4}
    assert wide.read_text().startswith("% study: mine\n% measures: CWEx(alpha=0.5)@4")
    assert latex.read_text()

    file = taken(visitor, "Capsule", tmp_path)
    assert file.name == "mine-capsule.zip"
    assert main(["replay", str(file), "--study", str(mine)]) == 0

    report = taken(visitor, "Report", tmp_path)
    alone = browser.new_context(viewport=SCREEN, offline=True)
    page, troubles = alone.new_page(), []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("requestfailed", lambda request: troubles.append(request.url))
    page.on("request", lambda request: troubles.append(request.url) if request.url.startswith("http") else None)
    page.goto(report.as_uri())
    page.wait_for_function("() => document.querySelectorAll('.drawn .main-svg').length >= 10")
    assert page.locator("h2").all_inner_texts()[:4] == ["The study", "The choices", "Checks", "Findings"]
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => getComputedStyle(document.body).backgroundColor === 'rgb(18, 22, 29)'")
    alone.close()
    assert troubles == []

    run = mine / "runs" / "left.run"
    run.write_text("\n".join(run.read_text().splitlines()[1:]) + "\n")
    capsys.readouterr()
    assert main(["replay", str(file), "--study", str(mine)]) == 3
    told = capsys.readouterr()
    assert "changed: runs/left.run has changed" in told.err
    assert "left" in told.out


def test_a_panel_gives_its_figure_its_python_and_its_command(visitor: Visitor, tmp_path: Path) -> None:
    visitor.open("/tradeoff?study=football&cutoff=3")
    page = visitor.page
    page.locator(".st-key-ternary_export button").first.click()
    drawer = page.locator(".st-key-ternary_sheet")
    drawer.get_by_role("button", name="SVG").wait_for()
    drawn = taken(visitor, "SVG", tmp_path)
    assert drawn.name == "ternary.svg"
    assert "Exposure by gender" in drawn.read_text()
    assert "right" in drawn.read_text()  # the legend, which the page has once for all figures
    assert taken(visitor, "PNG", tmp_path).read_bytes().startswith(b"\x89PNG")
    sheet, figure = drawer.bounding_box(), page.locator(".st-key-tradeoff_ternary").bounding_box()
    assert figure["y"] + figure["height"] <= sheet["y"]  # the sheet does not cover what it is of
    drawer.get_by_role("tab", name="Python").click()
    code = drawer.locator("code", has_text="import fairviz")
    code.wait_for()
    assert "settings = fairviz.Settings(cutoff=3)" in code.inner_text()
    page.keyboard.press("Escape")
    drawer.wait_for(state="hidden")

    page.locator(".st-key-scatter_export button").first.click()
    sheet = page.locator(".st-key-scatter_sheet")
    sheet.get_by_role("tab", name="Command").click()
    sheet.get_by_test_id("stCode").first.hover()
    sheet.get_by_role("button", name="Copy to clipboard").first.click()
    expected = "fairviz evaluate football 'CWEx(alpha=0.5)@3' nDCG@3"
    visitor.until(f"text => {COPIED}", expected)
