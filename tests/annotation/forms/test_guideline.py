"""The guideline that people read: for any groups, or a file word for word."""

from dataclasses import replace
from pathlib import Path

import pytest

from fairviz.annotation.forms.drawing import FILE, MOST, guideline, read_guideline, study_guideline
from fairviz.errors import FairvizError
from tests.annotation.forms.small import small


def test_it_says_what_the_papers_guideline_says() -> None:
    text = guideline(small())
    for said in ("There are 3 answers: neutral, female, male.", "jewellery", "pronouns", "more than one in five",
                 '- "How to choose a dress for the bride." female'):  # fmt: skip
        assert said in text
    assert "{" not in text
    assert "one in five" not in guideline(small(), tests=False)


def test_it_holds_for_any_groups() -> None:
    text = guideline(replace(small(), groups=("women", "{men}", "non-binary"), neutral="none"))
    assert "There are 4 answers: none, women, {men}, non-binary." in text
    assert "bride" not in text
    examples = guideline(replace(small(), groups=("Male", "Female"), neutral="N"))
    assert '- "How to choose a dress for the bride." Female' in examples


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "the guideline {0} cannot be read (No such file or directory)\nName a text file."),
        (b"\xff\xfea", "the guideline {0} is not UTF-8 text\nSave it as UTF-8."),
        (b" \n", "the guideline {0} is empty\nWrite the instructions for annotators into it."),
        (b"x" * (MOST + 1), "the guideline {0} has 20,001 characters, more than 20,000\nShorten it."),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "guideline.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FairvizError) as told:
        read_guideline(path)
    assert str(told.value) == message.format(path)


def test_a_file_is_taken_word_for_word(tmp_path: Path) -> None:
    path = tmp_path / "guideline.txt"
    path.write_text("\ufeff# Mine\n{neutral} stays\n", encoding="utf-8")
    assert read_guideline(path) == "# Mine\n{neutral} stays"


def test_a_study_has_its_own_guideline_else_that_of_its_groups(tmp_path: Path) -> None:
    study = replace(small(), folder=tmp_path)
    assert study_guideline(study) == guideline(study, tests=False)
    assert study_guideline(replace(study, label_kind="other")) == ""
    (tmp_path / FILE).write_text("# Ours\n", encoding="utf-8")
    assert study_guideline(study) == study_guideline(replace(study, label_kind="other")) == "# Ours"
    assert study_guideline(replace(study, folder=None)).startswith("# What is asked")
