"""An answer never depends on what was asked before it: a program that remembers answers as a new one does, arrays know
whose they are and refuse the rest, and what makes them others changes their key."""

import json
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.gsr_validity.direct import direct_stereotypes, reliability
from fairviz.analyses.label_effects.label_effects import label_bounds, label_effects, what_if
from fairviz.analyses.label_effects.replacing import label_noise
from fairviz.analyses.reading.occurrences import exposure
from fairviz.comparison.curves import over_cutoffs
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import align, align_key, chosen_annotator
from fairviz.evaluation.gsr import gsr_points
from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.scores import evaluate, exposures, over_alpha
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from tests.conftest import refused
from tests.fresh import answer, choices, differs, forget, held, neighbours, plain, study_of, vectors
from tests.made import labels_of, qrels_of, runs_of

ROOT = Path(__file__).parents[2]
MEASURES = ("CWEx", "NFaiRR", "TExFAIR", "RaB(magnitude='tc')", "ARaB", "AWRF", "GSR")


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    return vectors(tmp_path_factory.mktemp("vectors"))


def test_every_field_is_drawn(embeddings: tuple[str, ...]) -> None:
    drawn = choices(embeddings)
    assert set(drawn) == {field.name for field in fields(Settings)}, "add the new field to tests.fresh.choices"
    for field in fields(Settings):
        assert drawn[field.name], field.name
        assert field.default not in drawn[field.name], field.name


class Warm:
    """A program that keeps the aligned arrays under their key and hands them to every question, as the pages do."""

    def __init__(self) -> None:
        self.aligned: dict[tuple, AlignedRankings] = {}

    def places(self, study: Study, chosen: Settings, measures: tuple[str, ...]) -> AlignedRankings:
        collection = wants_collection([ask(text, chosen) for text in measures], chosen)
        key = align_key(study, chosen, collection)
        if key not in self.aligned:
            self.aligned[key] = align(study, chosen, collection=collection)
        return self.aligned[key]

    def scores(self, study: Study, chosen: Settings) -> object:
        measures = (*MEASURES, chosen.effectiveness)
        return evaluate(study, measures, chosen, rankings=self.places(study, chosen, measures))

    def curves(self, study: Study, chosen: Settings) -> object:
        return curves(study, chosen, self.places(study, chosen, ("CWEx", "NFaiRR")))

    def all(self, study: Study, chosen: Settings) -> list:
        return [plain(answer(of, study, chosen)) for of in (self.scores, self.curves)]


def curves(study: Study, chosen: Settings, rankings: AlignedRankings | None = None) -> tuple[pd.DataFrame, ...]:
    """Of those measures that have a curve."""
    return (
        over_cutoffs(study, ["CWEx", "NFaiRR"], chosen, rankings=rankings),
        over_alpha(study, chosen, np.array([0.0, 0.3, 1.0]), rankings=rankings),
        exposures(study, chosen, rankings=rankings),
    )


def cold(study: Study, chosen: Settings) -> list:
    """The same by a program that knows nothing."""
    forget()
    scores = answer(evaluate, study, (*MEASURES, chosen.effectiveness), chosen)
    return [plain(scores), plain(answer(curves, study, chosen))]


@pytest.mark.lengthy
@given(data=st.data(), seeds=st.tuples(st.integers(0, 3), st.integers(0, 3)))
@settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])  # two questions are small already
def test_warm_equals_cold(data: st.DataObject, seeds: tuple[int, int], embeddings: tuple[str, ...]) -> None:
    studies = [study_of(seed) for seed in seeds]
    pairs = [data.draw(neighbours(embeddings)) for _ in range(2)]
    warm = Warm()
    asked = [(study, chosen) for pair in pairs for chosen in pair for study in studies]
    answers = [warm.all(study, chosen) for study, chosen in asked]
    for found, (study, chosen) in zip(answers[-2:], asked[-2:], strict=True):
        assert not differs(found, cold(study, chosen)), chosen


@pytest.mark.parametrize(("seed", "every"), [(1, False), pytest.param(0, True, marks=pytest.mark.lengthy)])
def test_each_field_moved_alone(seed: int, every: bool, embeddings: tuple[str, ...]) -> None:
    """The answers to each change of one field, one after another, are those of new programs; and the fields that move
    the scores are these, so that none is drawn in vain."""
    study, base = study_of(seed), Settings(embedding=embeddings[0])
    start = {"filter_values": {"filter_column": "topic"}, "custom_bias": {"position_bias": "custom"}}
    start["voters"] = {"annotator": "majority"}
    shown = {"study", "debias", "left_out", "word_lists", "words", "against", "system", "query", "document"}
    shown |= {"tests", "tested", "not_tested", "cluster", "columns", "corrected_by"}  # no score moves by them
    shown |= {"filter_column"}  # without values it keeps every query
    warm, drawn = Warm(), choices(embeddings[1:])
    unmoved = warm.all(study, base)
    for name, values in drawn.items():
        starting = base.changed(**start.get(name, {}))
        before = warm.all(study, starting) if name in start else unmoved
        moves = False
        for value in values if every else values[:1]:
            chosen = starting.changed(**{name: value})
            found = warm.all(study, chosen)
            assert name in shown or not differs(found, cold(study, chosen)), (name, value)
            moves |= bool(differs(found, before))
        assert moves == (name not in shown), name
    assert not differs(unmoved, cold(study, base.changed(**{name: drawn[name][0] for name in shown})))
    assert not differs(warm.all(study, base), unmoved)


PROGRAM = """
import json, sys
from fairviz.evaluation.settings import Settings
from tests.evaluation.test_warm_and_cold import cold
from tests.fresh import study_of
seed, chosen = json.loads(sys.argv[1])
chosen = {name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}
print(json.dumps(cold(study_of(seed), Settings(**chosen))))
"""


@pytest.mark.lengthy
@pytest.mark.parametrize(
    ("seed", "chosen"),
    [
        (1, {"cutoff": 3, "tau": 0, "background": "collection", "annotator": "dawid-skene", "ties": "trec_eval"}),
        (2, {"lexicon": "gsr", "unlabelled": "strict", "position_bias": "custom", "custom_bias": [1.0, 0.1]}),
    ],
)
def test_to_forget_is_to_be_a_new_process(seed: int, chosen: dict, embeddings: tuple[str, ...]) -> None:
    chosen = {**chosen, "embedding": embeddings[1]}
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, json.dumps([seed, chosen])]
    new = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    study = study_of(seed)
    here = Settings(**{name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()})
    Warm().all(study_of(3), here)
    warm = Warm().all(study, here)
    assert not differs(json.loads(new), cold(study, here))
    assert not differs(json.loads(new), warm)


def test_nothing_else_remembers(embeddings: tuple[str, ...]) -> None:
    """What grows while questions are asked is empty again when all is forgotten: no table is hidden from it."""
    Warm().all(study_of(0), Settings(embedding=embeddings[0]))  # loads every module that a question loads
    fairviz.open_study("football")
    forget()
    before = held()
    for seed in (2, 3):
        for chosen in (Settings(embedding=embeddings[1]), Settings(embedding=embeddings[0], annotator="majority")):
            Warm().all(study_of(seed), chosen)
            fairviz.open_study("football")
    forget()
    assert held() == before


# --- arrays know whose they are: they answer for the study and the settings that made them, and refuse the rest


REMEDY = (
    "\nMake them with align(study, settings), with collection=True for the background collection, or leave them out."
)


def two_documents(name: str, first: str, second: str, **parts: object) -> Study:
    """Two systems that answer one query, one of them with `first` and `second` the other way about."""
    labels = labels_of({"f": "female", "m": "male"}), labels_of({"f": "neutral", "m": "male"}, "bob")
    texts = {"f": "she", "m": "he, his", "n": "a tree", "unseen": "her hat"}
    return make_study(
        name,
        runs=runs_of({"a": (first, second), "perfect": "m n"}),
        qrels=qrels_of({"q": "f"}),
        queries=pd.DataFrame({"query_id": ["q"], "text": ["nurse"]}),
        labels=pd.concat(labels),
        documents=pd.DataFrame({"doc_id": list(texts), "text": list(texts.values())}),
        **parts,
    )


ONE, TWO = two_documents("one", "f", "m"), two_documents("two", "m", "f")
FEW = ("CWEx", "NFaiRR", "TExFAIR", "ARaB", "RR", "nDCG@2")


@pytest.mark.parametrize(
    "ask",
    [
        lambda study, settings, rankings: evaluate(study, ["CWEx"], settings, rankings=rankings),
        lambda study, settings, rankings: over_alpha(study, settings, rankings=rankings),
        lambda study, settings, rankings: over_cutoffs(study, ["CWEx"], settings, rankings=rankings),
        lambda study, settings, rankings: exposures(study, settings, rankings=rankings),
        lambda study, settings, rankings: gsr_points(study, settings, rankings=rankings),
        lambda study, settings, rankings: what_if(study, settings, "CWEx", {"f": "male"}, rankings=rankings),
        lambda study, settings, rankings: label_effects(study, settings, "CWEx", "a", "perfect", rankings=rankings),
        lambda study, settings, rankings: label_noise(study, settings, "CWEx", 2, rankings=rankings),
        lambda study, settings, rankings: label_bounds(study, settings, "CWEx", rankings=rankings),
        lambda study, settings, rankings: exposure(study, settings, rankings, pd.Index(["f"])),
        lambda study, settings, rankings: direct_stereotypes(study, settings, rankings=rankings),
        lambda study, settings, rankings: reliability(study, settings, None, None, rankings=rankings),
    ],
)
def test_whoever_takes_rankings_refuses_those_of_others(ask) -> None:
    for study, made_with in ((TWO, Settings()), (ONE, Settings(unlabelled="strict"))):
        with pytest.raises(FairvizError, match="the rankings given for"):
            ask(study, Settings(), align(ONE, made_with))


def test_another_study_or_choice_is_refused_by_name() -> None:
    rankings = align(ONE, Settings())
    with refused("the rankings given for 'two' were made for another study" + REMEDY):
        evaluate(TWO, ["RR"], rankings=rankings)
    for field, value in {
        "ties": "trec_eval",
        "annotator, voters": "bob",
        "lexicon": "female:her;male:he",
        "tokenizer": "whitespace",
        "unlabelled": "neutral",
    }.items():
        with refused(f"the rankings given for 'one' were made for another choice of {field}" + REMEDY):
            evaluate(ONE, ["TExFAIR"], rankings=rankings, **{field.partition(",")[0]: value})


def test_the_collection_is_not_guessed_from_what_was_retrieved() -> None:
    with refused("the rankings given for 'one' were made for another choice of background" + REMEDY):
        evaluate(ONE, ["NFaiRR(background='collection')"], rankings=align(ONE, Settings()))
    whole = align(ONE, Settings(), collection=True)
    for background in ("collection", "candidates"):
        asked = [f"NFaiRR(tau=0,background={background!r})@1"]
        pd.testing.assert_frame_equal(evaluate(ONE, asked, rankings=whole), evaluate(ONE, asked))


@pytest.mark.parametrize(
    "choices",
    [
        {"cutoff": 1},
        {"alpha": 0.9},
        {"tau": 0},
        {"position_bias": "reciprocal"},
        {"position_bias": "custom", "custom_bias": (0.1, 0.7)},
        {"background": "run:perfect"},
        {"systems": ("perfect",)},
        {"effectiveness": "P", "annotator": "majority", "lexicon": "gsr"},  # the same annotator and words by name
    ],
)
def test_what_the_arrays_do_not_rest_on_may_change(choices: dict) -> None:
    rankings = align(ONE, Settings())
    evaluate(ONE, FEW, rankings=rankings)
    warm = evaluate(ONE, FEW, rankings=rankings, **choices)
    pd.testing.assert_frame_equal(warm, evaluate(ONE, FEW, **choices))


def test_equal_content_is_the_same_study() -> None:
    again = two_documents("again", "f", "m")
    assert again.fingerprint == ONE.fingerprint
    pd.testing.assert_frame_equal(evaluate(again, FEW, rankings=align(ONE, Settings())), evaluate(ONE, FEW))
    parts = {"runs": ONE.runs, "labels": ONE.labels}
    bare, other = Study("bare", **parts), Study("other", **parts)  # without a fingerprint each is known by itself
    rankings = align(bare, Settings())
    assert len(evaluate(bare, ["CWEx"], rankings=rankings)) == 2
    with pytest.raises(FairvizError, match="'other' were made for another study"):
        evaluate(other, ["CWEx"], rankings=rankings)


# --- whose labels count, and which settings make the aligned arrays others


def arrays(rankings: AlignedRankings) -> list[np.ndarray]:
    return [rankings.lists.documents, rankings.labels.codes, rankings.words.counts, np.array([rankings.unlabelled])]


def test_other_arrays_have_another_key() -> None:
    study, before = study_of(0), Settings()
    for moved in (
        {"ties": "trec_eval"}, {"unlabelled": "strict"}, {"lexicon": "female:tree;male:engineer"},
        {"tokenizer": "whitespace"}, {"annotator": "bob"},
    ):  # fmt: skip
        after = Settings(**moved)
        pairs = zip(arrays(align(study, before)), arrays(align(study, after)), strict=True)
        assert not all(np.array_equal(*pair) for pair in pairs)
        assert align_key(study, before) != align_key(study, after)
    assert align_key(study, before) != align_key(study_of(2), before)
    assert align_key(study, before) != align_key(study, before, collection=True)
    assert align_key(study, Settings(lexicon="gsr")) == align_key(study, before), "the same words, named otherwise"


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
