"""Encoders on real models: the installed MiniLM, and a tiny cross-encoder with weights drawn by lot.

Those that load a model are slow, for what models are made with takes seconds to import.
"""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fairviz.models.sentence_encoder as sentence_encoder
import fairviz.rankers.encoders as encoders
from fairviz.errors import FairvizError, UsageError
from fairviz.home import data_home
from fairviz.models.sentence_encoder import encoded, loaded, located
from fairviz.rankers import parse_rankers
from fairviz.rankers.encoders import directions_of, without
from fairviz.rankers.ranking import Ranked, rank
from tests.conftest import refused
from tests.rankers.test_ranking import RUN_ROWS, lists, study_of, with_runs

REMEDY = "Give the folder of a sentence-transformers model, or the name of one that you have or can download."


def cross_encoder(folder: Path, scores: int = 1) -> Path:
    """A CrossEncoder of one small layer that gives so many numbers for a pair, and the tokenizer of MiniLM."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=30522, num_labels=scores, **size)
    BertForSequenceClassification(config).save_pretrained(folder)
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copyfile(Path(located("minilm")) / name, folder / name)
    return folder


@pytest.mark.slow
def test_minilm_understands_and_encodes_nothing_twice(monkeypatch):
    texts = ["A physician treats the sick.", "The match ended in a draw.", "", None]
    study, steps = study_of(["doctor", "football game", "", "doctor"], texts), []
    ranked = rank(study, parse_rankers("bi_encoder"), encoding=lambda *step: steps.append(step))
    assert lists(ranked.runs, "bi_encoder") == {"q0": ["d0", "d1"], "q1": ["d1", "d0"], "q3": ["d0", "d1"]}
    assert ranked.messages == (
        "1 documents without text were not ranked.",
        "bi_encoder: 1 of 4 queries are empty; their lists are empty.",
    )
    assert steps == [(5, 5)]  # two texts, the empty one and two different queries
    model = loaded("SentenceTransformer", located("minilm"))
    vectors = model.encode(["doctor", *texts[:2]], show_progress_bar=False, normalize_embeddings=True)
    first = ranked.runs[ranked.runs["query_id"] == "q0"]["score"]
    np.testing.assert_allclose(first, vectors[1:] @ vectors[0], atol=1e-5)
    monkeypatch.setattr(sentence_encoder, "loaded", None)  # calling it would fail: everything is on the disk
    assert rank(study, parse_rankers("bi_encoder")).runs.equals(ranked.runs)


def test_cancelled_in_the_middle_what_was_encoded_stays():
    texts = [f"text {number:03d}" for number in range(100)]
    made: list[str] = []

    def encode(batch: list[str]) -> np.ndarray:
        made.extend(batch)
        return np.array([[float(text[5:]), 1.0] for text in batch])

    def cancel(done: int, _: int) -> None:
        if done >= 64:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encoded(texts, "m", "bi", lambda: encode, cancel)
    assert len(made) == 64
    steps: list[tuple[int, int]] = []
    found = encoded(texts + texts[:3], "m", "bi", lambda: encode, lambda *step: steps.append(step))
    assert sorted(made) == texts
    assert steps == [(32, 36), (36, 36)]
    assert found[:, 0].tolist() == [*range(100), 0, 1, 2]
    assert len(encoded(["text 001"], "another", "bi", lambda: encode, cancel)) == 1
    assert len(made) == 101  # another model knows nothing of it
    for file in (data_home() / "encodings").glob("*.sqlite"):
        file.write_bytes(b"this is no database, whatever its name says" * 100)
    with pytest.raises(FairvizError, match=r"^could not store encodings in /.*\.sqlite: file is not a database\n"):
        encoded(["text 001"], "another", "bi", lambda: encode, cancel)


def test_the_folder_of_encodings_is_no_place_to_write():
    data_home().mkdir(parents=True)
    (data_home() / "encodings").write_text("")
    with pytest.raises(FairvizError) as caught:
        rank(study_of(["a"], ["b"]), parse_rankers("bi_encoder"))
    assert caught.value.message.startswith(f"could not store encodings in {data_home()}/encodings/bi-")
    assert caught.value.message.endswith(f".sqlite: [Errno 17] File exists: '{data_home()}/encodings'")
    assert caught.value.remedy == (
        "Make it a file that you can write, with room, or remove it; or set FAIRVIZ_HOME to another folder."
    )


@pytest.mark.slow
@pytest.mark.parametrize("ranker", ["bi_encoder", "cross_encoder"])
def test_a_path_that_is_no_model(tmp_path, ranker):
    study = with_runs(study_of(["a"], ["b"]), [("bm25", "q0", "d0", 1, 1.0)])
    (tmp_path / "file").write_text("")
    for name in ("empty", "broken"):
        (tmp_path / name).mkdir()
    (tmp_path / "broken" / "config.json").write_text("{}")
    for name, message in {
        "absent": "the model {} is not there",
        "file": "the model {} is a file, not the folder of a model",
        "empty": "the folder {} holds no model: it has no config.json",
        "broken": "could not load the model {} (",
    }.items():
        with pytest.raises(FairvizError) as caught:
            rank(study, parse_rankers(f"{ranker}(model='{tmp_path / name}')"))
        assert caught.value.message.startswith(message.format(tmp_path / name))
        assert caught.value.remedy == REMEDY


@pytest.mark.slow
def test_cross_encoder_orders_the_top_of_a_run_anew(tmp_path, monkeypatch):
    tiny = cross_encoder(tmp_path / "tiny")
    rows = [("bm25", "q0", f"d{number}", number + 1, 9.0 - number) for number in range(4)]
    study = with_runs(study_of(["nurse", "doctor"], ["one", "two nurses", None, "four"]), rows)
    text = f"cross_encoder(model='{tiny}',n=3)"
    ranked = rank(study, parse_rankers(text))
    assert ranked.messages == (
        "1 documents without text were not ranked.",
        "cross_encoder-model=tiny-n=3: 1 of 2 queries have no document with text in that run; their lists are empty.",
    )
    held = dict(zip(ranked.runs["doc_id"], ranked.runs["score"], strict=True))
    assert set(held) == {"d0", "d1"}
    expected = loaded("CrossEncoder", tiny).predict([("nurse", "one"), ("nurse", "two nurses")])
    np.testing.assert_allclose([held["d0"], held["d1"]], expected, rtol=1e-5)
    three = cross_encoder(tmp_path / "three", 3)
    with refused(
        f"the model {three} gives 3 numbers for a pair, not one score\nUse a cross-encoder that was trained to rank."
    ):
        rank(study, parse_rankers(f"cross_encoder(model='{three}')"))
    monkeypatch.setattr(encoders, "loaded", None)  # calling it would fail: everything is on the disk
    assert rank(study, parse_rankers(text)).runs.equals(ranked.runs)
    with refused(
        "made has no run 'bm25' for cross_encoder\nName a ranker before it: --with \"bm25,cross_encoder(…)\".",
        UsageError,
    ):
        rank(study_of(["a"], ["b"]), parse_rankers(text))
    with refused("made has no run 'bm25' for cross_encoder\nIts runs are one, two.", UsageError):
        rank(with_runs(study_of(["a"], ["b"]), RUN_ROWS[:3]), parse_rankers(text))


TEXTS = ["a woman and a town", "a man and a town", "the town", "his garden"]


def told_vectors(texts: list[str], *_: object) -> np.ndarray:
    """By hand: gender along the first axis, gardens along the second, towns along the third."""
    rows = [
        (sum(word in ("woman", "her") for word in text.split()) - sum(word in ("man", "his") for word in text.split()),
         2.0 * ("garden" in text), 2.0 * ("town" in text))
        for text in texts
    ]  # fmt: skip
    vectors = np.array(rows, dtype=np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def scores(asked: str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, float], tuple[str, ...]]:
    monkeypatch.setattr(encoders, "sentence_vectors", told_vectors)
    made = rank(study_of(["her town"], TEXTS), parse_rankers(asked))
    return dict(zip(made.runs["doc_id"], made.runs["score"].round(4), strict=True)), made.messages


def test_what_is_projected_out_counts_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, _ = scores("bi_encoder", monkeypatch)
    assert plain == {"d0": 1.0, "d1": 0.6, "d2": 0.8944, "d3": -0.2}  # (1·1 + 2·2) / 5, (-1 + 4) / 5, 4 / √20, -1 / 5
    projected, said = scores("bi_encoder(project=1)", monkeypatch)
    assert projected == {"d0": 1.0, "d1": 1.0, "d2": 1.0, "d3": 0.0}
    assert said == (
        "bi_encoder: 1 directions of gender from 3 documents in both wordings hold 100% of what these differ by; the "
        "share 0 of them is kept.",
    )
    half, _ = scores("bi_encoder(project=1,keep=0.5)", monkeypatch)
    assert half["d1"] == pytest.approx((-0.25 + 4) / (0.25 + 4), abs=1e-4)  # half of the first axis is left: ±0.5
    assert scores("bi_encoder(project=1,keep=1)", monkeypatch)[0] == plain
    assert scores("bi_encoder(keep=0.5)", monkeypatch) == (
        plain, ("bi_encoder: keep=0.5 does nothing without project.",)
    )  # fmt: skip
    with refused(
        "made has 3 documents that differ from their wording for the other gender, along 1 directions: 2 cannot be "
        "taken out\nUse project=1 or less."
    ):
        scores("bi_encoder(project=2)", monkeypatch)

    # estimated from the texts of training queries, the collection's own change nothing
    (choice,) = parse_rankers("bi_encoder(project=1)")

    def learnt(texts: list[str]) -> Ranked:
        return rank(study_of(["her town"], TEXTS), [replace(choice, ranker=encoders.learning_from(texts))])

    runs = learnt(TEXTS).runs
    assert dict(zip(runs["doc_id"], runs["score"].round(4), strict=True)) == projected
    assert "from 1 documents in both wordings" in learnt(TEXTS[:1]).messages[0]
    with pytest.raises(FairvizError, match=r"Use project=0: its texts contain no gender word\.$"):
        learnt(["town"])


def test_directions_are_the_principal_ones() -> None:
    generator = np.random.default_rng(0)
    differences = generator.normal(size=(40, 6)) * np.array([5, 3, 1, 0.1, 0.1, 0.1])
    found = directions_of(differences, 2, "x")
    values, vectors = np.linalg.eigh(differences.T @ differences)
    np.testing.assert_allclose(np.abs(found.vectors @ vectors[:, :-3:-1]), np.eye(2), atol=1e-5)  # signs do not count
    assert found.share == pytest.approx(values[-2:].sum() / values.sum())
    rest = without(differences, found.vectors, 0.0)
    np.testing.assert_allclose(rest @ found.vectors.T, 0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(rest, axis=1), 1)
    assert without(np.zeros((1, 6)), found.vectors, 0.0).tolist() == [[0.0] * 6]
