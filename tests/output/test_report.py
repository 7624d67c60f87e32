"""A report says what was asked and found, and so do a notebook and a terminal: every text is escaped, nothing is asked
of anybody, and what is missing is said with its remedy."""

import html
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pandas as pd
import plotly.graph_objects as go
import pytest

import fairviz
from fairviz.analyses.running import analyse
from fairviz.analyses.sensitivity.result import Robustness
from fairviz.correction import corrected
from fairviz.correction.sampling import draw_sample
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import drawings
from fairviz.output.html import Drawing, definitions, number, page, paragraph, sentence, table
from fairviz.output.report import Exploration, Section, explore, report
from fairviz.output.sensitivity_report import axes_of, is_of, section
from fairviz.study.record import Study
from fairviz.words.sentences import Span
from tests.conftest import Call
from tests.fresh import study_of

EVIL = "</script></pre><script>window.hacked = 1</script><img src=x onerror=window.hacked=1>"
PARTS = ("queries", "documents", "runs", "qrels", "labels")


class Elements(HTMLParser):
    """What elements and attributes a page has, and what they would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: set[str] = set()
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes |= {name for name, _ in attributes}
        self.loads += [str(value) for name, value in attributes if name in ("src", "href", "action") and value]


def titles_of(made: str) -> list[str]:
    return re.findall(r'<h2 id="part-\d">([^<]+)</h2>', made)


@pytest.fixture(scope="module")
def three(newswire: Study) -> Study:
    parts = {part: getattr(newswire, part) for part in (*PARTS, "annotators")}
    runs = newswire.runs[newswire.runs["system"].isin(["w2v_add", "bm25", "perfect"])]
    return fairviz.make_study("newswire", **parts | {"runs": runs})


@pytest.fixture(scope="module")
def made(three: Study) -> str:
    return report(three, ["CWEx", "TExFAIR", "nDCG"], cutoff=5, date="2026-01-31")


def test_every_part_is_there_in_its_order_with_the_findings_of_the_program(made: str, three: Study) -> None:
    assert titles_of(made) == [
        "The study", "The choices", "Checks", "Findings", "Ties", "Never shown", "Targets", "Methods", "Citations"
    ]  # fmt: skip
    never_shown = analyse(three, "never-shown", Settings(cutoff=5))
    assert all(sentence in html.unescape(made) for sentence in never_shown.sentences)
    assert "A report of fairviz, 2026-01-31." in made
    assert '<tr class="changed"><td>cutoff</td><td>5</td><td>10</td></tr>' in made
    assert made.count('<tr class="changed">') == 1
    row = fairviz.summarise(fairviz.evaluate(three, ["CWEx", "TExFAIR", "nDCG"], cutoff=5)).iloc[0]
    span = f"{number(row['ci_low'])} to {number(row['ci_high'])}"
    assert f"{number(row['value'])}<small>{span}</small>" in made
    assert re.search(r'<p class="finding"><b>CWEx</b>: \w+ (is ahead of|has the best mean)', made)
    held = fairviz.ties(three, ["CWEx"], cutoff=5).set_index("system").loc["perfect"]
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


def test_the_parts_of_a_page_escape_text_on_one_line_and_leave_html_as_it_is() -> None:
    assert paragraph(f"a\n{EVIL}\u202e") == (
        "<p>a &lt;/script&gt;&lt;/pre&gt;&lt;script&gt;window.hacked = 1&lt;/script&gt;&lt;img src=x "
        "onerror=window.hacked=1&gt; </p>\n"
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
    figure = go.Figure(layout={"title": {"text": EVIL}})
    drawn = Drawing("one", EVIL, lambda _: figure).html
    assert drawn.count("</script>") == 1, "a figure cannot end its script"
    assert Elements(drawn).names == ["figure", "div", "script", "figcaption"]


def test_a_report_has_the_curves_of_its_own_measures_and_further_sections_behind_the_ties(football: Study) -> None:
    sections = [Section("Map of choices", paragraph("Robust."))]
    own = report(football, ["AWRF", "nDCG", "AbsExposureGap"], sections=sections)
    assert re.findall(r'data-figure="figure-cutoff-(\w+)"', own) == ["AWRF", "AbsExposureGap"]
    assert "AWRF along the cutoff" in own
    titles = titles_of(own)
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


# --- with the map of choices


@pytest.fixture(scope="module")
def found(newswire: Study) -> Robustness:
    return fairviz.robustness(newswire, ["bm25", "w2v_add"], "NFaiRR", {"tau": [0, 1], "cutoff": [5, 10]})


def test_the_part_says_what_the_map_says_and_is_of_its_study_and_settings(found: Robustness, football: Study) -> None:
    part = section(found)
    assert part.title == "Sensitivity"
    assert found.sentence in html.unescape(re.sub(r"</?b>", "", part.html))
    assert "<dt>cutoff</dt><dd>5, 10</dd>" in part.html
    assert "<td>interactions</td>" in part.html
    assert part.html.count("data-figure=") == 2
    held = json.loads(re.findall(r'data-figure="figure-choices">(.*?)</script>', part.html)[0])
    assert set(held) == {"light", "dark"}
    assert set(axes_of(found)) == {"tau", "cutoff"}
    study = found.grid.study
    assert is_of(found, study, Settings(study="newswire", tau=0, cutoff=20, query="q01"))
    assert not is_of(found, study, Settings(study="newswire", tokenizer="whitespace"))
    assert not is_of(found, football, Settings())


def test_the_command_makes_it(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "report.html"
    asked = ["report", "football", "NFaiRR", "-o", path, "--map-choice", "tau=0,1", "--map-measure", "NFaiRR"]
    assert "--map-measure and --map-choice are options of --map" in call(asked, status=2).err
    assert not path.exists()
    call(asked, "--map left,right")
    titles = titles_of(path.read_text(encoding="utf-8"))
    assert titles[titles.index("Ties") + 1] == "Sensitivity"
    assert "--map is 'left'" in call(asked, "--map left", status=2).err


# --- in a notebook and in a terminal


def test_findings_and_figures_are_those_of_the_report(football: Study) -> None:
    measures = ["AWRF", "nDCG"]
    page = report(football, measures, cutoff=5)
    scores = fairviz.evaluate(football, measures, cutoff=5)
    drawn = drawings(football, Settings(cutoff=5), scores)
    overview = football.explore(measures, cutoff=5, dark=True)
    pd.testing.assert_frame_equal(overview.table, fairviz.summarise(scores))
    assert {name: figure.to_json() for name, figure in overview.figures.items()} == {
        name: draw(True).to_json() for name, draw in drawn.items()
    }
    parts = [section.html for section in overview.sections]
    assert all(part in page for part in parts)
    assert "".join(parts).count("data-figure=") == len(drawn)
    with pytest.raises(FairvizError, match=r"^unknown measure 'CWEy'"):
        football.explore("CWEy")


def test_corrected_means_are_shown_with_their_sample(newswire: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = draw_sample(newswire, "queries", "CWEx@10", 480, annotator="lexicon", seed=4)
    monkeypatch.setattr(corrected, "sample_for", lambda *_: sample)
    choices: dict[str, object] = {"annotator": "lexicon", "corrected_by": "project", "systems": ("bm25", "rrf")}
    overview = newswire.explore("CWEx", **choices)
    titles = [section.title for section in overview.sections]
    assert titles[:3] == ["The study", "Checks", "Machine labels, corrected by people"]
    assert "corrected" in overview.figures


def displayed(overview: Exploration, *types: str) -> list[object]:
    """What IPython is given to show, in a stand-in for it, as it is not a requirement. types: those that it shows."""
    shown: list[object] = []
    package, module = ModuleType("IPython"), ModuleType("IPython.display")
    shell = SimpleNamespace(display_formatter=SimpleNamespace(active_types=types)) if types else None
    vars(package)["get_ipython"] = lambda: shell
    vars(module)["display"] = lambda value, raw=False: shown.append(value)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "IPython", package)
        patch.setitem(sys.modules, "IPython.display", module)
        overview._ipython_display_()
    return shown


def test_a_notebook_shows_each_figure_between_parts_without_a_script_and_a_terminal_text(football: Study) -> None:
    overview = football.explore(["AWRF", "nDCG"])
    head, *shown = displayed(overview, "text/plain", "text/html")
    figures = [value for value in shown if isinstance(value, go.Figure)]
    assert [figure.to_json() for figure in figures] == [figure.to_json() for figure in overview.figures.values()]
    assert isinstance(head, dict)
    assert head["text/plain"] == str(overview)
    assert "2 systems" in head["text/html"]
    assert "<table>" in head["text/html"]
    assert "<script" not in (page := overview._repr_html_())
    assert len(page) < 20_000
    (text,) = displayed(overview, "text/plain")  # the terminal of IPython, in which a figure would open a browser
    assert isinstance(text, dict)
    assert text["text/plain"] == str(overview)
    assert len(displayed(overview)) == len(overview.figures) + 1


def test_a_terminal_has_the_findings_and_the_means_as_text(newswire: Study) -> None:
    overview = newswire.explore(["CWEx", "NFaiRR"])
    text = str(overview)
    assert text == repr(overview)
    assert "Newswire 2000-2001\n40 queries, 343 documents, 9 systems" in text
    assert re.search(r"^w2v_add +−0\.093 ★ \(\S+ to \S+\) +0\.512 ★", text, re.MULTILINE)
    assert re.search(r"^CWEx: \w+ (is ahead of|has the best mean)", text, re.MULTILINE)


def test_every_text_of_the_data_is_escaped_in_each_form() -> None:
    drawn = study_of(1)
    names = {part: getattr(drawn, part) for part in ("documents", "qrels", "labels", "runs")}
    parts = {part: table.assign(doc_id=table["doc_id"].astype("str") + EVIL) for part, table in names.items()}
    parts["runs"]["system"] = drawn.runs["system"].astype("str").replace("one", EVIL)
    parts["labels"]["annotator"] = parts["labels"]["annotator"].astype("str").replace("ann", EVIL)
    about = dict.fromkeys(("title", "description", "licence", "citation"), EVIL)
    made = fairviz.make_study("odd", queries=drawn.queries, notices=(EVIL,), **about, **parts)
    study = replace(made, folder=Path(f"/a {EVIL}"))
    overview = explore(study, ["AWRF", "nDCG"])
    assert EVIL in set(overview.table["system"])
    held = Elements(overview._repr_html_())
    assert {*held.names, *held.attributes} <= {
        "div", "style", "h3", "h4", "p", "b", "dl", "dt", "dd", "span", "table", "thead", "tbody", "tr", "th", "td",
        "small", "class", "role", "aria-label",
    }  # fmt: skip
    page = overview.html()
    assert EVIL not in page
    assert page.count("<script") == page.count("</script>") == len(overview.figures) + 2  # plotly.js and the drawing
    assert "default-src 'none'" in page
    assert "\x1b" not in str(explore(replace(study, title="\x1b[31m"), ["CWEx"]))
    whole = report(study, ["AWRF", "nDCG"], cutoff=4, sections=[Section(EVIL, paragraph(EVIL))])
    names_of_elements = Elements(whole).names
    assert "img" not in names_of_elements
    assert names_of_elements.count("script") == whole.count('data-figure="') + 2
    assert whole.count("window.hacked") >= 7


@pytest.mark.parametrize(
    ("lacking", "line"),
    [
        ({"runs"}, r"holds no ranked runs, so there is nothing to measure yet\. Upload a TREC run on Data"),
        ({"labels"}, r"CWEx, [^:]*ExposureGap, AWRF[^:]*: it has no gender labels\. Add labels\.csv"),
        ({"documents"}, r"RaB, ARaB[^:]*: it has no text of documents\. Add documents\.tsv"),
        ({"labels", "documents", "qrels", "queries"}, r"nDCG: it has no relevance judgements\. Add qrels\.txt"),
    ],
)
def test_what_a_study_lacks_is_a_line_with_its_remedy(lacking: set[str], line: str, football: Study) -> None:
    parts = {part: getattr(football, part) for part in PARTS if part not in lacking}
    overview = fairviz.make_study("bare", **parts).explore()
    assert all(re.search(line, html.unescape(text)) for text in (str(overview), overview.sections[0].html))
    assert overview.table.empty == (lacking == {"runs"} or len(lacking) == 4)


def test_one_system_undefined_values_and_an_empty_study(football: Study) -> None:
    def in_each_form(overview: Exploration, text: str) -> bool:
        forms = (str(overview), html.unescape(overview._repr_html_()), html.unescape(overview.html()))
        return all(text in form for form in forms)

    assert in_each_form(football.explore("AWRF", systems=["left"]), "a second system is needed")
    undefined = football.explore("NFaiRR")
    assert undefined.table["value"].isna().all()
    assert in_each_form(undefined, "undefined")
    assert in_each_form(fairviz.make_study("empty").explore(), "holds no ranked runs")
