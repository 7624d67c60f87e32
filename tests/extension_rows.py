"""Rows that an extension adds to the tests over all verbs and names: `tests/extensions/NAME/rows.py`."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parent / "extensions"


def modules() -> list[ModuleType]:
    """The modules of rows of the extensions that are here."""
    paths = sorted(FOLDER.glob("*/rows.py"))
    return [import_module(f"tests.extensions.{path.parent.name}.rows") for path in paths]


def rows(name: str) -> dict[Any, Any]:
    """The rows of all extensions in the table of this name; an extension without such a table adds none."""
    return {key: row for module in modules() for key, row in getattr(module, name, {}).items()}
