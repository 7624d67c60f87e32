import numpy as np

from fairviz.figures.style import LIGHT
from fairviz.ui.gsr.cards import counted_genderedness
from fairviz.ui.kit import coloured_words
from fairviz.ui.shell import vector_controls as stereotypes_vectors
from fairviz.words.genderedness import gender_direction
from fairviz.words.vectors import Embedding

WORDS = ("she", "he", "woman", "man", "girl", "boy", "nurse", "rock", "the")
VECTORS = np.array(
    [[1, 0], [-1, 0], [1, 0], [-1, 0], [1, 0], [-1, 0], [0.6, 0.8], [0, 1], [0.6, 0.8]], dtype=np.float32
)
MADE = Embedding("made", {word: row for row, word in enumerate(WORDS)}, VECTORS)
DIRECTION = gender_direction(MADE, (("she", "he"), ("woman", "man"), ("girl", "boy"), ("lady", "lord")))


def test_words_stand_with_their_value_underneath():
    html = coloured_words.coloured_words("The nurse's Rock", DIRECTION, 0.0, LIGHT)
    assert "+0.60" in html
    assert "rgba(123, 63, 160, 0.60)" in html  # nurse, far on the female side
    assert ">0.00&nbsp;<" in html  # rock
    assert html.count("opacity:.55") == 2  # the stop word, and the s of 's


def test_a_word_without_a_vector_says_so():
    html = coloured_words.coloured_words("xyzzy", DIRECTION, 0.0, LIGHT)
    assert "no vector" in html
    assert "dashed" in html


def test_text_of_queries_is_escaped():
    html = coloured_words.coloured_words("<script>alert(1)</script>&amp", DIRECTION, 0.0, LIGHT)
    assert "<script>" not in html
    table = coloured_words.table_html(("<i>",), [("<b>kept</b>",)])
    assert "&lt;i&gt;" in table
    assert "<b>kept</b>" in table


def test_the_underline_tells_the_side_where_colour_does_not():
    assert "2px solid" in coloured_words.coloured_words("nurse", DIRECTION, 0.0, LIGHT)
    assert "2px dotted" in coloured_words.coloured_words("nurse", DIRECTION, 0.9, LIGHT)
    assert "2px none" in coloured_words.coloured_words("rock", DIRECTION, 0.0, LIGHT)


def test_genderedness_has_a_true_sign_and_no_negative_zero():
    assert coloured_words.signed(0.123) == "+0.12"
    assert coloured_words.signed(-0.123) == "−0.12"
    assert coloured_words.signed(-0.001) == coloured_words.signed(0.001) == "0.00"
    assert coloured_words.signed(np.nan) == "no vector"


def test_a_chip_shows_raw_g():
    chip = coloured_words.chip(-0.25, -0.1, LIGHT)
    assert "−0.25" in chip
    assert "rgba(217, 127, 38, 0.30)" in chip


def test_stop_words_and_words_of_the_query_count_nothing_in_a_document():
    g = counted_genderedness(DIRECTION, ["the", "nurse", "rock", "xyzzy", "she"], lambda word: word == "rock")
    assert np.allclose(g, [np.nan, 0.6, np.nan, np.nan, 1.0], equal_nan=True)


def test_vectors_are_told_with_coverage_and_missing_pairs():
    using = stereotypes_vectors.Active(DIRECTION, -0.095)
    assert stereotypes_vectors.about_text(using, (8, 10)) == (
        "made: 9 words of 2 numbers; a vector for 8 of the study's 10 different words; gender, from 3 pairs, is 100.0% "
        "of the pairs' variance. Left out, as a word has no vector: lady-lord."
    )
    assert "of the study" not in stereotypes_vectors.about_text(using, None)


def test_the_offset_is_said():
    told = stereotypes_vectors.offset_text(stereotypes_vectors.Active(DIRECTION, -0.095))
    assert told == (
        "g: + female, − male. The average word has −0.095: compare with that, not with 0, as the colours do."
    )
    told = stereotypes_vectors.offset_text(stereotypes_vectors.Active(DIRECTION, 0.004))
    assert told == "g: + female, − male. The average word has +0.004: close to 0."
