"""Models: equations 1, 4 and 5 of the paper against loops read off it, policies of weights, loading the shipped model,
Backpack-GPT2 from a folder and files that are none, and the verb senses."""

import json
import math
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save, save_file
from tokenizers import ByteLevelBPETokenizer

from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.backpack.encoding import text_vectors
from fairviz.extensions.backpack.loading import loaded, model_folder
from fairviz.extensions.backpack.network import initial, senses_of, text_senses
from fairviz.extensions.backpack.published import load_published, predicted
from fairviz.extensions.backpack.words import policy, sensitivities
from tests.conftest import Call, refused

SENSES, SIZE, WORDS = 3, 4, 6
MODEL = {name: tensor.double() for name, tensor in initial(SENSES, SIZE, 0, hidden=7, head=3).items()}  # tiny layers
GENERATOR = torch.Generator().manual_seed(1)
VECTORS = torch.randn(WORDS, SIZE, generator=GENERATOR, dtype=torch.float64)
TOKENS = torch.tensor([[0, 3, 3, 5], [2, 1, 0, 0], [0, 0, 0, 0]])  # two texts of 4 and 2 tokens, and one of none
MASK = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]]).bool()
STATES = torch.randn(3, 4, SIZE, generator=GENERATOR, dtype=torch.float64)


def sense(word: int, number: int) -> np.ndarray:
    """C(x)_ℓ, one number after the other."""
    x = VECTORS[word].numpy()
    normal = (x - x.mean()) / math.sqrt(x.var() + 1e-5)  # the layer norm's weight is 1 and its bias 0 at first
    hidden = MODEL["hidden.weight"].numpy() @ normal + MODEL["hidden.bias"].numpy()
    hidden = np.array([h * (1 + math.erf(h / math.sqrt(2))) / 2 for h in hidden])
    rows = slice(number * SIZE, (number + 1) * SIZE)
    return MODEL["senses.weight"].numpy()[rows] @ hidden + MODEL["senses.bias"].numpy()[rows]


def alpha(states: np.ndarray, number: int, i: int, j: int) -> float:
    """α_ℓij: the softmax over j of the scaled products of query i and key j."""
    both = states @ MODEL["attention.weight"].numpy().T + MODEL["attention.bias"].numpy()
    width = 3
    query = both[i, number * width : (number + 1) * width]
    keys = both[:, (SENSES + number) * width : (SENSES + number + 1) * width]
    raised = [math.exp(query @ key / math.sqrt(width)) for key in keys]
    return raised[j] / sum(raised)


def slow_outputs(text: int, weighted: Any) -> np.ndarray:
    """o_i (T, d) of a text, as equation 5 is printed."""
    length = int(MASK[text].sum())
    states = STATES[text, :length].numpy()
    found = np.zeros((length, SIZE))
    for i in range(length):
        for j in range(length):
            for number in range(SENSES):
                found[i] += weighted[number] * alpha(states, number, i, j) * sense(int(TOKENS[text, j]), number)
    return found


def test_a_text_is_the_mean_of_its_tokens_outputs_whatever_stands_beside_it():
    senses = text_senses(MODEL, TOKENS, VECTORS, STATES, MASK).numpy()
    assert senses.shape == (3, SENSES, SIZE)
    assert (senses[2] == 0).all()  # no token, nothing
    for weighted in ([1.0, 1.0, 1.0], [2.0, 0.0, 0.5], [0.3, 1.0, 0.0]):
        found = text_vectors(senses, np.array(weighted))
        for text in (0, 1):
            np.testing.assert_allclose(found[text], slow_outputs(text, weighted).mean(axis=0), atol=1e-6)


def test_weight_1_is_the_unweighted_model_to_the_last_bit():
    senses = np.random.default_rng(0).normal(size=(50, 8, 384)).astype(np.float32)
    np.testing.assert_array_equal(text_vectors(senses, np.ones(8)), senses.sum(axis=1), strict=True)


class Words:
    """A model of words by number."""

    senses = SENSES

    def has(self, word: str) -> bool:
        return word.isdigit()

    def token_senses(self, word: str) -> np.ndarray:
        return np.array([sense(int(word), number) for number in range(SENSES)])


def test_equation_4_is_as_printed():
    pairs = (("0", "1"), ("2", "3"), ("4", "5"), ("0", "none"))
    found = sensitivities(Words(), pairs)
    for number in range(SENSES):
        senses = [(sense(int(one), number), sense(int(other), number)) for one, other in pairs[:3]]
        cosines = [x @ y / np.linalg.norm(x) / np.linalg.norm(y) for x, y in senses]
        assert math.isclose(found.values[number], sum(cosines) / 3, abs_tol=1e-6)
    assert (found.pairs, found.missing) == (pairs[:3], pairs[3:])
    assert (found.low <= found.values).all()
    assert (found.values <= found.high).all()
    made = senses_of(MODEL, VECTORS).numpy()
    np.testing.assert_allclose(made, [[sense(w, n) for n in range(SENSES)] for w in range(WORDS)], atol=1e-6)


SCORES = np.array([0.5, 0.2, 0.6, 0.3])


def test_the_papers_policy_scales_the_most_sensitive_senses_and_the_placebo_the_least():
    assert policy("sensitive", SCORES, 2, 0.0).tolist() == [1, 0, 1, 0]
    assert policy("sensitive", SCORES, 1, 2.0).tolist() == [1, 2, 1, 1]
    assert policy("placebo", SCORES, 2, 0.5).tolist() == [0.5, 1, 0.5, 1]
    assert policy("sensitive", SCORES, 4, 0.5).tolist() == [0.5] * 4
    np.testing.assert_allclose(policy("graded", SCORES, 2, 0.0), [0.75, 0, 1, 0.25])
    assert policy("graded", np.full(3, 0.5), 2, 0.0).tolist() == [1, 1, 1]
    assert policy("1 0 0.5, 2", SCORES, 2, 1.0).tolist() == [1, 0, 0.5, 2]
    for name in ("sensitive", "placebo", "graded"):
        assert policy(name, SCORES, 2, 1.0).tolist() == [1, 1, 1, 1]


def test_pairs_that_count_for_nothing_are_told():
    found = sensitivities(Words(), [("0", "1"), ("queenly", "kingly"), ("0", "he")])
    assert found.left_out == ("2 of 3 pairs left out, since a word of theirs is not one token: queenly-kingly, 0-he")
    many = sensitivities(Words(), [("0", "1"), *[(f"she{n}", f"he{n}") for n in range(9)]])
    assert many.left_out == (
        "9 of 10 pairs left out, since a word of theirs is not one token: she0-he0, she1-he1, she2-he2, she3-he3, "
        "she4-he4 and 4 more"
    )
    assert sensitivities(Words(), [("0", "1")]).left_out == ""


# --- Loading a Backpack: the shipped one, and files that are none


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


# --- Backpack-GPT2 from a folder: a tiny checkpoint in its format, made here, and files that are none; the verb senses


WIDTH = 6  # of its vectors, of as many senses as above
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

    words = drawn(300, WIDTH)
    found = {"backpack.gpt2_model.wte.weight": words, "backpack.word_embeddings.weight": words, "lm_head.weight": words}
    for name in ("ln", "block.ln_1", "block.ln_2"):
        found |= {f"{name}.weight": 1 + drawn(WIDTH) / 5, f"{name}.bias": drawn(WIDTH) / 5}
    found |= {"block.mlp.c_fc.weight": drawn(WIDTH, 24), "block.mlp.c_fc.bias": drawn(24)}
    found |= {"block.mlp.c_proj.weight": drawn(24, WIDTH), "block.mlp.c_proj.bias": drawn(WIDTH)}
    found |= {"final_mlp.c_fc.weight": drawn(WIDTH, 12), "final_mlp.c_fc.bias": drawn(12)}
    found |= {"final_mlp.c_proj.weight": drawn(12, SENSES * WIDTH), "final_mlp.c_proj.bias": drawn(SENSES * WIDTH)}
    inner = ("ln.", "block.", "final_mlp.")
    named = {f"backpack.sense_network.{name}" if name.startswith(inner) else name: t for name, t in found.items()}
    return named | {
        "backpack.sense_weight_net.c_attn.weight": drawn(12, WIDTH),
        "backpack.gpt2_model.h.0.attn.bias": drawn(1),
    }


def checkpoint(folder: Path, *, torch_file: bool = False) -> Path:
    folder.mkdir(exist_ok=True)
    config = {"num_senses": SENSES, "n_embd": WIDTH, "sense_intermediate_scale": 2, "architectures": ["x"],
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


def published_reason(folder: Path) -> str:
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
    return layers("final_mlp", norm("block.ln_2", second)).reshape(SENSES, WIDTH)


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
        assert published_reason(folder) == f"{file} holds more than tensors and was not loaded\n{MORE}"
        file.write_bytes(pickle.dumps(harm))
        assert published_reason(folder) == f"{file} holds more than tensors and was not loaded\n{MORE}"
    assert capsys.readouterr().out == ""
    torch.save([torch.zeros(1)], file)
    assert published_reason(folder) == f"{file} is not a table of tensors by name\n{MORE}"
    torch.save(state() | {"lm_head.weight": "text"}, file)
    assert published_reason(folder) == f"{file}: lm_head.weight is not a tensor\n{MORE}"


def test_files_that_are_cut_off_are_said(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "m", torch_file=True)
    file = folder / "pytorch_model.bin"
    file.unlink()
    assert published_reason(folder) == (
        f"the folder {folder} holds no weights\nIt should hold model.safetensors or pytorch_model.bin, in one file."
    )
    for kind in ("torch", "safetensors"):
        checkpoint(folder, torch_file=kind == "torch")
        file = folder / {"torch": "pytorch_model.bin", "safetensors": "model.safetensors"}[kind]
        whole = file.read_bytes()
        for content in (whole[: len(whole) // 2], b"", b"no weights at all"):
            file.write_bytes(content)
            assert published_reason(folder) == f"{file} is not a {kind} file, or is cut off\n{COPY}"


def test_other_sizes_are_said(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "m")
    file, config = folder / "model.safetensors", folder / "config.json"
    tensors = {name: tensor.clone() for name, tensor in state().items()}
    name = "backpack.sense_network.block.mlp.c_fc.weight"
    save_file(tensors | {name: torch.zeros(WIDTH, 23)}, file)
    assert published_reason(folder) == (
        f"{file}: sense_network.block.mlp.c_fc.weight should be 6 × 24, the file has 6 × 23\n{REMEDY}"
    )
    save_file({key: tensor for key, tensor in tensors.items() if key != name}, file)
    assert (
        published_reason(folder)
        == f"{file}: sense_network.block.mlp.c_fc.weight should be 6 × 24, the file lacks it\n{REMEDY}"
    )
    save_file(tensors | {name: torch.full((WIDTH, 24), math.inf)}, file)
    assert published_reason(folder) == f"{file} holds numbers that are not finite\n{REMEDY}"
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
        assert published_reason(folder) == f"{message}\n{REMEDY}"


def test_a_folder_without_a_tokenizer_is_said(tmp_path: Path) -> None:
    folder = checkpoint(tmp_path / "m")
    (folder / "merges.txt").unlink()
    assert published_reason(folder) == (
        f"the folder {folder} holds no tokenizer\n"
        "Copy GPT-2's into it, which the model uses: tokenizer.json, or vocab.json and merges.txt."
    )
    (folder / "tokenizer.json").write_text("{", encoding="utf-8")
    assert published_reason(folder) == f"the tokenizer in {folder} cannot be read\n{COPY}"


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
