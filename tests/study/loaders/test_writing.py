"""What no file of a study can hold is refused in one line, and nothing is left of it."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from fairviz.errors import FairvizError
from fairviz.study.study import make_study, save_study
from fairviz.words.counting import Lexicon
from tests.conftest import refused

LABELS = pd.DataFrame({"doc_id": ["1"], "label": ["male"]})
PLAIN = "Give its ids and texts a plain form, or leave that part out."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"title": "\ud800"},
            "the description of the study holds half a character ('\\ud800')\n"
            "Take it out of the title, the description, the groups or the annotators.",
        ),
        (
            {"lexicon": Lexicon("mine", (("She", "female"),))},
            "the word 'She' cannot be written to a file of words\n"
            "Write it in lower case, on one line, with a visible character and without tabs.",
        ),
        (
            {"lexicon": Lexicon("mine", (("she", " female"),))},
            "the group ' female' cannot be written to a file of words\nWrite it on one line.",
        ),
        (
            {"labels": LABELS.assign(note=[b"x"])[["doc_id", "label", "note"]], "annotator": " a "},
            None,
        ),
        ({"groups": ("w", "m"), "protected": "x"}, "the study could not be read again: "),
        (
            {"labels": pd.DataFrame({"doc_id": ["1", "2"], "label": "male", "note": [1, "x"]})},
            "the labels table cannot be written (",
        ),
    ],
)
def test_what_is_refused_or_saved(tmp_path: Path, changes: dict, message: str | None) -> None:
    labels = LABELS.assign(label="w") if "groups" in changes else LABELS
    study = make_study("s", **({"labels": labels} | {name: changes[name] for name in changes if name != "protected"}))
    study = replace(study, protected=changes.get("protected", study.protected))  # which make_study would not take
    if message is None:
        assert save_study(study, tmp_path / "s").is_dir()
        return
    with pytest.raises(FairvizError) as caught:
        save_study(study, tmp_path / "s")
    assert str(caught.value).startswith(message)
    assert not [path for path in tmp_path.iterdir() if path.name != "fairviz-home"]


def test_tables_that_would_read_back_otherwise_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.study.loaders.writing._fits_csv", lambda _: True)
    study = make_study("s", documents=pd.DataFrame({"doc_id": ["1", "2"], "text": [None, "x"]}))
    with refused(f"documents would not read back as they are\n{PLAIN}"):
        save_study(study, tmp_path / "s")


@pytest.mark.parametrize("number", [2**63, -(2**70), 10**5000], ids=["64", "70", "many"])
def test_whole_numbers_beyond_64_bits_are_refused_by_column(number: int, tmp_path: Path) -> None:
    documents = pd.DataFrame({"doc_id": ["1", "2"], "text": "x", "big": pd.Series([1, number], dtype="object")})
    with pytest.raises(FairvizError, match=r"the documents table .* column 'big'.*\nWrite .* as text"):
        save_study(make_study("own", documents=documents), tmp_path / "own")
    assert [*tmp_path.iterdir()] == []
