"""Collections that were changed, placebos among them, and the time that an experiment takes."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.gender_swap import experiment as experiments
from fairviz.analyses.gender_swap.experiment import (
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

PLAN = SwapPlan(seeds=2)


def texts(collection) -> dict[str, str]:
    return dict(zip(collection.study.documents["doc_id"], collection.study.documents["text"], strict=True))


def test_documents_with_their_genders_swapped() -> None:
    here = study({"f": "Her son, John.", "n": "A town.", "none": None})
    made = substituted(here, packaged())
    assert (texts(made)["f"], texts(made)["n"]) == ("His daughter, Patricia.", "A town.")
    assert pd.isna(texts(made)["none"])
    assert made.counts == {"f": 3}
    assert made.study.fingerprint != here.fingerprint
    assert here.documents["text"].tolist()[0] == "Her son, John."
    documents = pd.DataFrame({"doc_id": ["a"], "title": ["To her"], "text": ["It rains."]})
    made = substituted(make_study("titled", documents=documents), packaged())
    assert made.study.documents["title"].tolist() == ["To him"]
    assert made.counts == {"a": 1}


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
                assert not {before, after} & near.taboo
                assert stem_of(before) != stem_of(after)
                assert one[0].isupper() == two[0].isupper()
    assert len({texts(each)["f"] for each in made}) > 1
    whole, alone = (
        placebos(one, {"f": 2}, near, [1])[0] for one in (here, study({"f": here.documents["text"][0]}))
    )  # fmt: skip
    assert texts(whole)["f"] == texts(alone)["f"], "a seed gives the same whatever else is in the collection"
    (stays,) = placebos(study({"f": "She and her."}), {"f": 2}, near, [0])
    assert (stays.counts, texts(stays)["f"]) == ({}, "She and her."), "it has no content words"


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
    near.known["drove"] = ("car", "engine", "raced", "villages")
    here = study({"f": "She drove."})
    for each in placebos(here, {"f": 1}, near, range(5), frozenset({"car", "engin", "villag"})):
        assert texts(each)["f"] == "She raced."
    assert {texts(each)["f"] for each in placebos(here, {"f": 1}, near, range(20))} > {"She car."}


def test_neighbours_are_near_and_words_of_an_own_list_are_no_content_words() -> None:
    near = near_words(Counterparts((("engine", "lorry"),), ()))
    assert not near.is_content("engine")
    near.learn(["truck", "car"])
    assert "lorry" not in near.known["truck"]
    assert len(near.known["truck"]) >= 20
    vectors, known = near.embedding.lookup(["car", *near.known["car"][:10], "theology"])
    assert known.all()
    cosines = vectors[1:] @ vectors[0]
    assert np.all(np.diff(cosines[:-1]) <= 1e-6)
    assert cosines[:-1].min() > cosines[-1]
    for columns, count in ((1, 1), (40, 40), (63, 40), (64, 3), (5000, 40)):  # found by groups of columns
        values = np.random.default_rng(columns).random((7, columns), dtype=np.float32)
        expected = np.sort(np.argsort(-values, axis=1)[:, :count], axis=1)
        np.testing.assert_array_equal(experiments._largest(values, count), expected)


def test_the_texts_of_the_estimate_are_those_that_a_run_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    original, ranked = study(), set()
    rank = experiments.rank

    def recorded(collection: Study, *arguments: object) -> object:
        ranked.update(documents_with_text(collection).texts)
        return rank(collection, *arguments)

    monkeypatch.setattr(experiments, "rank", recorded)
    experiment(original, parse_rankers("bm25"), PLAN)
    swap = substituted(original, PLAN.counterparts)
    changed = {*changed_texts(swap), *placebo_texts(original, PLAN, swap)}
    assert ranked == changed | set(documents_with_text(original).texts)


def test_a_model_takes_the_time_of_the_texts_that_it_has_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: set[str] = set()  # that MiniLM has read

    def unread(wanted: Iterable[str], *_: object) -> list[str]:
        return [text for text in wanted if text not in texts]

    monkeypatch.setattr(encoders, "unread", unread)
    monkeypatch.setattr(encoders, "located", lambda name: name)
    monkeypatch.setattr(reading_time, "_load", lambda: 0.0)
    original, rankers = study(), parse_rankers("bi_encoder")
    swap = substituted(original, PLAN.counterparts)
    placebos = placebo_texts(original, PLAN, swap)
    nothing_read = run_seconds(original, rankers, PLAN, swap, placebos)
    assert not are_swapped_read(original, rankers, swap)
    texts.update([*documents_with_text(original).texts, *original.queries["text"], *changed_texts(swap)])
    assert are_swapped_read(original, rankers, swap)
    partly = run_seconds(original, rankers, PLAN, swap, placebos)
    unknown = run_seconds(original, rankers, PLAN, swap, None)
    texts.update(placebos)
    read = run_seconds(original, rankers, PLAN, swap, placebos)
    lexical = run_seconds(original, parse_rankers("bm25"), PLAN, swap, [])
    assert None not in (nothing_read, partly, unknown, read)
    assert read == lexical < partly < nothing_read
    assert unknown > read
    assert run_seconds(original, parse_rankers("cross_encoder(model='other')"), PLAN, swap, []) is None
