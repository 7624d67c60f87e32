"""The whole way in a browser: a machine labels, a random sample is drawn, two people label it, and the corrected means
are the same on Trade-off, in the report and at the command line."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.annotation.forms.answering import answer, question
from fairviz.annotation.forms.forms import links
from fairviz.cli.main import main
from fairviz.home import studies_folder
from fairviz.study.record import Study
from fairviz.study.study import make_study, save_study
from tests.browser.conftest import Visitor
from tests.browser.test_uploads import tip

pytestmark = pytest.mark.browser
QUERIES, EACH = 12, 3
WORDS = {"female": "she met her mother", "male": "he met his father", "neutral": "the boat left the harbour"}
SQUARES = """figure => figure.data.filter(trace => trace.name === "corrected").flatMap(
  trace => trace.customdata.map(told => [told[0], told[2], trace.xaxis || "x"]))"""


@pytest.fixture
def walk(home: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Twelve queries with two systems and three documents each, none of them labelled."""
    groups = list(WORDS)
    documents = [(f"d{n}", WORDS[groups[(n * n + n // 5) % 3]] + f" on day {n}") for n in range(QUERIES * EACH)]
    rows = []
    for query in range(QUERIES):
        own = [f"d{query * EACH + place}" for place in range(EACH)]
        for system, order in (("up", own[:2]), ("down", own[:0:-1])):
            rows += [(system, f"q{query}", name, rank, -float(rank)) for rank, name in enumerate(order, start=1)]
    study = make_study(
        "walk",
        queries=pd.DataFrame({"query_id": [f"q{n}" for n in range(QUERIES)], "text": "who met whom"}),
        documents=pd.DataFrame(documents, columns=["doc_id", "text"]),
        runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
    )
    monkeypatch.setenv("FAIRVIZ_HOME", str(home))
    save_study(study, studies_folder() / "walk")
    return fairviz.open_study("walk")


def test_from_machine_labels_to_one_corrected_number(
    walk: Study, visitor: Visitor, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main(["annotate", "walk", "--with", "lexicon(tau=0)"]) == 0
    shown = corrected_by_two_people(walk, visitor)
    capsys.readouterr()
    assert main(["compare", "walk", "CWEx", "--corrected-by", "majority", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert shown[row["system"]] == pytest.approx(row["value"], abs=1e-9)
    assert shown[row["baseline"]] == pytest.approx(row["baseline_value"], abs=1e-9)
    report = tmp_path / "report.html"
    assert main(["report", "walk", "CWEx", "--corrected-by", "majority", "--output", str(report)]) == 0
    text = report.read_text(encoding="utf-8")
    for name, value in shown.items():
        cells = re.search(
            rf"<tr[^>]*>\s*<t[dh][^>]*>{name}</t[dh]>(.*?)</tr>", text[text.index("lexicon-tau=0 alone") :], re.S
        )
        assert cells
        assert f"{value:.3f}".replace("-", "−") in cells[1]


def corrected_by_two_people(walk: Study, visitor: Visitor) -> dict[str, float]:
    """The corrected CWEx of each system that Trade-off shows at the end."""
    page = visitor.page
    visitor.open("/annotate?study=walk")
    unfold(visitor)
    choose(visitor, "form_design", "whole queries, at random")
    for key, number in (("form_documents", "30"), ("form_people", "2"), ("form_tests", "0")):
        with visitor.asking():
            page.locator(f".st-key-{key} input").fill(number)
            page.locator(f".st-key-{key} input").press("Enter")
    page.locator(".st-key-form_make button").click()
    visitor.shows("Drawn at random: 10 of 12 queries, 30 documents.")
    for link in links(walk):  # as the page of a link does it: test_labelling.py
        for number in range(1, link.questions + 1):
            answer(link.token, number, "label", right(question(link.token, number).text))
    visitor.open("/annotate?study=walk")
    unfold(visitor)
    page.locator(".st-key-form_collect button").click()
    visitor.shows("labels by 2 people collected.")
    page.get_by_role("button", name="Use these two people's labels").click()
    page.get_by_role("button", name="Back to ").wait_for()
    visitor.go("Trade-off")
    page.get_by_role("tab", name="Corrected").click()
    chart = page.locator(".st-key-tradeoff_corrected_chart .js-plotly-plot")
    chart.locator(".main-svg").first.wait_for()
    about = tip(visitor, "[role=tabpanel] [data-testid=stMarkdown] [data-testid=stTooltipIcon]")
    assert "lexicon-tau=0 corrected by majority: 10 of 12 queries, drawn at random by form " in about
    shown = {name: value for name, value, axis in chart.evaluate(SQUARES) if axis == "x"}
    visitor.assert_well()
    return shown


def unfold(visitor: Visitor) -> None:
    """Opens what is asked of people."""
    card = visitor.page.locator(".st-key-annotate_people")
    card.get_by_text("Label with people, by link").click()
    visitor.still(card)


def choose(visitor: Visitor, key: str, option: str) -> None:
    """Chooses an option of a select box."""
    box = visitor.page.locator(f".st-key-{key} input").first
    box.scroll_into_view_if_needed()
    visitor.settle()
    visitor.still(box)
    box.click()
    with visitor.asking():
        visitor.page.get_by_role("option", name=option, exact=True).click()


def right(text: str) -> str:
    """A document's label: what its words say, and neutral for every fifth."""
    day = int(text.rpartition(" ")[2])
    return "neutral" if day % 5 == 0 else next(label for label, words in WORDS.items() if text.startswith(words))
