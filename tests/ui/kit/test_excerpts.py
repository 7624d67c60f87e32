"""Excerpts of a text: its beginning and what surrounds its gender words."""

from fairviz.ui.kit.excerpts import ROOMY, excerpts
from fairviz.words.counting import GSR_LEXICON


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
