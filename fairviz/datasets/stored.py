"""Studies with a name: built in, fetched and saved."""

import os
from pathlib import Path

from fairviz.home import BUILTIN, studies_folder, unreadable
from fairviz.study.loaders.changes import mend_beside


def stored_names() -> tuple[str, ...]:
    """Return the names of the fetched and saved studies in alphabetical order.

    Broken links are included: opening them reports the error. Raises FairvizError if the data folder cannot be read.
    """
    folder = studies_folder()
    mend_beside(folder)
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir() or _is_broken_link(entry)]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise unreadable(folder, error) from error
    return tuple(sorted(name for name in names if not name.startswith(".")))


def _is_broken_link(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() and not os.path.exists(entry.path)


def resolve(name: str) -> Path | None:
    """Return the folder of the built-in, fetched or saved study of this name; None for anything else, including paths.

    Raises FairvizError for a name if the data folder cannot be read.
    """
    if name in BUILTIN:
        return BUILTIN[name]
    if Path(name).name != name:
        return None
    return studies_folder() / name if name in stored_names() else None
