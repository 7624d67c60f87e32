"""The guideline for labels: a paraphrase of the CWEx paper's appendix, or a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError, expect
from fairviz.files import read_file

if TYPE_CHECKING:
    from fairviz.study.record import Study

MOST_BYTES = 200_000  # of its file
MOST = 20_000  # characters of a guideline
TEXT = Path(__file__).with_name("guideline.txt")
FILE = "GUIDELINE.md"  # of a study
EXAMPLES = Path(__file__).with_name("examples.txt")
TESTS = """
# Test questions
Some of the documents have a known answer. The answers of people who miss more than one in five of them are left out.
"""
BINARY = ("female", "male")


def guideline(study: "Study", *, tests: bool = True) -> str:
    """Return the guideline for the groups of this study. Lines that begin with `# ` are headings, with `- ` items.

    Examples are included where the groups are female and male. tests: whether it mentions test questions.
    """
    expect("tests", tests, bool, "Use True or False.")
    choices = (study.neutral, *study.groups)
    definitions = [
        f"- {study.neutral}: no gender is mentioned, or all of them about equally.",
        *(
            f"- {group}: the text has words for {group} persons, and refers to such persons explicitly."
            for group in study.groups
        ),
    ]
    groups = {group.lower(): group for group in study.groups}
    example_parts = {"neutral": study.neutral, **{name: groups[name] for name in BINARY if name in groups}}
    examples = _fill(EXAMPLES, example_parts) if set(groups) == set(BINARY) else ""
    parts = {
        "count": str(len(choices)),
        "answers": ", ".join(choices),
        "definitions": "\n".join(definitions),
        "neutral": study.neutral,
        "examples": examples,
        "tests": TESTS if tests else "",
    }
    return _fill(TEXT, parts)


def study_guideline(study: "Study") -> str:
    """Return the text of GUIDELINE.md in the study's folder, else `guideline` without test questions; empty for labels
    that are not genders. Raises FairvizError where the file cannot be read."""
    path = study.folder / FILE if study.folder is not None else None
    if path is not None and path.exists():
        return read_guideline(path)
    return guideline(study, tests=False) if study.label_kind == "gender" else ""


def read_guideline(path: str | Path) -> str:
    """Return the text of a file as a guideline, word for word. Raises FairvizError where it cannot be read."""
    path = Path(path)
    try:
        text = read_file(path, MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise FairvizError(f"the guideline {path} cannot be read ({error.strerror or error})",
                           "Name a text file.") from error  # fmt: skip
    except UnicodeDecodeError as error:
        raise FairvizError(f"the guideline {path} is not UTF-8 text", "Save it as UTF-8.") from error
    if not text.strip():
        raise FairvizError(f"the guideline {path} is empty", "Write the instructions for annotators into it.")
    if len(text) > MOST:
        raise FairvizError(f"the guideline {path} has {len(text):,} characters, more than {MOST:,}",
                           "Shorten it.")  # fmt: skip
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _fill(template: Path, parts: dict[str, str]) -> str:
    """Return the template with each {name} replaced by its part; braces within a part stay."""
    first, *rest = template.read_text(encoding="utf-8").split("{")
    pieces = [first]
    for text in rest:
        name, _, after = text.partition("}")
        pieces += [parts[name], after]
    return "".join(pieces)
