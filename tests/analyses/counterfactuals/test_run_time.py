"""The estimate of an experiment's time: it knows the texts that a run reads, and which of them were read."""

from collections.abc import Iterable

import pytest

from fairviz.analyses.counterfactuals import experiment as experiments
from fairviz.analyses.counterfactuals.experiment import (
    Collection,
    Plan,
    are_swapped_read,
    changed_texts,
    experiment,
    placebo_texts,
    run_seconds,
    substituted,
)
from fairviz.models import reading_time
from fairviz.rankers import parse_rankers, reading
from fairviz.rankers.ranking import documents_with_text
from fairviz.study.record import Study
from tests.analyses.counterfactuals.cases import study

PLAN = Plan(seeds=2)


@pytest.fixture
def read_texts(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The texts that MiniLM has read."""
    texts: set[str] = set()

    def unread(wanted: Iterable[str], *_: object) -> list[str]:
        return [text for text in wanted if text not in texts]

    monkeypatch.setattr(reading, "unread", unread)
    monkeypatch.setattr(reading, "located", lambda name: name)
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
