"""Collections that were changed, placebos among them, and the time that an experiment takes."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.gender_swap import experiment as experiments
from fairviz.analyses.gender_swap.experiment import (
    Collection,
    SwapPlan,
    are_swapped_read,
    changed_texts,
    experiment,
    near_words,
    placebo_texts,
    placebos,
    run_seconds,
    stem_of,
    substituted,
    words_of_queries,
)
from fairviz.models import reading_time
from fairviz.rankers import encoders, parse_rankers
from fairviz.rankers.ranking import documents_with_text
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.counterparts import Counterparts, packaged
from tests.analyses.gender_swap.cases import study
from tests.conftest import refused

PLAN = SwapPlan(seeds=2)


def texts(collection) -> dict[str, str]:
    return dict(zip(collection.study.documents["doc_id"], collection.study.documents["text"], strict=True))


def test_documents_with_their_genders_swapped() -> None:
    here = study({"f": "Her son, John.", "n": "A town.", "none": None})
    made = substituted(here, packaged())
    assert texts(made)["f"] == "His daughter, Patricia."
    assert texts(made)["n"] == "A town."
    assert pd.isna(texts(made)["none"])
    assert made.counts == {"f": 3}
    assert made.study.fingerprint != here.fingerprint
    assert here.documents["text"].tolist()[0] == "Her son, John."


def test_a_title_is_swapped_too() -> None:
    documents = pd.DataFrame({"doc_id": ["a"], "title": ["To her"], "text": ["It rains."]})
    made = substituted(make_study("titled", documents=documents), packaged())
    assert made.study.documents["title"].tolist() == ["To him"]
    assert made.counts == {"a": 1}


def test_nothing_changes() -> None:
    with refused(
        "nothing changes: none of the 1 documents of small holds a word of the pairs\n"
        "Give pairs of words that its texts hold."
    ):
        substituted(study({"n": "A town.", "none": None}), packaged())


@pytest.mark.parametrize("here", [study({"a": None}), make_study("small", queries=study().queries)])
def test_no_text(here) -> None:
    with refused(
        "small has no text of documents to replace words in\nAdd documents.tsv with the columns doc_id and text."
    ):
        substituted(here, packaged())


def test_a_placebo_replaces_as_many_content_words_in_the_same_documents() -> None:
    here = study()
    counts = substituted(here, packaged()).counts
    assert counts == {"f": 2, "m": 2, "x": 1}
    near = near_words(packaged())
    made = placebos(here, counts, near, range(5))
    for each in made:
        assert each.counts == counts
        assert texts(each)["n"] == texts(substituted(here, packaged()))["n"]
        for name, old in zip(here.documents["doc_id"], here.documents["text"], strict=True):
            moved = [(one, two) for one, two in zip(old.split(), texts(each)[name].split(), strict=True) if one != two]
            assert len(moved) == counts.get(name, 0)
            for one, two in moved:
                before, after = one.strip(".").lower(), two.strip(".").lower()
                assert before not in near.taboo
                assert after not in near.taboo
                assert stem_of(before) != stem_of(after)
                assert one[0].isupper() == two[0].isupper()
    assert len({texts(each)["f"] for each in made}) > 1


def test_a_seed_gives_the_same_whatever_else_is_in_the_collection() -> None:
    near, counts = near_words(packaged()), {"f": 2}
    whole = placebos(study(), counts, near, [1])[0]
    alone = placebos(study({"f": study().documents["text"][0]}), counts, near, [1])[0]
    assert texts(whole)["f"] == texts(alone)["f"]


def test_a_placebo_that_spares_the_words_of_the_queries() -> None:
    here, near = study({"f": "Cars, villages and engines: she drove cars through a village."}), near_words(packaged())
    spared = words_of_queries(here)
    assert {"car", "villag", "engin"} <= spared
    for each in placebos(here, {"f": 5}, near, range(5), spared):
        assert each.counts == {"f": 1}  # `drove` alone is neither a word of the queries nor a stop word
        words = texts(each)["f"]
        assert words.startswith("Cars, villages and engines: she ")
        assert words.endswith(" cars through a village.")
        assert stem_of(words.split()[5]) not in spared


def test_no_word_of_the_queries_is_put_in() -> None:
    near = near_words(packaged())
    near.known["drove"] = ("car", "engine", "raced", "villages")
    for each in placebos(study({"f": "She drove."}), {"f": 1}, near, range(5), frozenset({"car", "engin", "villag"})):
        assert texts(each)["f"] == "She raced."
    assert {texts(each)["f"] for each in placebos(study({"f": "She drove."}), {"f": 1}, near, range(20))} > {"She car."}


def test_a_document_without_content_words_stays() -> None:
    made = placebos(study({"f": "She and her."}), {"f": 2}, near_words(packaged()), [0])[0]
    assert made.counts == {}
    assert texts(made)["f"] == "She and her."


def test_words_of_an_own_list_are_no_content_words() -> None:
    near = near_words(Counterparts((("engine", "lorry"),), ()))
    assert not near.is_content("engine")
    near.learn(["truck"])
    assert "lorry" not in near.known["truck"]
    assert len(near.known["truck"]) >= 20


def test_neighbours_are_near() -> None:
    near = near_words(packaged())
    near.learn(["car"])
    vectors, known = near.embedding.lookup(["car", *near.known["car"][:10], "theology"])
    assert known.all()
    cosines = vectors[1:] @ vectors[0]
    assert np.all(np.diff(cosines[:-1]) <= 1e-6)
    assert cosines[:-1].min() > cosines[-1]


@pytest.mark.parametrize(("columns", "count"), [(1, 1), (40, 40), (63, 40), (64, 3), (1000, 40), (5000, 40)])
def test_the_largest_values_of_a_row_are_found_by_groups(columns: int, count: int) -> None:
    values = np.random.default_rng(columns).random((7, columns), dtype=np.float32)
    expected = np.sort(np.argsort(-values, axis=1)[:, :count], axis=1)
    np.testing.assert_array_equal(experiments._largest(values, count), expected)


@pytest.fixture
def read_texts(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The texts that MiniLM has read."""
    texts: set[str] = set()

    def unread(wanted: Iterable[str], *_: object) -> list[str]:
        return [text for text in wanted if text not in texts]

    monkeypatch.setattr(encoders, "unread", unread)
    monkeypatch.setattr(encoders, "located", lambda name: name)
    monkeypatch.setattr(reading_time, "_load", lambda: 0.0)
    return texts


def swap_of(original: Study) -> Collection:
    return substituted(original, PLAN.counterparts)


def test_the_texts_of_the_estimate_are_those_that_a_run_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    original, ranked = study(), set()
    rank = experiments.rank

    def recorded(collection: Study, *arguments: object) -> object:
        ranked.update(documents_with_text(collection).texts)
        return rank(collection, *arguments)

    monkeypatch.setattr(experiments, "rank", recorded)
    experiment(original, parse_rankers("bm25"), PLAN)
    swap = swap_of(original)
    changed = {*changed_texts(swap), *placebo_texts(original, PLAN, swap)}
    assert ranked == changed | set(documents_with_text(original).texts)


def test_a_model_takes_the_time_of_the_texts_that_it_has_not_read(read_texts: set[str]) -> None:
    original, rankers = study(), parse_rankers("bi_encoder")
    swap = swap_of(original)
    placebos = placebo_texts(original, PLAN, swap)
    unread = run_seconds(original, rankers, PLAN, swap, placebos)
    assert not are_swapped_read(original, rankers, swap)
    read_texts.update([*documents_with_text(original).texts, *original.queries["text"], *changed_texts(swap)])
    assert are_swapped_read(original, rankers, swap)
    partly = run_seconds(original, rankers, PLAN, swap, placebos)
    unknown = run_seconds(original, rankers, PLAN, swap, None)
    read_texts.update(placebos)
    read = run_seconds(original, rankers, PLAN, swap, placebos)
    lexical = run_seconds(original, parse_rankers("bm25"), PLAN, swap, [])
    assert None not in (unread, partly, unknown, read)
    assert read == lexical < partly < unread
    assert unknown > read


def test_the_time_of_another_model_is_unknown() -> None:
    original = study()
    assert run_seconds(original, parse_rankers("cross_encoder(model='other')"), PLAN, swap_of(original), []) is None
