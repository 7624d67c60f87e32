"""Word vectors added by users of this machine: a name for each file, one small text file a name."""

import re
import stat
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import data_home, write_whole
from fairviz.home.access import require_server_owner

_NAME = re.compile(r"[\w][\w .-]{0,59}(?<![ .])", re.ASCII)
_SUFFIX = ".path"
REMEDY = "Give the path of a word2vec or fastText file."


def added_folder() -> Path:
    """Return the folder of the notes of added vectors."""
    return data_home() / "vectors" / "added"


def added_names() -> tuple[str, ...]:
    """Return the names of added vectors in alphabetical order. Raises FairvizError for an unreadable folder."""
    folder = added_folder()
    try:
        file_names = [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise FairvizError(
            f"the folder of added word vectors {folder} cannot be read ({error.strerror})",
            "Make it readable, or set FAIRVIZ_HOME to another folder.",
        ) from error
    names = [name.removesuffix(_SUFFIX) for name in file_names if name.endswith(_SUFFIX)]
    return tuple(sorted(name for name in names if _NAME.fullmatch(name)))


def added_path(name: str) -> Path | None:
    """Return the file added under this name, or None. Raises FairvizError for a damaged note."""
    if not _NAME.fullmatch(name):
        return None
    note = added_folder() / f"{name}{_SUFFIX}"
    try:
        text = note.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise FairvizError(*_damaged(note)) from error
    if not Path(text).is_absolute() or "\0" in text:
        raise FairvizError(*_damaged(note))
    return Path(text)


def _damaged(note: Path) -> tuple[str, str]:
    return (
        f"{note} does not hold the path of a vector file",
        "Remove these vectors on the Data page, and add them again.",
    )


def check_name(name: str, taken: tuple[str, ...] = ()) -> None:
    """Raise FairvizError for a malformed name, and for one that is added already or in `taken`."""
    if not _NAME.fullmatch(name):
        raise FairvizError(
            f"{name[:80]!r} cannot name word vectors",
            "Use up to 60 letters a to z, digits, hyphens and underscores, such as wiki-news.",
        )
    if name in taken or name in added_names():
        raise FairvizError(f"there are word vectors {name!r} already", "Choose another name.")


def add_vectors(name: str, path: str | Path, taken: tuple[str, ...] = ()) -> Path:
    """Store a note of the file under the name and return its absolute path. The file's content is not read.

    Raises FairvizError: see `check_name` and `regular_file`; also for a data folder that cannot be written.
    """
    check_name(name, taken)
    file = regular_file(path)
    folder = added_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{name}{_SUFFIX}", str(file))
    except OSError as error:
        raise FairvizError(
            f"{folder} cannot be written ({error.strerror})", "Make room there, or set FAIRVIZ_HOME to another folder."
        ) from error
    return file


def remove_vectors(name: str) -> None:
    """Delete the note of the name, not the file of vectors. Raises FairvizError if it cannot be deleted."""
    require_server_owner("remove word vectors")
    note = added_folder() / f"{name}{_SUFFIX}"
    try:
        if _NAME.fullmatch(name):
            note.unlink(missing_ok=True)
    except OSError as error:
        raise FairvizError(f"{note} cannot be deleted ({error.strerror})", "Make the folder writable.") from error


def regular_file(path: str | Path, remedy: str = REMEDY) -> Path:
    """Return the absolute path of a regular file.

    Raises FairvizError for a missing file, a folder, a pipe or a device: opening a pipe may never return.
    """
    try:
        file = Path(path).expanduser().absolute()
        status = file.stat()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no such path"
        raise FairvizError(f"there are no word vectors {str(path)[:200]!r} ({reason})", remedy) from error
    if not stat.S_ISREG(status.st_mode):
        raise FairvizError(
            f"the word vectors {str(path)[:200]!r} are a folder, a pipe or a device, not a file of vectors", remedy
        )
    return file
