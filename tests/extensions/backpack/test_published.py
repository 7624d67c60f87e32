"""Backpack-GPT2 from a folder: a tiny checkpoint in its format, made here, and files that are none; and the verb senses
on it and on the shipped model."""

import json
import math
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from tokenizers import ByteLevelBPETokenizer

from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.backpack.loading import loaded
from fairviz.extensions.backpack.published import load_published, predicted
from fairviz.extensions.backpack.words import sensitivities
from tests.conftest import Call, refused

SENSES, SIZE = 3, 6
REMEDY = "Give the folder of stanfordnlp/backpack-gpt2 as it was downloaded."
COPY = "Copy or download it again."
MORE = "A file of weights holds numbers alone. Take model.safetensors, or another copy."
RUNS = "from pathlib import Path\nPath(__file__).with_name('was-run').touch()\n"


class Harm:
    """What a pickle would run."""

    def __reduce__(self):
        return print, ("run",)


def state() -> dict[str, torch.Tensor]:
    """The published state's tensors that matter here, and some that do not, of small sizes."""
    generator = torch.Generator().manual_seed(0)

    def drawn(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator)

    words = drawn(300, SIZE)
    found = {"backpack.gpt2_model.wte.weight": words, "backpack.word_embeddings.weight": words, "lm_head.weight": words}
    for name in ("ln", "block.ln_1", "block.ln_2"):
        found |= {f"{name}.weight": 1 + drawn(SIZE) / 5, f"{name}.bias": drawn(SIZE) / 5}
    found |= {"block.mlp.c_fc.weight": drawn(SIZE, 24), "block.mlp.c_fc.bias": drawn(24)}
    found |= {"block.mlp.c_proj.weight": drawn(24, SIZE), "block.mlp.c_proj.bias": drawn(SIZE)}
    found |= {"final_mlp.c_fc.weight": drawn(SIZE, 12), "final_mlp.c_fc.bias": drawn(12)}
    found |= {"final_mlp.c_proj.weight": drawn(12, SENSES * SIZE), "final_mlp.c_proj.bias": drawn(SENSES * SIZE)}
    inner = ("ln.", "block.", "final_mlp.")
    named = {f"backpack.sense_network.{name}" if name.startswith(inner) else name: t for name, t in found.items()}
    return named | {
        "backpack.sense_weight_net.c_attn.weight": drawn(12, SIZE),
        "backpack.gpt2_model.h.0.attn.bias": drawn(1),
    }


def checkpoint(folder: Path, *, torch_file: bool = False) -> Path:
    folder.mkdir(exist_ok=True)
    config = {"num_senses": SENSES, "n_embd": SIZE, "sense_intermediate_scale": 2, "architectures": ["x"],
              "auto_map": {"AutoModelForCausalLM": "modeling_backpack_gpt2.BackpackGPT2LMHeadModel"}}  # fmt: skip
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "modeling_backpack_gpt2.py").write_text(RUNS, encoding="utf-8")
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        ["she he woman man nurse she he woman man nurse queen king"] * 3, vocab_size=290, show_progress=False
    )
    tokenizer.save_model(str(folder))
    if torch_file:
        torch.save(state(), folder / "pytorch_model.bin")
    else:
        save_file({name: tensor.clone() for name, tensor in state().items()}, folder / "model.safetensors")
    return folder


def reason(folder: Path) -> str:
    with pytest.raises(FairvizError) as caught:
        load_published(folder)
    return str(caught.value)


def gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def slow_senses(token: int) -> np.ndarray:
    """C(x) (L, d) as the published code computes it."""
    held = {name.removeprefix("backpack.sense_network."): tensor.double().numpy() for name, tensor in state().items()}

    def norm(name: str, x: np.ndarray) -> np.ndarray:
        return (x - x.mean()) / math.sqrt(x.var() + 1e-5) * held[f"{name}.weight"] + held[f"{name}.bias"]

    def layers(name: str, x: np.ndarray) -> np.ndarray:
        hidden = np.array([gelu(h) for h in x @ held[f"{name}.c_fc.weight"] + held[f"{name}.c_fc.bias"]])
        return hidden @ held[f"{name}.c_proj.weight"] + held[f"{name}.c_proj.bias"]

    x = held["backpack.gpt2_model.wte.weight"][token]
    first = norm("ln", x) + x
    second = layers("block.mlp", norm("block.ln_1", first)) + first
    return layers("final_mlp", norm("block.ln_2", second)).reshape(SENSES, SIZE)


@pytest.mark.parametrize("torch_file", [False, True])
def test_its_senses_are_those_of_the_published_network(tmp_path: Path, torch_file: bool) -> None:
    folder = checkpoint(tmp_path / "backpack-gpt2", torch_file=torch_file)
    model = load_published(folder)
    assert model.senses == SENSES
    assert model.has("she")
    (token,) = model.pieces("she")
    assert model.tokenizer.decode([token]) == " she"
    np.testing.assert_allclose(model.token_senses("she"), slow_senses(token), atol=1e-5)
    assert len(model.pieces("zebra")) > 1
    found = sensitivities(model, [("she", "he"), ("woman", "man"), ("queenly", "kingly")])
    assert (len(found.values), found.pairs, found.missing) == (
        3,
        (("she", "he"), ("woman", "man")),
        (("queenly", "kingly"),),
    )
    table = predicted(model, "she", 4)
    assert list(table.columns) == ["sense", "place", "word", "score"]
    assert len(table) == 12
    words = state()["lm_head.weight"].double().numpy()[: model.tokenizer.get_vocab_size()]
    best = int(np.argmax(words @ slow_senses(token)[0]))
    assert table["word"][0] == model.tokenizer.decode([best]).strip()
    assert not (folder / "was-run").exists()
    with refused("the word '  ' has no token in backpack-gpt2\nGive another word."):
        model.token_senses("  ")
    with refused(
        "a Backpack language model predicts words and has no vectors of texts: nothing is ranked with it\n"
        "See the senses of words with it (fairviz senses); rank with a model of fairviz train-backpack.",
        UsageError,
    ):
        loaded(str(folder))


def test_a_pickle_that_is_more_than_tensors_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    folder = checkpoint(tmp_path / "m", torch_file=True)
    file = folder / "pytorch_model.bin"
    for harm in ({"x": Harm()}, Harm()):
        torch.save(harm, file)
        assert reason(folder) == f"{file} holds more than tensors and was not loaded\n{MORE}"
        file.write_bytes(pickle.dumps(harm))
        assert reason(folder) == f"{file} holds more than tensors and was not loaded\n{MORE}"
    assert capsys.readouterr().out == ""
    torch.save([torch.zeros(1)], file)
    assert reason(folder) == f"{file} is not a table of tensors by name\n{MORE}"
    torch.save(state() | {"lm_head.weight": "text"}, file)
    assert reason(folder) == f"{file}: lm_head.weight is not a tensor\n{MORE}"


def test_files_that_are_cut_off_are_said(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "m", torch_file=True)
    file = folder / "pytorch_model.bin"
    file.unlink()
    assert reason(folder) == (
        f"the folder {folder} holds no weights\nIt should hold model.safetensors or pytorch_model.bin, in one file."
    )
    for kind in ("torch", "safetensors"):
        checkpoint(folder, torch_file=kind == "torch")
        file = folder / {"torch": "pytorch_model.bin", "safetensors": "model.safetensors"}[kind]
        whole = file.read_bytes()
        for content in (whole[: len(whole) // 2], b"", b"no weights at all"):
            file.write_bytes(content)
            assert reason(folder) == f"{file} is not a {kind} file, or is cut off\n{COPY}"


def test_other_sizes_are_said(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "m")
    file, config = folder / "model.safetensors", folder / "config.json"
    tensors = {name: tensor.clone() for name, tensor in state().items()}
    name = "backpack.sense_network.block.mlp.c_fc.weight"
    save_file(tensors | {name: torch.zeros(SIZE, 23)}, file)
    assert reason(folder) == (
        f"{file}: sense_network.block.mlp.c_fc.weight should be 6 × 24, the file has 6 × 23\n{REMEDY}"
    )
    save_file({key: tensor for key, tensor in tensors.items() if key != name}, file)
    assert (
        reason(folder) == f"{file}: sense_network.block.mlp.c_fc.weight should be 6 × 24, the file lacks it\n{REMEDY}"
    )
    save_file(tensors | {name: torch.full((SIZE, 24), math.inf)}, file)
    assert reason(folder) == f"{file} holds numbers that are not finite\n{REMEDY}"
    for said, message in (
        (
            '{"num_senses": 3, "n_embd": 8}',
            f"{file}: the vectors of words should have 8 dimensions, the file has 300 × 6",
        ),
        ('{"n_embd": 6}', f"{config} is not that of a Backpack language model: it names no num_senses"),
        ('{"num_senses": 0}', f"{config}: num_senses is '0', not a number of 1 or more"),
        ('{"num_senses": "3"}', f"{config}: num_senses is '3', not a number of 1 or more"),
        ('{"num_senses": 3, "layer_norm_epsilon": null}', f"{config}: layer_norm_epsilon is 'None'"),
        (
            '{"num_senses": 3, "activation_function": "swish"}',
            f"{config}: the activation 'swish' is not one of gelu_new, gelu_pytorch_tanh, gelu",
        ),
        ("{", f"{config} cannot be read as JSON"),
    ):
        config.write_text(said, encoding="utf-8")
        load_published.__globals__["_load"].cache_clear()
        assert reason(folder) == f"{message}\n{REMEDY}"


def test_a_folder_without_a_tokenizer_is_said(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "m")
    (folder / "merges.txt").unlink()
    assert reason(folder) == (
        f"the folder {folder} holds no tokenizer\n"
        "Copy GPT-2's into it, which the model uses: tokenizer.json, or vocab.json and merges.txt."
    )
    (folder / "tokenizer.json").write_text("{", encoding="utf-8")
    assert reason(folder) == f"the tokenizer in {folder} cannot be read\n{COPY}"


def test_the_sensitivity_of_the_senses(tmp_path: Path, call: Call) -> None:
    said = call("senses --format json")
    rows = said.json
    assert said.err.startswith("note: 101 of 168 pairs left out, since a word of theirs is not one token: ")
    assert rows[0]["pairs"] == 67
    assert list(rows[0]) == ["sense", "sensitivity", "ci_low", "ci_high", "pairs", "scaled"]
    assert [row["sense"] for row in rows] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert all(row["ci_low"] < row["sensitivity"] < row["ci_high"] for row in rows)
    lowest = sorted(rows, key=lambda row: row["sensitivity"])[:2]
    assert {row["sense"] for row in rows if row["scaled"] == "yes"} == {row["sense"] for row in lowest}

    pairs = tmp_path / "pairs.csv"
    pairs.write_text("female,male\nstepdaughter,stepson\n", encoding="utf-8")
    assert call(f"senses --pairs {pairs}", status=1).err == (
        "no pair of the list has both words in the model's vocabulary (stepdaughter-stepson)\n"
        "Give pairs of common words, such as she-he.\n"
    )
    assert call(f"senses nurse --pairs {pairs}", status=2).err == (
        "--pairs is for the sensitivity of the senses, not for a word\nLeave out the words, or --pairs.\n"
    )
    for word, told in (("🦖", "🦖"), (os.fsdecode(b"a\xffb"), "a\\udcffb")):
        assert call(["senses", word], status=1).err == (
            f"the word '{told}' has no token in MiniLM's vocabulary\nGive a word whose letters are in it.\n"
        )


@pytest.mark.slow
def test_the_nearest_words_of_each_sense(call: Call) -> None:
    rows = call("senses Nurse king --nearest 3 --format csv").rows
    assert [(row["word"], row["sense"]) for row in rows] == [
        (w, str(n)) for w in ("Nurse", "king") for n in range(1, 9)
    ]
    assert "nurses" in rows[0]["nearest"]
    assert all(len(row["nearest"].split(", ")) == 3 and "nurse " not in row["nearest"] for row in rows)


def test_the_published_model_has_senses_and_ranks_nothing(tmp_path: Path, call: Call) -> None:
    folder = checkpoint(tmp_path / "backpack-gpt2")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("she,he\nwoman,man\n", encoding="utf-8")
    said = call(f"senses --model {folder} --pairs {pairs} --format json")
    assert [(row["sense"], row["pairs"]) for row in said.json] == [(1, 2), (2, 2), (3, 2)]
    assert said.err == (
        "note: a Backpack language model predicts words and has no vectors of texts: nothing is ranked with it.\n"
    )
    assert list(call(f"senses she --model {folder} --format json").json[0]) == ["word", "sense", "predicted"]
