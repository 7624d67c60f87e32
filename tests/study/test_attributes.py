"""Attribute sets: cells, files with their lines, studies of frames, and the ways by which a set enters a study."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import DataError, UsageError
from fairviz.output.capsule import tables_of
from fairviz.study.attributes import CELL_REMEDY, Attribute, cell_shares, read_cell
from fairviz.study.study import make_study, open_study_folder, save_study
from tests.conftest import refused

LEVELS = ("low", "mid", "high")
TOML = '[attributes.h_index]\nlevels = ["low", "mid", "high"]\nscale = "ordinal"\n'


@given(weights=st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any))
def test_shares_of_a_cell_come_back(weights: list[int]) -> None:
    shares = [weight / sum(weights) for weight in weights]
    text = "|".join(f"{level}={share!r}" for level, share in zip(LEVELS, shares, strict=True))
    found, reason = read_cell(text, LEVELS)
    assert reason == ""
    np.testing.assert_allclose(found, shares)


def test_cells_without_a_value_are_equal_shares() -> None:
    shares = cell_shares(pd.Series(["low", "", None, " mid | high ", "low=0.333333|mid=0.333333|high=0.333333"]),
                         Attribute(LEVELS))  # fmt: skip
    third = [1 / 3] * 3
    np.testing.assert_allclose(shares, [[1, 0, 0], third, third, [0, 0.5, 0.5], third])


BAD_CELLS = [
    ("hi", "'hi' is not one of the levels low, mid, high"),
    ("low|low", "the level 'low' is named twice"),
    ("low=0|low=1", "the level 'low' is named twice"),
    ("low=0.5|mid=0.4", "the shares sum to 0.9, and not to 1"),
    ("low=x|mid=1", "the share of 'low=x' is not a number from 0 to 1"),
    ("low|mid=1", "the share of 'low' is not a number from 0 to 1"),
    ("low=2|mid=-1", "the share of 'low=2' is not a number from 0 to 1"),
    ("low|", "'' is not one of the levels low, mid, high"),
    ("low=nan", "the share of 'low=nan' is not a number from 0 to 1"),
]


@pytest.mark.parametrize(("cell", "reason"), BAD_CELLS)
def test_an_invalid_cell_is_named_with_its_line(tmp_path: Path, cell: str, reason: str) -> None:
    (tmp_path / "study.toml").write_text(TOML)
    (tmp_path / "documents.csv").write_text(f"doc_id,text,h_index\nd1,x,low\n\nd2,y,{cell}\n")
    with refused(f"documents.csv:4: the column 'h_index': {reason}: {cell!r}\n{CELL_REMEDY}", DataError):
        open_study_folder(tmp_path)


def test_invalid_cells_of_files_without_lines_and_documents_without_the_column(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(TOML)
    (tmp_path / "labels.csv").write_text("doc_id,label\nd1,female\n")
    for documents in (None, "doc_id,text\nd1,x\n"):
        if documents:
            (tmp_path / "documents.csv").write_text(documents)
        with refused(
            "study.toml: attributes.h_index: the documents have no column 'h_index'\n"
            "Add the column to the documents, or remove the table [attributes.NAME].",
            DataError,
        ):
            open_study_folder(tmp_path)
    (tmp_path / "documents.csv").unlink()
    (tmp_path / "documents.jsonl").write_text('{"doc_id": "d1", "text": "x", "h_index": "huge"}\n')
    message = "the column 'h_index': 'huge' is not one of the levels low, mid, high: 'huge'"
    with refused(f"documents.jsonl:1: {message}\n{CELL_REMEDY}", DataError):
        open_study_folder(tmp_path)
    (tmp_path / "documents.jsonl").unlink()
    pd.DataFrame({"doc_id": ["d1"], "text": ["x"], "h_index": ["huge"]}).to_parquet(tmp_path / "documents.parquet")
    with refused(f"documents.parquet: {message}\n{CELL_REMEDY}", DataError):
        open_study_folder(tmp_path)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "documents.parquet").rename(tmp_path / "corpus" / "c-00000-of-00002.parquet")
    other = pd.DataFrame({"doc_id": ["d2"], "text": ["x"], "h_index": ["low"]})
    other.to_parquet(tmp_path / "corpus" / "c-00001-of-00002.parquet")
    with refused(f"documents: document 'd1' in {message}\n{CELL_REMEDY}", DataError):
        open_study_folder(tmp_path)


def frames(**fields: object):
    documents = pd.DataFrame({"doc_id": ["d1", "d2"], "text": ["x", "y"], "h_index": ["low", "mid|high"]})
    return make_study("made", documents=documents, **fields)


def test_a_set_survives_saving_and_enters_the_fingerprints(tmp_path: Path) -> None:
    written = {"h_index": {"levels": list(LEVELS), "scale": "ordinal", "target": [0.5, 0.25, 0.25]}}
    study = frames(attributes=written)
    assert study.attributes == {"h_index": Attribute(LEVELS, "ordinal", (0.5, 0.25, 0.25))}
    assert "attribute sets: h_index" in str(study)
    assert "attribute sets" not in str(frames())
    again = open_study_folder(save_study(study, tmp_path / "made"))
    assert again.attributes == study.attributes
    others = [frames(), frames(attributes={"h_index": Attribute(LEVELS)})]
    others += [frames(attributes={"h_index": Attribute(LEVELS, "ordinal")})]
    assert len({one.fingerprint for one in (study, *others)}) == 4
    assert len({tables_of(one)["metadata"]["sha256"] for one in (study, *others)}) == 4
    # one without sets has the fingerprint that it had before there were any
    assert frames().fingerprint == "774587ed42b0ad43ed6bd6e89d8a9d59979ec510e91407c934e57b967446e974"


def test_defects_of_sets_in_python() -> None:
    with pytest.raises(UsageError, match=r"attributes.h_index: levels must be two or more, each once: \"\('low',\)\""):
        frames(attributes={"h_index": Attribute(("low",))})
    with pytest.raises(UsageError, match=r"attributes\.h_index is not a table: '5'"):
        frames(attributes={"h_index": 5})
    with refused("the documents table has no column 'origin', of which attributes.origin is\nAdd it, or drop the set."):
        frames(attributes={"origin": Attribute(LEVELS)})
    with refused(f"document 'd2' in the column 'h_index': 'mid' is not one of the levels low, high\n{CELL_REMEDY}"):
        frames(attributes={"h_index": Attribute(("low", "high"))})
