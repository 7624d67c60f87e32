"""The user's prompts, each a text file in the data folder, so that every prompt stays on record."""

from pathlib import Path

from fairviz.annotation.annotators.prompting import PROMPTS
from fairviz.errors import FairvizError, UsageError
from fairviz.home import prompts_folder, write_whole
from fairviz.models.replies import MOST_PROMPT_BYTES
from fairviz.study.loaders.writing import check_name

ENDING = ".txt"


def own_prompts() -> dict[str, Path]:
    """Return the stored prompts by name. Raises FairvizError where the folder cannot be read."""
    folder = prompts_folder()
    try:
        paths = sorted(folder.glob(f"*{ENDING}")) if folder.is_dir() else []
    except OSError as error:
        raise FairvizError(
            f"{folder} cannot be read ({error.strerror})", "Give yourself permission to read it."
        ) from error
    return {path.stem: path for path in paths}


def keep_prompt(name: str, text: str) -> Path:
    """Write the prompt under this name and return its file. A prompt is never overwritten, since labels refer to it by
    name. Raises UsageError for a name that is taken or invalid, and for a text without {passage}."""
    check_name(name, "prompt")
    if name in PROMPTS:
        raise UsageError(f"{name} is a prompt of the program", "Choose another name.")
    if "{passage}" not in text:
        raise UsageError("the prompt has no {passage}", "Write {passage} where the text of the document belongs.")
    if len(text.encode("utf-8", "replace")) > MOST_PROMPT_BYTES:
        raise UsageError(f"the prompt is longer than {MOST_PROMPT_BYTES:,} bytes", "Write a shorter one.")
    path = prompts_folder() / f"{name}{ENDING}"
    try:
        if path.exists():
            if path.read_text(encoding="utf-8") == text:
                return path
            raise UsageError(f"there is another prompt called {name!r}", "Choose another name.")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except (OSError, UnicodeError) as error:
        raise FairvizError(
            f"{path} cannot be written ({error})", "Give yourself permission to write it, or free space."
        ) from error
    return path
