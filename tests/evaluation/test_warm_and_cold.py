"""An answer never depends on what was asked before it: a program that remembers answers as a new one does."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.comparison.curves import over_cutoffs
from fairviz.evaluation.choices import align, align_key
from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.scores import evaluate, exposures, over_alpha
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study
from tests.fresh import answer, choices, differs, forget, held, neighbours, plain, study_of, vectors

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
        """Of those measures that have a curve."""
        rankings = self.places(study, chosen, ("CWEx", "NFaiRR"))
        return (
            over_cutoffs(study, ["CWEx", "NFaiRR"], chosen, rankings=rankings),
            over_alpha(study, chosen, rankings=rankings),
            exposures(study, chosen, rankings=rankings),
        )

    def all(self, study: Study, chosen: Settings) -> list:
        return [plain(answer(of, study, chosen)) for of in (self.scores, self.curves)]


def cold(study: Study, chosen: Settings) -> list:
    """The same by a program that knows nothing."""
    forget()
    scores = answer(evaluate, study, (*MEASURES, chosen.effectiveness), chosen)
    measures = ["CWEx", "NFaiRR"]
    curves = answer(
        lambda: (
            over_cutoffs(study, measures, chosen),
            over_alpha(study, chosen),
            exposures(study, chosen),
        )
    )
    return [plain(scores), plain(curves)]


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
    """The answers to the default and to each change of one field, one after another, are those of new programs; and
    the fields that move the scores are these, so that none is drawn in vain."""
    study, base = study_of(seed), Settings(embedding=embeddings[0])
    start = {"filter_values": {"filter_column": "topic"}, "custom_bias": {"position_bias": "custom"}}
    start["voters"] = {"annotator": "majority"}
    warm, moving = Warm(), set()
    before = warm.all(study, base)
    for name, values in choices(embeddings[1:]).items():
        starting = base.changed(**start.get(name, {}))
        before = warm.all(study, starting)
        for value in values if every else values[:1]:
            chosen = starting.changed(**{name: value})
            found = warm.all(study, chosen)
            assert not differs(found, cold(study, chosen)), (name, value)
            moving |= {name} if differs(found, before) else set()
    shown = {"study", "debias", "left_out", "word_lists", "words", "against", "system", "query", "document"}
    shown |= {"tests", "tested", "not_tested", "cluster", "columns", "corrected_by"}  # no score moves by them
    unheard = {"filter_column"}  # without values it keeps every query
    assert moving == {field.name for field in fields(Settings)} - shown - unheard


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
    forget()
    before = held()
    for seed in (2, 3):
        for chosen in (Settings(embedding=embeddings[1]), Settings(embedding=embeddings[0], annotator="majority")):
            Warm().all(study_of(seed), chosen)
            fairviz.open_study("football")
    forget()
    assert held() == before
