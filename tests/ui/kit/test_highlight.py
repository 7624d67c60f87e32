"""Marks and shades: the words that are counted are those that are marked, and no text becomes markup."""

import re
from html import unescape

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.figures.style import DARK, LIGHT
from fairviz.ui.kit import highlight
from fairviz.words.counting import GSR_LEXICON, Lexicon, count_groups
from fairviz.words.tokenizers import TOKENIZERS

GROUPS = ("female", "male")
PIECES = st.sampled_from(
    ["she", "He", "HIS,", "mother.", "İ", "ΟΔΟΣ", "ﬁ", " ", "\n", "<b>", "&amp;", "'", '"', "ß", "👩‍👩‍👧"]
)
ANY_TEXT = st.lists(PIECES | st.text(max_size=5), max_size=20).map("".join)


def plain(body: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", body))


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@given(text=ANY_TEXT)
@settings(max_examples=200, deadline=None)
def test_marks_are_the_counted_words_and_lose_no_sign(tokenizer: str, text: str) -> None:
    body = highlight.marked_html(text, GSR_LEXICON, tokenizer, GROUPS)
    assert plain(body) == text
    counted = count_groups([text], GSR_LEXICON, tokenizer, GROUPS).counts[0].tolist()
    assert [body.count(f'"fv-w{place}"') for place in range(2)] == counted
    assert not re.search(r"<(?!span class=|/span>)", body)


def test_marks_stand_on_the_words_as_they_were_written() -> None:
    body = highlight.marked_html("İ: <i>Her</i> brother", GSR_LEXICON, "word", GROUPS)
    assert body == (
        'İ: &lt;i&gt;<span class="fv-w0" title="female">Her</span>&lt;/i&gt; '
        '<span class="fv-w1" title="male">brother</span>'
    )


def test_whitespace_tokens_leave_a_word_before_a_comma_unmarked() -> None:
    assert "fv-w" not in highlight.marked_html("her, him.", GSR_LEXICON, "whitespace", GROUPS)


def test_words_of_a_group_that_the_study_lacks_are_not_marked() -> None:
    lexicon = Lexicon("mine", (("they", "nonbinary"), ("she", "female")))
    assert highlight.marked_html("they she", lexicon, "word", GROUPS).count("<span") == 1


def genderedness(words: list[str]) -> np.ndarray:
    known = {"she": 0.5, "nurse": 0.1, "the": -0.1, "he": -0.4}
    return np.array([known.get(word, np.nan) for word in words])


def test_shades_are_centred_on_the_vocabulary_and_the_number_is_raw() -> None:
    body = highlight.shaded_html("The nurse <b> he zzz", GSR_LEXICON, "word", GROUPS, genderedness, -0.1)
    assert '<span class="fv-f3" title="g = +0.100">nurse</span>' in body  # 0.2 above the centre: three steps of 0.06
    assert '<span class="fv-m4 fv-w1" title="g = −0.400">he</span>' in body
    assert body.startswith("The <span")  # at the centre there is no shade
    assert "zzz" in body
    assert "&lt;b&gt;" in body


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.05, ""), (0.06, "fv-f1"), (0.13, "fv-f2"), (9.0, "fv-f4"), (-0.07, "fv-m1"), (float("nan"), "")],
)
def test_shade(value: float, expected: str) -> None:
    assert highlight.shade(value, 0.0) == expected


def test_what_is_raw_male_can_lie_on_the_female_side_of_the_vocabulary() -> None:
    assert highlight.shade(-0.03, -0.1) == "fv-f1"


def test_a_long_text_is_cut_at_a_space_and_marks_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert highlight.cut("one two three", 9) == "one two"
    assert highlight.cut("short") == "short"
    assert highlight.cut("x" * 9000) == "x" * highlight.MOST_CHARACTERS
    monkeypatch.setattr(highlight, "MOST_MARKS", 2)
    assert highlight.marked_html("she he she", GSR_LEXICON, "word", GROUPS).count("<span") == 2


def test_a_label_is_a_shape_and_a_name_and_never_markup() -> None:
    assert "■ female" in highlight.chip("female", ("neutral", *GROUPS), LIGHT)
    assert "no label" in highlight.chip("", GROUPS, DARK)
    hostile = "<img src=x onerror=alert(1)>"
    assert "<img" not in highlight.chip(hostile, ("yes", hostile), DARK)
    labels = ("gender", "not gender", "third")
    assert len({highlight.shape(label, labels) for label in labels}) == 3
    assert highlight.line("female", GROUPS) != highlight.line("male", GROUPS)


def test_the_style_sheet_has_a_class_for_every_mark_and_shade() -> None:
    sheet = highlight.style_sheet(GROUPS, DARK)
    for name in ("fv-w0", "fv-w1", "fv-f1", "fv-f4", "fv-m1", "fv-m4"):
        assert f".{name}{{" in sheet
