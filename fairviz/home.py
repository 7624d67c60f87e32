"""The folder for what the program fetches or writes, and what tells that a file is still the same."""

import os
from pathlib import Path

from fairviz.errors import FairvizError

VARIABLE = "FAIRVIZ_HOME"


def data_home() -> Path:
    """The folder for what the program fetches or writes: FAIRVIZ_HOME, or else the user's data folder.

    Raises FairvizError where FAIRVIZ_HOME starts in the home folder of nobody.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given:
        return expanded(given, f"{VARIABLE} ")
    from platformdirs import user_data_path

    return user_data_path("fairviz", appauthor=False)


def expanded(path: str | Path, what: str = "") -> Path:
    """The path with `~` and `~name` as the home folders they stand for. Raises FairvizError where there is none.

    what: named before the path where it is wrong.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise FairvizError(
            f"{what}{str(path)!r} starts in a home folder that there is not", "Write the path in full, without ~."
        ) from error


def home_trouble() -> FairvizError | None:
    """What keeps the data folder from being read; None where nothing does. One that is not there yet is no trouble."""
    try:
        home = data_home()
    except FairvizError as error:
        return error
    try:
        os.scandir(home).close()
    except FileNotFoundError:
        return None
    except OSError as error:
        return unreadable(home, error)
    return None


def unreadable(folder: Path, error: OSError) -> FairvizError:
    """The error for a folder of the program's own that cannot be read."""
    return FairvizError(
        f"the data folder {folder} cannot be read ({error.strerror})",
        f"Make it a folder that you can read and write, or set {VARIABLE} to one.",
    )


def identity(about: os.stat_result) -> tuple[int, ...]:
    """What a file's device, inode, size and times are: they change with its content, save within a tick of the clock.

    The time of change is among them, which no program can set back.
    """
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns
