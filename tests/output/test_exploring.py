"""The Overview without a server: the numbers, the figure and the words of the page, escaped, and what is missing."""

import ast
import html
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType, SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.finding import orders
from fairviz.errors import FairvizError
from fairviz.evaluation import questions
from fairviz.evaluation.settings import Settings, from_query
from fairviz.figures import measure_order
from fairviz.figures.style import DARK, LIGHT, system_styles
from fairviz.output.exploring import PAGES, Exploration, explore
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from tests.fresh import session, study_of
from tests.pages.test_first_run import first_run, grid_of, html_of

ROOT = Path(__file__).parents[2]
HOSTILE = "</pre><script>alert(1)</script>"
CASES = {
    "newswire": {},
    "football": {"columns": ["CWEx(alpha=0.3)", "AWRF"], "cutoff": "3"},
    "occupations": {"tests": "maxT(family='measures')", "columns": ["TED", "CWEx", "nDCG"], "alpha": "0.25"},
}
WITHOUT_LINK = re.compile(r"<a href=[^>]*>(.*?)</a>")


def settings_of(name: str) -> Settings:
    settings, ignored = from_query({key: [v] if isinstance(v, str) else v for key, v in CASES[name].items()})
    assert not ignored
    return settings


@pytest.mark.parametrize("name", CASES)
def test_numbers_stars_words_and_figure_are_those_of_the_page(name: str) -> None:
    page = first_run("overview.py", study=name, **CASES[name])
    overview = fairviz.open_study(name).explore(settings=settings_of(name))
    pd.testing.assert_frame_equal(overview.table, grid_of(page, "overview"))
    text = html_of(page)
    assert all(html.escape(fact) in text for fact, _ in overview.facts)
    assert html.unescape(re.sub("<.*?>", "", text)).count("".join(span.text for span in overview.words[0]))
    spec = json.loads(page.get("plotly_chart")[0].proto.spec)
    figure = json.loads(overview.figure.to_json())
    assert spec["data"] == figure["data"]
    for part in ("shapes", "xaxis", "yaxis"):
        assert spec["layout"].get(part) == figure["layout"].get(part)
    for here, there in zip(figure["layout"]["annotations"], spec["layout"]["annotations"], strict=True):
        assert here == there | {"text": WITHOUT_LINK.sub(r"\1", there["text"])}


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_the_figure_is_drawn_from_what_the_page_computes(name: str, dark: bool) -> None:
    study, settings = fairviz.open_study(name), settings_of(name)
    with session():
        request = questions.overview(study, settings)
        summary = tables.summary(study, request.texts, settings)
        comparison = tables.comparison(study, request.texts, settings)
    order = orders(summary, questions.headline(request, settings), comparison)
    look = DARK if dark else LIGHT
    drawn = measure_order.draw(measure_order.info(order), system_styles(study.systems, look), look)
    assert explore(study, settings=settings, dark=dark).figure.to_json() == drawn.to_json()


def test_measures_are_columns_and_part_of_the_links() -> None:
    study = fairviz.open_study("football")
    overview = study.explore(["CWEx@4", "AWRF"], alpha=0.25)
    assert list(overview.table) == ["system", "CWEx ↑", "CWEx 95 %", "AWRF ↓", "AWRF 95 %"]
    address = urlsplit(overview.links["Trade-off"])
    assert (address.scheme, address.netloc, address.path) == ("http", "localhost:8501", "/tradeoff")
    settings, ignored = from_query(parse_qs(address.query))
    assert not ignored
    assert settings == Settings(study="football", columns=("CWEx@4", "AWRF"), alpha=0.25)
    with pytest.raises(FairvizError, match=r"^unknown measure 'CWEy'"):
        study.explore("CWEy")


def test_links_have_the_titles_and_paths_of_the_app() -> None:
    calls = [node for node in ast.walk(ast.parse((ROOT / "app.py").read_text())) if isinstance(node, ast.Call)]
    titles = {
        call.keywords[0].value.value: Path(call.args[0].value).stem
        for call in calls
        if ast.unparse(call.func) == "st.Page" and isinstance(call.args[0], ast.Constant) and len(call.args) == 1
    }
    assert {title: path or "overview" for title, path in PAGES.items()}.items() <= titles.items()


class Tags(HTMLParser):
    """The tags of a fragment, and the addresses that a browser loads from."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        loads = [name for name, _ in attributes if name in ("src", "srcset", "data", "action") or name[:2] == "on"]
        self.loaded += [*loads, *([tag] if tag in ("link", "iframe", "object", "img") else [])]


def hostile_study() -> Study:
    """A study whose title, systems and documents hold a script."""
    study = study_of(1)
    names = {"documents": study.documents, "qrels": study.qrels, "labels": study.labels, "runs": study.runs}
    parts = {part: table.assign(doc_id=table["doc_id"].astype("str") + HOSTILE) for part, table in names.items()}
    parts["runs"]["system"] = study.runs["system"].astype("str").replace("one", HOSTILE)
    made = fairviz.make_study("hostile", title=HOSTILE, queries=study.queries, **parts)
    return replace(made, folder=Path(f"/a {HOSTILE}"))


def test_text_from_data_is_escaped_and_nothing_is_loaded() -> None:
    overview = explore(hostile_study())
    assert HOSTILE in list(overview.table["system"])
    for fragment in (overview._repr_html_(), *parts_displayed(overview)):
        assert "<script" not in fragment
        assert Tags(fragment).tags <= {"div", "style", "h3", "p", "b", "pre", "span", "table", "thead", "tbody", "tr",
                                       "th", "td", "a"}  # fmt: skip
        assert not Tags(fragment).loaded
    page = overview.html()
    assert HOSTILE not in page
    assert page.count("<script") == page.count("</script>") == 3  # the figure's JSON, plotly.js, and the drawing
    assert "default-src 'none'" in page
    assert "\x1b" not in str(explore(replace(hostile_study(), title="\x1b[31m")))


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


def parts_displayed(overview: Exploration) -> list[str]:
    """The HTML of what a notebook is given to show, apart from the figure."""
    shown = [
        value["text/html"] if isinstance(value, dict) else value
        for value in displayed(overview, "text/plain", "text/html")
    ]
    figures = [value for value in shown if not isinstance(value, str)]
    assert figures == ([] if overview.figure is None else [overview.figure])
    return [value for value in shown if isinstance(value, str)]


def test_a_notebook_shows_the_figure_between_two_parts_without_a_script_of_its_own() -> None:
    overview = fairviz.open_study("football").explore()
    head, tail = parts_displayed(overview)
    assert "2 systems" in head
    assert "<table>" in tail
    assert "http://localhost:8501/tradeoff?study=football" in tail
    assert len(overview._repr_html_()) < 20_000


def test_the_terminal_of_ipython_has_the_text_and_opens_no_browser() -> None:
    overview = fairviz.open_study("football").explore()
    (shown,) = displayed(overview, "text/plain")
    assert isinstance(shown, dict)
    assert shown["text/plain"] == str(overview)
    assert len(displayed(overview)) == 3


def test_a_terminal_has_the_table_as_text() -> None:
    text = str(fairviz.open_study("newswire").explore())
    assert text == repr(fairviz.open_study("newswire").explore())
    assert "Newswire 2000-2001\n9 systems · 40 queries · 343 documents" in text
    assert re.search(r"^w2v_add +−0\.093 ★ +0\.512 ★", text, re.MULTILINE)
    assert "[a] −0.093" in text
    assert "Start the app for these links: fairviz app\nOverview     http://localhost:8501/?study=newswire\n" in text


def everything_of(overview: Exploration) -> list[str]:
    """The text of each form of an overview, as it is read."""
    assert isinstance(overview.table, pd.DataFrame)
    shown = "".join(parts_displayed(overview))
    return [str(overview), *(html.unescape(text) for text in (overview._repr_html_(), overview.html(), shown))]


@pytest.mark.parametrize(
    ("lacking", "line"),
    [
        ({"runs"}, "holds no ranked runs, so there is nothing to measure yet. Upload a TREC run on Data, or rank the"),
        ({"labels"}, "CWEx, ExposureGap, AWRF: it has no gender labels. Add labels.csv with the columns doc_id"),
        ({"documents"}, "RaB, ARaB: it has no text of documents. Add documents.tsv with the columns doc_id and text."),
        ({"qrels"}, "nDCG: it has no relevance judgements. Add qrels.txt"),
        ({"labels", "documents", "qrels", "queries"}, "nDCG: it has no relevance judgements. Add qrels.txt"),
    ],
)
def test_what_a_study_lacks_is_a_line_with_its_remedy(lacking: set[str], line: str) -> None:
    study = fairviz.open_study("newswire")
    parts = {part: getattr(study, part) for part in ("queries", "documents", "runs", "qrels", "labels")}
    bare = fairviz.make_study("bare", **{name: table for name, table in parts.items() if name not in lacking})
    overview = bare.explore()
    for text in everything_of(overview):
        assert line in text
        assert "Save the study for these links, fairviz.save_study(study, FOLDER)" in text
    assert (overview.figure is None) == (lacking == {"runs"} or len(lacking) == 4)


def test_one_system_undefined_values_and_an_empty_study() -> None:
    study = fairviz.open_study("football")
    lone = study.explore(systems=["left"])
    assert lone.figure is None
    assert all("a second system is needed" in text for text in everything_of(lone))
    undefined = study.explore("NFaiRR")
    assert np.isnan(undefined.table["NFaiRR ↑"]).all()
    assert all("undefined" in text for text in everything_of(undefined))
    assert all("holds no ranked runs" in text for text in everything_of(fairviz.make_study("empty").explore()))


def test_a_study_of_a_folder_names_it_in_the_line_on_the_app(tmp_path: Path) -> None:
    study = replace(fairviz.open_study("football"), name="mine", folder=tmp_path / "a b")
    assert study.explore().start == f"Start the app for these links: fairviz app --study '{tmp_path / 'a b'}'"
