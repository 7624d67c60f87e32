"""Tables to aligned arrays: what occurs and in which order, what is kept of them on the disk, and what is remembered of
their sums: whatever was asked before, the answer is that of a fresh start."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.home import VARIABLE
from fairviz.measures import MEASURES, sums
from fairviz.measures import rankings as stored
from fairviz.measures.position_bias import position_bias
from fairviz.measures.rankings import align_runs, label_evidence, word_evidence
from fairviz.measures.sums import AlignedRankings, toy
from fairviz.study.loaders import stored as store
from fairviz.study.loaders.stored import StoredArrays, packed_texts, unpacked_texts
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, LABELS, RUNS, conform, empty
from fairviz.words.counting import GSR_LEXICON

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


def test_ties_stand_by_their_rule() -> None:
    rows = [("s", "q", "b", 2, 1.0), ("s", "q", "a", 2, 1.0), ("s", "q", "c", 1, 1.0), ("s", "q", "d", 9, 2.0)]
    for ties, expected in (("file", "dcab"), ("trec_eval", "dcba")):
        found = align_runs(conform(pd.DataFrame(rows, columns=COLUMNS), RUNS), ties)
        assert "".join(found.doc_ids[d] for d in found.documents[:, 0, 0]) == expected


def test_labels_and_words_of_documents_and_tables_without_a_row() -> None:
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
