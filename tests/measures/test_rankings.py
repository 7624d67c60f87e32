"""Tables to aligned arrays, what is kept of them and remembered of their sums; and the functions that measures rest on:
rank-biased overlap, with its bounds over ties by trying every order, position bias, and GSR's slope and weights."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.home import VARIABLE
from fairviz.measures import MEASURES, sums
from fairviz.measures import rankings as stored
from fairviz.measures.gsr import slope
from fairviz.measures.position_bias import parse_position_bias, position_bias
from fairviz.measures.rank_overlap import overlap_over_ties, rank_biased_overlap
from fairviz.measures.rankings import align_runs, label_evidence, word_evidence
from fairviz.measures.sums import AlignedRankings, toy
from fairviz.study.loaders import stored as store
from fairviz.study.loaders.stored import StoredArrays, packed_texts, unpacked_texts
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, LABELS, RUNS, conform, empty
from fairviz.words.counting import GSR_LEXICON
from tests.conftest import refused

NAMES = pd.Index(["d1", "d2"], dtype="str")
COLUMNS = ["system", "query_id", "doc_id", "rank", "score"]
ASKED = ["CWEx@10", "NFaiRR(background=collection)@10", "TExFAIR@5", "nDCG@10", "GSR@10"]


@given(st.lists(st.tuples(*(st.sampled_from(names) for names in ("BA", "yxz", "dbca"))), unique=True))
def test_arrays_hold_what_the_rows_say(rows: list[tuple[str, str, str]]) -> None:
    """Systems, queries and documents in the order of their categories, those that no row holds left out."""
    table = pd.DataFrame([(*row, place, -place) for place, row in enumerate(rows, start=1)], columns=COLUMNS)
    types = {"system": pd.CategoricalDtype(["B", "C", "A"]), "query_id": pd.CategoricalDtype(list("zyxw"))}
    types["doc_id"] = pd.CategoricalDtype(list("edcba"))
    found = align_runs(table.astype(types).astype({"rank": "int32", "score": "float64"}))
    for held, order, column in ((found.systems, "BCA", 0), (found.queries, "zyxw", 1), (found.doc_ids, "edcba", 2)):
        assert list(held) == [name for name in order if name in {row[column] for row in rows}]
    for s, system in enumerate(found.systems):
        for q, query in enumerate(found.queries):
            expected = [row[2] for row in rows if row[:2] == (system, query)]
            listed = found.documents[:, s, q]
            assert [found.doc_ids[place] for place in listed[listed >= 0]] == expected
            assert found.lengths[s, q] == len(expected)


def test_ties_stand_by_their_rule_and_labels_and_words_are_those_of_documents() -> None:
    rows = [("s", "q", "b", 2, 1.0), ("s", "q", "a", 2, 1.0), ("s", "q", "c", 1, 1.0), ("s", "q", "d", 9, 2.0)]
    for ties, expected in (("file", "dcab"), ("trec_eval", "dcba")):
        found = align_runs(conform(pd.DataFrame(rows, columns=COLUMNS), RUNS), ties)
        assert "".join(found.doc_ids[d] for d in found.documents[:, 0, 0]) == expected

    def codes(labels: pd.DataFrame) -> np.ndarray:
        return label_evidence(labels, NAMES, "neutral", ("female", "male")).codes

    assert (codes(empty(LABELS)).tolist(), codes(empty(LABELS)).dtype) == ([-1, -1], np.dtype("int8"))
    for names, labels, expected in (
        (["d1", "d2"], ["unknown", "neutral"], [-1, 0]),  # the label of no group does not count
        (["d2", "x"], ["male", "female"], [-1, 2]),  # and one counts for its document alone
    ):
        table = conform(pd.DataFrame({"doc_id": names, "annotator": "a", "label": labels}), LABELS)
        assert codes(table).tolist() == expected
    words = word_evidence(empty(DOCUMENTS), NAMES, GSR_LEXICON, "word", ("female", "male"))
    assert words.counts.shape == (2, 2)
    assert not any(held.any() for held in (words.counts, words.tokens, words.known, words.in_collection))
    found = align_runs(empty(RUNS))
    assert (found.systems, found.queries, found.documents.shape) == ((), (), (0, 0, 0))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setattr(stored, "LARGE", 1)
    return tmp_path / "cache" / f"arrays-{store.VERSION}"


def rankings_in(cache: Path) -> list[Path]:
    """Entries of rankings, without those of labels, judgements and candidates."""
    return [place for place in cache.iterdir() if "systems" in store.Entry(place).names()]


@pytest.mark.parametrize("ties", ["file", "trec_eval"])
def test_scores_of_stored_rankings_are_those_of_fresh_ones(
    cache: Path, monkeypatch: pytest.MonkeyPatch, ties: str, newswire: Study
) -> None:
    settings = Settings(ties=ties)
    with monkeypatch.context() as patch:
        patch.setattr(stored, "LARGE", 1 << 40)
        fresh = evaluate(newswire, ASKED, settings)
    assert not cache.exists()
    made = evaluate(newswire, ASKED, settings)
    assert len(rankings_in(cache)) == 1
    monkeypatch.setattr(stored, "align_runs", None)
    mapped = evaluate(newswire, ASKED, settings)
    for scores in (made, mapped):
        pd.testing.assert_frame_equal(scores, fresh, check_exact=True)


def test_another_content_or_tie_rule_is_aligned_anew(cache: Path, football: Study, newswire: Study) -> None:
    for settings in (Settings(), Settings(ties="trec_eval"), Settings(background="collection")):
        evaluate(newswire, "NFaiRR@10", settings)
    evaluate(football, "NFaiRR@10")
    assert len(rankings_in(cache)) == 4


@pytest.mark.parametrize("damage", [
    lambda file: file.write_bytes(file.read_bytes()[:-4]),
    lambda file: file.write_bytes(file.read_bytes()[:-4] + b"\1\1\1\1"),
    lambda file: file.unlink(),
    lambda file: (file.parent / store.SUMS).write_text("[]"),
])  # fmt: skip
def test_a_damaged_entry_is_made_again(cache: Path, damage: Callable[[Path], object]) -> None:
    arrays = {"a": np.arange(1000, dtype=np.int32)}
    StoredArrays("inputs", lambda: arrays)
    (entry,) = cache.iterdir()
    damage(entry / "a.bin")
    made: list[int] = []
    for _ in range(2):
        again = StoredArrays("inputs", lambda: made.append(1) or arrays)
        assert made == [1], "once"
        assert np.array_equal(again["a"], arrays["a"])
        assert not again["a"].flags.writeable


def test_an_array_that_is_read_by_rows_does_what_arrays_do(cache: Path) -> None:
    array = np.arange(12, dtype=np.int32).reshape(4, 3) - 1
    mapped = StoredArrays("inputs", lambda: {"a": array}).by_rows("a")
    assert isinstance(mapped, store.MappedArray)
    for read in (
        lambda one: one[:2],
        lambda one: one[-1],
        lambda one: one[::-2, 1],
        lambda one: one[one >= 0],
        lambda one: one * 2,
        lambda one: np.arange(20)[one],
        lambda one: np.append(array[0], 7)[one[:1]],
        lambda one: np.maximum(one, 3).sum(),
        lambda one: one.reshape(-1).max(),
        lambda one: list(map(list, one)),
    ):
        assert np.array_equal(read(mapped), read(array))
    with pytest.raises(IndexError):
        mapped[4]


def test_the_least_recently_used_entries_go(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST_BYTES", 10_000)
    for number in range(5):
        StoredArrays(number, lambda: {"a": np.zeros(500)})
    assert len(list(cache.iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_no_error(cache: Path) -> None:
    cache.parent.mkdir()
    cache.write_text("a file")
    assert StoredArrays("inputs", lambda: {"a": np.ones(2)})["a"].tolist() == [1, 1]


@pytest.mark.parametrize("texts", [[], ["", "é", "ab\0", "a" * 99]])
def test_texts_survive_packing(texts: list[str]) -> None:
    index = pd.Index(["left", *texts], dtype="str")[1:]
    assert unpacked_texts(*packed_texts(index)).to_pylist() == texts


# --- what is remembered of the sums


TEXTS = ("his brother and his father", "she", "he and her sister", "a tree", "he he he and her")
SAID = ("male", "female", "-", "neutral", "male")
AT = np.array([2, 4])


def both() -> AlignedRankings:
    return toy(SAID, TEXTS)


def value(rankings: AlignedRankings, name: str, given: dict, weights: tuple[float, ...]) -> list[float]:
    bias = position_bias("custom", 5, np.array(weights)) if weights else position_bias("log2", 5)
    found = MEASURES[name].compute(rankings, given, bias, AT)
    return found.ravel().tolist()


def two_systems() -> AlignedRankings:
    """System `system` ranks the five texts; `other` retrieves the tree alone, so that its background is neutral."""
    rankings = both()
    documents = np.full((5, 2, 1), -1, dtype=np.int32)
    documents[:, 0, 0], documents[0, 1, 0] = range(5), 3
    lists = replace(
        rankings.lists,
        systems=("system", "other"),
        documents=documents,
        lengths=np.array([[5], [1]], dtype=np.int32),
    )
    return replace(rankings, lists=lists)


CWEX, TED = ("CWEx", {"alpha": 0.5}), ("TED", {"rbdf": False})
LIGHT, HEAVY = (0.9, 0.5, 0.1), (0.2, 0.9, 0.9, 0.3)


def nfairr(tau: int, background: str | None, weights: tuple[float, ...] = ()) -> tuple:
    return "NFaiRR", {"tau": tau, "background": background}, weights


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((*CWEX, LIGHT), (*CWEX, HEAVY)),  # the weights of a person's own position bias
        ((*TED, LIGHT), (*TED, HEAVY)),
        (("FaiRR", {"tau": 0}, HEAVY), ("FaiRR", {"tau": 0}, ())),
        (("FaiRR", {"tau": 0}, ()), ("FaiRR", {"tau": 3}, ())),
        (nfairr(0, None, LIGHT), nfairr(0, None, HEAVY)),
        (("RaB", {"magnitude": "tf"}, ()), ("RaB", {"magnitude": "tc"}, ())),
        (("RaB", {"magnitude": "tc"}, ()), ("RaB", {"magnitude": "bool"}, ())),
        (("ARaB", {"magnitude": "tf"}, ()), ("ARaB", {"magnitude": "tc"}, ())),
        (("ARaB", {"magnitude": "tc"}, ()), ("ARaB", {"magnitude": "bool"}, ())),
        # the list's own FaiRR is divided by another ideal: one neutral text in the background, or two, or five
        (nfairr(0, "candidates"), nfairr(3, "candidates")),
        (nfairr(0, "candidates"), nfairr(0, "run:other")),
        (nfairr(0, "run:system"), nfairr(0, "run:other")),
    ],
)
def test_no_answer_is_that_of_another_question(before: tuple, after: tuple) -> None:
    places = two_systems()
    first = value(places, *before)
    assert value(places, *after) == value(two_systems(), *after) != first
    assert value(places, *before) == first


def test_the_ideal_by_hand_and_a_copy_that_remembers_nothing() -> None:
    """Equal attention at cutoff 4. omega with tau 0 is 0, 0, 2/3, 1 and 1/2; the other run retrieves the fourth."""
    places, bias, at = two_systems(), position_bias("uniform", 5), np.array([4])
    of = MEASURES["NFaiRR"].compute
    everything = of(places, {"tau": 0, "background": "candidates"}, bias, at)[0, 0, 0]
    assert everything == pytest.approx((2 / 3 + 1) / (1 + 2 / 3 + 1 / 2))
    assert of(places, {"tau": 0, "background": "run:other"}, bias, at)[0, 0, 0] == pytest.approx((2 / 3 + 1) / 1)
    with_one = of(places, {"tau": 1, "background": "candidates"}, bias, at)[0, 0, 0]
    assert with_one == pytest.approx((1 + 2 / 3 + 1) / (1 + 1 + 2 / 3 + 1 / 2))  # `she` alone is neutral now
    places = both()
    lenient = value(places, *CWEX, ())
    strict = replace(places, unlabelled="strict")
    assert np.isnan(value(strict, *CWEX, ())[1])
    assert value(places, *CWEX, ()) == lenient


def test_a_value_that_is_stored_again_takes_no_further_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "KEPT_BYTES", 100)
    memory = sums.Memory()
    for key, size in (("first", 64), ("first", 64), ("second", 32)):
        memory.put((key,), np.zeros(size, dtype=np.uint8))
    assert memory.get(("first",)) is not None
    memory.put(("third",), np.zeros(8, dtype=np.uint8))
    assert memory.get(("second",)) is None  # requested longest ago


def test_sums_made_together_are_those_made_alone_however_deep_the_lists() -> None:
    generator = np.random.default_rng(3)
    rankings, depth = toy(labels=["female"]), 700
    values = generator.random((depth, 4))
    biases = [position_bias(f"rbp(p={p})", depth) for p in (0.01, 0.5, 0.95, 0.99)] + [position_bias("log2", depth)]
    for number, bias in enumerate(biases):
        bias = replace(bias, together=tuple(biases))
        found = rankings.sums_of("values", lambda: values, bias, np.array([depth]))
        np.testing.assert_allclose(found[0], bias.weights(depth) @ values, rtol=1e-13)
        assert number == 0 or rankings.sums_of("values", lambda: 1 / 0, bias, np.array([depth])).shape == (1, 4)


def by_definition(first, second, p=0.9):
    """Equation 32, sum by sum."""
    short, long = sorted((first, second), key=len)
    s, l = len(short), len(long)  # noqa: E741 (the paper's letters)
    common = {d: len(set(first[:d]) & set(second[:d])) for d in range(1, l + 1)}
    total = sum(common[d] / d * p**d for d in range(1, l + 1))
    total += sum(common[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * total + ((common[l] - common[s]) / l + common[s] / s) * p**l


def test_overlap_by_hand_of_identical_and_disjoint_lists_and_a_persistence_that_cannot_be():
    """a b c d e f g h i j against b a c x d y e z f w: X = 0 2 3 3 4 4 5 5 6 6."""
    common = [0, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    agreement = [0, 1, 1, 3 / 4, 4 / 5, 4 / 6, 5 / 7, 5 / 8, 6 / 9, 6 / 10]
    assert [x / d for d, x in enumerate(common, start=1)] == agreement
    # 0.1 · (0 + 0.9 + 0.81 + 0.75·0.729 + 0.8·0.6561 + …) + 0.6 · 0.9^10
    powers = [1, 0.9, 0.81, 0.729, 0.6561, 0.59049, 0.531441, 0.4782969, 0.43046721, 0.387420489]
    expected = 0.1 * sum(a * w for a, w in zip(agreement, powers, strict=True)) + 0.6 * 0.3486784401
    assert expected == pytest.approx(0.6465, abs=5e-5)
    assert rank_biased_overlap("abcdefghij", "bacxdyezfw") == pytest.approx(expected, abs=1e-12)
    # `ab` against `bca`, p 0.5: X = 0 1 2; 1 · (1/2 · 1/4 + 2/3 · 1/8 + 1·1/(2·3) · 1/8) + ((2-1)/3 + 1/2) · 1/8.
    expected = 1 / 8 + 1 / 12 + 1 / 48 + 5 / 48
    assert rank_biased_overlap("ab", "bca", 0.5) == pytest.approx(expected, abs=1e-12)
    assert rank_biased_overlap("bca", "ab", 0.5) == pytest.approx(expected, abs=1e-12)
    for length in (1, 2, 10, 100):
        names = [f"d{place}" for place in range(length)]
        assert rank_biased_overlap(names, names) == pytest.approx(1, abs=1e-12)
        assert rank_biased_overlap(names, [name.upper() for name in names]) == 0
    assert np.isnan(rank_biased_overlap([], []))
    assert rank_biased_overlap([], ["a"]) == rank_biased_overlap(["a"], []) == 0
    for p in (0, 1, -0.5, 2):
        with refused(f"p is {p:g}\nUse a number between 0 and 1, such as 0.9.", UsageError):
            rank_biased_overlap("ab", "ba", p)


LISTS = st.permutations("abcdef").flatmap(lambda names: st.integers(0, 6).map(lambda cut: list(names[:cut])))


@given(LISTS, LISTS, st.sampled_from([0.5, 0.9]))
def test_the_definition(first, second, p):
    found = rank_biased_overlap(first, second, p)
    if first and second:
        assert found == pytest.approx(by_definition(first, second, p), abs=1e-12)
    assert np.isnan(found) or 0 <= found <= 1


def tied_orders(names, scores):
    """Every order of the list that its ties allow."""
    groups = [
        [name for name, held in zip(names, scores, strict=True) if held == score] for score in dict.fromkeys(scores)
    ]
    for chosen in product(*(permutations(group) for group in groups)):
        yield [name for group in chosen for name in group]


SHORT = st.permutations("abcde").flatmap(
    lambda names: st.lists(st.integers(0, 2), min_size=0, max_size=4).map(
        lambda scores: (list(names[: len(scores)]), sorted(scores, reverse=True))
    )
)


@given(SHORT, SHORT)
def test_bounds_over_ties_are_those_of_all_orders(first, second):
    low, high = overlap_over_ties(first[0], second[0], np.array(first[1]), np.array(second[1]))
    every = [rank_biased_overlap(one, other, 0.9) for one in tied_orders(*first) for other in tied_orders(*second)]
    if first[0] or second[0]:
        assert low == pytest.approx(min(every), abs=1e-12)
        assert high == pytest.approx(max(every), abs=1e-12)


# --- position bias


def test_weights_are_those_of_the_definition_and_custom_ones_end_with_their_table_and_may_rise() -> None:
    for text, definition in (
        ("log2", lambda i, k: 1 / math.log2(1 + i)),
        ("reciprocal", lambda i, k: 1 / i),
        ("rbp(p=0.8)", lambda i, k: 0.8 ** (i - 1)),
        ("linear", lambda i, k: 1 - (i - 1) / k),
        ("uniform", lambda i, k: 1.0),
    ):
        bias = position_bias(text, 20)
        for k in (1, 2, 7, 20):
            np.testing.assert_allclose(bias.weights(k), [definition(i, k) for i in range(1, k + 1)], rtol=1e-13)
        assert bias.falling
    bias = position_bias("custom", 5, np.array([0.2, 0.9]))
    assert bias.weights(5).tolist() == [0.2, 0.9, 0, 0, 0]
    assert not bias.falling
    assert position_bias("custom", 1, np.array([0.5, 0.1])).weights(1).tolist() == [0.5]


def test_what_is_no_position_bias() -> None:
    for text, message in {
        "log10": "unknown position bias 'log10'",
        "": "unknown position bias ''",
        "log2(p=1)": "the position bias log2 takes no parameter, got 'log2(p=1)'",
        "rbp(p=1.5)": "the position bias 'rbp(p=1.5)' takes p from 0.01 to 0.99",
        "rbp(p=1e5.5)": "'1e5.5' is not a number in the position bias 'rbp(p=1e5.5)'",
    }.items():
        with pytest.raises(UsageError) as error:
            parse_position_bias(text)
        assert error.value.message == message
    for weights in (None, [], [0, 0], [1, -1], [1, math.nan], [math.inf]):
        with pytest.raises(UsageError):
            position_bias("custom", 3, None if weights is None else np.array(weights, dtype=float))


# --- GSR


NAN = float("nan")


def test_slopes_of_weighted_queries_and_of_undefined_and_equal_ones() -> None:
    query, lists = np.array([0.1, 0.2, 0.4, 0.3]), np.array([0.3, 0.1, 0.2, 0.0])
    weights = np.array([[1, 1, 1, 1], [2, 0, 3, 1], [0, 4, 0, 0], [0, 0, 0, 0]])
    slopes = slope(query, lists, weights)
    drawn = [np.repeat(np.arange(4), row) for row in weights[:2]]
    assert slopes[:2] == pytest.approx([np.polyfit(query[rows], lists[rows], 1)[0] for rows in drawn])
    assert np.isnan(slopes[2:]).all(), "one query, however often, has no slope"
    query, lists = np.array([0.1, NAN, 0.3, 0.5]), np.array([0.1, 0.9, 0.2, NAN])
    assert slope(query, lists, np.ones(4)) == pytest.approx(0.5)
    assert np.isnan(slope(np.array([NAN, 0.1]), np.array([0.1, NAN]), np.ones((3, 2)))).all()
    assert np.isnan(slope(np.array([]), np.array([]), np.ones(0)))
    assert np.isnan(slope(np.array([0.1 + 0.2, 0.3, 0.3]), np.array([0.1, 0.2, 0.3]), np.ones(3)))
