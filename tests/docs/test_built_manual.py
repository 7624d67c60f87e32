"""The manual as `make docs` built it. The build is no part of the tests: without it, these are skipped."""

import re
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageChops

import fairviz
from fairviz.cli import COMMANDS
from fairviz.measures import MEASURES
from tests.conftest import ROOT

SITE = ROOT / "docs" / "_build" / "html"
EXTENSIONS = ROOT / "docs" / "extensions"
built = pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the manual is not built: make docs")


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch):
    """The module of the checks at the end of a build."""
    pytest.importorskip("sphinx", reason="the extra [docs] is not installed")
    monkeypatch.setattr(sys, "path", [str(EXTENSIONS), *sys.path])
    import checked_pages

    return checked_pages


def text_of(page: str) -> str:
    return re.sub(r"<[^>]+>", "", (SITE / page).read_text(encoding="utf-8"))


def test_broken_links_and_foreign_hosts_are_noticed(checks, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">b</a><a href="b.html#gone">b</a><a href="c.html">c</a><img src="none.png">'
        '<script src="https://cdn.example/x.js"></script><a href="https://example.org">may be linked</a>'
    )
    (tmp_path / "b.html").write_text('<p id="here">b</p>')
    (tmp_path / "theme.css").write_text("@font-face { src: url(https://fonts.example/x.woff) }")
    assert list(checks.broken_links(tmp_path)) == ["a.html: b.html#gone", "a.html: c.html", "a.html: none.png"]
    assert list(checks.foreign_addresses(tmp_path)) == ["a.html: https://cdn.example/x.js", "theme.css"]


@pytest.mark.parametrize("folder", ["tutorials", "exercises", "how-to", "reference", "explanation"])
def test_a_link_of_the_manual_leads_to_a_file_of_the_manual(folder: str) -> None:
    docs = ROOT / "docs"
    links = [
        (page, link)
        for page in (docs / folder).glob("*.md")
        for link in re.findall(r"\]\(([^)#:\s]+)", page.read_text(encoding="utf-8"))
    ]
    assert links
    assert not [link for page, link in links if not (page.parent / link).resolve().is_relative_to(docs)]


@built
def test_every_link_of_the_built_pages_resolves_and_no_host_is_foreign(checks) -> None:
    assert list(checks.broken_links(SITE)) == []
    assert list(checks.foreign_addresses(SITE)) == []


@built
def test_the_reference_has_every_measure_verb_and_public_name() -> None:
    measures = (SITE / "reference" / "generated" / "measures.html").read_text(encoding="utf-8")
    assert all(f'id="measure-{name.lower().replace("_", "-")}"' in measures for name in MEASURES)
    commands = text_of("reference/generated/command-line.html")
    assert all(f"usage: fairviz {name} " in commands for name in COMMANDS)
    names = {path.stem for path in (SITE / "reference" / "generated" / "api").glob("*.html")}
    assert names >= set(fairviz.__all__) - {"__version__"}


@built
def test_the_gallery_draws_every_figure() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "gallery_code").glob("*.py"))
    drawn = set(re.findall(r"fairviz\.plot\.(\w+)\(", code))
    assert drawn == set(fairviz.plot.__all__)
    pages = [path.read_text(encoding="utf-8") for path in (SITE / "gallery").glob("plot_*.html")]
    assert sum(page.count("plotly-graph-div") for page in pages) >= len(drawn)


@built
def test_the_gallery_shows_a_thumbnail_of_every_entry() -> None:
    index = (SITE / "gallery" / "index.html").read_text(encoding="utf-8")
    for source in sorted((ROOT / "docs" / "_static" / "thumbnails").glob("*.png")):
        name = f"sphx_glr_{source.stem}_thumb.png"
        assert f"_images/{name}" in index
        with Image.open(source) as drawn, Image.open(SITE / "_images" / name) as built_image:
            assert ImageChops.difference(drawn.convert("RGB"), built_image.convert("RGB")).getbbox() is None, name
