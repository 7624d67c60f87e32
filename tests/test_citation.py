"""The file that citation tools read."""

from pathlib import Path

from fairviz import __version__

CITATION = Path(__file__).parents[1] / "CITATION.cff"


def test_the_version_to_cite_is_that_of_the_program():
    assert f"version: {__version__}\n" in CITATION.read_text(encoding="utf-8")
