"""Words: the fast counts against Python's tokenizers, the papers' figures on Grep-BiasIR, and word lists as people have
them: in any script, with phrases, beginnings and marks; and those that match nothing."""

import random
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.normal_form import folded, normal_form
from fairviz.rankers.record import analyser
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
from fairviz.words.gsr_words import count_words, text_words
from fairviz.words.tokenizers import TOKENIZERS, unpointed
from tests.conftest import Call

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
SCRIPTS = {  # a list in words of each script, and a sentence with two of the first group and one of the second
    "Arabic": ("امرأة,female | رجل,male", "هٰذِهِ امْرَأَةٌ، وامرأةٌ أخرى. رَجُلٌ! امرأة"),
    "Armenian": ("կին,female | տղամարդ,male", "Կին, ԿԻՆ եւ տղամարդ։"),
    "Bengali": ("মহিলা,female | পুরুষ,male", "ঐ মহিলা ও পুরুষ; মহিলাটি নয়, মহিলা।"),
    "Chinese": ("她,female | 男人,male | 女人,female", "她说那个男人不是女人。"),
    "Devanagari": ("स्त्री,female | पति,male", "यह स्त्री और वह स्त्री, पति नहीं।"),
    "Ethiopic": ("ሴት,female | ወንድ,male", "ሴት፣ ሴት እና ወንድ።"),
    "Georgian": ("ქალი,female | კაცი,male", "ქალი და ქალი, კაცი."),
    "Greek": ("γυναίκα,female | άνδρας,male", "Η ΓΥΝΑΊΚΑ, η γυναι\u0301κα και ο ΆΝΔΡΑΣ."),
    "Hangul": ("여자*,female | 남자*,male", "여자는 남자를 보고, 여자가 웃었다."),
    "Hebrew": ("אישה,female | גבר,male", "אִישָׁה אחת, אישה שתיים, גֶּבֶר."),
    "Japanese": ("彼女,female | 彼,male", "彼女は学生です。彼も彼女を知る。"),
    "Khmer": ("ស្ត្រី,female | បុរស,male", "នាងជាស្ត្រីហើយស្ត្រីនោះស្គាល់បុរស។"),
    "Lao": ("ແມ່ຍິງ,female | ຜູ້ຊາຍ,male", "ແມ່ຍິງແລະຜູ້ຊາຍເຫັນແມ່ຍິງ"),
    "Malayalam": ("അവൾ,female | അവൻ,male", "അവൾ വന്നു, അവൻ പോയി; അവൾ."),
    "Persian": ("خانم‌ها,female | آقا,male", "خانم‌ها و خانمها، آقا."),
    "Tamil": ("பெண்,female | ஆண்,male", "ஒரு பெண், இரு பெண். ஆண்!"),
    "Thai": ("ผู้หญิง,female | ผู้ชาย,male", "ผู้หญิงและผู้ชายไปหาผู้หญิง"),
    "Turkish": ("kadın,female | işadamı,male", "KADIN, Kadın ve İŞADAMI."),
    "Ukrainian": ("її,female | м'ята,female | він,male", "ЇЇ м’ята і ВІН."),
    "Vietnamese": ("phụ nữ,female | đàn ông,male", "Phụ nữ và phu\u0323 nư\u0303, đàn ông."),
    "Burmese": ("အမျိုးသမီး,female | အမျိုးသား,male", "အမျိုးသမီး၊ အမျိုးသမီး အမျိုးသား။"),
    "Gurmukhi": ("ਇਸਤਰੀ,female | ਆਦਮੀ,male", "ਇਸਤਰੀ ਇਸਤਰੀ ਆਦਮੀ."),
    "Kannada": ("ಮಹಿಳೆ,female | ಪುರುಷ,male", "ಮಹಿಳೆ ಮಹಿಳೆ ಪುರುಷ."),
    "Telugu": ("స్త్రీ,female | పురుషుడు,male", "స్త్రీ స్త్రీ పురుషుడు."),
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


def check_counts(texts: list[str | None], lexicon: Lexicon, tokenizer: str) -> None:
    """Compare the counts, by compiled code and without, with the longest entries among the tokens of each text."""
    found, slowly = (count_groups(texts, lexicon, tokenizer, ("female", "male"), fast=fast) for fast in (True, False))
    for name in ("counts", "tokens", "known"):
        np.testing.assert_array_equal(getattr(found, name), getattr(slowly, name))
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
@pytest.mark.parametrize("lexicon", [LEXICON, PHRASES], ids=["words", "phrases"])
@pytest.mark.parametrize("tokenizer", list(TOKENIZERS))
def test_fast_counts_are_those_of_the_tokenizer(tokenizer: str, lexicon: Lexicon, texts: list[str | None]) -> None:
    check_counts(texts, lexicon, tokenizer)


@settings(max_examples=settings.default.max_examples // 8)  # each counts in every way
@given(st.data())
@pytest.mark.parametrize("script", SCRIPTS)
def test_fast_counts_are_those_of_the_tokenizer_in_any_script(script: str, data: st.DataObject) -> None:
    """In texts of the letters and marks around those of a word."""
    word = SCRIPTS[script][0].partition(",")[0].removesuffix("*")
    first, last = min(map(ord, word)) & ~0x7F, max(map(ord, word)) | 0x7F
    signs = st.characters(min_codepoint=max(first, 0xC0), max_codepoint=last, exclude_categories=["Cn"])
    letters = st.text(signs, min_size=1, max_size=4)
    texts = data.draw(st.lists(st.lists(letters | SIGNS | st.just(word), max_size=8).map("".join), max_size=6))
    lexicon = Lexicon(script, ((word, "male"), ("she", "female"), (f"she {word}", "male"), (f"{word[:2]}*", "female")))
    for tokenizer in TOKENIZERS:
        check_counts(texts, lexicon, tokenizer)
        check_counts(texts, Lexicon(script, lexicon.words[:2]), tokenizer)


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


# --- word lists as people have them


def list_of(folder: Path, words: str) -> Lexicon:
    """The list as it is read from a file: words with their groups, a bar between two."""
    (folder / "lexicon.csv").write_text("word,group\n" + words.replace(" | ", "\n"))
    return read_lexicon(folder / "lexicon.csv")


def study_of(folder: Path, words: str, texts: Mapping[str, str]) -> Study:
    """A study of one run over the texts, with the list."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    list_of(folder, words)
    rows = "".join(f"{name}\t{text}\n" for name, text in texts.items())
    (folder / "documents.tsv").write_text(f"doc_id\ttext\n{rows}")
    lines = (f"q Q0 {name} {rank} {-rank} a\n" for rank, name in enumerate(texts, start=1))
    (folder / "runs" / "a.run").write_text("".join(lines))
    return fairviz.open_study(str(folder))


def counts(texts: Mapping[str, str], lexicon: Lexicon, tokenizer: str = "word") -> dict[str, list[int]]:
    """The counts of female and male words of each text, equal with and without compiled code."""
    fast, slow = (count_groups(texts.values(), lexicon, tokenizer, fast=fast) for fast in (True, False))
    assert fast.counts.tolist() == slow.counts.tolist()
    assert fast.tokens.tolist() == slow.tokens.tolist()
    return dict(zip(texts, slow.counts.tolist(), strict=True))


def findings(folder: Path, call: Call) -> dict[str, str]:
    """The lines of `fairviz check` on the word list: the item, and the rest."""
    lines = [line.split(",", 2) for line in call("check", folder, "--format csv").out.splitlines()]
    return {item: rest for part, item, rest in lines if part == "lexicon"}


def test_words_are_counted_in_sentences_of_their_script(tmp_path: Path, call: Call) -> None:
    """By a list of that script alone, and by one list of all."""
    for script, (words, sentence) in SCRIPTS.items():
        assert counts({script: sentence}, list_of(tmp_path, words)) == {script: [2, 1]}
    words = " | ".join(words for words, _ in SCRIPTS.values())
    texts = {script: sentence for script, (_, sentence) in SCRIPTS.items()}
    study = study_of(tmp_path / "all", words, texts)
    assert counts(texts, study.lexicon) == {script: [2, 1] for script in SCRIPTS}
    found = findings(tmp_path / "all", call)
    assert "13 entries in scripts without blanks match inside sentences: tokenizer characters." in found.pop(
        "words of lexicon"
    )
    assert not found


def test_marks_of_arabic_and_the_dotted_i_of_turkish(tmp_path: Path) -> None:
    words = "هي,female | امرأة,female | عورت,female | هو,male | رجل,male | أنتَ,male | أنتِ,female"
    texts = {"plain": "هي امرأة. عورت", "vowels": "هِيَ اِمْرَأَةٌ", "man": "هُوَ رَجُلٌ", "you": "أنتَ أنتِ أنتِ أنت"}
    assert counts(texts, list_of(tmp_path, words)) == {
        "plain": [3, 0], "vowels": [2, 0], "man": [0, 2], "you": [2, 1],
    }  # fmt: skip
    words = "kadın,female | KADIN,female | kız,female | işkadını,female | erkek,male | işadamı,male | İŞADAMI,male"
    texts = {"a": "işkadını kadın kız", "b": "İŞKADINI KADIN KIZ", "c": "İşkadını Kadın Kız", "d": "İŞADAMI"}
    for tokenizer in ("word", "whitespace"):
        assert [*counts(texts, list_of(tmp_path, words), tokenizer).values()] == [[3, 0], [3, 0], [3, 0], [0, 1]]


def test_apostrophes_hyphens_and_phrases(tmp_path: Path, call: Call) -> None:
    words = (
        "ma'am,female | ex-wife,female | stay-at-home mum,female | police woman,female | ex-husband,male | "
        "police man,male | wo/man,male"
    )
    texts = {
        "apostrophe": "Yes ma'am she said", "curly": "Yes ma’am", "hyphen": "His ex-wife left",
        "phrase": "A police woman and a stay-at-home mum", "man": "The police man, her ex-husband",
    }  # fmt: skip
    lexicon = study_of(tmp_path, words, texts).lexicon
    expected = {"apostrophe": [1, 0], "curly": [1, 0], "hyphen": [1, 0], "phrase": [2, 0], "man": [0, 2]}
    assert counts(texts, lexicon) == expected
    assert counts(texts, lexicon, "whitespace") == expected | {"man": [0, 1]}  # man, is no man
    found = findings(tmp_path, call)
    assert "7 phrases match as sequences of words" in found["words of lexicon"]
    assert found["words in no document"].startswith("1,wo/man,")


def test_beginnings_of_words(tmp_path: Path, call: Call) -> None:
    words = "Nurtur*,female | emotiona*,female | self-relian*,male | competit*,male | *woman,female | ♀,female"
    texts = {"d1": "A nurturing and emotional team that nurtures", "d2": "Competitive and self-reliant", "d3": "woman"}
    lexicon = study_of(tmp_path, words, texts).lexicon
    assert counts(texts, lexicon) == {"d1": [3, 0], "d2": [0, 2], "d3": [0, 0]}
    found = findings(tmp_path, call)
    assert "4 entries with * match every word that begins so." in found["words of lexicon"]
    assert found["words that can never match"].startswith('2,"*woman, ♀",')
    assert "words in no document" not in found


def test_a_list_of_which_nothing_or_little_occurs_is_no_perfect_neutrality(tmp_path: Path, call: Call) -> None:
    study = study_of(tmp_path, "Frau,female | Mann,male", {"d1": "she", "d2": "he"})
    for measure in ("NFaiRR", "TExFAIR", "RaB"):
        with pytest.raises(FairvizError, match="no word of the list 'lexicon' occurs in any of 2 documents"):
            fairviz.evaluate(study, measure)
    call("evaluate", tmp_path, "NFaiRR", status=1)
    assert "Measures of words are undefined" in findings(tmp_path, call)["words in no document"]
    assert fairviz.evaluate(study, "NFaiRR@2", lexicon="gsr")["value"].item() == 1
    texts = {f"d{number}": "she" if number < 2 else "a tree" for number in range(41)}
    study_of(tmp_path / "rare", "she,female | he,male", texts)
    study_of(tmp_path / "common", "she,female | he,male", texts | {"d2": "he"})
    rare, common = (call("evaluate", tmp_path / name, "NFaiRR --format csv").err for name in ("rare", "common"))
    assert "Words of the list 'lexicon' are in 2 of 41 documents only" in rare
    assert "only" not in common


def test_accents_count_unless_asked(tmp_path: Path, call: Call) -> None:
    texts = {"d": "ELEVE, élève, un hómme", "h": "הִיא"}
    lexicon = study_of(tmp_path, "élève,female | homme,male | היא,female", texts).lexicon
    assert counts(texts, lexicon) == {"d": [1, 0], "h": [1, 0]}
    assert counts(texts, lexicon, "unaccented") == {"d": [2, 1], "h": [1, 0]}
    assert findings(tmp_path, call)["words in no document but with other accents"].startswith("1,homme,")


def test_words_of_rankers_and_of_genderedness_keep_their_marks() -> None:
    assert analyser()("वह महिला हिन्दी की शिक्षिका है") == ["वह", "महिला", "हिन्दी", "की", "शिक्षिका", "है"]
    assert text_words("महिला_हिन्दी e\u0301lan 2nd") == ["महिला", "हिन्दी", "élan"]
    words = count_words(["महिला शिक्षिका", "महिला"])
    assert dict(zip(words.vocabulary, words.counts.sum(axis=0).tolist()[0], strict=True)) == {"महिला": 2, "शिक्षिका": 1}
