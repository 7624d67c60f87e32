"""Pairs as text and as rows of a table."""

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.study.record import Study
from fairviz.words.counterparts import (
    REMEDY,
    Counterparts,
    apply_edits,
    ends_phrase,
    find_edits,
    format_counterparts,
    packaged,
    pairs_of,
    parse_counterparts,
    swap_words,
)
from tests.conftest import refused

WORD = st.text(alphabet="aé-%, '", min_size=1, max_size=8).map(lambda text: " ".join(f"a{text}b".split()))


@example(packaged().words)
@example(packaged().names)
@given(st.lists(st.tuples(WORD, WORD.map(lambda word: f"x{word}")), min_size=1, max_size=4, unique=True))
def test_any_pairs_as_text_and_back(pairs: Sequence) -> None:
    assert parse_counterparts(format_counterparts(pairs)) == tuple(pairs)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the list of pairs is empty"),
        ("she", "'she' is not a pair of words"),
        ("she-he-it", "'she-he-it' is not a pair of words"),
        ("she-", "the pair 'she', '' cannot be: a word has no counterpart"),
        ("She-she", "the pair 'She', 'she' cannot be: the word is its own counterpart"),
    ],
)
def test_text_that_is_no_pairs(text: str, said: str) -> None:
    with refused(f"{said}\n{REMEDY}", UsageError):
        parse_counterparts(text)


def test_rows_of_a_table_and_what_is_substituted() -> None:
    assert pairs_of([("she", "he"), (None, ""), (" Mary  Ann ", "John"), ("she", "he")]) == (
        ("she", "he"), ("Mary Ann", "John"),
    )  # fmt: skip
    with refused("the pair 'she', '' cannot be: a word has no counterpart\nGive two words a row."):
        pairs_of([("she", None)])
    with refused("the list of pairs is empty\nGive one pair or more."):
        pairs_of([(None, None)])
    pairs = Counterparts((("she", "he"),), (("Mary", "James"),))
    assert pairs.only("words") == Counterparts((("she", "he"),), ())
    assert pairs.only("names") == Counterparts((), (("Mary", "James"),))
    with refused("substitute is 'pronouns'\nUse one of both, words, names.", UsageError):
        pairs.only("pronouns")
    with refused("the list of words with their counterparts is empty\nGive one pair or more."):
        Counterparts((), (("Mary", "James"),)).only("words")
    assert pairs.vocabulary == {"she", "he", "mary", "james"}


PRONOUNS = (("she", "he"), ("her", "him"), ("her", "his"), ("hers", "his"))
COORDINATED = (
    "his or her", "Each has his or her own room", "her/his", "his / hers", "he or she", "He and she", "HIS OR HER",
    "him and/or her", "men and women", "boys & girls", "boys' and girls' schools", "neither mother nor father",
    "a man or a woman",
)  # fmt: skip
NO_NAME = ("Mark the page.", "Read it. Mark the page.", "First,\n- Mark the page")  # a verb, as far as can be told
SWAPS: dict[str, tuple[tuple, tuple, dict[str, str]]] = {  # words, names, and texts with their counterparts
    "pronouns": (PRONOUNS, (), {
        "He saw her.": "She saw him.",
        "He saw her": "She saw him",
        "He saw her in London": "She saw him in London",
        "He saw her house": "She saw his house",
        "He saw her “big” house": "She saw his “big” house",
        "It cost her £5": "It cost his £5",
        "She saw him and his dog": "He saw her and her dog",
        "The book is his.": "The book is hers.",
        "The book is hers.": "The book is his.",
        "HER DOG and HER": "HIS DOG and HIM",
        "HE saw it": "SHE saw it",
        "Her dog": "His dog",
        "his": "hers",
        "There they are: other, cashier, Sheffield, theirs": "There they are: other, cashier, Sheffield, theirs",
        "<b onclick='her()'>her</b>": "<b onclick='him()'>him</b>",
    }),
    "coordinated words stay, and a common word is a name only with evidence": (packaged().words, packaged().names, {
        **{text: text for text in (*COORDINATED, *NO_NAME)},
        "men and girls": "women and boys",
        "he or his mother": "she or her father",
        "he and, she": "she and, he",
        "the man and the woman she loved": "the woman and the man he loved",
        "he or she and his dog": "he or she and her dog",
        "Mary and James": "James and Mary",
        "“Mark the page,” James said.": "“Mark the page,” Mary said.",
        "Mark Twain wrote it.": "Betty Twain wrote it.",
        "Mark's page": "Betty's page",
        "Mark said so.": "Betty said so.",
        "Ask Mark. Mark knows.": "Ask Betty. Betty knows.",
        "We asked Mr. Mark and J. Mark too": "We asked Ms. Betty and J. Betty too",
        "James left. Mary stayed.": "Mary left. James stayed.",
    }),
    "evidence for names of one's own": ((), (("Grace", "Will"), ("Faith", "Bill")), {
        "Will you come? Grace is a gift. Hope and Faith.": "Will you come? Grace is a gift. Hope and Bill.",
        "Will Smith met Grace. Grace paid the bill.": "Grace Smith met Will. Will paid the bill.",
    }),
    "her has one counterpart": ((("her", "him"),), (), {"saw her house": "saw him house"}),
    "his has one counterpart": ((("her", "his"),), (), {"his.": "her."}),
    "what one pair puts in, no other takes out": ((("a1", "b1"), ("b1", "c1")), (), {"a1 b1 c1": "b1 a1 b1"}),
    "the first pair decides": ((("lady", "gentleman"), ("lady", "lord")), (), {
        "lady gentleman lord": "gentleman lady lady",
    }),
    "overlapping names": (
        (), (("Mary", "James"), ("Mary Ann", "John Paul"), ("Ann Lee", "Bob Lee"), ("Ann", "Tom")), {
        "Mary, Mary Ann, Mary\n Ann, Mary Ann Lee, Ann Lee": "James, John Paul, John Paul, John Paul Lee, Bob Lee",
        "Mary Anna": "James Anna",
    }),
    "overlapping words": ((("wife", "husband"), ("ex-wife", "old flame")), (), {
        "my ex-wife, my wife, ex-wives": "my old flame, my husband, ex-wives",
    }),
    "a name has a capital": ((), (("Mary", "Mark"),), {"Mark my mark, MARK": "Mary my mark, MARY"}),
    "a word has any": ((("queen", "king"), ("mary ann", "john paul")), (), {
        "Queen queen QUEEN": "King king KING", "mary ann": "john paul", "Mary Ann": "John Paul",
    }),
    "a word before a name": ((("jill", "jack"),), (("Mary", "Jack"),), {"Jack": "Jill"}),
    "capitals inside": ((("ms", "mr"),), (("Anne", "DeShawn"),), {
        "Ms. ANNE McDonald": "Mr. DESHAWN McDonald", "Anne": "DeShawn",
    }),
    "possessives": (
        (("ladies", "gentlemen"), ("girls", "boys"), ("princess", "prince")), (("Mary", "James"),), {
        "Mary's hat": "James's hat",
        "Mary’s hat": "James’s hat",
        "James' hat": "Mary's hat",
        "James's hat": "Mary's hat",
        "JAMES' HAT": "MARY'S HAT",
        "'He met James' he said": "'He met Mary's he said",  # a quotation's end before a word cannot be told
        "the ladies' room": "the gentlemen's room",
        "the gentlemen's room": "the ladies' room",
        "the girls' room": "the boys' room",
        "the prince's crown": "the princess's crown",
        "'the ladies'": "'the gentlemen'",
    }),
    "letters beyond ASCII": (
        (("fiancée", "fiancé"), ("ДОЧЬ", "сын")), (("Zoë", "José"), ("Ірина", "Іван"), ("李娜", "王伟")), {
        "José’s fiancée Zoë, ZOË; Ірина; дочь": "Zoë’s fiancé José, JOSÉ; Іван; сын",
        "Jose\u0301, Jose, Jose\u0302": "Zoë, Jose, Jose\u0302",
        "İ Zoë 👩‍🔬 Zoë\u200b.": "İ José 👩‍🔬 José\u200b.",
    }),
    "spelt apart": ((("fiance\u0301e", "fiance\u0301"),), (), {"fiancée": "fiance\u0301"}),
}  # fmt: skip


@pytest.mark.parametrize("case", SWAPS)
def test_swaps(case: str) -> None:
    words, names, texts = SWAPS[case]
    assert {text: swap_words(text, Counterparts(words, names)) for text in texts} == texts


@given(st.text(alphabet="heris mTH.'’-\n\u0301", max_size=40))
def test_edits_lie_in_the_text_one_behind_the_other(text: str) -> None:
    found = find_edits(text, packaged())
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert apply_edits(text, []) == text


def test_the_packaged_pairs() -> None:
    pairs = packaged()
    assert min(len(pairs.words), len(pairs.names)) >= 70
    assert len(set(pairs.words)) == len(pairs.words)
    every = [name for pair in pairs.names for name in pair]
    assert len(set(every)) == len(every)
    text = "The policewoman gave Mr Smith his hat; Linda and her aunt’s husband told him."
    assert swap_words(swap_words(text, pairs), pairs) == text


def letters(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def test_the_share_of_true_counterparts_in_grep_biasir(grep_biasir: Study) -> None:
    """Of each title and text in female or male wording, whether its swap is the other one's: wholly, in letters."""
    rows = grep_biasir.documents.merge(grep_biasir.labels[["doc_id", "label"]], on="doc_id")
    rows = rows.merge(grep_biasir.qrels, on="doc_id")
    wide = rows.pivot_table(
        index=["query_id_x", "relevance"], columns="label", values=["title", "text"], aggfunc="first"
    ).dropna()
    for part, shares in (("text", [0.784, 0.806]), ("title", [0.881, 0.89])):
        pairs = [*zip(wide[part, "female"], wide[part, "male"], strict=True)]
        swapped = [(swap_words(one, packaged()), other) for one, other in [*pairs, *((b, a) for a, b in pairs)]]
        exact = sum(one.split() == other.split() for one, other in swapped)
        alike = sum(letters(one) == letters(other) for one, other in swapped)
        assert [round(exact / len(swapped), 3), round(alike / len(swapped), 3)] == shares


@pytest.mark.parametrize(("name", "count", "right"), [("newswire", 314, 0.981), ("grep_biasir", 50, 0.84)])
def test_her_becomes_him_or_his_as_masked_pronouns_tell(
    request: pytest.FixtureRequest, name: str, count: int, right: float
) -> None:
    """For how many of his and him the rule finds which it was from what stands behind."""
    documents = request.getfixturevalue(name).documents
    found = [
        ends_phrase(text, match.end()) == (match[0].lower() == "him")
        for text in [*documents["title"].fillna(""), *documents["text"].fillna("")]
        for match in re.finditer(r"\b(his|him)\b", text, re.IGNORECASE)
    ]
    assert (len(found), round(sum(found) / len(found), 3)) == (count, right)
