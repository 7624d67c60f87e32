"""The manual: its code runs, its numbers are those of the program, its links lead somewhere; the exercises with their
answers; and the pages that `make docs` built, without which some tests are skipped."""

import doctest
import json
import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from PIL import Image, ImageChops

import fairviz
from fairviz.cli import COMMANDS
from fairviz.evaluation import settings
from fairviz.evaluation.settings import CHOICES as SETTINGS
from fairviz.installed import absent
from fairviz.measures import MEASURES
from fairviz.orders.ranges import value_scales
from fairviz.study.record import Study
from fairviz.ui.state import choices, registry
from tests.conftest import ROOT
from tests.pages.conftest import first_run, html_of

DOCS = ROOT / "docs"
sys.path.append(str(DOCS / "extensions"))

import exercises  # noqa: E402

README = ROOT / "README.md"
FOLDERS = ("tutorials", "exercises", "how-to", "reference", "explanation")
PAGES = sorted(path for folder in FOLDERS for path in (DOCS / folder).glob("*.md"))
PAGES += [DOCS / "index.md"]
ELSEWHERE = {"integrations", "notebook"}  # whose Python runs in tests/test_notebook.py
LANGUAGES = {"text", "python", "console", "toml", "yaml", "{code-cell}", "{toctree}"}
FENCE = re.compile(r"^ *```(\S*)[^\n]*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
CELL = re.compile(r"^```\{code-cell\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ADDRESS = re.compile(r"[<(](http://localhost:8501/[^>)\s]*)[>)]")
LONGEST = 76  # characters of a line of code that a page of 1,400 pixels shows whole


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_every_block_is_of_a_language_that_a_test_or_the_build_runs() -> None:
    for page in PAGES:
        assert {name for name, _ in FENCE.findall(text_of(page))} <= LANGUAGES, page
    assert {name for name, _ in FENCE.findall(text_of(README))} == {"", "python", "console"}
    for name in ("why-measures-disagree.md", "continuous-integration.md"):  # lectures, which are shown
        cells = CELL.findall(text_of(DOCS / "tutorials" / name))
        assert [line for cell in cells for line in cell.splitlines() if len(line) > LONGEST] == []


@pytest.mark.whole
@pytest.mark.parametrize("page", [*PAGES, README], ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_of_python_run(page: Path) -> None:
    blocks = [body for name, body in FENCE.findall(text_of(page)) if name == "python"]
    session = "" if page.stem in ELSEWHERE else "\n".join(blocks)
    test = doctest.DocTestParser().get_doctest(session, {}, page.stem, str(page), 0)
    assert bool(test.examples) == bool(session)
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert not told, "".join(told)


# --- links ------------------------------------------------------------------------------------------------------

ALL_LINKS = [
    (page.name, address)
    for page in [README, *sorted(DOCS.glob("**/*.md"))]
    if "_build" not in page.parts
    for address in ADDRESS.findall(text_of(page))
]
LINKS = [
    (name, address)
    for name, address in ALL_LINKS
    if not absent("fairviz.analyses", urlsplit(address).path.strip("/"), "it is")
]


def page_of(address: str) -> str:
    return urlsplit(address).path.strip("/") or "overview"


def test_every_tutorial_can_be_followed_by_clicks_and_the_exercises_lead_into_the_app() -> None:
    pages = [page for page, _ in ALL_LINKS]
    tutorials = sorted(path.name for path in (DOCS / "tutorials").glob("*.md") if path.name != "index.md")
    assert all(pages.count(name) >= 2 for name in tutorials)
    assert {"lists.md", "annotators.md", "words.md", "engines.md", "rerank.md"} <= set(pages)


VALUES = {address: parse_qs(urlsplit(address).query, strict_parsing=True) for _, address in LINKS if "?" in address}
FULLEST = {page_of(address): address for address in sorted(VALUES, key=lambda each: len(VALUES[each]))}.values()


def test_a_link_into_the_app_sets_what_its_page_reads() -> None:
    for address, values in VALUES.items():
        chosen = {name: texts for name, texts in values.items() if name not in SETTINGS}
        assert page_of(address) in registry.PAGES, address
        assert set(chosen) <= registry.keys_of(page_of(address)), address
        told = settings.from_query({name: values[name] for name in {*values} - {*chosen}})[1]
        assert told + choices.from_query(chosen)[1] == [], address


@pytest.mark.parametrize(
    "address",
    [
        pytest.param(each, marks=[] if each in FULLEST and len(VALUES[each]) > 1 else pytest.mark.lengthy)
        for each in sorted(VALUES)
    ],
    ids=lambda address: urlsplit(address).path,
)
def test_a_link_into_the_app_opens_in_its_state(address: str) -> None:
    """Of each page the one that sets most, and in `make nightly` all."""
    page = first_run(f"{page_of(address)}.py", **VALUES[address])
    assert list(page.session_state["ignored"]) == []
    assert "fv-error" not in html_of(page)
    for name, texts in VALUES[address].items():
        state = page.session_state[name]
        assert [str(each) for each in (state if isinstance(state, list) else [state])] == texts, name


def test_links_between_files_lead_to_them() -> None:
    """Those of the manual stay within it."""
    linked = {page: re.findall(r"\]\(([^)#:\s]+)", text_of(page)) for page in (*PAGES, README)}
    own = linked.pop(README)
    assert len(own) > 15
    assert [link for link in own if not (ROOT / link).exists()] == []
    assert all(any(page.parent.name == folder and links for page, links in linked.items()) for folder in FOLDERS)
    for page, links in linked.items():
        assert [link for link in links if not (page.parent / link).resolve().is_relative_to(DOCS)] == [], page


# --- numbers ----------------------------------------------------------------------------------------------------


def test_the_sentences_on_the_fairest_and_the_least_effective_systems(newswire: Study) -> None:
    """Of the README, the first tutorial and the results; no test separates the two fairest."""
    assert (len(newswire.documents), len(newswire.queries), len(newswire.systems)) == (343, 40, 9)
    fair, two = ["CWEx", "NFaiRR", "TExFAIR"], {"w2v_add", "w2v_si"}
    scores = fairviz.evaluate(newswire, [*fair, "nDCG"])
    means = fairviz.summarise(scores).pivot(index="system", columns="measure", values="value")
    means = means.rename(columns=lambda text: re.split(r"[(@]", text)[0])
    rankers = means.drop(["perfect", "random"])
    assert [set(rankers[name].nlargest(2).index) for name in fair] == [two] * 3
    assert set(rankers["nDCG"].nsmallest(2).index) == two
    assert means[["CWEx", "TExFAIR", "nDCG"]].idxmin().tolist() == ["random"] * 3
    assert round(means.loc["random", "nDCG"], 3) == 0.006
    pairs = fairviz.compare(scores[~scores["measure"].astype("str").str.startswith("nDCG")], "w2v_add")
    between = pairs[pairs["system"] == "w2v_si"]
    assert len(between) == 3
    assert (between["p_corrected"] > 0.25).all()


def test_the_means_inside_and_above_the_band_of_random_orders(newswire: Study) -> None:
    table = value_scales(newswire, ["CWEx@10", "NFaiRR@10", "TExFAIR@10"])
    inside = table[table["value"].between(table["chance_low"], table["chance_high"])].groupby("system").size()
    above = table[table["value"] > table["chance_high"]].groupby("system").size()
    assert {"bm25", "tfidf", "qlm"} == set(inside.index[inside == 3]) - {"perfect", "random"}
    assert {"w2v_add", "w2v_si"} == set(above.index[above == 3])


def cells(page: str) -> dict[str, Any]:
    """The names after the Python cells of a tutorial."""
    names: dict[str, Any] = {}
    for cell in CELL.findall(text_of(DOCS / "tutorials" / page)):
        exec(compile(re.sub(r"^:tags:.*\n", "", cell), page, "exec"), names)
    return names


def test_the_label_audit_reads_52_documents_and_changes_three_conclusions() -> None:
    names = cells("label-audit.md")
    assert len(names["to_read"]) == 52
    assert names["in_top_10"].sum() == 46
    verdicts = pd.DataFrame(names["verdicts"])
    behind = {name: set(verdicts.index[verdicts[name] == "behind"]) for name in verdicts}
    assert len(behind["lexicon"]) == 5
    assert behind["lexicon"] - behind["audited"] == {"tfidf", "qlm", "bi_encoder"}
    assert behind["project"] - behind["audited"] == {"qlm", "bi_encoder"}
    assert behind["audited"] - behind["project"] == {"rrf"}


# --- pictures ---------------------------------------------------------------------------------------------------

GALLERY, THUMBNAILS = DOCS / "gallery_code", DOCS / "_static" / "thumbnails"


@pytest.mark.whole
def test_every_figure_is_in_the_gallery_whose_entries_have_small_thumbnails() -> None:
    drawn = set(re.findall(r"fairviz\.plot\.(\w+)\(", "".join(map(text_of, GALLERY.glob("*.py")))))
    assert drawn >= set(fairviz.plot.__all__)  # and those of extensions, which may not be here
    entries = sorted(GALLERY.glob("plot_*.py"))
    pictures = sorted(THUMBNAILS.iterdir())
    assert [path.name for path in pictures] == [f"{path.stem}.png" for path in entries]
    for entry in entries:
        line = f'# sphinx_gallery_thumbnail_path = "_static/thumbnails/{entry.stem}.png"'
        assert line in text_of(entry).splitlines(), entry.name
    assert sum(path.stat().st_size for path in pictures) < 300_000
    for path in pictures:
        with Image.open(path) as picture:
            assert (picture.format, picture.size) == ("PNG", (400, 280)), path.name
            assert len(picture.convert("RGB").getcolors(400 * 280) or ()) > 8, path.name  # not a blank one


def test_every_screenshot_is_used_small_and_of_one_size() -> None:
    texts = map(text_of, (README, *DOCS.glob("*.md"), *DOCS.glob("*/*.md")))
    used = set(re.findall(r"\]\([^)\s]*screenshots/([\w-]+\.png)\)", "\n".join(texts)))
    pictures = sorted((DOCS / "screenshots").iterdir())
    assert {path.name for path in pictures} == used
    for path in pictures:
        assert path.stat().st_size < 200_000, path.name
        with Image.open(path) as picture:
            assert picture.size == (1400, 900), path.name


# --- exercises --------------------------------------------------------------------------------------------------

TEXTS = exercises.exercises(DOCS / "exercises")


def run(code: str, names: dict[str, Any]) -> None:
    exec(compile(code, "cell", "exec"), names)


@pytest.mark.parametrize("name", TEXTS)
def test_the_checks_pass_with_each_answer_and_fail_without_it(name: str) -> None:
    text, answers = TEXTS[name]
    codes = exercises.cells(text)
    answered = [code for code, _ in exercises.cells(exercises.filled(text, answers))]
    gaps = [place for place, (_, yours) in enumerate(codes) if yours]
    assert gaps
    names: dict[str, Any] = {"__name__": "__main__"}
    for place, code in enumerate(answered):
        if place in gaps:
            without = dict(names)
            run(codes[place][0], without)
            end = min([gap for gap in gaps if gap > place], default=len(codes))
            following = [code for code, _ in codes[place + 1 : end]]
            with pytest.raises(AssertionError):
                run("\n".join(following), without)
        run(code, names)


def test_the_notebook_is_the_exercise_without_answers() -> None:
    for name, (text, answers) in TEXTS.items():
        made = json.loads(json.dumps(exercises.notebook(text)))
        codes = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
        assert codes == [code.strip() for code, _ in exercises.cells(text)]
        assert made["cells"][0]["source"][0].startswith("# ")
        assert not any(code.strip() in "\n".join(codes) for code, _ in exercises.cells(answers)), name


def test_the_instructors_pages_have_aim_minutes_and_what_goes_wrong() -> None:
    pages = exercises.generated(DOCS / "exercises")
    assert list(pages) == [*(f"answered/{name}.md" for name in TEXTS), "instructor.md"]
    assert len(TEXTS) == 6
    for part in ("*Aim.*", "*What goes wrong.*", "*To discuss.*"):
        assert pages["instructor.md"].count(part) == len(TEXTS)
    told = re.findall(r"\*Minutes\.\* (\d+)", pages["instructor.md"])
    assert told == re.findall(r"\| (\d+) \|", text_of(DOCS / "exercises" / "index.md"))
    assert "yours" not in pages["answered/rerank.md"].replace("yourself", "")


def test_a_missing_answer_is_an_error() -> None:
    text, answers = TEXTS["lists"]
    with pytest.raises(ValueError, match="3 cells are the student's, and there are 2 answers"):
        exercises.filled(text, answers[: answers.rindex("```{code-cell}")])


# --- built pages ------------------------------------------------------------------------------------------------

SITE = DOCS / "_build" / "html"
built = pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the manual is not built: make docs")


@pytest.fixture
def checks():
    """The module of the checks at the end of a build."""
    pytest.importorskip("sphinx", reason="the extra [docs] is not installed")
    import checked_pages

    return checked_pages


def test_broken_links_and_foreign_hosts_are_noticed(checks, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">b</a><a href="b.html#gone">b</a><a href="c.html">c</a><img src="none.png">'
        '<script src="https://cdn.example/x.js"></script><a href="https://example.org">may be linked</a>'
    )
    (tmp_path / "b.html").write_text('<p id="here">b</p>')
    (tmp_path / "theme.css").write_text("@font-face { src: url(https://fonts.example/x.woff) }")
    assert list(checks.broken_links(tmp_path)) == ["a.html: b.html#gone", "a.html: c.html", "a.html: none.png"]
    assert list(checks.foreign_addresses(tmp_path)) == ["a.html: https://cdn.example/x.js", "theme.css"]


@built
def test_every_link_of_the_built_pages_resolves_and_no_host_is_foreign(checks) -> None:
    assert list(checks.broken_links(SITE)) == []
    assert list(checks.foreign_addresses(SITE)) == []


@built
def test_the_reference_has_every_measure_verb_and_public_name() -> None:
    measures = text_of(SITE / "reference" / "generated" / "measures.html")
    assert all(f'id="measure-{name.lower().replace("_", "-")}"' in measures for name in MEASURES)
    commands = re.sub(r"<[^>]+>", "", text_of(SITE / "reference" / "generated" / "command-line.html"))
    assert all(f"usage: fairviz {name} " in commands for name in COMMANDS)
    names = {path.stem for path in (SITE / "reference" / "generated" / "api").glob("*.html")}
    assert names >= set(fairviz.__all__) - {"__version__"}


@built
def test_the_gallery_draws_every_figure_and_shows_a_thumbnail_of_every_entry() -> None:
    pages = map(text_of, (SITE / "gallery").glob("plot_*.html"))
    assert sum(page.count("plotly-graph-div") for page in pages) >= len(fairviz.plot.__all__)
    index = text_of(SITE / "gallery" / "index.html")
    for source in sorted(THUMBNAILS.glob("*.png")):
        name = f"sphx_glr_{source.stem}_thumb.png"
        assert f"_images/{name}" in index
        with Image.open(source) as drawn, Image.open(SITE / "_images" / name) as built_image:
            assert ImageChops.difference(drawn.convert("RGB"), built_image.convert("RGB")).getbbox() is None, name
