"""Training: what it learns from, what it leaves, and that a killed one goes on to the very same model."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import torch

from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.extensions.backpack import corpus, training
from fairviz.extensions.backpack.corpus import Read, Reading, lessons, passages_of, read_corpus, wikipedia_sentences
from fairviz.extensions.backpack.loading import loaded, trained_names, word_pieces
from fairviz.extensions.backpack.training import Distillation, Progressed, Recipe, TrainingPlan, name_of, train
from fairviz.home import data_home, locked
from fairviz.models.training import load_course
from fairviz.study.record import Study
from fairviz.study.study import save_study
from fairviz.study.tables import DOCUMENTS, LABELS, QUERIES, conform
from tests.conftest import ROOT, Call, refused

PASSAGES = [f"The {word} of the {other} town." for word in ("nurse", "king", "cook", "clerk", "pilot", "dog", "tax")
            for other in ("old", "new", "red", "far", "wet", "big", "dry", "odd")]  # fmt: skip


def without_minilm() -> Read:
    """Reads with MiniLM's WordPieces, but makes states of them by a mean with the neighbour before."""
    vectors, tokenizer = word_pieces()

    def read(texts: Sequence[str]) -> Reading:
        found = [torch.tensor(tokenizer.encode(text, add_special_tokens=False).ids[:40]).long() for text in texts]
        tokens = torch.nn.utils.rnn.pad_sequence(found, batch_first=True)
        mask = torch.arange(tokens.shape[1])[None, :] < torch.tensor([len(row) for row in found])[:, None]
        own = vectors[tokens] * mask[:, :, None]
        states = (own + own.roll(1, dims=1)) / 2
        mean = states.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return Reading(tokens, states, mask, torch.nn.functional.normalize(mean, dim=1))

    return read


def study_of(texts: list, name: str = "made") -> Study:
    documents = pd.DataFrame({"doc_id": [f"d{n}" for n in range(len(texts))], "text": texts})
    queries = pd.DataFrame({"query_id": ["q"], "text": ["Where is the unseen zebra?"]})
    labels = pd.DataFrame({"doc_id": ["d0"], "annotator": ["unseenperson"], "label": ["female"]})
    tables = {"documents": conform(documents, DOCUMENTS), "labels": conform(labels, LABELS)}
    return Study(name, licence="CC0", queries=conform(queries, QUERIES), **tables)


def texts_file(folder: Path) -> Path:
    path = folder / "free.txt"
    path.write_text("\n".join(PASSAGES), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "BATCH", 8)
    monkeypatch.setattr(corpus, "PIECE", 20)


def test_a_model_and_its_card_come_out(tmp_path: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    study = study_of(["The queen. A cat sat.", None, ""])
    given = [study], Recipe(senses=2), [texts_file(tmp_path)]
    folder = train(*given, lambda *step: steps.append(step), start=without_minilm)
    assert folder == data_home() / "backpack" / "made-texts-senses=2"
    assert trained_names() == ("made-texts-senses=2",)
    model = loaded("made-texts-senses=2")
    assert (model.senses, model.token_senses("queen").shape) == (2, (2, 384))
    assert model.card["sources"] == [
        {"name": "the study made", "licence": "CC0", "passages": 3},
        {"name": "the file free.txt", "licence": "not stated: a file of the user's own", "passages": 56},
    ]
    assert model.card["passages"] == {"learnt": 54, "held_out": 5, "offered": 59}
    assert model.card["steps"] == {"taken": 21, "planned": 21, "best": 21, "ended": "all steps done"}
    assert model.card["looks"][-1]["held_out_loss"] < 1
    assert len(model.card["sensitivity"]["values"]) == 2
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert card["not_seen"] == "queries, relevance judgements and labels"
    assert [step for step in steps if step[0] == "learning"][-1] == ("learning", 21, 21)
    assert steps[0] == ("reading the texts", 0, 59)  # told before the first is read, which takes a while
    assert [step for step in steps if step[0] != "learning"][-1] == ("reading the texts", 59, 59)
    assert sorted(path.name for path in folder.parent.iterdir()) == ["made-texts-senses=2"]  # nothing left over
    with refused("there is a Backpack called made-texts-senses=2 already\nTrain it with --replace, or name another."):
        train(*given, start=without_minilm)
    again = train(*given, replace=True, start=without_minilm)
    assert loaded(str(again)).card["sha256"] == model.card["sha256"]  # the same seed, the same model


@pytest.mark.slow
def test_neither_queries_nor_labels_are_learnt_from() -> None:
    found = lessons([study_of(["A cat sat. The dog ran away.", "A cat sat."])], [])
    assert found.passages[:3] == ("A cat sat. The dog ran away.", "A cat sat.", "The dog ran away.")
    assert not [text for text in found.passages[:3] if "unseen" in text]
    assert [source.passages for source in found.sources] == [3, 7000]
    assert len(wikipedia_sentences()) > 15_000


def test_a_long_text_is_cut_into_passages() -> None:
    parts = list(passages_of("word " * 50_000))
    assert [len(part.split()) for part in (parts[0], parts[-1])] == [60, 20]
    assert len(parts) == 834
    assert len(list(passages_of("One word. " * 25_000))) == 25_001
    assert list(passages_of(" … ?! ")) == []


def distil(folder: Path, progress=lambda *_: None, seconds: float = 1e9) -> training.Distilled:
    folder.mkdir(exist_ok=True)
    read = read_corpus(PASSAGES, folder, progress, start=without_minilm)
    plan = TrainingPlan(senses=2, seconds=seconds, every=5, epochs=4)
    return Distillation(read, word_pieces()[0], plan, folder / "x.pt", progress).run()


def test_stopped_anywhere_or_cut_off_it_goes_on_to_the_same_model(tmp_path: Path) -> None:
    whole = distil(tmp_path / "whole")
    looks = [(step, held_out, cosine) for step, _, held_out, cosine in whole.progressed.looks]
    assert looks[0] == pytest.approx((5, 0.298704, 0.773779), rel=1e-4)  # with seed 0
    assert looks[-1] == pytest.approx((28, 0.0874053, 0.933993), rel=1e-4)

    def stop(what: str, done: int, _: int) -> None:
        if (what, done) in stops:
            stops.remove((what, done))
            raise KeyboardInterrupt

    stops = [("reading the texts", 40), ("learning", 3), ("learning", 13)]
    while stops:
        with pytest.raises(KeyboardInterrupt):
            distil(tmp_path / "again", stop)
    assert load_course(Progressed, tmp_path / "again" / "x.pt").step == 10
    again = distil(tmp_path / "again", stop)
    for name, tensor in whole.weights.items():
        assert torch.equal(tensor, again.weights[name])
    assert replace(whole.progressed, seconds=0.0) == replace(again.progressed, seconds=0.0)
    for name in ("x.pt", "texts-0001.safetensors", "read.json"):  # what is cut off is none
        file = tmp_path / "again" / name
        file.write_bytes(file.read_bytes()[:-5])
    assert load_course(Progressed, tmp_path / "again" / "x.pt") == Progressed()
    assert torch.equal(distil(tmp_path / "again").weights["senses.bias"], whole.weights["senses.bias"])


def test_it_stops_where_held_out_text_gains_no_more_and_when_time_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for looks, steps, best, stopped in (
        ([0.5, 0.4, 0.6, 0.6, 0.6, 0.6, 0.1], 28, 10, "all steps done"),
        ([0.5, 0.6, 0.6, 0.6, 0.6, 0.1], 25, 5, "held-out text gained no more"),
    ):
        losses = iter(looks)
        monkeypatch.setattr(Distillation, "_held_out_loss", lambda _, losses=losses: (next(losses), 0.9))
        (tmp_path / "x.pt").unlink(missing_ok=True)
        made = distil(tmp_path).progressed
        assert (made.step, made.best_step, made.stopped) == (steps, best, stopped)
    (tmp_path / "x.pt").unlink()
    monkeypatch.setattr(Distillation, "_held_out_loss", lambda _: (0.5, 0.9))
    made = distil(tmp_path, seconds=0.0).progressed
    assert (made.step, made.stopped) == (1, "time was over")


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.extensions.backpack import test_training as t
t.training.BATCH, t.corpus.PIECE = 8, 20
def stop(what, done, total):
    if (what, done) == ("learning", 13):
        os.kill(os.getpid(), signal.SIGKILL)
t.distil(Path(sys.argv[1]), stop)
"""


@pytest.mark.lengthy
def test_killed_it_goes_on_to_the_same_model(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "killed")], cwd=ROOT, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert load_course(Progressed, tmp_path / "killed" / "x.pt").step == 10
    whole, again = distil(tmp_path / "whole"), distil(tmp_path / "killed")
    assert torch.equal(whole.weights["senses.weight"], again.weights["senses.weight"])


def test_a_model_is_named_after_what_it_learnt_from() -> None:
    assert name_of(Recipe(), ["newswire", "grep-biasir"]) == "newswire+grep-biasir"
    assert name_of(Recipe(senses=16, seed=3), ["ir_datasets:a/b"], ["x"]) == "ir_datasets_a_b-texts-senses=16-seed=3"
    assert name_of(Recipe(name="mine"), ["newswire"]) == "mine"


def test_what_cannot_be_trained_is_said(tmp_path: Path) -> None:
    with refused(
        "bare holds no text to learn from\nGive its documents text: documents.csv with the columns doc_id and text."
    ):
        lessons([study_of([None, ""], "bare")])
    (tmp_path / "x.txt").write_text("?!\n…\n", encoding="utf-8")
    with refused(f"{tmp_path / 'x.txt'}: the file holds no text to learn from\nWrite a text a line.", DataError):
        lessons([study_of(["A cat."])], [tmp_path / "x.txt"])
    message = "a model cannot be called '../x'\nUse letters, digits and . _ + = -, the first a letter or digit."
    with refused(message, UsageError):
        Recipe(name="../x")
    folder = data_home() / "backpack" / ".training-made"
    folder.mkdir(parents=True)
    message = "another process is training the Backpack made\nWait for it, or name another."
    with locked(folder, FairvizError("in use")), refused(message):
        train([study_of(["A cat."])], Recipe(name="made"), [texts_file(tmp_path)], start=without_minilm)
    shutil.rmtree(data_home() / "backpack")
    (data_home() / "backpack").write_text("a file", encoding="utf-8")
    with refused(
        f"could not write in {data_home() / 'backpack'} (Not a directory)\n"
        "Make it a folder that you can write, with room, or set FAIRVIZ_HOME to another."
    ):
        train([study_of(["A cat."])], Recipe(senses=2), [texts_file(tmp_path)], start=without_minilm)


def test_the_verb_says_what_the_model_was_made_of(tmp_path: Path, monkeypatch, call: Call) -> None:
    monkeypatch.setattr(training, "BATCH", 16)
    monkeypatch.setattr(corpus, "reader", lambda _: without_minilm())
    save_study(study_of(["The queen. A cat sat.", None]), tmp_path / "made")
    asked = f"train-backpack {tmp_path}/made --senses 2 --texts {texts_file(tmp_path)}"
    of_study, of_file, steps, senses, wrote, now = call(asked).err.splitlines()
    assert of_study == "3 passages of the study made (CC0)"
    assert of_file == "56 passages of the file free.txt (not stated: a file of the user's own)"
    assert steps.startswith("12 of 12 steps in ")
    assert senses.startswith("sensitivity of the senses over 67 pairs of words, low carries gender: 1: ")
    assert wrote.startswith("wrote ")
    assert now == "Now: fairviz rank STUDY --with \"backpack(weight=0.5,model='made-texts-senses=2')\""
    assert call(asked, status=1).err.startswith("there is a Backpack called made-texts-senses=2 already")
