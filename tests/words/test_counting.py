"""Words: the fast counts against Python's tokenizers, and the papers' figures on Grep-BiasIR."""

import csv
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.words.counting import (
    GSR_LEXICON,
    TOKENIZERS,
    Lexicon,
    count_groups,
    document_text,
    format_lexicon,
    parse_lexicon,
)

LEXICON = Lexicon("small", (("he", "male"), ("she", "female"), ("élan", "male"), ("ﬁ", "female"), ("man,", "male")))
# fmt: off
PIECES = st.sampled_from([
    "he", "SHE", "He's", "man,", "Élan", "élan", "\u00a0", "\u2019", "\u2028", "\x1c", "\x85", "_", "²", "½", "ª", "×",
    "İ", "ß", "ſhe", "你好", "he\u200bshe", "🙂", "ﬁ", "İhe", "\t", "\n", " ", "-", "he-she", "\u203fhe", "µ", "ˇ",
])
# fmt: on


@given(st.lists(st.none() | st.lists(PIECES | st.text(max_size=4), max_size=8).map("".join), max_size=12))
@settings(max_examples=400, deadline=None)
@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("tokenizer", list(TOKENIZERS))
def test_fast_counts_are_those_of_the_python_tokenizer(tokenizer: str, fast: bool, texts: list[str | None]) -> None:
    found = count_groups(texts, LEXICON, tokenizer, ("female", "male"), fast=fast)
    group = dict(LEXICON.words)
    for row, text in enumerate(texts):
        words = [] if text is None else TOKENIZERS[tokenizer](text)
        expected = [sum(group.get(word) == name for word in words) for name in ("female", "male")]
        assert found.counts[row].tolist() == expected
        assert found.tokens[row] == len(words)
        assert found.known[row] == (text is not None)


@pytest.mark.slow
def test_compiled_counts_are_arrows_over_a_million_passages() -> None:
    """Words of the list, words that differ from one in a letter or by length, long ones, and signs between them."""
    chance = random.Random(1)
    listed = [word for word, _ in GSR_LEXICON.words]
    others = [word + "s" for word in listed] + [word[:-1] + "x" for word in listed] + ["x" * 40, "", "1", "Élan", "é"]
    pieces = [
        " ".join(chance.choices(listed + others, k=4)) + chance.choice([".", "'s", "\t", "-"]) for _ in range(997)
    ]
    texts = pa.array(pieces[row % 997] + pieces[row * 31 % 991].upper() for row in range(1_000_000))
    for tokenizer in TOKENIZERS:
        fast, slow = (count_groups(texts, GSR_LEXICON, tokenizer, fast=fast) for fast in (True, False))
        assert np.array_equal(fast.counts, slow.counts)
        assert np.array_equal(fast.tokens, slow.tokens)
        assert fast.counts.sum() > 1_000_000


def test_compiled_words_are_told_apart_beyond_the_length_by_which_they_are_filed() -> None:
    long = [("a" * 31, "female"), ("a" * 40, "male"), ("a" * 32, "female")]
    counted = count_groups(["a" * 31 + " " + "a" * 40, "a" * 33, "A" * 32], Lexicon("long", tuple(long)), fast=True)
    assert counted.counts.tolist() == [[1, 1], [0, 0], [1, 0]]


def test_counting_nothing() -> None:
    assert count_groups(["she"], LEXICON, groups=(), fast=True).tokens.tolist() == [1]
    found = count_groups([], LEXICON)
    assert found.counts.shape == (0, 2)
    assert count_groups(["", None, "   "], LEXICON).tokens.tolist() == [0, 0, 0]


def test_the_built_in_words_are_those_of_the_gsr_papers_appendix_b() -> None:
    groups = dict(GSR_LEXICON.words)
    assert len(groups) == len(GSR_LEXICON.words), "a word stands twice"
    assert groups["ballerina"] == groups["stepmother"] == "female"
    assert groups["waiters"] == groups["brethren"] == "male"
    assert GSR_LEXICON.groups == ("female", "male")


@given(st.dictionaries(st.text("abcäñ'", min_size=1, max_size=5), st.sampled_from(["female", "male"]), min_size=1))
def test_a_lexicon_survives_being_written_and_read(words: dict[str, str]) -> None:
    lexicon = Lexicon("custom", tuple(words.items()))
    assert dict(parse_lexicon(format_lexicon(lexicon)).words) == words


LOWER = st.text(min_size=1).map(str.lower).filter(lambda word: word == word.lower())


@given(st.dictionaries(LOWER, st.text(min_size=1), min_size=1, max_size=6))
@example({"he|x": "male", "a:b": "female", "x;y": "female", "100%": "male", " she ": "a:b;c", "%7c": "women's"})
def test_any_words_and_groups_survive_being_written_and_read(words: dict[str, str]) -> None:
    lexicon = Lexicon("custom", tuple(words.items()))
    assert dict(parse_lexicon(format_lexicon(lexicon)).words) == words
    assert parse_lexicon(format_lexicon(lexicon)).groups == lexicon.groups


def test_signs_that_divide_a_word_list_are_written_as_a_url_writes_them() -> None:
    assert format_lexicon(Lexicon("", (("he|x", "male"), ("50%", "male")))) == "male:he%7Cx|50%25"
    assert parse_lexicon("male:he|50%|o'neill").words == (("he", "male"), ("50%", "male"), ("o'neill", "male"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the lexicon holds no word"),
        ("she|her", "the lexicon part 'she|her' has no group"),
        ("female:she;male:she", "the lexicon puts 'she' in two groups, female and male"),
    ],
)
def test_a_lexicon_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_lexicon(text)
    assert error.value.message == message


def test_title_and_text_are_joined_and_missing_text_stays_missing() -> None:
    documents = pd.DataFrame(
        {"title": ["A title", "", "Only a title"], "text": ["and text", "text", None]}, dtype="str"
    )
    joined = document_text(documents)
    assert joined.iloc[:2].tolist() == ["A title and text", "text"]
    assert joined.isna().tolist() == [False, False, True]


@pytest.fixture(scope="module")
def grep_biasir(request: pytest.FixtureRequest) -> pd.DataFrame:
    folder = request.getfixturevalue("shared_data") / "grep-biasir"
    files = sorted(folder.glob("queries-documents_*.csv"))
    return pd.concat([pd.read_csv(file, dtype="str", keep_default_na=False) for file in files])


@pytest.mark.parametrize(
    ("tokenizer", "agreements"),
    [("whitespace", (0.8362, 0.6268, 0.4672)), ("word", (0.9017, 0.7165, 0.5085))],
)
def test_neutrality_agrees_with_people_as_often_as_was_measured(
    grep_biasir: pd.DataFrame, shared_data: Path, tokenizer: str, agreements: tuple[float, ...]
) -> None:
    lines = (shared_data / "fairness-retrieval-results" / "wordlist_gender_representative.txt").read_text().split("\n")
    names = {"f": "female", "m": "male"}
    words = {word.lower(): names[group] for word, group in csv.reader(line for line in lines if line)}
    texts = document_text(grep_biasir.rename(columns={"doc_title": "title", "document": "text"}))
    counts = count_groups(texts, Lexicon("326 words", tuple(words.items())), tokenizer).counts
    neutral = ~grep_biasir["content_gender"].isin(["F", "M"]).to_numpy()
    total = counts.sum(axis=1)
    for tau, expected in enumerate(agreements):
        omega_is_one = (total <= tau) | (counts[:, 0] == counts[:, 1])
        assert round(float(np.mean(omega_is_one == neutral)), 4) == expected
