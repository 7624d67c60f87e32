"""Genderedness of words and texts: toy vectors by hand, a principal component another way, the paper's figures; and the
words that count."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairviz.errors import FairvizError, UsageError
from fairviz.study.record import Study
from fairviz.words.genderedness import (
    EQUALISED,
    GENDER_SPECIFIC,
    PAIRS,
    bootstrap_directions,
    debias,
    format_pairs,
    gender_direction,
    parse_pairs,
    relative_genderedness,
    text_genderedness,
    unknown_words,
    vocabulary_genderedness,
    vocabulary_mean,
    word_genderedness,
)
from fairviz.words.gsr_words import (
    GENDERED_STOP_WORDS,
    QUERY_TERMS,
    by_form,
    columns_of,
    count_words,
    format_stop_words,
    noun_lemmas,
    of_query,
    parse_stop_words,
    stop_words,
    text_words,
)
from fairviz.words.stereotype_lists import WORD_LISTS
from fairviz.words.vectors import Embedding, load_embedding
from tests.conftest import refused

TOY_PAIRS = (("she", "he"), ("woman", "man"), ("girl", "boy"))


def unit(*vector: float) -> np.ndarray:
    return np.array(vector, dtype=float) / np.linalg.norm(vector)


def embedding_of(words: Mapping[str, Sequence[float]], name: str = "toy") -> Embedding:
    return Embedding(name, {word: row for row, word in enumerate(words)}, np.array([*words.values()], dtype=np.float32))


@pytest.fixture
def toy() -> Embedding:
    """Three pairs that differ along the first axis only, so that the direction is that axis; and three more words."""
    words = {
        "she": unit(0.6, 0.8, 0), "he": unit(-0.6, 0.8, 0), "woman": unit(0.8, 0, 0.6), "man": unit(-0.8, 0, 0.6),
        "girl": unit(0.28, 0.96, 0), "boy": unit(-0.28, 0.96, 0),
        "nurse": unit(0.5, 0.5, np.sqrt(0.5)), "driver": unit(-0.4, 0, np.sqrt(0.84)), "tree": unit(0, 0, 1),
    }  # fmt: skip
    return embedding_of(words)


def test_the_direction_by_hand(toy: Embedding) -> None:
    direction = gender_direction(toy, (*TOY_PAIRS, ("Mary", "John"), ("gal", "boy")))
    assert direction.vector == pytest.approx([1, 0, 0], abs=1e-7)
    assert direction.explained == pytest.approx([1, 0, 0], abs=1e-6)
    assert direction.pairs == TOY_PAIRS
    assert direction.missing == (("Mary", "John"), ("gal", "boy"))
    assert direction.of(["she", "nurse", "driver", "tree", "zebra"]) == pytest.approx(
        [0.6, 0.5, -0.4, 0, np.nan], abs=1e-7, nan_ok=True
    )
    mirrored = Embedding("mirrored", toy.rows, toy.vectors * np.array([-1, 1, 1], dtype=np.float32))
    assert gender_direction(mirrored, TOY_PAIRS).of(["she", "he"]) == pytest.approx([0.6, -0.6], abs=1e-7)
    turned = tuple((male, female) for female, male in TOY_PAIRS)
    assert gender_direction(toy, turned).of(["she"]) == pytest.approx([-0.6], abs=1e-7)
    with refused(
        "the gender direction needs 3 pairs of words, and toy has vectors for 2 of 3 (it lacks Mary-John)\n"
        "Give other pairs, or use other word vectors."
    ):
        gender_direction(toy, (*TOY_PAIRS[:2], ("Mary", "John")))
    same = embedding_of({word: unit(1, 0) for word in "abcdef"})
    with pytest.raises(FairvizError, match="the words of every pair have the same vector in toy"):
        gender_direction(same, (("a", "b"), ("c", "d"), ("e", "f")))


@given(st.integers(0, 10_000), st.integers(3, 6), st.integers(2, 8))
def test_it_is_the_principal_component_of_pairs_about_their_midpoints(seed: int, count: int, size: int) -> None:
    """Another way: the covariance of the 2P centred rows, its eigenvectors."""
    vectors = np.random.default_rng(seed).normal(size=(2 * count, size))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    embedding = embedding_of({f"w{row}": vector for row, vector in enumerate(vectors)})
    pairs = [(f"w{2 * pair}", f"w{2 * pair + 1}") for pair in range(count)]
    direction = gender_direction(embedding, pairs)
    rows = []
    for female, male in pairs:
        both = embedding.vectors[[embedding.rows[female], embedding.rows[male]]].astype(float)
        rows += list(both - both.mean(axis=0))
    values, axes = np.linalg.eigh(np.array(rows).T @ np.array(rows))
    shares = values[::-1][: len(direction.explained)] / values.sum()
    assert direction.explained == pytest.approx(shares, abs=1e-9)
    if shares[0] - (shares[1] if len(shares) > 1 else 0) > 1e-3:
        assert abs(axes[:, -1] @ direction.vector) == pytest.approx(1, abs=1e-9)
    assert np.linalg.norm(direction.vector) == pytest.approx(1)


def test_pairs_as_text() -> None:
    assert parse_pairs("she-he, her - his,\nMary-John,, she-he") == (("she", "he"), ("her", "his"), ("Mary", "John"))
    assert parse_pairs("") == ()
    assert format_pairs(PAIRS[:2]) == "she-he, her-his"
    assert format_pairs((("ex-wife", "ex-husband"),)) == "ex%2Dwife-ex%2Dhusband"
    no_pair = "is not a pair of words\nWrite female-male pairs: she-he, her-his; a hyphen inside a word as %2D."
    for bad in ("woman", "she he", "a-b-c", "-he", "she-"):
        with refused(f"'{bad}' {no_pair}", UsageError):
            parse_pairs(f"she-he, {bad}")
    with pytest.raises(UsageError, match="the pair 'she-She' holds one word twice"):
        parse_pairs("she-She")
    with refused("65 pairs are too many\nGive 64 or fewer.", UsageError):
        parse_pairs(",".join(f"a{number}-b{number}" for number in range(65)))


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), max_size=5))
@example([*PAIRS])
@example([("ex-wife", "ex-husband"), ("a,b", "50%"), (" she", "he\n"), ("%2D", "-")])
def test_pairs_of_any_words_survive_being_written_and_read(pairs: list[tuple[str, str]]) -> None:
    known = tuple(dict.fromkeys(pair for pair in pairs if pair[0].lower() != pair[1].lower()))
    assert parse_pairs(format_pairs(known)) == known


def test_bootstrap_directions_are_those_of_the_drawn_pairs() -> None:
    """Each against the direction computed anew from the pairs drawn, by singular values."""
    rng = np.random.default_rng(3)
    words = {f"{sex}{pair}": unit(*rng.normal(size=6)) for pair in range(5) for sex in "fm"}
    embedding = embedding_of(words)
    direction = gender_direction(embedding, [(f"f{pair}", f"m{pair}") for pair in range(5)])
    drawn = np.random.default_rng(7).multinomial(5, np.full(5, 0.2), size=40)
    fast = bootstrap_directions(direction, draws=40, seed=7)
    assert fast.shape == (40, 6)
    for counts, vector in zip(drawn, fast, strict=True):
        rows = np.array([words[f"f{i}"].astype(np.float32).astype(float) - words[f"m{i}"].astype(np.float32)
                         for i in range(5) for _ in range(counts[i])])  # fmt: skip
        slow = np.linalg.svd(rows)[2][0]
        slow *= np.sign((rows @ slow).sum())
        assert vector == pytest.approx(slow, abs=1e-6)


def test_g_of_words_and_from_the_mean_by_hand() -> None:
    """Three equal pairs along the first axis: each draw has that axis, and the mean of the eight words is 0.1."""
    pairs = {"she": [1, 0], "he": [-1, 0], "woman": [1, 0], "man": [-1, 0], "girl": [1, 0], "boy": [-1, 0]}
    vectors = {name: np.array(vector, dtype=float) for name, vector in pairs.items()}
    vectors |= {"nurse": unit(0.8, 0.6), "typist": unit(0, 1)}
    direction, words = gender_direction(embedding_of(vectors), TOY_PAIRS), ["nurse", "typist", "he", "zebra"]
    for compute, mean in ((word_genderedness, 0.0), (relative_genderedness, 0.1)):
        table = compute(direction, words)
        assert table["word"].tolist() == words
        for column in ("g", "ci_low", "ci_high"):
            assert np.allclose(table[column], np.array([0.8, 0, -1, np.nan]) - mean, equal_nan=True), column
    assert word_genderedness(direction, []).shape == (0, 4)


def test_intervals_of_glove_are_quantiles_over_seeded_draws() -> None:
    direction = gender_direction(load_embedding("glove"))
    words = ["sister", "brother", "nurse"]
    table = word_genderedness(direction, words, draws=40)
    assert ((table["ci_low"] < table["g"]) & (table["g"] < table["ci_high"])).all()
    assert table.equals(word_genderedness(direction, words, draws=40))
    draws = bootstrap_directions(direction, 40)
    by_draw = draws @ direction.embedding.lookup(words)[0].T
    assert np.allclose(table[["ci_low", "ci_high"]], np.quantile(by_draw, [0.025, 0.975], axis=0).T)
    # each draw has its own mean over the 20,000 most frequent words, which lies on the male side
    by_draw -= (draws @ direction.embedding.vectors[:20_000].astype(np.float64).T).mean(axis=1, keepdims=True)
    table = relative_genderedness(direction, words, draws=40)
    assert np.allclose(table[["ci_low", "ci_high"]], np.quantile(by_draw, [0.025, 0.975], axis=0).T)
    assert -0.12 < vocabulary_mean(direction) < -0.05


def test_the_whole_vocabulary(toy: Embedding, monkeypatch: pytest.MonkeyPatch) -> None:
    direction = gender_direction(toy, TOY_PAIRS)
    g = vocabulary_genderedness(direction)
    assert g == pytest.approx(direction.of(toy.rows), abs=0)
    assert vocabulary_mean(direction) == pytest.approx((0.5 - 0.4) / 9, abs=1e-7)
    monkeypatch.setattr("fairviz.words.genderedness._BLOCK", 2)
    assert (vocabulary_genderedness(direction) == g).all()
    monkeypatch.setattr("fairviz.words.genderedness.FREQUENT", 3)
    assert vocabulary_mean(direction) == pytest.approx((0.6 - 0.6 + 0.8) / 3, abs=1e-7)


@given(st.lists(st.lists(st.sampled_from(["She", "nurse", "the", "driver.", "zebra", "Man's", "tree"])).map(" ".join)))
@example(["She, a nurse; the nurse!", "the zebra", "", None, "Zebra woman"])
def test_texts_are_the_loop(texts: list[str | None]) -> None:
    g = {"she": 0.6, "nurse": 0.5, "driver": -0.4, "man": -0.8, "tree": 0.0, "woman": 0.8, "he": -0.6}
    embedding = embedding_of({word: unit(value, np.sqrt(1 - value**2)) for word, value in g.items()})
    direction = gender_direction(embedding, (("she", "he"), ("woman", "man"), ("nurse", "driver")))
    g = dict(zip(g, direction.of(g), strict=True))
    words = [text_words(text or "") for text in texts]
    values = [[g[word] for word in each if word in g] for each in words]
    table = text_genderedness(direction, texts)
    slow = [sum(each) / len(each) if each else np.nan for each in values]
    assert table["g"].tolist() == pytest.approx(slow, nan_ok=True, abs=1e-7)
    assert table["words"].tolist() == [*map(len, words)]
    assert table["known"].tolist() == [*map(len, values)]
    unknown = Counter(word for each in words for word in each if word not in g)
    told = unknown_words(embedding, texts)
    assert dict(told.itertuples(index=False)) == unknown
    assert told["count"].is_monotonic_decreasing


def test_the_papers_figures_with_google_news(google_news: Embedding) -> None:
    """GSR paper: g(sister) = 0.31 and g(brother) = -0.22 (2.2), 60 % of variance, 60.5 here, -3.8e-3 (3.2.3)."""
    direction = gender_direction(google_news)
    assert direction.missing == ()
    assert round(100 * direction.explained[0], 1) == 60.5
    table = word_genderedness(direction, ["sister", "brother"])
    assert [round(g, 2) for g in table["g"]] == [0.31, -0.22]
    documents = text_genderedness(direction, ["The man is an", "The woman is an"])["g"].to_numpy()
    weights = 1 / np.log([2, 3])
    assert f"{documents @ weights / weights.sum():.1e}" == "-3.8e-03"


SIX = {
    "she": (0.6, 0.8, 0), "he": (-0.6, 0.8, 0), "woman": (0.8, 0, 0.6), "man": (-0.8, 0, 0.6), "her": (1, 0, 0),
    "his": (-1, 0, 0),
}  # fmt: skip


@pytest.fixture
def embedding() -> Embedding:
    """The gender direction is the first axis: the three pairs differ along it, about midpoints on the others."""
    words = {
        "nurse": unit(2, 1, 2), "driver": (0, 0, 1), "pure": (1, 0, 0),
        "niece": unit(3, 4, 0), "nephew": unit(0, 4, 3), "SISTER": (0.6, 0, 0.8), "queen": unit(1, 1, 1),
        "Aunt": (-0.6, 0.8, 0), "Uncle": (0.8, 0.6, 0),
    }  # fmt: skip
    return embedding_of({**SIX, **words}, "tiny")


def vector(embedding: Embedding, word: str) -> np.ndarray:
    return embedding.vectors[embedding.rows[word]]


def test_neutral_words_lose_the_direction_and_gender_specific_ones_only_in_strong_debiasing(embedding):
    np.testing.assert_allclose(gender_direction(embedding).vector, [1, 0, 0], atol=1e-7)
    assert debias(embedding, "none") is embedding
    regular, strong = debias(embedding, "regular"), debias(embedding, "strong")
    for found, kind in ((regular, "regular"), (strong, "strong")):
        assert found.name == f"tiny ({kind} debiasing)"
        np.testing.assert_allclose(vector(found, "nurse"), [0, 1 / 5**0.5, 2 / 5**0.5], atol=1e-6)
        np.testing.assert_allclose(vector(found, "driver"), [0, 0, 1], atol=1e-7)
        assert "pure" not in found.rows  # nothing of it is left
        assert found.lookup(["pure"])[1].tolist() == [False]
    for word in ("SISTER", "queen"):  # in capitals too; neither has its counterpart here
        np.testing.assert_array_equal(vector(regular, word), vector(embedding, word))
        assert abs(vector(strong, word)[0]) < 1e-7
    assert {"her", "his"} <= regular.rows.keys()
    assert not {"her", "his"} & strong.rows.keys()


def slow(embedding: Embedding, kind: str) -> dict[str, np.ndarray]:
    """Bolukbasi and others, equations of steps 2a, word by word. Spellings: lower case, capitalised, capitals."""
    w = gender_direction(embedding).vector
    made = {}
    for word, row in embedding.rows.items():
        v = embedding.vectors[row].astype(float)
        specific = any(word in (s, s.lower(), s.capitalize(), s.upper()) for s in GENDER_SPECIFIC)
        if kind == "strong" or not specific:
            v = v - (v @ w) * w
            v = v / np.sqrt(v @ v)
        made[word] = v
    if kind == "regular":
        for female, male in EQUALISED:
            for spell in (str, str.lower, str.capitalize, str.upper):
                a, b = spell(female), spell(male)
                if a in made and b in made:
                    x, y = (embedding.vectors[embedding.rows[word]].astype(float) for word in (a, b))
                    mu = (x + y) / 2
                    mu_b = (mu @ w) * w
                    nu = mu - mu_b
                    for word, v in ((a, x), (b, y)):
                        part = (v @ w) * w - mu_b
                        made[word] = nu + np.sqrt(1 - nu @ nu) * part / np.sqrt(part @ part)
    return made


@pytest.mark.parametrize("kind", ["regular", "strong"])
def test_glove_against_the_paper_word_by_word(kind):
    glove = load_embedding("glove")
    frequent = sorted(glove.rows, key=glove.rows.__getitem__)[:1500]
    specific = {word.lower() for word in GENDER_SPECIFIC} & glove.rows.keys()
    words = list(dict.fromkeys([*frequent, *sorted(specific)]))
    part = embedding_of({word: vector(glove, word) for word in words})
    found, expected = debias(part, kind), slow(part, kind)
    np.testing.assert_allclose(found.vectors, np.array([expected[word] for word in words]), atol=2e-6)
    np.testing.assert_allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-5)
    w = gender_direction(part).vector
    neutral = [place for place, word in enumerate(words) if kind == "strong" or word not in specific]
    assert len(neutral) > 1400
    assert np.abs(found.vectors[neutral] @ w).max() < 1e-6
    if kind == "regular":
        she, he = (found.vectors[words.index(word)] for word in ("she", "he"))
        war = found.vectors[words.index("war")]
        assert war @ she == pytest.approx(war @ he, abs=1e-6)  # a neutral word is as near to either of a pair


def test_vectors_of_unknown_words_are_debiased_too():
    def subword(word: str) -> np.ndarray | None:
        return {"hers": unit(1, 1, 0), "caring": unit(3, 0, 4), "axis": unit(1, 0, 0)}.get(word.lower())

    six = embedding_of(SIX)
    parts = Embedding("parts", six.rows, six.vectors, subword)
    regular, strong = debias(parts, "regular"), debias(parts, "strong")
    for found in (regular, strong):
        vector_, known = found.lookup(["caring", "axis", "none"])
        np.testing.assert_allclose(vector_, [[0, 0, 1], [0, 0, 0], [0, 0, 0]], atol=1e-6)
        assert known.tolist() == [True, False, False]
    np.testing.assert_allclose(regular.lookup(["Hers"])[0], [unit(1, 1, 0)], atol=1e-6)
    np.testing.assert_allclose(strong.lookup(["Hers"])[0], [[0, 1, 0]], atol=1e-6)


def test_another_direction_brings_its_own_pairs(embedding):
    grown = embedding_of({**{word: vector(embedding, word) for word in embedding.rows}, "rain": unit(-1, 2, 2)})
    pairs = [("she", "he"), ("woman", "man"), ("her", "his"), ("nurse", "driver"), ("nurse", "rain")]
    other = gender_direction(grown, pairs)
    found = debias(grown, "regular", other)
    nurse, driver = vector(found, "nurse"), vector(found, "driver")
    assert nurse @ other.vector == pytest.approx(-(driver @ other.vector), abs=1e-6)
    assert nurse @ other.vector > 0.1
    # a word of two pairs is equalised once, and the other one of the second pair is gender-specific all the same
    np.testing.assert_array_equal(vector(found, "rain"), vector(grown, "rain"))
    assert debias(grown, "regular", other) is found  # kept


def test_what_cannot_be_debiased(embedding):
    with refused("there is no debiasing 'soft'\nUse one of none, regular, strong.", UsageError):
        debias(embedding, "soft")
    bare = embedding_of({word: SIX[word] for word in ("she", "he")}, "bare")
    with pytest.raises(FairvizError, match="the gender direction needs 3 pairs of words, and bare has vectors for 1"):
        debias(bare, "strong")


def test_the_word_lists_of_debiasing_and_of_the_appendix():
    """As long as the tables; a corrected list differs from the printed one by its slip alone."""
    words = [word for pair in EQUALISED for word in pair]
    assert len(set(words)) == len(words), "a word stands in one pair"
    assert set(words) <= GENDER_SPECIFIC
    assert EQUALISED[:10] == PAIRS
    assert {name: (len(lists.male), len(lists.female)) for name, lists in WORD_LISTS.items()} == {
        "agency-communion-printed": (15, 12), "agency-communion": (15, 12), "science-arts": (8, 8),
        "career-family-printed": (8, 8), "career-family": (8, 8), "jobs": (10, 10),
    }  # fmt: skip
    every = {name: {*lists.male, *lists.female} for name, lists in WORD_LISTS.items()}
    assert all(len(every[name]) == len(lists.male) + len(lists.female) for name, lists in WORD_LISTS.items())
    for name, wrong, right in (("agency-communion", "corageous", "courageous"), ("career-family", "cousin", "cousins")):
        printed, corrected = WORD_LISTS[f"{name}-printed"], WORD_LISTS[name]
        assert (every[f"{name}-printed"] - every[name], every[name] - every[f"{name}-printed"]) == ({wrong}, {right})
        assert (printed.edition, corrected.edition) == ("as printed", "corrected")
        assert f"'{wrong}'" in corrected.slip
        assert printed.printed_p == corrected.printed_p
    assert WORD_LISTS["career-family"].title == "career vs family (A.6, corrected)"


# --- The words that count, and the fast counting of them against a plain loop


TEXTS = st.lists(
    st.one_of(
        st.none(),
        st.text(alphabet="abHE' \t\n._-12éİſ½²’—\x00\x1f\x85", max_size=25),
        st.lists(
            st.sampled_from(["She", "the", "NURSE", "he's", "3d", "mr.", "a_b", "Zoë", "“women’s”"]), max_size=6
        ).map(" ".join),
    ),
    max_size=8,
)


def test_words_that_count() -> None:
    counting = {
        "The man is an electrician.": ["man", "electrician"],
        "She gave HER hat to him, himself!": ["she", "gave", "her", "hat", "him", "himself"],
        "Mr. and Mrs. Smith, Ms. Jones": ["mr", "mrs", "smith", "ms", "jones"],
        "women's": ["women"],
        "in-vitro 2nd mp3 x 1984": ["vitro"],
        "snake_case": ["snake", "case"],
        "Fräulein naïve": ["fräulein", "naïve"],
        "it is what they were": [],
        "": [],
    }
    assert {text: text_words(text) for text in counting} == counting
    assert text_words("The nurse and SHE", "nurse she") == ["the", "and", "she"], "a list of one's own"


@given(TEXTS, st.sampled_from(["", "the", "nurse he ab"]), st.sampled_from([2, 1000]))
def test_counting_is_the_loop(texts: list[str | None], listed: str, at_a_time: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fairviz.words.gsr_words._BATCH", at_a_time)
        counted = count_words(texts, listed)
    assert counted.counts.shape == (len(texts), len(counted.vocabulary))
    for text, row in zip(texts, counted.counts.toarray(), strict=True):
        found = {word: int(count) for word, count in zip(counted.vocabulary, row, strict=True) if count}
        assert found == Counter(text_words(text or "", listed))


def test_texts_without_a_word_totals_and_bytes() -> None:
    for texts in ([], [None], [""], ["the"], pd.Series(["", None], dtype="str")):
        counted = count_words(texts)
        assert counted.vocabulary == []
        assert counted.totals(np.zeros(0)).tolist() == [0.0] * len(texts)
    counted = count_words(["nurse engineer nurse"])
    values = np.array([{"nurse": 0.5, "engineer": -0.25}[word] for word in counted.vocabulary])
    assert counted.totals(values).tolist() == [0.75]
    assert counted.nbytes == 2 * 8 + 2 * 4 + 2 * 4


VOCABULARY = [
    "nurse", "nurses", "leaf", "leave", "leaves", "woman", "women", "driving", "drive", "café", "cafés", "her",
]  # fmt: skip


OWN = ("nurse", "boss", "his", "news", "driving", "worked", "bus", "damaged", "as", "cafés", "café", "東京")
LEMMAS = {word: {word} for word in (*OWN, "x" * 2000, "")} | {
    "nurses": {"nurse"}, "women": {"woman"}, "housewives": {"housewife", "house-wife"}, "bosses": {"boss"},
    "children": {"child"}, "leaves": {"leaf", "leave"}, "goes": {"go"}, "criteria": {"criterion"},
    "crises": {"crisis"}, "countries": {"country"}, "ties": {"tie"}, "churches": {"church"},
    "bushfires": {"bushfire"},  # not in the dictionary: cut by rule
}  # fmt: skip


def test_lemmas_of_nouns_and_the_words_that_they_join_in_newswire(newswire: Study) -> None:
    assert {word: noun_lemmas(word) for word in LEMMAS} == LEMMAS
    # different forms of a query's and a document's words: 63, all of them forms of one noun
    asked, written = ({word for text in table["text"] for word in re.findall("[a-z]+", text.lower())}
                      for table in (newswire.queries, newswire.documents))  # fmt: skip
    pairs = {
        (one, other) for one in asked for other in written if one != other and noun_lemmas(one) & noun_lemmas(other)
    }
    assert len(pairs) == 63
    assert {("women", "woman"), ("wives", "wife"), ("bushfires", "bushfire")} & pairs
    assert ("damage", "damaged") not in pairs


def test_what_a_query_takes_from_documents() -> None:
    for asked, exact, lemma in (
        (["nurses"], ["nurses"], ["nurse", "nurses"]),
        (["leaves"], ["leaves"], ["leaf", "leave", "leaves"]),
        (["leaf"], ["leaf"], ["leaf", "leaves"]),
        (["women", "her"], ["women", "her"], ["woman", "women", "her"]),
        (["drive", "zebra"], ["drive"], ["drive"]),
        ([], [], []),
    ):
        for terms, expected in zip(QUERY_TERMS, (exact, lemma), strict=True):
            assert [word for word in VOCABULARY if of_query(asked, terms)(word)] == expected


@given(
    st.lists(st.sampled_from([*VOCABULARY, "zebra"]), max_size=5),
    st.lists(st.sampled_from(VOCABULARY), unique=True),
    st.sampled_from(QUERY_TERMS),
)
def test_places_are_those_of_the_loop(asked: list[str], vocabulary: list[str], terms: str) -> None:
    found = columns_of(asked, by_form(vocabulary, terms), terms)
    assert found == [place for place, word in enumerate(vocabulary) if of_query(asked, terms)(word)]


def test_stop_words_tell_no_gender_and_a_list_is_its_words_once_in_lower_case() -> None:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert stop_words() == ENGLISH_STOP_WORDS - GENDERED_STOP_WORDS
    assert stop_words("the she Mr OF") == {"the", "of"}
    words = parse_stop_words("  The a\tof\nTHE don't ")
    assert words == ("the", "a", "of", "don't")
    assert format_stop_words(words) == "the a of don't"
    for text, message in (
        ("  ", "the stop list holds no word\nGive the words with white space between them, as 'the a of'."),
        (" ".join(map(str, range(10_001))), "the stop list holds 10,001 words\nGive 10,000 or fewer."),
    ):
        with refused(message, UsageError):
            parse_stop_words(text)
