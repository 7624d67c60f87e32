"""Training for real, on an encoder of one small layer: what it changes, what it never sees, and that no step is lost.

All load torch, which takes seconds.
"""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fairviz
import fairviz.extensions.finetuning.training as training
from fairviz.analyses.mitigations.bench import wording_gaps
from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.finetuning.mended import Mended
from fairviz.extensions.finetuning.pairs import HELD_OUT, TRAIN, FinetuningPlan, pairs_of
from fairviz.extensions.finetuning.training import outcome_of
from fairviz.home import hold, release
from fairviz.measures import MEASURES
from fairviz.models.sentence_encoder import CARD, CONFIG, WEIGHTS, adapter_names, adapters_folder, sentence_vectors
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from tests.conftest import Call, refused
from tests.extensions.finetuning.cases import study, tiny_encoder

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
KILLED = """
import os, signal, sys, fairviz
from tests.extensions.finetuning.cases import study
def progress(what, done, total):
    if what.startswith("training") and done == 3:
        os.kill(os.getpid(), signal.SIGKILL)
fairviz.mend(study(), f"bi_encoder(model='{sys.argv[1]}')", steps=6, name="killed", progress=progress)
"""


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    pytest.importorskip("peft")
    return str(tiny_encoder(tmp_path_factory.mktemp("encoder")))


def mended(encoder: str, **asked) -> Mended:
    return fairviz.mend(study(), f"bi_encoder(model='{encoder}')", **asked)


def vectors(encoder: str, adapter: str = "") -> np.ndarray:
    texts = [*study().documents["text"], *study().queries["text"]]
    return sentence_vectors(texts, encoder, lambda *_: None, adapter)


def test_strength_0_changes_nothing(encoder: str) -> None:
    made = mended(encoder, strength=0.0, steps=5, name="nothing")
    assert np.array_equal(vectors(encoder, "nothing"), vectors(encoder))
    alone = [
        sentence_vectors([text], encoder, lambda *_: None, "nothing") for text in ("he waits", "a nurse waits there")
    ]
    together = sentence_vectors(["he waits", "a nurse waits there"], encoder, lambda *_: None)
    assert np.array_equal(np.concatenate(alone), together)  # though a batch of two rounds otherwise
    assert set(made.table["difference"].dropna()) == {0.0}
    assert len(made.losses) == 0
    assert made.sentences[0] == "At strength 0 nothing is trained: every score stays as it is."


def test_an_encoder_is_mended(encoder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[str] = set()
    whole = training.batch_at

    def watched(*given):
        batch = whole(*given)
        seen.update(batch.texts)
        return batch

    monkeypatch.setattr(training, "batch_at", watched)
    monkeypatch.setattr(training, "LEARNING_RATE", 0.005)  # there is little of this encoder to move
    made = mended(encoder, steps=40, seed=1, name="mine")

    pairs = pairs_of(study(), 1)
    held = pairs.of(HELD_OUT)
    never = {text for name in ("female", "male", "neutral") for text in held[name]}
    never |= {pairs.queries[name] for name in held["query_id"]}
    assert len(never) == 8
    assert not seen & never  # training has seen nothing of the held-out queries

    trained = made.table[made.table["split"] == TRAIN].set_index("measure")
    assert trained.at["score gap", "after"] < 0.8 * trained.at["score gap", "before"]
    assert made.losses["step"].tolist() == list(range(1, 41))
    assert made.losses["loss"].iloc[-4:].mean() < made.losses["loss"].iloc[:4].mean()
    _looks_whole(made, encoder)
    _is_a_ranker(made, encoder, monkeypatch)
    _has_its_name_alone(made, encoder)


def _looks_whole(made: Mended, encoder: str) -> None:
    assert sorted(path.name for path in made.folder.iterdir()) == sorted([CARD, CONFIG, WEIGHTS])
    assert [path.name for path in adapters_folder().iterdir()] == ["mine"]
    assert sum(path.stat().st_size for path in made.folder.iterdir()) < 1_000_000
    card = json.loads((made.folder / CARD).read_text(encoding="utf-8"))
    assert card == made.card
    assert card["plan"] == {"rank": 4, "strength": 1.0, "minutes": None, "steps": 40, "seed": 1}
    assert (card["study"]["fingerprint"], card["model"]["name"]) == (study().fingerprint, encoder)
    assert {part: len(names) for part, names in card["split"].items()} == {TRAIN: 10, HELD_OUT: 2}
    assert set(card["versions"]) == {"fairviz", "torch", "peft", "transformers", "sentence-transformers"}
    np.testing.assert_allclose(outcome_of(card)["after"], made.table["after"], atol=1e-12)
    assert str(adapters_folder()) not in (made.folder / CONFIG).read_text(encoding="utf-8")


def _is_a_ranker(made: Mended, encoder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures after are those of the ranker that a person names."""
    assert made.ranker == f"bi_encoder(model='{encoder}',adapter='mine')"
    runs = rank(study(), parse_rankers(made.ranker)).runs
    assert set(runs["system"]) == {"bi_encoder-model=tiny-adapter=mine"}
    monkeypatch.chdir(adapters_folder().parent)
    assert np.array_equal(vectors(encoder, "mine"), vectors(encoder, "adapters/mine"))  # by name or by folder
    vector = vectors(encoder, str(made.folder))
    assert not np.array_equal(vector, vectors(encoder))  # the cache holds both apart
    score = {(row.query_id, row.doc_id): row.score for row in runs.itertuples()}
    gaps = {name: abs(score[f"q{name}", f"{name}f"] - score[f"q{name}", f"{name}m"]) for name in range(12)}
    own = made.per_query[made.per_query["measure"] == "score gap"].set_index("query_id")["after"]
    np.testing.assert_allclose([own[f"q{name}"] for name in gaps], list(gaps.values()), atol=1e-6)
    names = [f"q{name}" for name in gaps]
    shares = made.per_query[made.per_query["measure"] == "score gap in standard deviations"].set_index("query_id")
    bench = wording_gaps(study(), parse_rankers(made.ranker), names)  # the same number under the bench's name
    np.testing.assert_allclose(shares["after"][names], bench["bi_encoder-model=tiny-adapter=mine"], atol=1e-5)
    listed = {str(name).split("(")[0].split("@")[0] for name in made.table["measure"] if "@" in name}
    assert listed == {"nDCG", *(name for name, measure in MEASURES.items() if measure.per_query)}
    part = made.per_query[(made.per_query["measure"] == "nDCG@10") & (made.per_query["split"] == HELD_OUT)]
    row = made.table[(made.table["measure"] == "nDCG@10") & (made.table["split"] == HELD_OUT)].iloc[0]
    assert row["after"] == pytest.approx(part["after"].mean())
    assert row["difference"] == pytest.approx((part["after"] - part["before"]).mean())


def _has_its_name_alone(made: Mended, encoder: str) -> None:
    again = mended(encoder, steps=40, seed=1, name="mine", minutes=1.0)
    assert "The adapter mine is there already: nothing was trained." in again.messages
    assert again.table.equals(made.table)
    with refused(
        "there is an adapter mine already, trained on other pairs or by another plan\n"
        f"Give another name, or remove the folder {made.folder}.",
        UsageError,
    ):
        mended(encoder, steps=40, seed=2, name="mine")
    with refused(
        f"the adapter mine was trained on {encoder}, not on minilm\n"
        f"Name its model: bi_encoder(model='{encoder}',adapter='mine')."
    ):
        rank(study(), parse_rankers("bi_encoder(adapter='mine')"))
    with refused("there is no adapter 'yours'\nUse one of mine, or a folder."):
        rank(study(), parse_rankers("bi_encoder(adapter='yours')"))
    elsewhere = shutil.copytree(made.folder, made.folder.parents[1] / "elsewhere")
    with pytest.raises(FairvizError, match=rf"Name its model: bi_encoder\(model='.*',adapter='{elsewhere}'\)\.$"):
        rank(study(), parse_rankers(f"bi_encoder(adapter='{elsewhere}')"))
    (made.folder / WEIGHTS).write_bytes(b"no weights")
    with pytest.raises(FairvizError, match=r"^could not load the adapter .*mine \(.*\)\nTrain it again\.$"):
        vectors(encoder, "mine")


@pytest.mark.parametrize("killed", [False, pytest.param(True, marks=pytest.mark.lengthy)])
def test_what_was_stopped_or_killed_goes_on_where_it_was(encoder: str, killed: bool) -> None:
    def stop(what: str, done: int, _: int) -> None:
        if what.startswith("training") and done == 3:
            raise KeyboardInterrupt

    if killed:
        ended = subprocess.run([sys.executable, "-c", KILLED, encoder], cwd=ROOT, capture_output=True, check=False)
        assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()[-2000:]
    else:
        with pytest.raises(KeyboardInterrupt):
            mended(encoder, steps=6, name="killed", progress=stop)
    assert adapter_names() == []  # nothing that is not whole is shown

    steps: list[int] = []

    def heard(what: str, done: int, _: int) -> None:
        if what.startswith("training"):
            steps.append(done)

    resumed = mended(encoder, steps=6, name="killed", progress=heard)
    assert steps == [3, 4, 5, 6]
    assert "The training went on after 3 steps that were done before." in resumed.messages
    straight = mended(encoder, steps=6, name="straight")
    seeded = mended(encoder, steps=3, seed=1, name="seeded").losses["loss"]
    assert seeded.tolist() == pytest.approx([2.3784626, 1.7052612, 1.2964308], rel=1e-4)
    assert (resumed.folder / WEIGHTS).read_bytes() == (straight.folder / WEIGHTS).read_bytes()
    assert resumed.losses.equals(straight.losses)

    folder = adapters_folder() / ".unfinished-busy"
    folder.mkdir()
    lock, _ = hold(folder)
    with refused("the adapter busy is being trained by another program\nWait for it, or give another name."):
        mended(encoder, steps=1, name="busy")
    release(lock)


def test_time_ends_the_training_and_the_name_carries_the_steps_done(encoder: str) -> None:
    made = mended(encoder, steps=50, minutes=1e-9)
    assert made.sentences[0].startswith("Time ended the training after 1 of 50 steps, in ")
    assert made.card["training"]["steps"] == 1
    assert made.name == made.card["name"] == f"{study().name}-rank4-strength1-steps1of50-seed0"
    assert made.folder.name == made.name
    assert adapter_names() == [made.name]
    again = mended(encoder, steps=50, minutes=1e-9)
    assert (again.name, adapter_names()) == (made.name, [made.name])


def test_what_cannot_be_mended(encoder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    work = training.Work(pairs_of(study(), 0), FinetuningPlan(name="x"), {}, Path("."))
    with refused("the encoder has no attention to put weights beside\nUse a model of transformers."):
        training.train([object()], work, training.Progressed("x"), lambda *_: None)
    monkeypatch.setattr(training, "MOST_BYTES", 1024)
    with refused(
        "rank is 8, which makes an adapter of 4,096 bytes\n"
        "Use a rank of 2 or less: an adapter has at most 1,024 bytes.",
        UsageError,
    ):
        mended(encoder, rank=8)
    monkeypatch.setitem(sys.modules, "peft", None)
    with refused('adapters need the layer [train], which is not installed\nRun: pip install "fairviz[train]"'):
        fairviz.mend(study())


def test_the_command_line_says_what_python_says(encoder: str, tmp_path: Path, call: Call) -> None:
    folder = fairviz.save_study(study(), tmp_path / "threefold")
    asked = f"finetuning {folder} --ranker \"bi_encoder(model='{encoder}')\" --steps 2 --name told --format csv"
    said = call(asked)
    made = mended(encoder, steps=2, name="told")
    assert said.frame["measure"].tolist() == made.table["measure"].tolist()
    assert "note: Pairs are documents in three wordings: 10 pairs of 10 queries to train on, 2 pairs" in said.err
    assert f"the adapter is in {made.folder}\n" in said.err
    assert f'rank with it: fairviz rank {folder} --with "{made.ranker}"\n' in said.err
    assert len(call(asked, "--table losses").rows) == 2


def test_what_the_losses_are() -> None:
    """Two queries with a pair each, by hand: gap_loss and distillation_loss."""
    import torch

    from fairviz.extensions.finetuning.training import Scores, distillation_loss, gap_loss

    def scores(female: list, male: list, neutral: list) -> Scores:
        return Scores(*(torch.tensor(part, dtype=torch.float64) for part in (female, male, neutral)))

    taught = scores([[0.5, 0.1], [0.2, 0.6]], [[0.4, 0.1], [0.2, 0.7]], [[0.3], [0.2]])
    own = torch.tensor([0, 1])
    # own gaps +0.1 and -0.1: their mean square is 0.01, that of all four is 0.005, and the signs cancel
    assert gap_loss(taught, own, 0.1).item() == pytest.approx((0.01 + 0.005) / 0.01)
    assert distillation_loss(taught, taught, 0.1).item() == 0.0
    turned = scores([[0.5, 0.1], [0.2, 0.7]], [[0.4, 0.1], [0.2, 0.6]], [[0.3], [0.2]])
    # both +0.1: the female wording comes first twice, which costs tanh(2)² more, and a gap turned round moves nothing
    assert gap_loss(turned, own, 0.1).item() == pytest.approx(1.5 + np.tanh(2.0) ** 2)
    assert distillation_loss(turned, taught, 0.1).item() == pytest.approx(0.0)
    moved = scores([[0.6, 0.1], [0.2, 0.6]], [[0.5, 0.1], [0.2, 0.7]], [[0.3], [0.4]])
    # one of four means moves by 0.1, one of two neutral scores by 0.2
    assert distillation_loss(moved, taught, 0.1).item() == pytest.approx((0.01 / 4 + 0.04 / 2) / 0.01)
