"""Marks and shades: the words that are counted are those that are marked, and no text becomes markup."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.figures.style import DARK, LIGHT
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, conform
from fairviz.ui.kit import highlight
from fairviz.ui.kit.highlight import ROOMY, beginnings, excerpts, guideline_html
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


def test_the_beginning_and_what_stands_around_gender_words_is_shown() -> None:
    far = "a " * 100 + "and then she left the house " + "b " * 100 + "his hat"
    pieces = excerpts(far, GSR_LEXICON, "word", ("female", "male"))
    said = [far[begin:end] for begin, end in pieces]
    assert said[0] == ("a " * 100)[: len(said[0])]
    assert "she left" in said[1]
    assert said[1].count("a ") < 20
    assert said[2].endswith("his hat")
    assert len(pieces) == 3
    short = "she and he"
    assert excerpts(short, GSR_LEXICON, "word", ("female", "male")) == [(0, len(short))]
    plain = "tree " * 100
    assert excerpts(plain, GSR_LEXICON, "word", ("female", "male"))[1] == (500, 500)
    words = "x" * 200 + " " + "he " * 400
    assert (
        sum(end - begin for begin, end in excerpts(words, GSR_LEXICON, "word", ("female", "male"))) < ROOMY.most + 100
    )


def test_beginnings_are_title_and_text_also_of_documents_without_one_of_them() -> None:
    documents = pd.DataFrame(
        {"doc_id": ["d1", "d2", "d3"], "title": ["A nurse", "", "x"], "text": ["at work", None, "y"]}
    )
    study = Study("made", documents=conform(documents, DOCUMENTS))
    assert beginnings(study, {"d1", "d2"}, 12) == {"d1": "A nurse at", "d2": ""}
    assert beginnings(study, (), 12) == {}


def test_headings_items_and_paragraphs() -> None:
    text = "# What\nRead.\n- one\n- two\n\nThen say."
    assert guideline_html(text) == (
        '<div class="fv-guideline" dir="auto"><h4>What</h4><p>Read.</p><ul><li>one</li><li>two</li></ul>'
        "<p>Then say.</p></div>"
    )
    assert guideline_html("- last").endswith("<ul><li>last</li></ul></div>")
    assert "<h4>How</h4><p><b>Who?</b> and <b>male</b></p>" in guideline_html("## How\n**Who?** and `male`")


def test_what_would_run_is_shown() -> None:
    shown = guideline_html("<script>x</script>\n- <img src=x onerror=1>\n# ![x](http://example.org)")
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;x" in shown
