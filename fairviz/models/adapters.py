"""Low-rank adapters: small weights, trained by `fairviz mend`, that change the vectors of a sentence encoder.

An adapter is a folder: its weights, their configuration, and a card with the data that they were trained on.
"""

import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError
from fairviz.files import MOST_JSON, parse_json, read_file
from fairviz.home import data_home, named_path
from fairviz.installed import require
from fairviz.models.encodings import model_key
from fairviz.study.loaders.hashes import file_hash

WEIGHTS, CONFIG, CARD = "adapter_model.safetensors", "adapter_config.json", "card.json"
MOST_LETTERS = 100  # of a name
_LIKE_A_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=+-]*")
_TRAIN = 'Train one: fairviz mend STUDY --ranker bi_encoder --name "…".'


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
    return Adapter(folder, _card(folder / CARD))


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


def _card(file: Path) -> dict[str, Any]:
    try:
        card = parse_json(read_file(file, MOST_JSON))
    except (OSError, ValueError) as error:
        raise FairvizError(f"the card {file} cannot be read ({error})", "Train the adapter again.") from error
    if not isinstance(card, dict) or not isinstance(card.get("model"), dict) or "key" not in card["model"]:
        raise FairvizError(f"the card {file} does not name the model of the adapter", "Train it again.")
    return card


def refuse_other_model(adapter: Adapter, name: str, model: str | Path) -> None:
    """Raise FairvizError where the adapter was trained on another model. name: the name that the user chose."""
    if adapter.card["model"]["key"] != model_key(model):
        trained = adapter.card["model"].get("name", "another model")
        raise FairvizError(
            f"the adapter {adapter.name} was trained on {trained}, not on {name}",
            f"Name its model: bi_encoder(model='{trained}',adapter='{adapter.called}').",
        )


def put_in(encoder: Any, adapter: Adapter) -> Any:
    """Return the `SentenceTransformer` with the adapter's weights added. Raises FairvizError for broken weights."""
    peft = train_package()
    try:
        with peft_warnings_off():
            adapted = peft.PeftModel.from_pretrained(encoder[0].auto_model, str(adapter.folder))
        encoder[0].auto_model = adapted.merge_and_unload()
    except Exception as error:
        lines = str(error).strip().splitlines()
        reason = lines[0][:200] if lines else type(error).__name__
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
