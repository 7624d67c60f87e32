"""A report says what was asked and found, escapes every text, and asks nothing of anybody."""

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
import pytest

import fairviz
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError, UsageError
from fairviz.output.html import Drawing, definitions, number, page, paragraph, sentence, table
from fairviz.output.report import Section, report
from fairviz.study.record import Study
from fairviz.words.sentences import Span
from tests.conftest import Call

EVIL = "</script><script>window.hacked = 1</script><img src=x onerror=window.hacked=1>"


class Elements(HTMLParser):
    """What elements a page has, and what they would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.loads += [str(value) for name, value in attributes if name in ("src", "href", "action") and value]


@pytest.fixture(scope="module")
def made(newswire: Study) -> str:
    return report(newswire, ["CWEx", "TExFAIR", "nDCG"], cutoff=5, date="2026-01-31")


def test_every_part_is_there_in_its_order_with_the_findings_of_the_program(made: str, newswire: Study) -> None:
    titles = re.findall(r'<h2 id="part-\d">([^<]+)</h2>', made)
    assert titles == [
        "The study", "The choices", "Checks", "Findings", "Ties", "Never shown", "Targets", "Methods", "Citations"
    ]  # fmt: skip
    never_shown = analyse(newswire, "never-shown", fairviz.Settings(cutoff=5))
    assert all(sentence in html.unescape(made) for sentence in never_shown.sentences)
    assert "A report of fairviz, 2026-01-31." in made
    assert '<tr class="changed"><td>cutoff</td><td>5</td><td>10</td></tr>' in made
    assert made.count('<tr class="changed">') == 1
    scores = fairviz.evaluate(newswire, ["CWEx", "TExFAIR", "nDCG"], cutoff=5)
    row = fairviz.summarise(scores).iloc[0]
    span = f"{number(row['ci_low'])} to {number(row['ci_high'])}"
    assert f"{number(row['value'])}<small>{span}</small>" in made
    assert re.search(r'<p class="finding"><b>CWEx</b>: \w+ (is ahead of|has the best mean)', made)
    held = fairviz.ties(newswire, ["CWEx"], cutoff=5).set_index("system").loc["perfect"]
    assert number(float(held["smallest"])) in made
    assert "at least " in made


def test_it_loads_nothing_and_its_figures_are_whole(made: str) -> None:
    held = Elements(made)
    assert [link for link in held.loads if not link.startswith(("#part-", "data:"))] == []
    assert "default-src 'none'" in made
    figures = re.findall(r'<script type="application/json" data-figure="([\w-]+)">(.*?)</script>', made, re.S)
    assert [name for name, _ in figures] == [
        "figure-tradeoff", "figure-exposure", "figure-alpha", "figure-cutoff-CWEx", "figure-cutoff-NFaiRR",
        "figure-cutoff-TExFAIR", "figure-analysis-never-shown-figure-0", "figure-analysis-never-shown-figure-1",
        "figure-analysis-target-shares-figure-0",
    ]  # fmt: skip
    for name, text in figures:
        assert set(json.loads(text)) == {"light", "dark"}
        assert f'id="{name}"' in made


def test_every_text_of_the_data_is_escaped(football: Study) -> None:
    names = {"left": f"left {EVIL}", "right": "right"}
    runs = football.runs.assign(system=football.runs["system"].astype(str).map(names))
    labels = football.labels.assign(annotator=EVIL)
    odd = fairviz.make_study(
        "odd", runs=runs, documents=football.documents, labels=labels, qrels=football.qrels,
        title=EVIL, description=EVIL, licence=EVIL, citation=EVIL, notices=(EVIL,),
    )  # fmt: skip
    made = report(odd, ["CWEx", "nDCG"], cutoff=4, sections=[Section(EVIL, paragraph(EVIL))])
    held = Elements(made).names
    assert "img" not in held
    assert held.count("script") == made.count('data-figure="') + 2  # plotly.js and the drawing
    assert made.count("window.hacked") >= 7


def test_the_parts_of_a_page_escape_text_on_one_line_and_leave_html_as_it_is() -> None:
    assert paragraph(f"a\n{EVIL}\u202e") == (
        "<p>a &lt;/script&gt;&lt;script&gt;window.hacked = 1&lt;/script&gt;&lt;img src=x onerror=window.hacked=1&gt; "
        "</p>\n"
    )
    assert definitions([(EVIL, EVIL), ("empty", "")], EVIL).count("&lt;script&gt;") == 3
    assert Elements(definitions([(EVIL, EVIL)], EVIL)).names == ["h3", "dl", "dt", "dd"]
    assert Elements(table((EVIL,), [((EVIL, EVIL),)])).names.count("small") == 1
    assert sentence([Span("a<", True), Span(" b")]) == '<p class="finding"><b>a&lt;</b> b</p>\n'
    made = table(("name", "value"), [("a", -0.25), ("b", float("nan"))], marked=[1])
    assert '<th class="number">value</th>' in made
    assert '<tr><td>a</td><td class="number">−0.250</td></tr>' in made
    assert '<tr class="changed"><td>b</td><td class="number">–</td></tr>' in made
    assert "Plotly" not in page("bare", "", [Section("a", "")])


def test_a_figure_cannot_end_its_script() -> None:
    figure = go.Figure(layout={"title": {"text": EVIL}})
    made = Drawing("one", EVIL, lambda _: figure).html
    assert made.count("</script>") == 1
    assert Elements(made).names == ["figure", "div", "script", "figcaption"]


def test_a_report_has_the_curves_of_its_own_measures_and_further_sections_behind_the_ties(football: Study) -> None:
    sections = [Section("Map of choices", paragraph("Robust."))]
    own = report(football, ["AWRF", "nDCG", "AbsExposureGap"], sections=sections)
    assert re.findall(r'data-figure="figure-cutoff-(\w+)"', own) == ["AWRF", "AbsExposureGap"]
    assert "AWRF along the cutoff" in own
    titles = re.findall(r'<h2 id="part-\d">([^<]+)</h2>', own)
    assert titles.index("Map of choices") == titles.index("Ties") + 1
    assert "<p>Robust.</p>" in own
    with pytest.raises(UsageError, match=r"^sections is 'a'\nGive Sections"):
        report(football, sections=["a"])  # type: ignore[list-item]


def test_a_study_with_nothing_to_report_is_refused_and_a_file_that_cannot_be_written(
    tmp_path: Path, call: Call
) -> None:
    with pytest.raises(FairvizError) as caught:
        report(fairviz.make_study("bare", queries=pd.DataFrame({"query_id": ["q"], "text": ["a"]})))
    assert caught.value.message.startswith("bare has nothing to report: it has no runs.")
    assert caught.value.remedy == "A report needs runs, and labels, text or relevance."
    call("report football Justice -o", tmp_path / "report.html", status=2)
    told = call("report football RR -o", tmp_path / "no" / "report.html", status=1)
    assert "Name a file in a folder that you can write." in told.err
