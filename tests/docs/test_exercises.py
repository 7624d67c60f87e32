"""The exercises: with their answers every check passes, and without any one of them a check fails."""

import json
import re
import sys
from typing import Any

import pytest

from tests.conftest import ROOT

FOLDER = ROOT / "docs" / "exercises"
sys.path.append(str(ROOT / "docs" / "extensions"))

import exercises  # noqa: E402

TEXTS = exercises.exercises(FOLDER)


def run(code: str, names: dict[str, Any]) -> None:
    exec(compile(code, "cell", "exec"), names)


@pytest.mark.parametrize("name", TEXTS)
def test_the_checks_pass_with_each_answer_and_fail_without_it(name: str) -> None:
    text, answers = TEXTS[name]
    codes = exercises.cells(text)
    answered = [code for code, _ in exercises.cells(exercises.filled(text, answers))]
    gaps = [place for place, (_, yours) in enumerate(codes) if yours]
    assert gaps
    names: dict[str, Any] = {"__name__": "__main__"}
    for place, code in enumerate(answered):
        if place in gaps:
            without = dict(names)
            run(codes[place][0], without)
            following = [
                codes[later][0] for later in range(place + 1, min([*[g for g in gaps if g > place], len(codes)]))
            ]
            with pytest.raises(AssertionError):
                run("\n".join(following), without)
        run(code, names)


def test_the_notebook_is_the_exercise_without_answers() -> None:
    for name, (text, answers) in TEXTS.items():
        made = json.loads(json.dumps(exercises.notebook(text)))
        codes = ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]
        assert codes == [code.strip() for code, _ in exercises.cells(text)]
        assert made["cells"][0]["source"][0].startswith("# ")
        assert not any(code.strip() in "\n".join(codes) for code, _ in exercises.cells(answers)), name


def test_the_instructors_pages_have_aim_minutes_and_what_goes_wrong() -> None:
    pages = exercises.generated(FOLDER)
    assert list(pages) == [*(f"answered/{name}.md" for name in TEXTS), "instructor.md"]
    assert len(TEXTS) == 6
    for part in ("*Aim.*", "*What goes wrong.*", "*To discuss.*"):
        assert pages["instructor.md"].count(part) == len(TEXTS)
    told = re.findall(r"\*Minutes\.\* (\d+)", pages["instructor.md"])
    assert told == re.findall(r"\| (\d+) \|", (FOLDER / "index.md").read_text(encoding="utf-8"))
    assert "yours" not in pages["answered/rerank.md"].replace("yourself", "")


def test_a_missing_answer_is_an_error() -> None:
    text, answers = TEXTS["lists"]
    with pytest.raises(ValueError, match="3 cells are the student's, and there are 2 answers"):
        exercises.filled(text, answers[: answers.rindex("```{code-cell}")])
