"""docs/explanation/backpack.md is the template with tables in it, and its prose is the template's."""

from benchmarks.steering import STUDIES, TARGET, TEMPLATE


def test_the_page_is_the_template_filled() -> None:
    at, text = 0, TARGET.read_text(encoding="utf-8")
    for line in TEMPLATE.read_text(encoding="utf-8").splitlines():
        for piece in line.replace("}", "{").split("{")[::2]:  # what stands between the braces is filled in
            assert piece in text[at:], piece
            at = text.index(piece, at)
    assert text.count("| gender senses | 0.5 |") == len(STUDIES)
