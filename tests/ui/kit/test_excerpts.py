"""Excerpts of a text: its beginning and what surrounds its gender words."""

import pandas as pd

from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, conform
from fairviz.ui.kit.excerpts import ROOMY, beginnings, excerpts
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


def test_beginnings_are_title_and_text_also_of_documents_without_one_of_them() -> None:
    documents = pd.DataFrame(
        {"doc_id": ["d1", "d2", "d3"], "title": ["A nurse", "", "x"], "text": ["at work", None, "y"]}
    )
    study = Study("made", documents=conform(documents, DOCUMENTS))
    assert beginnings(study, {"d1", "d2"}, 12) == {"d1": "A nurse at", "d2": ""}
    assert beginnings(study, (), 12) == {}
