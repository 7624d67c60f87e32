"""docs/fidelity.md says what the program computes."""

import re

import pytest

from benchmarks.fidelity import TARGET, TEMPLATE, document, toys, words
from fairviz.cli.record import stop_words_text
from fairviz.datasets import fetch, open_study
from fairviz.words.genderedness import gender_direction, vocabulary_mean
from fairviz.words.vectors import GOOGLE_NEWS, google_news_path, load_embedding
from tests.vectors import write_word2vec

_NUMBER = re.compile(r"[−+]?\d+(?:\.\d+)?")


def cells() -> dict[str, list[str]]:
    """The tables' cells by the name of their row; of a row that is there twice the first."""
    lines = TARGET.read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("|")]
    return {row[0]: row[1:] for row in reversed(rows)}


def test_the_columns_of_the_paper_and_of_glove():
    glove = gender_direction(load_embedding("glove"))
    written = cells()
    rows = [*words((glove, glove)), *toys((glove, glove))]
    assert len(rows) == 20
    for what, printed, _, found in rows:
        assert written[what][0] == printed
        assert written[what][2] == found, what


def test_numbers_in_the_text():
    text = TEMPLATE.read_text(encoding="utf-8")
    glove = gender_direction(load_embedding("glove"))
    possessive, woman, man, evasion = glove.of(["possessive", "woman", "man", "evasion"])
    assert f"female too ({possessive:.2f})" in text
    assert f"stand {woman - man:.2f} apart" in text
    assert f"*evasion* {evasion:.3f}" in text
    assert f"about −{-vocabulary_mean(glove):.2f})" in text


@pytest.mark.slow
def test_the_whole_page(google_news, shared_data):
    """To one unit of the last digit: another processor adds up in another order, and near ties in a list turn. Where
    two of eleven systems change places, Spearman's ρ moves by 0.02."""
    write_word2vec(google_news, google_news_path())
    fetch("grep-biasir", shared_data)
    listed = stop_words_text(str(shared_data / "indri" / "stoplist.txt"))
    found = document(load_embedding(GOOGLE_NEWS), load_embedding("glove"), open_study("grep-biasir"), listed)
    written = TARGET.read_text(encoding="utf-8")
    for ours, theirs in zip(found.splitlines(), written.splitlines(), strict=True):
        assert _NUMBER.sub("#", ours) == _NUMBER.sub("#", theirs)
        for number, other in zip(_NUMBER.findall(ours), _NUMBER.findall(theirs), strict=True):
            unit = max(10.0 ** -len(other.partition(".")[2]), 0.03 if "Spearman" in theirs else 0)
            values = [float(each.replace("−", "-")) for each in (number, other)]
            assert values[0] == pytest.approx(values[1], abs=1.01 * unit), theirs
