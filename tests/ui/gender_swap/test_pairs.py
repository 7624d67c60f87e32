"""The lists of pairs that a reader changes: by hand, from a file, and back."""

from fairviz.errors import DataError
from fairviz.ui.gender_swap.controls import EDITORS
from fairviz.words.counterparts import packaged
from tests.conftest import refused
from tests.pages.conftest import first_run, html_of


def test_pairs_of_a_file() -> None:
    assert EDITORS["words"].in_file("../own.csv", b"female,male\nshe,he\n") == (("she", "he"),)
    with refused(
        "own.csv:1: expected 2 columns, found 1: 'she'\nWrite a line as: female,male, such as: she,he.", DataError
    ):
        EDITORS["words"].in_file("own.csv", b"she\n")


def test_own_pairs_and_back_to_the_packaged_ones() -> None:
    page = first_run("gender_swap.py", study="football", counterfactual_words="he-xe")
    assert "Xe" in html_of(page)
    button = next(each for each in page.button if each.label == "The packaged ones" and not each.disabled)
    button.click().run()
    assert "Xe" not in html_of(page)
    assert "She" in html_of(page)
    assert all(each.disabled for each in page.button if each.label == "The packaged ones")
    assert EDITORS["names"].packaged() == packaged().names
