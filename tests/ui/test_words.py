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


def test_words_are_read_however_they_are_separated():
    assert words_lists.parse_words(" nurse, poet;welder\nnurse  roofer,") == ("nurse", "poet", "welder", "roofer")
    assert words_lists.parse_words(" , ") == ()


def test_too_many_words_are_refused():
    with refused("201 words are more than the page can show\nGive 200 or fewer."):
        words_lists.parse_words(" ".join(f"w{place}" for place in range(201)))


def test_two_lists_are_shown_until_something_is_chosen():
    assert [each.table for each in words_lists.chosen(Settings())] == ["A.4", "A.7"]
    own = words_lists.chosen(Settings(words="nurse"))
    assert [(each.female, each.male) for each in own] == [(("nurse",), ())]
    both = words_lists.chosen(Settings(words="nurse", against="poet", word_lists=("science-arts",)))
    assert [each.table for each in both] == ["own", "A.5"]


def test_a_name_that_comes_twice_says_its_edition():
    lists = words_lists.chosen(Settings(word_lists=("career-family-printed", "career-family", "jobs")))
    assert [name for _, name, _ in words_lists.single_lists_of(lists)] == [
        "family (as printed)",
        "career (as printed)",
        "family (corrected)",
        "career (corrected)",
        "jobs_f",
        "jobs_m",
    ]


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


def test_the_direction_over_debiased_vectors_is_the_same_line(direction):
    under = words_lists.debiased(direction, "strong")
    assert under.vector is direction.vector
    assert under.embedding is debias(direction.embedding, "strong", direction)
    assert words_lists.debiased(direction, "none").embedding is direction.embedding


def test_p_is_readable_and_never_0():
    texts = [words_text.p_text(p) for p in (0.0216, 0.0018, 5.5e-4, 1.2e-12, 1.0, float("nan"))]
    assert texts == ["0.022", "0.0018", "5.5 × 10⁻⁴", "1.2 × 10⁻¹²", "1", "undefined"]


def test_words_without_a_vector_are_listed_once():
    table = pd.DataFrame({"word": ["a", "b", "b"], "before": [0.1, np.nan, np.nan]})
    assert words_text.missing_text(table) == "Without a vector, and so without a genderedness: b."
    assert words_text.missing_text(table[:1]) == ""


def test_slips_of_the_paper_are_said_whichever_edition_is_shown():
    for name in ("agency-communion", "agency-communion-printed"):
        assert (
            words_lists.slips(words_lists.chosen(Settings(word_lists=(name,)))) == "A.4: The paper prints 'corageous'."
        )
    assert words_lists.slips(words_lists.chosen(Settings(word_lists=("jobs",)))) == ""


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0.26, 0.36, 0.1, 0.41), "nurse leans female (+0.36 [+0.10, +0.41] from the average word; g = +0.26)."),
        ((-0.05, 0.05, 0.01, 0.09), "nurse leans female (+0.05 [+0.01, +0.09] from the average word; g = −0.05)."),
        ((-0.3, -0.2, -0.4, -0.1), "nurse leans male (−0.20 [−0.40, −0.10] from the average word; g = −0.30)."),
        (
            (-0.11, -0.01, -0.2, 0.1),
            "nurse has no certain direction (−0.01 [−0.20, +0.10] from the average word; g = −0.11).",
        ),
        ((0.26, 0.36, np.nan, np.nan), "nurse leans female (+0.36 from the average word; g = +0.26)."),
        ((np.nan, np.nan, np.nan, np.nan), "nurse has no vector, and so no genderedness."),
    ],
)
def test_a_word_leans_from_the_average_word(values, expected):
    assert plain(words_text.verdict("nurse", *values)) == expected


def test_a_debiased_word_has_no_interval():
    text = plain(words_text.verdict("woman", 0.3, 0.4, np.nan, np.nan, "regular"))
    assert text == "woman leans female after regular debiasing (+0.40 from the average word; g = +0.30)."
    text = plain(words_text.verdict("nurse", 1e-8, 1e-8, np.nan, np.nan, "strong"))
    assert text == "nurse is in the middle after strong debiasing (0.00 from the average word; g = 0.00)."


def test_the_word_typed_last_is_the_last_that_is_new():
    assert words_text.typed_last((), ("nurse", "poet")) == "poet"
    assert words_text.typed_last(("nurse", "poet"), ("nurse", "plumber", "poet")) == "plumber"
    assert words_text.typed_last(("nurse", "poet"), ("nurse",)) == ""
