"""Words: the fast counts against Python's tokenizers, and the papers' figures on Grep-BiasIR."""

import random
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.normal_form import folded, normal_form
from fairviz.study.loaders import read_lexicon
from fairviz.study.record import Study
from fairviz.words.counting import (
    GSR_LEXICON,
    Lexicon,
    count_groups,
    document_text,
    entry_text,
    find_entries,
    format_lexicon,
    parse_lexicon,
    tokenizer_of,
)
from fairviz.words.tokenizers import TOKENIZERS, unpointed

LEXICON = Lexicon("small", (("he", "male"), ("she", "female"), ("élan", "male"), ("ﬁ", "female"), ("man,", "male")))
PHRASES = parse_lexicon(
    "female:she|police woman|ma'am|nurtur*|stay-at-home m*|élan vital;male:he|he she he|police man|a*"
)
# fmt: off
PIECES = st.sampled_from([
    "he", "SHE", "He's", "man,", "Élan", "élan", "\u00a0", "\u2019", "\u2028", "\x1c", "\x85", "_", "²", "½", "ª", "×",
    "İ", "ß", "ſhe", "你好", "he\u200bshe", "🙂", "ﬁ", "İhe", "\t", "\n", " ", "-", "he-she", "\u203fhe", "µ", "ˇ", "ı",
    "he\u00ad", "e\u0301lan", "ŉ", "\u202f", "¸", "police", "woman", "ma’am", "nurturing", "stay at home",
    "mum", "vital",
])
# fmt: on
SCRIPTS = {  # the range of each alphabet with its marks, and a word of it
    "Latin": ("\u00c0\u024f", "čovjek"),
    "Greek": ("\u0370\u03ff", "άνδρας"),
    "Cyrillic": ("\u0400\u04ff", "чоловік"),
    "Hebrew": ("\u0590\u05f4", "גבר"),
    "Arabic": ("\u0600\u06ff", "رجل"),
    "Devanagari": ("\u0900\u097f", "पुरुष"),
    "Bengali": ("\u0980\u09fe", "পুরুষ"),
    "Tamil": ("\u0b82\u0bfa", "ஆண்"),
    "Thai": ("\u0e01\u0e5b", "ชาย"),
    "Burmese": ("\u1000\u109f", "ယောက်ျား"),
    "Kana": ("\u3041\u30ff", "おとこ"),
    "Hangul": ("\uac00\ud7a3", "남자"),
}
SIGNS = st.sampled_from([" ", ".", "-", "’", "\u200c", "\u200d", "\u00ad", "\u0301", "she", "1", "*"])


def slow(words: list[str], sequences: dict[tuple[str, ...], str]) -> dict[str, int]:
    """The longest entry at each place, from left to right. sequences: tokens of an entry, the last with * if open."""
    found, at = {"female": 0, "male": 0}, 0
    while at < len(words):
        fits = [
            (len(one), not one[-1].endswith("*"), len(one[-1]), group)
            for one, group in sequences.items()
            if tuple(words[at : at + len(one) - 1]) == one[:-1] and len(words) >= at + len(one)
            and (words[at + len(one) - 1] == one[-1]
                 or (one[-1].endswith("*") and words[at + len(one) - 1].startswith(one[-1][:-1])))
        ]  # fmt: skip
        if fits:
            found[max(fits)[-1]] += 1
        at += max(fits)[0] if fits else 1
    return found


def fits_one(word: str, sequences: dict[tuple[str, ...], str]) -> bool:
    """Whether an entry has this token, or begins with a beginning of it."""
    tokens = {token.removesuffix("*") for one in sequences for token in one}
    return word in tokens or any(
        len(one) == 1 and one[0].endswith("*") and word.startswith(one[0][:-1]) for one in sequences
    )


def check_counts(texts: list[str | None], lexicon: Lexicon, tokenizer: str, fast: bool) -> None:
    """Compare the counts with the longest entries among the tokens of each text."""
    found = count_groups(texts, lexicon, tokenizer, ("female", "male"), fast=fast)
    cut = tokenizer_of(lexicon, tokenizer)
    sequences: dict[tuple[str, ...], str] = {}
    for entry, group in lexicon.words:
        star = "*" if entry.endswith("*") else ""
        if words := cut.words(entry.removesuffix("*")):
            sequences.setdefault((*words[:-1], words[-1] + star), group)
    for row, text in enumerate(texts):
        words = [] if text is None else cut.words(text)
        if not all(known.isascii() for words in sequences for known in words):
            words = [word if fits_one(word, sequences) else unpointed(word) for word in words]
        assert found.counts[row].tolist() == list(slow(words, sequences).values())
        assert found.tokens[row] == len(words)
        assert found.known[row] == (text is not None)
        marked = [] if text is None else find_entries(text, lexicon, tokenizer, ("female", "male"))
        assert [[one.group for one in marked].count(group) for group in ("female", "male")] == found.counts[
            row
        ].tolist()
        assert all(cut.words(text[one.start : one.end]) for one in marked)


@given(st.lists(st.none() | st.lists(PIECES | st.text(max_size=4), max_size=8).map("".join), max_size=12))
@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("lexicon", [LEXICON, PHRASES], ids=["words", "phrases"])
@pytest.mark.parametrize("tokenizer", list(TOKENIZERS))
def test_fast_counts_are_those_of_the_tokenizer(
    tokenizer: str, lexicon: Lexicon, fast: bool, texts: list[str | None]
) -> None:
    check_counts(texts, lexicon, tokenizer, fast)


@settings(max_examples=settings.default.max_examples // 3)  # each counts in every way
@given(st.data())
@pytest.mark.parametrize("script", SCRIPTS)
def test_fast_counts_are_those_of_the_tokenizer_in_twelve_scripts(script: str, data: st.DataObject) -> None:
    (first, last), word = SCRIPTS[script]
    letters = st.text(st.characters(min_codepoint=ord(first), max_codepoint=ord(last)), min_size=1, max_size=4)
    texts = data.draw(st.lists(st.lists(letters | SIGNS | st.just(word), max_size=8).map("".join), max_size=6))
    lexicon = Lexicon(script, ((word, "male"), ("she", "female"), (f"she {word}", "male"), (f"{word[:2]}*", "female")))
    for tokenizer in TOKENIZERS:
        for fast in (False, True):
            check_counts(texts, lexicon, tokenizer, fast)
            check_counts(texts, Lexicon(script, lexicon.words[:2]), tokenizer, fast)


def test_the_longest_entry_counts() -> None:
    """Its words do not count again; compiled words are told apart beyond the length by which they are filed."""
    lexicon = parse_lexicon("female:woman|police woman;male:man|the police|police woman chief")
    texts = ["police woman", "the police woman", "police, woman!", "policewoman", "police man", "a police woman chief"]
    assert count_groups(texts, lexicon).counts.tolist() == [[1, 0], [1, 1], [1, 0], [0, 0], [0, 1], [0, 1]]
    long = [("a" * 31, "female"), ("a" * 40, "male"), ("a" * 32, "female")]
    counted = count_groups(["a" * 31 + " " + "a" * 40, "a" * 33, "A" * 32], Lexicon("long", tuple(long)), fast=True)
    assert counted.counts.tolist() == [[1, 1], [0, 0], [1, 0]]
    assert count_groups(["she"], LEXICON, groups=(), fast=True).tokens.tolist() == [1]
    found = count_groups([], LEXICON)
    assert found.counts.shape == (0, 2)
    assert count_groups(["", None, "   "], LEXICON).tokens.tolist() == [0, 0, 0]


@pytest.mark.parametrize("count", [10_000, pytest.param(1_000_000, marks=pytest.mark.lengthy)])
def test_compiled_counts_are_arrows_over_many_passages(count: int) -> None:
    """Words of the list, words that differ from one in a letter or by length, long ones, and signs between them."""
    chance = random.Random(1)
    listed = [word for word, _ in GSR_LEXICON.words]
    others = [word + "s" for word in listed] + [word[:-1] + "x" for word in listed] + ["x" * 40, "", "1", "Élan", "é"]
    pieces = [
        " ".join(chance.choices(listed + others, k=4)) + chance.choice([".", "'s", "\t", "-"]) for _ in range(997)
    ]
    texts = pa.array(pieces[row % 997] + pieces[row * 31 % 991].upper() for row in range(count))
    for tokenizer in TOKENIZERS:
        fast, slow = (count_groups(texts, GSR_LEXICON, tokenizer, fast=fast) for fast in (True, False))
        assert np.array_equal(fast.counts, slow.counts)
        assert np.array_equal(fast.tokens, slow.tokens)
        assert fast.counts.sum() > count


def test_the_built_in_words_are_those_of_the_gsr_papers_appendix_b() -> None:
    groups = dict(GSR_LEXICON.words)
    assert len(groups) == len(GSR_LEXICON.words), "a word stands twice"
    assert groups["ballerina"] == groups["stepmother"] == "female"
    assert groups["waiters"] == groups["brethren"] == "male"
    assert GSR_LEXICON.groups == ("female", "male")


ENTRIES = st.text(min_size=1).map(entry_text).filter(folded)
GROUPS = st.text(min_size=1).map(normal_form)


@given(st.text())
def test_the_form_of_an_entry_is_its_own_and_of_the_same_word(word: str) -> None:
    assert entry_text(entry_text(word)) == entry_text(word)
    assert folded(entry_text(word)) == folded(word)


@given(st.lists(st.tuples(ENTRIES, GROUPS), min_size=1, max_size=6, unique_by=lambda pair: folded(pair[0])).map(dict))
@example({"he|x": "male", "a:b": "female", "x;y": "female", "100%": "male", " she ": "a:b;c", "%7c": "women's"})
def test_any_words_and_groups_survive_being_written_and_read(words: dict[str, str]) -> None:
    lexicon = Lexicon("custom", tuple(words.items()))
    assert dict(parse_lexicon(format_lexicon(lexicon)).words) == words
    assert parse_lexicon(format_lexicon(lexicon)).groups == lexicon.groups


def test_words_that_hold_signs_of_a_list_and_lists_that_are_none() -> None:
    assert format_lexicon(Lexicon("", (("he|x", "male"), ("50%", "male")))) == "male:he%7Cx|50%25"
    assert parse_lexicon("male:he|50%|o'neill").words == (("he", "male"), ("50%", "male"), ("o'neill", "male"))
    for text, message in (
        ("", "the lexicon holds no word"),
        ("she|her", "the lexicon part 'she|her' has no group"),
        ("female:she;male:she", "the lexicon puts 'she' in two groups, female and male"),
    ):
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


@pytest.mark.parametrize(
    ("tokenizer", "agreements"),
    [("whitespace", (0.8362, 0.6268, 0.4672)), ("word", (0.9017, 0.7165, 0.5085))],
)
def test_neutrality_agrees_with_people_as_often_as_was_measured(
    grep_biasir: Study, shared_data: Path, tokenizer: str, agreements: tuple[float, ...]
) -> None:
    words = read_lexicon(shared_data / "fairness-retrieval-results" / "wordlist_gender_representative.txt")
    counts = count_groups(document_text(grep_biasir.documents), words, tokenizer, ("female", "male")).counts
    labels = grep_biasir.labels.set_index("doc_id")["label"].loc[grep_biasir.documents["doc_id"]]
    for tau, expected in enumerate(agreements):
        omega_is_one = (counts.sum(axis=1) <= tau) | (counts[:, 0] == counts[:, 1])
        assert round(float(np.mean(omega_is_one == (labels == "neutral"))), 4) == expected
