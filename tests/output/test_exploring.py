"""The report's findings in a notebook and in a terminal: escaped, without a script, and what is missing."""

import html
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
from fairviz.correction import corrected
from fairviz.correction.sampling import draw_sample
from fairviz.errors import FairvizError
from fairviz.output.capsule import drawings
from fairviz.output.report import Exploration, explore, report
from fairviz.study.record import Study
from tests.fresh import study_of

HOSTILE = "</pre><script>alert(1)</script>"


def test_findings_and_figures_are_those_of_the_report(football: Study) -> None:
    measures = ["AWRF", "nDCG"]
    page = report(football, measures, cutoff=5)
    scores = fairviz.evaluate(football, measures, cutoff=5)
    drawn = drawings(football, fairviz.Settings(cutoff=5), scores)
    for dark in (False, True):
        overview = football.explore(measures, cutoff=5, dark=dark)
        pd.testing.assert_frame_equal(overview.table, fairviz.summarise(scores))
        assert {name: figure.to_json() for name, figure in overview.figures.items()} == {
            name: draw(dark).to_json() for name, draw in drawn.items()
        }
    assert all(section.html in page for section in overview.sections)
    assert overview.html().count("data-figure=") == len(drawn) <= page.count("data-figure=")
    with pytest.raises(FairvizError, match=r"^unknown measure 'CWEy'"):
        football.explore("CWEy")


def everything_of(overview: Exploration) -> list[str]:
    """The text of each form, as it is read."""
    return [str(overview), *map(html.unescape, (overview._repr_html_(), overview.html()))]


def test_corrected_means_are_shown_with_their_sample(newswire: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = draw_sample(newswire, "queries", "CWEx@10", 480, annotator="lexicon", seed=4)
    monkeypatch.setattr(corrected, "sample_for", lambda *_: sample)
    choices: dict[str, object] = {"annotator": "lexicon", "corrected_by": "project", "systems": ("bm25", "rrf")}
    overview = newswire.explore("CWEx", **choices)
    titles = [section.title for section in overview.sections]
    assert titles[:3] == ["The study", "Checks", "Machine labels, corrected by people"]
    assert "corrected" in overview.figures
    assert overview.sections[2].html in report(newswire, "CWEx", **choices)


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
    overview = football.explore()
    shown = displayed(overview, "text/plain", "text/html")
    figures = [value for value in shown if isinstance(value, go.Figure)]
    assert [figure.to_json() for figure in figures] == [figure.to_json() for figure in overview.figures.values()]
    head = shown[0]
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


def test_text_from_data_is_escaped_and_nothing_is_loaded() -> None:
    drawn = study_of(1)
    names = {"documents": drawn.documents, "qrels": drawn.qrels, "labels": drawn.labels, "runs": drawn.runs}
    parts = {part: table.assign(doc_id=table["doc_id"].astype("str") + HOSTILE) for part, table in names.items()}
    parts["runs"]["system"] = drawn.runs["system"].astype("str").replace("one", HOSTILE)
    made = fairviz.make_study("hostile", title=HOSTILE, queries=drawn.queries, **parts)
    study = replace(made, folder=Path(f"/a {HOSTILE}"))
    overview = explore(study)
    assert HOSTILE in set(overview.table["system"])
    tags: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: tags.extend([tag, *(name for name, _ in attributes)])  # type: ignore[method-assign]
    parser.feed(overview._repr_html_())
    assert set(tags) <= {
        "div", "style", "h3", "h4", "p", "b", "dl", "dt", "dd", "span", "table", "thead", "tbody", "tr", "th", "td",
        "small", "class", "role", "aria-label",
    }  # fmt: skip
    page = overview.html()
    assert HOSTILE not in page
    assert page.count("<script") == page.count("</script>") == len(overview.figures) + 2  # plotly.js and the drawing
    assert "default-src 'none'" in page
    assert "\x1b" not in str(explore(replace(study, title="\x1b[31m"), ["CWEx"]))


@pytest.mark.parametrize(
    ("lacking", "line"),
    [
        ({"runs"}, r"holds no ranked runs, so there is nothing to measure yet\. Upload a TREC run on Data"),
        ({"labels"}, r"CWEx, [^:]*ExposureGap, AWRF[^:]*: it has no gender labels\. Add labels\.csv"),
        ({"documents"}, r"RaB, ARaB[^:]*: it has no text of documents\. Add documents\.tsv"),
        ({"qrels"}, r"nDCG: it has no relevance judgements\. Add qrels\.txt"),
        ({"labels", "documents", "qrels", "queries"}, r"nDCG: it has no relevance judgements\. Add qrels\.txt"),
    ],
)
def test_what_a_study_lacks_is_a_line_with_its_remedy(lacking: set[str], line: str, football: Study) -> None:
    parts = {part: getattr(football, part) for part in ("queries", "documents", "runs", "qrels", "labels")}
    bare = fairviz.make_study("bare", **{name: table for name, table in parts.items() if name not in lacking})
    overview = bare.explore()
    assert all(re.search(line, html.unescape(text)) for text in (str(overview), overview.sections[0].html))
    assert overview.table.empty == (lacking == {"runs"} or len(lacking) == 4)


def test_one_system_undefined_values_and_an_empty_study(football: Study) -> None:
    assert all("a second system is needed" in text for text in everything_of(football.explore(systems=["left"])))
    undefined = football.explore("NFaiRR")
    assert undefined.table["value"].isna().all()
    assert all("undefined" in text for text in everything_of(undefined))
    assert all("holds no ranked runs" in text for text in everything_of(fairviz.make_study("empty").explore()))
