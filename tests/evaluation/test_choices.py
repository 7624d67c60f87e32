"""Whose labels count, and which settings make the aligned arrays others."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fairviz.evaluation.choices import align, align_key, chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from tests.fresh import study_of


def arrays(rankings: AlignedRankings) -> list[np.ndarray]:
    return [rankings.lists.documents, rankings.labels.codes, rankings.words.counts, np.array([rankings.unlabelled])]


@pytest.mark.parametrize(
    "choices",
    [{"ties": "trec_eval"}, {"unlabelled": "strict"}, {"lexicon": "female:tree;male:engineer"},
     {"tokenizer": "whitespace"}, {"annotator": "bob"}],
    ids=lambda choices: next(iter(choices)),
)  # fmt: skip
def test_other_arrays_have_another_key(choices: dict) -> None:
    study, before, after = study_of(0), Settings(), Settings(**choices)
    pairs = zip(arrays(align(study, before)), arrays(align(study, after)), strict=True)
    assert not all(np.array_equal(*pair) for pair in pairs)
    assert align_key(study, before) != align_key(study, after)


def test_another_study_and_the_whole_collection_have_another_key() -> None:
    study = study_of(0)
    assert align_key(study, Settings()) != align_key(study_of(2), Settings())
    assert align_key(study, Settings()) != align_key(study, Settings(), collection=True)
    assert align_key(study, Settings(lexicon="gsr")) == align_key(study, Settings()), "the same words, named otherwise"


def labelled(**kinds: str) -> Study:
    labels = pd.DataFrame([("d", name, "male") for name in kinds], columns=["doc_id", "annotator", "label"])
    study = make_study("who", labels=labels)
    return replace(study, annotators={name: Annotator(name, kind) for name, kind in kinds.items()})


def test_whose_labels_count_where_nobody_is_chosen() -> None:
    """The majority of people; where nobody is a person, there is none, and the first who gave labels counts."""
    for study, counts in (
        (labelled(list="rule", ann="human", bob="human"), "majority"),
        (labelled(list="rule", ann="human"), "majority"),
        (labelled(list="rule", machine="model"), "list"),
        (labelled(machine="model", list="rule"), "machine"),
        (labelled(machine="model", adjudicated="human"), "machine"),
        (labelled(adjudicated="human"), "adjudicated"),
        (labelled(), ""),
    ):
        assert chosen_annotator(study, Settings()) == counts
