"""Loading a Backpack: the shipped one, and files that are none."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save

from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.backpack.loading import loaded, model_folder
from fairviz.extensions.backpack.network import initial
from fairviz.extensions.backpack.words import sensitivities
from tests.conftest import refused

AGAIN = "Train it again (fairviz train-backpack), or copy it again."


def model(folder: Path, **changed: torch.Tensor | None) -> Path:
    """The folder with a model of two senses, some of its tensors others or left out."""
    weights = initial(2, 384, 0) | {name.replace("_", "."): tensor for name, tensor in changed.items()}
    folder.mkdir(exist_ok=True)
    kept = {name: tensor for name, tensor in weights.items() if tensor is not None}
    (folder / "backpack.safetensors").write_bytes(save(kept))
    return folder


def reason(folder: Path) -> str:
    with pytest.raises(FairvizError) as caught:
        loaded(str(folder))
    return str(caught.value)


def test_the_shipped_model_is_small_and_says_what_it_was_made_of() -> None:
    folder = model_folder("")
    assert (folder / "backpack.safetensors").stat().st_size < 8_000_000
    held = loaded()
    assert loaded() is held
    assert (held.name, held.senses, held.size) == ("", 8, 384)
    card = held.card
    assert [source["name"] for source in card["sources"]] == [
        "the study newswire", "107 articles of the English Wikipedia as the package gensim ships them",
    ]  # fmt: skip
    assert all(source["licence"] and source["passages"] for source in card["sources"])
    assert card["held_out"]["cosine_to_teacher"] > 0.75
    assert {tensor.dtype for tensor in held.weights.values()} == {torch.float32}
    found = sensitivities(held)
    np.testing.assert_allclose(found.values, card["sensitivity"]["values"], atol=2e-4)
    assert len(found.pairs) == card["sensitivity"]["pairs"] >= 60


def test_a_word_has_senses_whatever_its_case_and_pieces() -> None:
    held = loaded()
    assert held.has("Nurse")
    assert not held.has("stepdaughter")
    pieces = held.pieces("stepdaughter")
    assert len(pieces) == 4
    np.testing.assert_allclose(held.token_senses("stepdaughter"), held.senses_of_tokens(pieces).mean(axis=0))
    np.testing.assert_array_equal(held.token_senses("NURSE"), held.token_senses(" nurse "))
    for word in ("", "  ", "🦖", "<script>🦖"):
        with refused(f"the word {word!r} has no token in MiniLM's vocabulary\nGive a word whose letters are in it."):
            held.token_senses(word)


def test_weights_that_are_no_model_are_said(tmp_path: Path) -> None:
    for changed, message in (
        (
            {"hidden_weight": torch.zeros(768, 300)},
            " is not a Backpack of MiniLM: hidden.weight should be 768 × 384, the file has 768 × 300",
        ),
        ({"senses_weight": None}, " is not a Backpack of MiniLM: senses.weight should be 384 × 768, the file lacks it"),
        ({"hidden_bias": torch.full((768,), float("nan"))}, " holds numbers that are not finite, in hidden.bias"),
    ):
        folder = model(tmp_path / "m", **changed)
        assert reason(folder) == f"{folder / 'backpack.safetensors'}{message}\n{AGAIN}"


def test_files_that_are_no_model_are_said(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    file = folder / "backpack.safetensors"
    assert loaded(str(folder)).card == {}
    for content in (file.read_bytes()[:-1000], b""):
        file.write_bytes(content)
        assert reason(folder) == f"{file} is not a file of weights, or is cut off\n{AGAIN}"
    file.unlink()
    assert reason(folder) == f"{file} cannot be read (No such file or directory)\n{AGAIN}"
    for name in ("nobody", "x" * 4000):  # the second is longer than a file's name may be
        with refused(
            f"there is no Backpack called {name[:60]!r}, and no folder\n"
            "Trained here: none. Leave the name out for the one that comes with the program.",
            UsageError,
        ):
            loaded(name)


def test_a_card_that_no_training_wrote_is_said(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    file = folder / "card.json"
    for card, wrong in (
        ([1, 2], "it is [1, 2]"),
        ({"sources": "newswire"}, "sources is 'newswire'"),
        ({"sources": ["newswire"]}, "a source is 'newswire'"),
        ({"sources": [{"passages": "many"}]}, "passages is 'many'"),
        ({"steps": None}, "steps is None"),
        ({"steps": {"taken": "all"}}, "taken is 'all'"),
        ({"held_out": {"cosine_to_teacher": "near"}}, "cosine_to_teacher is 'near'"),
        ({"seed": [1]}, "seed is [1]"),
        ({"senses": "8"}, "senses is '8'"),
        ({"weights": True}, "weights is True"),
        ({"minutes": "5"}, "minutes is '5'"),
    ):
        file.write_text(json.dumps(card), encoding="utf-8")
        assert reason(folder) == f"the model's card {file} is not as a training writes it: {wrong}\n{AGAIN}"
    file.write_text("{", encoding="utf-8")
    assert reason(folder) == f"the model's card {file} cannot be read as JSON\n{AGAIN}"
