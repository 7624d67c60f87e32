"""Tables to aligned arrays: what occurs, in which order, and what is not worth looking up."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.home import VARIABLE
from fairviz.measures import rankings as stored
from fairviz.measures.rankings import align_runs, label_evidence, word_evidence
from fairviz.study.loaders import stored as store
from fairviz.study.loaders.stored import StoredArrays, packed_texts, unpacked_texts
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, LABELS, RUNS, conform, empty
from fairviz.words.counting import GSR_LEXICON

NAMES = pd.Index(["d1", "d2"], dtype="str")
COLUMNS = ["system", "query_id", "doc_id", "rank", "score"]
MEASURES = ["CWEx@10", "NFaiRR(background=collection)@10", "TExFAIR@5", "nDCG@10", "GSR@10"]


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
        fresh = evaluate(newswire, MEASURES, settings)
    assert not cache.exists()
    made = evaluate(newswire, MEASURES, settings)
    assert len(rankings_in(cache)) == 1
    monkeypatch.setattr(stored, "align_runs", None)
    mapped = evaluate(newswire, MEASURES, settings)
    for scores in (made, mapped):
        pd.testing.assert_frame_equal(scores, fresh, check_exact=True)


def test_another_content_or_tie_rule_is_aligned_anew(cache: Path, football: Study, newswire: Study) -> None:
    for settings in (Settings(), Settings(ties="trec_eval"), Settings(background="collection")):
        evaluate(newswire, "NFaiRR@10", settings)
    evaluate(football, "NFaiRR@10")
    assert len(rankings_in(cache)) == 4


@pytest.mark.parametrize("damage", ["cut", "changed", "missing", "sums"])
def test_a_damaged_entry_is_made_again(cache: Path, damage: str) -> None:
    arrays = {"a": np.arange(1000, dtype=np.int32)}
    StoredArrays("inputs", lambda: arrays)
    (entry,) = cache.iterdir()
    file = entry / "a.bin"
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-4])
    elif damage == "changed":
        file.write_bytes(file.read_bytes()[:-4] + b"\1\1\1\1")
    elif damage == "missing":
        file.unlink()
    else:
        (entry / store.SUMS).write_text("[]")
    made: list[int] = []
    again = StoredArrays("inputs", lambda: made.append(1) or arrays)
    assert made == [1]
    assert np.array_equal(again["a"], arrays["a"])
    known = StoredArrays("inputs", lambda: made.append(1) or arrays)
    assert made == [1]
    assert not known["a"].flags.writeable


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
