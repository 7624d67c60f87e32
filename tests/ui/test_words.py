import numpy as np
import pandas as pd
import pytest

from fairviz.evaluation.settings import Settings
from fairviz.ui.words import cards as words_text
from fairviz.ui.words import lists as words_lists
from fairviz.words.genderedness import debias, gender_direction, vocabulary_mean
from fairviz.words.sentences import plain
from fairviz.words.vectors import load_embedding
from tests.conftest import refused


@pytest.fixture(scope="module")
def direction():
    return gender_direction(load_embedding("glove"))


def test_words_are_read_however_they_are_separated_and_too_many_are_refused():
    assert words_lists.parse_words(" nurse, poet;welder\nnurse  roofer,") == ("nurse", "poet", "welder", "roofer")
    assert words_lists.parse_words(" , ") == ()
    with refused("201 words are more than the page can show\nGive 200 or fewer."):
        words_lists.parse_words(" ".join(f"w{place}" for place in range(201)))
    assert words_text.typed_last((), ("nurse", "poet")) == "poet"
    assert words_text.typed_last(("nurse", "poet"), ("nurse", "plumber", "poet")) == "plumber"
    assert words_text.typed_last(("nurse", "poet"), ("nurse",)) == ""


def test_two_lists_are_shown_until_something_is_chosen_and_one_of_two_editions_is_named_and_its_slips_said():
    def chosen(**settings):
        return words_lists.chosen(Settings(**settings))

    assert [each.table for each in chosen()] == ["A.4", "A.7"]
    assert [(each.female, each.male) for each in chosen(words="nurse")] == [(("nurse",), ())]
    both = chosen(words="nurse", against="poet", word_lists=("science-arts",))
    assert [each.table for each in both] == ["own", "A.5"]
    twice = chosen(word_lists=("career-family-printed", "career-family", "jobs"))
    names = ["family (as printed)", "career (as printed)", "family (corrected)", "career (corrected)"]
    assert [name for _, name, _ in words_lists.single_lists_of(twice)] == [*names, "jobs_f", "jobs_m"]
    for name in ("agency-communion", "agency-communion-printed"):
        assert words_lists.slips(chosen(word_lists=(name,))) == "A.4: The paper prints 'corageous'."
    assert words_lists.slips(chosen(word_lists=("jobs",))) == ""


def test_a_table_of_words_with_what_debiasing_leaves(direction):
    lists = words_lists.chosen(Settings(words="nurse woman qqzzx"))
    plain_table = words_lists.word_table(direction, "none", lists)
    assert plain_table["word"].tolist() == ["nurse", "woman", "qqzzx"]
    assert np.allclose(plain_table["g"][:2], direction.of(["nurse", "woman"]))
    assert (plain_table["ci_low"] <= plain_table["g"]).sum() == 2
    assert plain_table.loc[2, ["g", "ci_low", "before", "from_mean"]].isna().all()
    assert np.allclose((plain_table["g"] - plain_table["from_mean"])[:2], vocabulary_mean(direction))
    for kind, woman in (("regular", True), ("strong", False)):
        table = words_lists.word_table(direction, kind, lists)
        assert table["before"].equals(plain_table["g"])
        assert abs(table["g"][0]) < 1e-5
        assert (abs(table["g"][1]) > 0.1) == woman
        assert table["ci_low"].isna().all()
    under = words_lists.debiased(direction, "strong")
    assert under.vector is direction.vector, "the same line over debiased vectors"
    assert under.embedding is debias(direction.embedding, "strong", direction)
    assert words_lists.debiased(direction, "none").embedding is direction.embedding


def test_p_is_readable_and_never_0_and_words_without_a_vector_are_listed_once():
    texts = [words_text.p_text(p) for p in (0.0216, 0.0018, 5.5e-4, 1.2e-12, 1.0, float("nan"))]
    assert texts == ["0.022", "0.0018", "5.5 × 10⁻⁴", "1.2 × 10⁻¹²", "1", "undefined"]
    table = pd.DataFrame({"word": ["a", "b", "b"], "before": [0.1, np.nan, np.nan]})
    assert words_text.missing_text(table) == "Without a vector, and so without a genderedness: b."
    assert words_text.missing_text(table[:1]) == ""


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ((0.26, 0.36, 0.1, 0.41), "none", "leans female (+0.36 [+0.10, +0.41] from the average word; g = +0.26)."),
        ((-0.05, 0.05, 0.01, 0.09), "none", "leans female (+0.05 [+0.01, +0.09] from the average word; g = −0.05)."),
        ((-0.3, -0.2, -0.4, -0.1), "none", "leans male (−0.20 [−0.40, −0.10] from the average word; g = −0.30)."),
        ((-0.11, -0.01, -0.2, 0.1), "none",
         "has no certain direction (−0.01 [−0.20, +0.10] from the average word; g = −0.11)."),
        ((0.26, 0.36, np.nan, np.nan), "none", "leans female (+0.36 from the average word; g = +0.26)."),
        ((np.nan, np.nan, np.nan, np.nan), "none", "has no vector, and so no genderedness."),
        ((0.3, 0.4, np.nan, np.nan), "regular",
         "leans female after regular debiasing (+0.40 from the average word; g = +0.30)."),
        ((1e-8, 1e-8, np.nan, np.nan), "strong",
         "is in the middle after strong debiasing (0.00 from the average word; g = 0.00)."),
    ],
)  # fmt: skip
def test_a_word_leans_from_the_average_word(values, kind, expected):
    assert plain(words_text.verdict("nurse", *values, kind)) == f"nurse {expected}"
