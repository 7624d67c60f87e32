"""Word vectors that a person added on this machine: a name for each file, one small text file a name."""

import re
import stat
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import data_home, write_whole

_NAME = re.compile(r"[\w][\w .-]{0,59}(?<![ .])", re.ASCII)
_SUFFIX = ".path"
REMEDY = "Give the path of a word2vec or fastText file."


def added_folder() -> Path:
    """Where it is kept which vectors were added."""
    return data_home() / "vectors" / "added"


def added_names() -> tuple[str, ...]:
    """The names under which vectors were added, in alphabetical order. Raises FairvizError for an unreadable folder."""
    folder = added_folder()
    try:
        found = [path.name for path in folder.iterdir()]
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise FairvizError(
            f"the folder of added word vectors {folder} cannot be read ({error.strerror})",
            "Make it readable, or set FAIRVIZ_HOME to another folder.",
        ) from error
    names = [name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)]
    return tuple(sorted(name for name in names if _NAME.fullmatch(name)))


def added_path(name: str) -> Path | None:
    """The file added under this name; None where none was. Raises FairvizError where the note of it is damaged."""
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
    """Raises FairvizError for a name that is none, or is taken, also by one of `taken`."""
    if not _NAME.fullmatch(name):
        raise FairvizError(
            f"{name[:80]!r} cannot name word vectors",
            "Use up to 60 letters a to z, digits, hyphens and underscores, such as wiki-news.",
        )
    if name in taken or name in added_names():
        raise FairvizError(f"there are word vectors {name!r} already", "Choose another name.")


def add_vectors(name: str, path: str | Path, taken: tuple[str, ...] = ()) -> Path:
    """Remembers the file under the name; gives its absolute path. What is in the file is not looked at.

    Raises FairvizError as check_name, for what is no regular file, and for a data folder that cannot be written.
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
    """Forgets the name; the file of vectors stays. Raises FairvizError where the note cannot be deleted."""
    note = added_folder() / f"{name}{_SUFFIX}"
    try:
        if _NAME.fullmatch(name):
            note.unlink(missing_ok=True)
    except OSError as error:
        raise FairvizError(f"{note} cannot be deleted ({error.strerror})", "Make the folder writable.") from error


def regular_file(path: str | Path, remedy: str = REMEDY) -> Path:
    """The absolute path of a file that can be read from beginning to end.

    Raises FairvizError for what is not there, a folder, a pipe or a device: opening one of those may never return.
    """
    try:
        file = Path(path).expanduser().absolute()
        about = file.stat()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no such path"
        raise FairvizError(f"there are no word vectors {str(path)[:200]!r} ({reason})", remedy) from error
    if not stat.S_ISREG(about.st_mode):
        raise FairvizError(
            f"the word vectors {str(path)[:200]!r} are a folder, a pipe or a device, not a file of vectors", remedy
        )
    return file
