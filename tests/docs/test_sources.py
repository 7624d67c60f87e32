"""The sources of the manual: their code runs, and their commands are read."""

import doctest
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from PIL import Image

import fairviz
from fairviz.installed import absent
from fairviz.orders.ranges import value_scales
from tests.pages.conftest import first_run, html_of

DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = ("tutorials", "exercises", "how-to", "reference", "explanation")
PAGES = sorted(path for folder in FOLDERS for path in (DOCS / folder).glob("*.md"))
PAGES += [DOCS / "index.md"]
ELSEWHERE = {"integrations", "notebook"}  # whose Python runs in tests/test_notebook.py
LANGUAGES = {"text", "python", "console", "toml", "yaml", "{code-cell}", "{toctree}"}
FENCE = re.compile(r"^ *```(\S*)[^\n]*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(DOCS)))


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of this language."""
    return [body for name, body in FENCE.findall(page.read_text(encoding="utf-8")) if name == language]


@every_page
def test_every_block_is_of_a_language_that_a_test_or_the_build_runs(page: Path) -> None:
    names = {name for name, _ in FENCE.findall(page.read_text(encoding="utf-8"))}
    assert names <= LANGUAGES


@pytest.mark.whole
@every_page
def test_examples_of_python_run(page: Path) -> None:
    session = "" if page.stem in ELSEWHERE else "\n".join(blocks(page, "python"))
    test = doctest.DocTestParser().get_doctest(session, {}, page.stem, str(page), 0)
    assert bool(test.examples) == bool(session)
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert not told, "".join(told)


def test_the_means_inside_and_above_the_band_of_random_orders() -> None:
    table = value_scales(fairviz.open_study("newswire"), ["CWEx@10", "NFaiRR@10", "TExFAIR@10"])
    inside = table[table["value"].between(table["chance_low"], table["chance_high"])].groupby("system").size()
    above = table[table["value"] > table["chance_high"]].groupby("system").size()
    assert {"bm25", "tfidf", "qlm"} == set(inside.index[inside == 3]) - {"perfect", "random"}
    assert {"w2v_add", "w2v_si"} == set(above.index[above == 3])


ADDRESS = re.compile(r"[<(](http://localhost:8501/[^>)\s]*)[>)]")
ALL_LINKS = [
    (page.name, address)
    for page in [DOCS.parent / "README.md", *sorted(DOCS.glob("**/*.md"))]
    if "_build" not in page.parts
    for address in ADDRESS.findall(page.read_text(encoding="utf-8"))
]
LINKS = [
    (name, address)
    for name, address in ALL_LINKS
    if not absent("fairviz.analyses", urlsplit(address).path.strip("/"), "it is")
]


def test_every_tutorial_can_be_followed_by_clicks_and_the_exercises_lead_into_the_app() -> None:
    pages = [page for page, _ in ALL_LINKS]
    tutorials = sorted(path.name for path in (DOCS / "tutorials").glob("*.md") if path.name != "index.md")
    assert all(pages.count(name) >= 2 for name in tutorials)
    assert {"lists.md", "annotators.md", "words.md", "engines.md", "rerank.md"} <= set(pages)


@pytest.mark.parametrize("address", sorted({address for _, address in LINKS}), ids=lambda one: urlsplit(one).path)
def test_a_link_into_the_app_opens_in_its_state(address: str) -> None:
    parts = urlsplit(address)
    values = parse_qs(parts.query, strict_parsing=True)
    page = first_run(f"{parts.path.strip('/') or 'overview'}.py", **values)
    assert not page.exception
    assert list(page.session_state["ignored"]) == []
    assert "fv-error" not in html_of(page)
    for name, texts in values.items():
        state = page.session_state[name]
        assert [str(each) for each in (state if isinstance(state, list) else [state])] == texts, name


CELL = re.compile(r"^```\{code-cell\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LONGEST = 76  # characters of a line of code that a page of 1,400 pixels shows whole


@pytest.mark.parametrize("page", ["why-measures-disagree.md", "continuous-integration.md"])
def test_a_line_of_code_of_a_lecture_is_shown_whole(page: str) -> None:
    for cell in CELL.findall((DOCS / "tutorials" / page).read_text(encoding="utf-8")):
        assert [line for line in cell.splitlines() if len(line) > LONGEST] == []


@pytest.mark.whole
def test_the_study_format_names_every_key_and_part() -> None:
    from fairviz.study.loaders import PARTS

    text = (DOCS / "reference" / "study-format.md").read_text(encoding="utf-8")
    assert all(part in text for part in PARTS)


MEASURES = ("CWEx", "NFaiRR", "TExFAIR", "nDCG")


@pytest.fixture(scope="module")
def means() -> pd.DataFrame:
    """The mean of each system of newswire by each measure, references included."""
    scores = fairviz.evaluate(fairviz.open_study("newswire"), list(MEASURES))
    table = fairviz.summarise(scores).pivot(index="system", columns="measure", values="value")
    return table.rename(columns=lambda text: re.split(r"[(@]", text)[0])


def test_the_sentences_on_the_fairest_and_the_least_effective_systems(means: pd.DataFrame) -> None:
    """Of the README, the first tutorial and the results."""
    rankers = means.drop(["perfect", "random"])
    two = {"w2v_add", "w2v_si"}
    for measure in ("CWEx", "NFaiRR", "TExFAIR"):
        assert set(rankers[measure].nlargest(2).index) == two
    assert set(rankers["nDCG"].nsmallest(2).index) == two
    assert {name: means[name].idxmin() for name in MEASURES if name != "NFaiRR"} == {
        "CWEx": "random", "TExFAIR": "random", "nDCG": "random",
    }  # fmt: skip
    assert round(means.loc["random", "nDCG"], 3) == 0.006


def test_no_test_separates_the_two_fairest_systems() -> None:
    scores = fairviz.evaluate(fairviz.open_study("newswire"), list(MEASURES[:3]))
    pairs = fairviz.compare(scores, "w2v_add")
    between = pairs[pairs["system"] == "w2v_si"]
    assert len(between) == 3
    assert (between["p_corrected"] > 0.25).all()


def test_the_values_of_the_two_lists_of_a_lecture() -> None:
    football = fairviz.evaluate(fairviz.open_study("football"), ["NFaiRR@4"], background="collection")
    assert football["value"].tolist() == [0, 0]


def cells(page: str) -> dict[str, Any]:
    """The names after the Python cells of a tutorial."""
    names: dict[str, Any] = {}
    for cell in CELL.findall((DOCS / "tutorials" / page).read_text(encoding="utf-8")):
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


README = DOCS.parent / "README.md"


@pytest.mark.whole
def test_the_readme_is_short_and_its_code_runs() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150
    test_examples_of_python_run(README)
    assert {name for name, _ in FENCE.findall(README.read_text(encoding="utf-8"))} == {"", "python", "console"}


def test_links_of_the_readme_have_their_files() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8"))
    assert len(links) > 15
    assert not [link for link in links if not (DOCS.parent / link).exists()]


def test_the_numbers_of_the_readme() -> None:
    study = fairviz.open_study("newswire")
    assert (len(study.documents), len(study.queries), len(study.systems)) == (343, 40, 9)


@pytest.mark.whole
def test_the_gallery_has_every_figure() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in (DOCS / "gallery_code").glob("*.py"))
    names = [name for name in dir(fairviz.plot) if not name.startswith("_")]
    assert len(names) > 40
    assert not [name for name in names if f"fairviz.plot.{name}(" not in code]


GALLERY, THUMBNAILS = DOCS / "gallery_code", DOCS / "_static" / "thumbnails"


def test_every_entry_of_the_gallery_has_its_thumbnail_and_all_are_small() -> None:
    entries = sorted(GALLERY.glob("plot_*.py"))
    pictures = sorted(THUMBNAILS.iterdir())
    assert [path.name for path in pictures] == [f"{path.stem}.png" for path in entries]
    for entry in entries:
        line = f'# sphinx_gallery_thumbnail_path = "_static/thumbnails/{entry.stem}.png"'
        assert line in entry.read_text(encoding="utf-8").splitlines(), entry.name
    assert sum(path.stat().st_size for path in pictures) < 300_000
    for path in pictures:
        with Image.open(path) as picture:
            assert (picture.format, picture.size) == ("PNG", (400, 280)), path.name
            assert len(picture.convert("RGB").getcolors(400 * 280) or ()) > 8, path.name  # not a blank one


def test_every_screenshot_is_used_small_and_of_one_size() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (README, *DOCS.glob("*.md"), *DOCS.glob("*/*.md"))]
    used = set(re.findall(r"\]\([^)\s]*screenshots/([\w-]+\.png)\)", "\n".join(texts)))
    pictures = sorted((DOCS / "screenshots").iterdir())
    assert {path.name for path in pictures} == used
    for path in pictures:
        assert path.stat().st_size < 200_000, path.name
        with Image.open(path) as picture:
            assert picture.size == (1400, 900), path.name
