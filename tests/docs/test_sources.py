"""The sources of the manual: their code runs, and their commands are read."""

import doctest
import re
import shlex
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image

import fairviz
from fairviz.cli.main import parser
from fairviz.evaluation.value_scales import value_scales
from tests.pages.test_first_run import first_run

DOCS = Path(__file__).parents[2] / "docs"
FOLDERS = ("tutorials", "how-to", "reference", "explanation")
PAGES = sorted(path for folder in FOLDERS for path in (DOCS / folder).glob("*.md"))
PAGES += [DOCS / "index.md", DOCS / "exercises.md"]
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


@every_page
def test_commands_are_read_by_the_parser(page: Path) -> None:
    for line in filter(str.strip, "\n".join(blocks(page, "console")).replace("\\\n", " ").splitlines()):
        program, *arguments = shlex.split(line.strip().removeprefix("$ "))
        assert program in ("fairviz", "pip"), line
        if program == "fairviz":
            parser().parse_args(arguments)


@every_page
def test_examples_of_python_run(page: Path) -> None:
    session = "\n".join(blocks(page, "python"))
    test = doctest.DocTestParser().get_doctest(session, {}, page.stem, str(page), 0)
    assert bool(test.examples) == bool(session)
    told: list[str] = []
    doctest.DocTestRunner().run(test, out=told.append)
    assert not told, "".join(told)


def test_the_means_inside_and_above_the_band_of_random_orders() -> None:
    table = value_scales(fairviz.open_study("newswire"), ["CWEx@10", "NFaiRR@10", "TExFAIR@10"])
    inside = table[table["value"].between(table["chance_low"], table["chance_high"])].groupby("system").size()
    above = table[table["value"] > table["chance_high"]].groupby("system").size()
    assert {"bm25", "tfidf", "qlm"} == set(inside.index[inside == 3]) - {"perfect", "random"}
    assert {"w2v_add", "w2v_si"} == set(above.index[above == 3])


EXERCISES = re.findall(r"<(http://localhost:8501/[^>]+)>", (DOCS / "exercises.md").read_text(encoding="utf-8"))


def test_there_are_three_exercises() -> None:
    assert len(EXERCISES) == 3


@pytest.mark.parametrize("address", EXERCISES, ids=lambda address: urlsplit(address).path)
def test_an_exercise_opens_in_its_state(address: str) -> None:
    parts = urlsplit(address)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    page = first_run(f"{parts.path.strip('/')}.py", **query)
    assert not page.exception
    assert list(page.session_state["ignored"]) == []
    for name, value in query.items():
        state = page.session_state[name]
        assert str(state[0] if isinstance(state, list) else state) == value, name


def test_the_study_format_names_every_key_and_part() -> None:
    from fairviz.study.loaders import PARTS

    text = (DOCS / "reference" / "study-format.md").read_text(encoding="utf-8")
    assert all(part in text for part in PARTS)


def test_the_claims_of_the_first_tutorials() -> None:
    """The numbers in the sentences of the tutorials are those that the build computes."""
    study = fairviz.open_study("newswire")
    means = fairviz.summarise(fairviz.evaluate(study, ["CWEx", "nDCG"])).pivot(
        index="system", columns="measure", values="value"
    )
    rankers = means.drop(["perfect", "random"])
    fairest = set(rankers["CWEx(alpha=0.5)@10"].nlargest(2).index)
    assert fairest == {"w2v_add", "w2v_si"} == set(rankers["nDCG@10"].nsmallest(2).index)
    football = fairviz.evaluate(fairviz.open_study("football"), ["NFaiRR@4"], background="collection")
    assert football["value"].tolist() == [0, 0]


README = DOCS.parent / "README.md"


def test_the_readme_is_short_and_its_code_runs() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 150
    test_examples_of_python_run(README)
    test_commands_are_read_by_the_parser(README)
    assert {name for name, _ in FENCE.findall(README.read_text(encoding="utf-8"))} == {"", "python", "console"}


def test_links_of_the_readme_have_their_files() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text(encoding="utf-8"))
    assert len(links) > 15
    assert not [link for link in links if not (DOCS.parent / link).exists()]


def test_the_numbers_of_the_readme() -> None:
    study = fairviz.open_study("newswire")
    assert (len(study.documents), len(study.queries), len(study.systems)) == (343, 40, 9)


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
