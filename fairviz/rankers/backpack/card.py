"""What a model's card says of it: read as data, since a hand may have changed it."""

from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError, UsageError, expect, told
from fairviz.files import MOST_JSON, parse_json, read_file

AGAIN = "Train it again (fairviz train-backpack), or copy it again."
NUMBER = (int, float)
_KINDS: dict[str, type | tuple[type, ...]] = {
    "sources": list, "steps": dict, "held_out": dict, "seed": int, "senses": int, "weights": int, "minutes": NUMBER,
}  # fmt: skip
_WITHIN: tuple[tuple[str, str, type | tuple[type, ...]], ...] = (
    ("steps", "taken", int),
    ("held_out", "cosine_to_teacher", NUMBER),
)


def read_card(file: Path) -> dict[str, Any]:
    """The card; empty where there is none. Raises FairvizError for one that is no JSON, and for one in which what is
    read of it elsewhere has another type."""
    try:
        found = parse_json(read_file(file, MOST_JSON))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise FairvizError(f"the model's card {file} cannot be read as JSON", AGAIN) from error
    try:
        _check(found)
    except UsageError as error:
        what = f"the model's card {file} is not as a training writes it: {error.message}"
        raise FairvizError(what, AGAIN) from error
    return found


def _check(card: Any) -> None:
    """Raises UsageError that names what is wrong."""
    if not isinstance(card, dict):
        raise UsageError(f"it is {told(card)}")
    for name, kinds in _KINDS.items():
        if name in card:
            expect(name, card[name], kinds, "")
    for source in card.get("sources", []):
        expect("a source", source, dict, "")
        expect("passages", source.get("passages", 0), int, "")
    for part, name, kinds in _WITHIN:
        if name in card.get(part, {}):
            expect(name, card[part][name], kinds, "")
