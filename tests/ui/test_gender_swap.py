"""Gender swap: the lists of pairs that a reader changes, and two lists and two texts as HTML, of which nothing runs."""

from fairviz.errors import DataError
from fairviz.ui.gender_swap.cards import EDITORS, beginning, edit_marks, lists_html
from fairviz.ui.kit.side_by_side import marked_text
from fairviz.words.counterparts import Counterparts, find_edits, packaged
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
    assert EDITORS["names"].usual() == packaged().names


HOSTILE = '<script>alert("her")</script><img src=x onerror=alert(1)>'
PAIRS = Counterparts((("her", "him"), ("woman", "<b>man</b>")), ())


def test_changed_words_are_marked_before_and_after_and_the_beginning_of_a_longer_text_ends_in_dots() -> None:
    text = "I saw her & Ann."
    before, after = (marked_text(text, edit_marks(text, find_edits(text, PAIRS), side)) for side in (False, True))
    assert before.startswith("I saw <mark ")
    assert before.endswith('title="him">her</mark> &amp; Ann.')
    assert after.endswith('title="her">him</mark> &amp; Ann.')
    assert beginning(["A title", "a text"]) == "A title a text"
    assert beginning(["word " * 40]).endswith("word …")


def test_texts_and_pairs_of_data_are_no_markup() -> None:
    for text in (HOSTILE, f"A woman. {HOSTILE}"):
        for after in (False, True):
            shown = marked_text(text, edit_marks(text, find_edits(text, PAIRS), after))
            assert "<script" not in shown
            assert "<img" not in shown
            assert "<b>man" not in shown
            assert "<mark " in shown


def test_lists_side_by_side() -> None:
    html = lists_html([["a", "b", "c"], ["b", "a", "d"]], [{"a": "Her", "b": HOSTILE}, {"a": "His"}], 3)
    rows = html.split("<tr>")[2:]
    assert "<script" not in html
    assert "<img" not in html
    assert "<b>a</b> <span data-document>Her</span>" in rows[0]
    assert ">↑1</td>" in rows[0]
    assert ">↓1</td>" in rows[1]
    assert "<b>a</b> <span data-document>His</span>" in rows[1]
    assert ">✳</td>" in rows[2]
    assert lists_html([["a"], []], [{}, {}], 3).count("no document") == 1
    assert lists_html([["a", "b"], ["a", "b"]], [{}, {}], 1).count("<tr>") == 2
    assert lists_html([[], []], [{}, {}], 3) == (
        '<div class="fv-quiet">Neither list holds a document for this query.</div>'
    )
