"""Documents that belong to several groups in shares: tables, files, arrays and measures."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.label_effects.lists import lists_of
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import align
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import bias_of, exposures
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.measures.contributions import OneList, by_rank
from fairviz.study.attributes import in_one_row, share_column
from fairviz.study.loaders.labels import read_labels
from fairviz.study.record import Study
from fairviz.study.study import make_study, open_study_folder, save_study
from tests.conftest import refused
from tests.made import qrels_of, runs_of
from tests.study.loaders.files import refusal

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
    rows = [(name, "ann", group, share) for name, each in shares.items() for group, share in each.items()]
    return pd.DataFrame(rows, columns=["doc_id", "annotator", "label", "share"])


SOFT = long(d1={"female": 0.75, "male": 0.25}, d2={"neutral": 0.5, "male": 0.5}, d3={"male": 1.0})


def test_a_document_is_one_row_with_the_largest_share_as_its_label() -> None:
    table = in_one_row(SOFT, GROUPS)
    assert table["doc_id"].tolist() == ["d1", "d2", "d3"]
    assert table["label"].tolist() == ["female", "neutral", "male"]  # of equal shares, the first of the groups
    assert table[share_column("female")].tolist()[:2] == [0.75, 0.0]
    assert np.isnan(table[share_column("male")].iloc[2])  # one label, no shares


def test_exposures_and_measures_by_hand() -> None:
    """Equal attention to three documents: female .75/3, male (.25 + .5 + 1)/3, neutral .5/3. Crossed with the topic, d1
    and d3 have t0, d2 has t1, and its neutral half stays neutral."""
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
@given(codes=st.lists(st.sampled_from([*GROUPS, ""]), min_size=5, max_size=5), k=st.integers(1, 6))
def test_one_label_as_a_share_of_1_gives_the_same_numbers_exactly(codes: list[str], k: int) -> None:
    names = tuple(f"d{place}" for place in range(5))
    hard = pd.DataFrame({"doc_id": names, "annotator": "ann", "label": codes}, dtype="str")
    hard = hard[hard["label"] != ""]
    if not len(hard):
        return
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
        if name in shares:
            sums, total = sums + attention(rank) * shares[name], total + attention(rank)
        elif unlabelled == "neutral":
            sums, total = sums + attention(rank) * np.array([1, 0, 0]), total + attention(rank)
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


def test_what_needs_one_label_and_bad_shares_are_refused_in_one_line() -> None:
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


def test_ends_over_tied_orders_are_searched() -> None:
    tied = study_of(SOFT, runs=runs_of({"A": ("d1", "d2", "d3")}).assign(score=1.0))
    row = fairviz.ties(tied, "Exposure(group='female')", cutoff=1).iloc[0]
    assert (row["smallest"], row["largest"]) == (0.0, 0.75)
    assert row["largest_is"] == "exact"  # all six orders of three documents are tried


# --- files -------------------------------------------------------------------------------------------------------

FILE = "doc_id,annotator,label,share\nd1,ann,F,0.75\nd1,ann,M,0.25\nd2,ann,N,\nd3,bob,male,1\n"


MALFORMED = {
    "d1,ann,F,0.5\nd1,ann,M,0.25\n": "labels.csv:2: the shares of this document sum to 0.75, and not to 1: '0.5'",
    "d1,ann,F,half\nd1,ann,M,0.5\n": "labels.csv:2: the share is not a number from 0 to 1: 'half'",
    "d1,ann,F,-0.5\nd1,ann,M,1.5\n": "labels.csv:2: the share is not a number from 0 to 1: '-0.5'",
    "d1,ann,F,0.5\nd1,ann,female,0.5\n": "labels.csv:3: a second share of 'female' for this document: '0.5'",
}


def test_a_file_with_shares_is_read_and_malformed_ones_are_named_with_their_line(tmp_path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(FILE)
    table = read_labels(path, tmp_path)
    assert table[["doc_id", "annotator", "label"]].to_numpy().tolist() == [
        ["d1", "ann", "female"], ["d2", "ann", "neutral"], ["d3", "bob", "male"]
    ]  # fmt: skip
    assert table[share_column("male")].iloc[0] == 0.25
    remedy = "Give each group of a document one row, with shares from 0 to 1 that sum to 1."
    for rows, line in MALFORMED.items():
        path.write_text("doc_id,annotator,label,share\n" + rows)
        told = refusal(read_labels, path, tmp_path)
        assert told.startswith(line)
        assert told.endswith(remedy)


def test_a_file_of_memberships_is_a_file_of_labels_and_is_saved_whole(tmp_path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "memberships.csv").write_text("doc_id,group,share\nd1,female,0.75\nd1,male,0.25\nd2,neutral,1\n")
    (folder / "documents.csv").write_text("doc_id,text\nd1,she\nd2,tree\n")
    study = open_study_folder(folder)
    assert study.labels["label"].tolist() == ["female", "neutral"]
    saved = open_study_folder(save_study(study, tmp_path / "saved"))
    pd.testing.assert_frame_equal(saved.labels, study.labels)
