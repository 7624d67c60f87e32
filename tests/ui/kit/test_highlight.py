"""Marks, shades and colours of words: those that are counted are those that are marked, and no text becomes markup."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.annotation.forms.drawing import guideline_html
from fairviz.figures.style import DARK, LIGHT
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, conform
from fairviz.ui.gsr.cards import counted_genderedness
from fairviz.ui.kit import coloured_words, highlight
from fairviz.ui.kit.highlight import ROOMY, beginnings, excerpts
from fairviz.ui.shell import vector_controls as stereotypes_vectors
from fairviz.words.counting import GSR_LEXICON, Lexicon, count_groups
from fairviz.words.genderedness import gender_direction
from fairviz.words.tokenizers import TOKENIZERS
from fairviz.words.vectors import Embedding

GROUPS = ("female", "male")
PIECES = st.sampled_from(
    ["she", "He", "HIS,", "mother.", "İ", "ΟΔΟΣ", "ﬁ", " ", "\n", "<b>", "&amp;", "'", '"', "ß", "👩‍👩‍👧"]
)
ANY_TEXT = st.lists(PIECES | st.text(max_size=5), max_size=20).map("".join)


def plain(body: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", body))


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@given(text=ANY_TEXT)
def test_marks_are_the_counted_words_and_lose_no_sign(tokenizer: str, text: str) -> None:
    body = highlight.marked_html(text, GSR_LEXICON, tokenizer, GROUPS)
    assert plain(body) == text
    counted = count_groups([text], GSR_LEXICON, tokenizer, GROUPS).counts[0].tolist()
    assert [body.count(f'"fv-w{place}"') for place in range(2)] == counted
    assert not re.search(r"<(?!span class=|/span>)", body)


def test_marks_stand_on_the_words_of_the_studys_groups_as_they_were_written() -> None:
    body = highlight.marked_html("İ: <i>Her</i> brother", GSR_LEXICON, "word", GROUPS)
    assert body == (
        'İ: &lt;i&gt;<span class="fv-w0" title="female">Her</span>&lt;/i&gt; '
        '<span class="fv-w1" title="male">brother</span>'
    )
    assert "fv-w" not in highlight.marked_html("her, him.", GSR_LEXICON, "whitespace", GROUPS)
    lexicon = Lexicon("mine", (("they", "nonbinary"), ("she", "female")))
    assert highlight.marked_html("they she", lexicon, "word", GROUPS).count("<span") == 1


def test_shades_are_centred_on_the_vocabulary_and_the_number_is_raw() -> None:
    known = {"she": 0.5, "nurse": 0.1, "the": -0.1, "he": -0.4}
    of = lambda words: np.array([known.get(word, np.nan) for word in words])  # noqa: E731
    body = highlight.shaded_html("The nurse <b> he zzz", GSR_LEXICON, "word", GROUPS, of, -0.1)
    assert '<span class="fv-f3" title="g = +0.100">nurse</span>' in body  # 0.2 above the centre: three steps of 0.06
    assert '<span class="fv-m4 fv-w1" title="g = −0.400">he</span>' in body
    assert body.startswith("The <span")  # at the centre there is no shade
    assert "zzz" in body
    assert "&lt;b&gt;" in body
    steps = {0.05: "", 0.06: "fv-f1", 0.13: "fv-f2", 9.0: "fv-f4", -0.07: "fv-m1", float("nan"): ""}
    assert [highlight.shade(value, 0.0) for value in steps] == [*steps.values()]
    assert highlight.shade(-0.03, -0.1) == "fv-f1", "raw male, on the female side of the vocabulary"


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
    sheet = highlight.style_sheet(GROUPS, DARK)
    for name in ("fv-w0", "fv-w1", "fv-f1", "fv-f4", "fv-m1", "fv-m4"):
        assert f".{name}{{" in sheet


def test_the_beginning_and_what_stands_around_gender_words_is_shown() -> None:
    def shown(text: str) -> list[tuple[int, int]]:
        return excerpts(text, GSR_LEXICON, "word", GROUPS)

    far = "a " * 100 + "and then she left the house " + "b " * 100 + "his hat"
    said = [far[begin:end] for begin, end in shown(far)]
    assert said[0] == ("a " * 100)[: len(said[0])]
    assert "she left" in said[1]
    assert said[1].count("a ") < 20
    assert said[2].endswith("his hat")
    assert len(said) == 3
    assert shown("she and he") == [(0, len("she and he"))]
    assert shown("tree " * 100)[1] == (500, 500)
    assert sum(end - begin for begin, end in shown("x" * 200 + " " + "he " * 400)) < ROOMY.most + 100


def test_beginnings_are_title_and_text_also_of_documents_without_one_of_them() -> None:
    documents = pd.DataFrame(
        {"doc_id": ["d1", "d2", "d3"], "title": ["A nurse", "", "x"], "text": ["at work", None, "y"]}
    )
    study = Study("made", documents=conform(documents, DOCUMENTS))
    assert beginnings(study, {"d1", "d2"}, 12) == {"d1": "A nurse at", "d2": ""}
    assert beginnings(study, (), 12) == {}


def test_a_guideline_has_headings_items_and_paragraphs_and_what_would_run_is_shown() -> None:
    assert guideline_html("# What\nRead.\n- one\n- two\n\nThen say.") == (
        '<div class="fv-guideline" dir="auto"><h4>What</h4><p>Read.</p><ul><li>one</li><li>two</li></ul>'
        "<p>Then say.</p></div>"
    )
    assert guideline_html("- last").endswith("<ul><li>last</li></ul></div>")
    assert "<h4>How</h4><p><b>Who?</b> and <b>male</b></p>" in guideline_html("## How\n**Who?** and `male`")
    shown = guideline_html("<script>x</script>\n- <img src=x onerror=1>\n# ![x](http://example.org)")
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;x" in shown


WORDS = ("she", "he", "woman", "man", "girl", "boy", "nurse", "rock", "the")
VECTORS = np.array(
    [[1, 0], [-1, 0], [1, 0], [-1, 0], [1, 0], [-1, 0], [0.6, 0.8], [0, 1], [0.6, 0.8]], dtype=np.float32
)
MADE = Embedding("made", {word: row for row, word in enumerate(WORDS)}, VECTORS)
DIRECTION = gender_direction(MADE, (("she", "he"), ("woman", "man"), ("girl", "boy"), ("lady", "lord")))


def test_words_stand_with_their_value_underneath():
    def shown(text: str, centre: float = 0.0) -> str:
        return coloured_words.coloured_words(text, DIRECTION, centre, LIGHT)

    html = shown("The nurse's Rock")
    assert "+0.60" in html
    assert "rgba(123, 63, 160, 0.60)" in html  # nurse, far on the female side
    assert ">0.00&nbsp;<" in html  # rock
    assert html.count("opacity:.55") == 2  # the stop word, and the s of 's
    assert "no vector" in shown("xyzzy")
    assert "dashed" in shown("xyzzy")
    sides = [re.findall("2px [a-z]+", shown(*given))[0] for given in (("nurse",), ("nurse", 0.9), ("rock",))]
    assert sides == ["2px solid", "2px dotted", "2px none"], "told where colour does not"
    assert "<script>" not in shown("<script>alert(1)</script>&amp")
    table = coloured_words.table_html(("<i>",), [("<b>kept</b>",)])
    assert "&lt;i&gt;" in table
    assert "<b>kept</b>" in table


def test_genderedness_has_a_true_sign_and_no_negative_zero():
    shown = [coloured_words.signed(value) for value in (0.123, -0.123, -0.001, 0.001, np.nan)]
    assert shown == ["+0.12", "−0.12", "0.00", "0.00", "no vector"]
    chip = coloured_words.chip(-0.25, -0.1, LIGHT)
    assert "−0.25" in chip, "the raw value"
    assert "rgba(217, 127, 38, 0.30)" in chip


def test_stop_words_and_words_of_the_query_count_nothing_in_a_document():
    g = counted_genderedness(DIRECTION, ["the", "nurse", "rock", "xyzzy", "she"], lambda word: word == "rock")
    assert np.allclose(g, [np.nan, 0.6, np.nan, np.nan, 1.0], equal_nan=True)


def test_vectors_are_told_with_coverage_missing_pairs_and_offset():
    using = stereotypes_vectors.Active(DIRECTION, -0.095)
    assert stereotypes_vectors.about_text(using, (8, 10)) == (
        "made: 9 words of 2 numbers; a vector for 8 of the study's 10 different words; gender, from 3 pairs, is 100.0% "
        "of the pairs' variance. Left out, as a word has no vector: lady-lord."
    )
    assert "of the study" not in stereotypes_vectors.about_text(using, None)
    assert stereotypes_vectors.offset_text(using) == (
        "g: + female, − male. The average word has −0.095: compare with that, not with 0, as the colours do."
    )
    near = stereotypes_vectors.Active(DIRECTION, 0.004)
    assert stereotypes_vectors.offset_text(near) == "g: + female, − male. The average word has +0.004: close to 0."
