"""Attribute sets, and documents that belong to several groups in shares: tables, files, arrays and measures."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.lists import lists_of
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import bias_of, exposures
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.measures.contributions import OneList, by_rank
from fairviz.output.capsule import tables_of
from fairviz.study.attributes import CELL_REMEDY, Attribute, cell_shares, in_one_row, read_cell, share_column
from fairviz.study.loaders.labels import read_labels
from fairviz.study.record import Study
from fairviz.study.study import make_study, open_study_folder, save_study
from tests.conftest import refused
from tests.made import qrels_of, runs_of
from tests.study.loaders.files import fill, put, refusal, rows

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
    cells = ["low", "", None, " mid | high ", "low=0.333333|mid=0.333333|high=0.333333"]
    third = [1 / 3] * 3
    expected = [[1, 0, 0], third, third, [0, 0.5, 0.5], third]
    np.testing.assert_allclose(cell_shares(pd.Series(cells), Attribute(LEVELS)), expected)


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("hi", "'hi' is not one of the levels low, mid, high"),
        ("low|low", "the level 'low' is named twice"),
        ("low=0|low=1", "the level 'low' is named twice"),
        ("low=0.5|mid=0.4", "the shares sum to 0.9, and not to 1"),
        ("low=x|mid=1", "the share of 'low=x' is not a number from 0 to 1"),
        ("low|mid=1", "the share of 'low' is not a number from 0 to 1"),
        ("low=2|mid=-1", "the share of 'low=2' is not a number from 0 to 1"),
        ("low|", "'' is not one of the levels low, mid, high"),
        ("low=nan", "the share of 'low=nan' is not a number from 0 to 1"),
    ],
)
def test_an_invalid_cell_is_named_with_its_line(tmp_path: Path, cell: str, reason: str) -> None:
    fill(tmp_path, {"study.toml": TOML, "documents.csv": f"doc_id,text,h_index\nd1,x,low\n\nd2,y,{cell}\n"})
    with refused(f"documents.csv:4: the column 'h_index': {reason}: {cell!r}\n{CELL_REMEDY}", DataError):
        open_study_folder(tmp_path)


def test_invalid_cells_of_files_without_lines_and_documents_without_the_column(tmp_path: Path) -> None:
    cell = "the column 'h_index': 'huge' is not one of the levels low, mid, high: 'huge'"
    lacking = (
        "study.toml: attributes.h_index: the documents have no column 'h_index'\n"
        "Add the column to the documents, or remove the table [attributes.NAME]."
    )
    table = pd.DataFrame({"doc_id": ["d1", "d2"], "text": "x", "h_index": ["huge", "low"]})
    table.head(1).to_parquet(tmp_path / "one")
    table.tail(1).to_parquet(tmp_path / "other")
    one, other = (tmp_path / "one").read_bytes(), (tmp_path / "other").read_bytes()
    for number, (files, told) in enumerate((
        ({}, lacking),
        ({"documents.csv": "doc_id,text\nd1,x\n"}, lacking),
        ({"documents.jsonl": '{"doc_id": "d1", "text": "x", "h_index": "huge"}\n'},
         f"documents.jsonl:1: {cell}\n{CELL_REMEDY}"),
        ({"documents.parquet": one}, f"documents.parquet: {cell}\n{CELL_REMEDY}"),
        ({"corpus/c-00000-of-00002.parquet": one, "corpus/c-00001-of-00002.parquet": other},
         f"documents: document 'd1' in {cell}\n{CELL_REMEDY}"),
    )):  # fmt: skip
        base = {"study.toml": TOML, "labels.csv": "doc_id,label\nd1,female\n"}
        with refused(told, DataError):
            open_study_folder(fill(tmp_path / str(number), base | files))


def frames(**fields: object) -> Study:
    documents = pd.DataFrame({"doc_id": ["d1", "d2"], "text": ["x", "y"], "h_index": ["low", "mid|high"]})
    return make_study("made", documents=documents, **fields)


def test_a_set_survives_saving_and_enters_the_fingerprints(tmp_path: Path) -> None:
    written = {"h_index": {"levels": list(LEVELS), "scale": "ordinal", "target": [0.5, 0.25, 0.25]}}
    study = frames(attributes=written)
    assert study.attributes == {"h_index": Attribute(LEVELS, "ordinal", (0.5, 0.25, 0.25))}
    assert "attribute sets: h_index" in str(study)
    assert "attribute sets" not in str(frames())
    assert open_study_folder(save_study(study, tmp_path / "made")).attributes == study.attributes
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


# --- Membership in the groups, in shares.

LABEL_MEASURES = [name for name, measure in MEASURES.items() if measure.family == "labels"]
GROUPS = ("neutral", "female", "male")


def study_of(labels: pd.DataFrame, order: tuple[str, ...] = ("d1", "d2", "d3"), **fields: object) -> Study:
    topics = [f"t{place % 2}" for place in range(len(order))]
    return make_study(
        "soft",
        queries=pd.DataFrame({"query_id": ["q"], "text": ["nurse"]}),
        documents=pd.DataFrame({"doc_id": order, "text": "she and he", "topic": topics}),
        labels=labels,
        qrels=qrels_of({"q": {order[0]: 1, order[-1]: 2}}),
        **{"runs": runs_of({"A": order}), **fields},
    )


def long(**shares: dict[str, float]) -> pd.DataFrame:
    table = [(name, "ann", group, share) for name, each in shares.items() for group, share in each.items()]
    return pd.DataFrame(table, columns=["doc_id", "annotator", "label", "share"])


SOFT = long(d1={"female": 0.75, "male": 0.25}, d2={"neutral": 0.5, "male": 0.5}, d3={"male": 1.0})


def test_exposures_and_measures_by_hand() -> None:
    """Equal attention to three documents: female .75/3, male (.25 + .5 + 1)/3, neutral .5/3. Crossed with the topic, d1
    and d3 have t0, d2 has t1, and its neutral half stays neutral."""
    table = in_one_row(SOFT, GROUPS)
    assert rows(table, "doc_id", "label") == [("d1", "female"), ("d2", "neutral"), ("d3", "male")]  # ties: the first
    assert table[share_column("female")].tolist()[:2] == [0.75, 0.0]
    assert np.isnan(table[share_column("male")].iloc[2])  # one label, no shares
    study, equal = study_of(SOFT), {"cutoff": 3, "position_bias": "uniform"}
    row = exposures(study, Settings(**equal)).iloc[0]
    assert row[["neutral", "female", "male"]].tolist() == pytest.approx([0.5 / 3, 0.75 / 3, 1.75 / 3])
    row = exposures(study, Settings(**equal, crossed_with="topic")).iloc[0]
    expected = {"neutral": 0.5, "female, t0": 0.75, "female, t1": 0, "male, t0": 1.25, "male, t1": 0.5}
    assert row[list(expected)].tolist() == pytest.approx([share / 3 for share in expected.values()])
    values = {
        "CWEx(alpha=0.5)": 0.5 * 0.5 / 3 - 0.5 * (1.75 - 0.75) / 3,
        "ExposureGap": 1 / 3,
        "AWRF": 2 * (0.5 - 0.75 / 2.5),  # shares 0.3 and 0.7 against 1/2
        "GroupExposureRatio": 1.0,  # equal attention everywhere
    }
    found = fairviz.evaluate(study, list(values), **equal)["value"]
    assert found.tolist() == pytest.approx(list(values.values()))


@settings(max_examples=settings.default.max_examples // 3)  # each evaluates every measure of labels
@given(codes=st.lists(st.sampled_from([*GROUPS, ""]), min_size=5, max_size=5).filter(any), k=st.integers(1, 6))
def test_one_label_as_a_share_of_1_gives_the_same_numbers_exactly(codes: list[str], k: int) -> None:
    names = tuple(f"d{place}" for place in range(5))
    hard = pd.DataFrame({"doc_id": names, "annotator": "ann", "label": codes}, dtype="str")
    hard = hard[hard["label"] != ""]
    both = [study_of(hard, names), study_of(hard.assign(share=1.0), names)]
    tables = [fairviz.evaluate(study, LABEL_MEASURES, cutoff=k) for study in both]
    pd.testing.assert_frame_equal(*tables, check_exact=True)


@settings(max_examples=settings.default.max_examples // 3)
@given(
    weights=st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), min_size=5, max_size=5),
    unlabelled=st.sampled_from(["skip", "neutral"]),
    bias=st.sampled_from(["log2", "uniform", "reciprocal"]),
)
def test_exposure_against_a_slow_reference(weights: list[list[int]], unlabelled: str, bias: str) -> None:
    """A document without a label stands in the middle of the list."""
    shares = {f"d{place}": np.array(row) / sum(row) for place, row in enumerate(weights)}
    names = ("d0", "d1", "none", "d2", "d3", "d4")
    table = long(**{name: dict(zip(GROUPS, row.tolist(), strict=True)) for name, row in shares.items()})
    chosen = Settings(cutoff=6, position_bias=bias, unlabelled=unlabelled)
    attention = {
        "log2": lambda rank: 1 / np.log2(rank + 1), "uniform": lambda rank: 1.0, "reciprocal": lambda rank: 1 / rank
    }[bias]  # fmt: skip
    sums, total = np.zeros(3), 0.0
    for rank, name in enumerate(names, start=1):
        if name in shares or unlabelled == "neutral":
            sums = sums + attention(rank) * shares.get(name, np.array([1, 0, 0]))
            total += attention(rank)
    row = exposures(study_of(table, names), chosen).iloc[0]
    assert row[list(GROUPS)].tolist() == pytest.approx((sums / total).tolist())


@pytest.mark.parametrize("name", [*LABEL_MEASURES, "AWRF(distance='jsd')"])
def test_parts_add_up_to_the_value(name: str) -> None:
    mixed = {"d1": {"female": 0.7, "male": 0.3}, "d2": {"neutral": 0.4, "female": 0.6}, "d3": {"male": 1.0}}
    study = study_of(long(**mixed, d5={"female": 0.1, "male": 0.9}), ("d1", "d2", "d3", "d4", "d5"))
    for choices in ({}, {"unlabelled": "neutral"}, {"crossed_with": "topic"}):
        if "crossed_with" in choices and name in MEASURES and MEASURES[name].protects:
            if name != "GroupExposureRatio":
                continue
            name = f"{name}(protected='male, t0')"
        chosen = Settings(cutoff=5, **choices)
        question, places = ask(name, chosen), align(study, chosen)
        decompose = question.measure.parts or partial(by_rank, compute=question.measure.compute)
        parts = decompose(OneList(places, question.parameters, bias_of(places, chosen, 5), 5, 0, 0))
        value = fairviz.evaluate(study, name, chosen)["value"].item()
        assert np.isfinite(value)
        assert parts.value == pytest.approx(value)
        assert len(parts.said) == 5


def test_what_needs_one_label_is_refused_and_ends_over_tied_orders_are_searched() -> None:
    study = study_of(SOFT)
    with refused(
        "CWEx(alpha=0.5)@10 cannot be computed for the study 'soft': documents belong to several groups in shares. "
        "Choose an annotator without shares."
    ):
        lists_of(study, Settings(), "CWEx")
    with pytest.raises(FairvizError, match="this needs one label for each"):
        _ = align(study, Settings()).labels.codes
    told = r"document 'd1' in the labels table: the shares of this document sum to 0\.9,"
    with pytest.raises(FairvizError, match=told):
        study_of(long(d1={"female": 0.5, "male": 0.4}))
    tied = study_of(SOFT, runs=runs_of({"A": ("d1", "d2", "d3")}).assign(score=1.0))
    row = fairviz.ties(tied, "Exposure(group='female')", cutoff=1).iloc[0]
    assert (row["smallest"], row["largest"]) == (0.0, 0.75)
    assert row["largest_is"] == "exact"  # all six orders of three documents are tried


HEADER = "doc_id,annotator,label,share\n"
MALFORMED = {
    "d1,ann,F,0.5\nd1,ann,M,0.25\n": "labels.csv:2: the shares of this document sum to 0.75, and not to 1: '0.5'",
    "d1,ann,F,half\nd1,ann,M,0.5\n": "labels.csv:2: the share is not a number from 0 to 1: 'half'",
    "d1,ann,F,-0.5\nd1,ann,M,1.5\n": "labels.csv:2: the share is not a number from 0 to 1: '-0.5'",
    "d1,ann,F,0.5\nd1,ann,female,0.5\n": "labels.csv:3: a second share of 'female' for this document: '0.5'",
}


def test_files_with_shares_are_read_and_saved_and_malformed_ones_are_named_with_their_line(tmp_path: Path) -> None:
    path = put(tmp_path, "labels.csv", f"{HEADER}d1,ann,F,0.75\nd1,ann,M,0.25\nd2,ann,N,\nd3,bob,male,1\n")
    table = read_labels(path, tmp_path)
    assert rows(table, "doc_id", "annotator", "label") == [
        ("d1", "ann", "female"), ("d2", "ann", "neutral"), ("d3", "bob", "male")
    ]  # fmt: skip
    assert table[share_column("male")].iloc[0] == 0.25
    remedy = "Give each group of a document one row, with shares from 0 to 1 that sum to 1."
    for content, line in MALFORMED.items():
        told = refusal(read_labels, put(tmp_path, "labels.csv", HEADER + content), tmp_path)
        assert told.startswith(line)
        assert told.endswith(remedy)
    files = {"memberships.csv": "doc_id,group,share\nd1,female,0.75\nd1,male,0.25\nd2,neutral,1\n"}
    study = open_study_folder(fill(tmp_path / "study", files | {"documents.csv": "doc_id,text\nd1,she\nd2,tree\n"}))
    assert study.labels["label"].tolist() == ["female", "neutral"]
    saved = open_study_folder(save_study(study, tmp_path / "saved"))
    pd.testing.assert_frame_equal(saved.labels, study.labels)
