"""The user's files of prompts for a language model."""

from pathlib import Path

from fairviz.errors import FairvizError, display_path
from fairviz.files import open_regular

MOST_BYTES = 200_000


def read_template(path: Path, noun: str) -> str:
    """Return the text of the file, with plain line ends. noun: the kind of file, for errors (prompt, template). Raises
    FairvizError where the file cannot be read, is not UTF-8, or is too long."""
    file = display_path(path)
    try:
        with open_regular(path) as stream:
            content = stream.read(MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise FairvizError(f"{file} cannot be read ({error.strerror})", "Give a text file.") from error
    except UnicodeDecodeError as error:
        raise FairvizError(f"{file} is not UTF-8", "Save it as UTF-8.") from error
    if len(content) > MOST_BYTES:
        raise FairvizError(f"{file} is longer than {MOST_BYTES:,} bytes", f"Write a shorter {noun}.")
    return text.replace("\r\n", "\n")
