"""Where studies lie: the built-in ones beside the program, fetched, saved and added-to ones in the data folder."""

from pathlib import Path

from fairviz.home import data_home
from fairviz.loaders.changes import mend_beside

DATA = Path(__file__).parents[2] / "data"
BUILTIN: dict[str, Path] = {name: DATA / name for name in ("newswire", "football", "occupations", "traits")}


def studies_folder() -> Path:
    """Where fetched and saved studies lie."""
    return data_home() / "studies"


def vectors_folder() -> Path:
    """Where fetched word vectors lie."""
    return data_home() / "vectors"


def additions_folder(name: str) -> Path:
    """Where lies what a person added to the built-in (or packaged) study of this name: a study folder of its own."""
    return data_home() / "additions" / name.replace(":", "-").replace("/", "-")


def stored_names() -> tuple[str, ...]:
    """Names of the fetched and saved studies, in alphabetical order."""
    folder = studies_folder()
    if not folder.is_dir():
        return ()
    mend_beside(folder)
    return tuple(sorted(path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")))


def resolve(name: str) -> Path | None:
    """The folder of the built-in, fetched or saved study of this name; None for anything else, paths among it."""
    if name in BUILTIN:
        return BUILTIN[name]
    return studies_folder() / name if name in stored_names() else None
