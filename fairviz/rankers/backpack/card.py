"""Cards of models: checked when read, since users may edit them."""

from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError, UsageError, expect, value_text
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
    """Return the card; empty where there is none. Raises FairvizError for a card that is not JSON, and for a wrong type
    of an entry that is used."""
    try:
        card = parse_json(read_file(file, MOST_JSON))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise FairvizError(f"the model's card {file} cannot be read as JSON", AGAIN) from error
    try:
        _check(card)
    except UsageError as error:
        problem = f"the model's card {file} is not as a training writes it: {error.message}"
        raise FairvizError(problem, AGAIN) from error
    return card


def _check(card: Any) -> None:
    """Raise UsageError for a wrong type."""
    if not isinstance(card, dict):
        raise UsageError(f"it is {value_text(card)}")
    for name, kinds in _KINDS.items():
        if name in card:
            expect(name, card[name], kinds, "")
    for source in card.get("sources", []):
        expect("a source", source, dict, "")
        expect("passages", source.get("passages", 0), int, "")
    for part, name, kinds in _WITHIN:
        if name in card.get(part, {}):
            expect(name, card[part][name], kinds, "")
