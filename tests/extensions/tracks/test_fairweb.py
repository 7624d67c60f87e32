"""GFR, GF and RNOD by hand and against a slow reference written from NTCIREVAL's formulas; FairWeb's files as a study,
and every slip in a file with its exact message."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz import installed
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.extensions.tracks.fairweb import read_fairweb, task_measures
from fairviz.extensions.tracks.fairweb_files import read_described_run, read_gold, read_levels, read_memberships
from fairviz.extensions.tracks.gfr import IRBU, fairness_at, relevance_at, satisfaction
from fairviz.measures.awrf import distance_of
from fairviz.measures.grammar import parse_question
from fairviz.study.attributes import Attribute
from fairviz.study.loaders.runs import read_run
from fairviz.study.study import add_documents, make_study, open_study_folder, save_study
from tests.conftest import Call, refused
from tests.extensions.tracks.files import GENDER, GOLD, HINDEX, fairweb_files
from tests.made import labels_of, qrels_of, runs_of


def slow_rnod(system: list[float], gold: list[float]) -> float:
    """DW(i) = Σ_j |i − j| (x_j − t_j)²; OD: its mean over the i with t_i > 0; RNOD = sqrt(OD / (|C| − 1))."""
    groups = range(len(gold))
    weighted = [sum(abs(i - j) * (system[j] - gold[j]) ** 2 for j in groups) for i in groups]
    positive = [i for i in groups if gold[i] > 0]
    return math.sqrt(sum(weighted[i] for i in positive) / len(positive) / (len(gold) - 1))


def slow_jsd(system: list[float], gold: list[float]) -> float:
    def divergence(first: list[float], second: list[float]) -> float:
        return sum(x * math.log2(x / y) for x, y in zip(first, second, strict=True) if x > 0)

    pivot = [(x + y) / 2 for x, y in zip(system, gold, strict=True)]
    return (divergence(system, pivot) + divergence(gold, pivot)) / 2


def slow(levels: list[int], top: int, members: list[list[float]], gold: list[float], cutoff: int) -> dict[str, float]:
    """The sums of NTCIREVAL's GFRcompute: gains 2^l − 1, divided by the largest gain + 1."""
    dissatisfied, totals, values = 1.0, [0.0] * len(gold), dict.fromkeys(("err", "irbu", "jsd", "rnod"), 0.0)
    for rank, (level, shares) in enumerate(zip(levels, members, strict=True), start=1):
        if rank > cutoff:
            break
        totals = [total + share for total, share in zip(totals, shares, strict=True)]
        achieved = [total / rank for total in totals]
        satisfied = (2**level - 1) / ((2**top - 1) + 1)
        values["err"] += dissatisfied * satisfied / rank
        values["irbu"] += dissatisfied * satisfied * IRBU**rank
        values["jsd"] += dissatisfied * satisfied * (1 - slow_jsd(achieved, gold))
        values["rnod"] += dissatisfied * satisfied * (1 - slow_rnod(achieved, gold))
        dissatisfied *= 1 - satisfied
    return values


def distributions(groups: int) -> st.SearchStrategy[list[float]]:
    weights = st.lists(st.integers(0, 5), min_size=groups, max_size=groups).filter(any)
    return weights.map(lambda row: [weight / sum(row) for weight in row])


@given(data=st.data(), groups=st.integers(2, 5), length=st.integers(1, 6), cutoff=st.integers(1, 8))
def test_components_against_the_slow_reference(data, groups: int, length: int, cutoff: int) -> None:
    levels = data.draw(st.lists(st.integers(0, 3), min_size=length, max_size=length))
    members = data.draw(st.lists(distributions(groups), min_size=length, max_size=length))
    gold = data.draw(distributions(groups))
    expected = slow(levels, 3, members, gold, cutoff)
    chances = satisfaction(np.array(levels), 3).reshape(-1, 1, 1)
    belonging, at = np.array(members)[:, None, None], np.array([cutoff])
    for user in ("err", "irbu"):
        assert relevance_at(chances, at, user).item() == pytest.approx(expected[user], abs=1e-12)
    for distance in ("jsd", "rnod"):
        value = fairness_at(chances, belonging, np.array(gold), at, distance).item()
        assert value == pytest.approx(expected[distance], abs=1e-9)
    assert 0 <= distance_of(np.array(members[0]), np.array(gold), "rnod").item() <= 1 + 1e-12
    assert distance_of(np.array(gold), np.array(gold), "rnod").item() == 0


def test_rnod_by_hand() -> None:
    """All in the last of three groups against thirds: weights 1/2, 1/3, 1/2, squares 1/9, 1/9, 4/9: sqrt(17/54)."""
    thirds = np.full(3, 1 / 3)
    assert distance_of(np.array([0.0, 0, 1]), thirds, "rnod").item() == pytest.approx(math.sqrt(17 / 54))
    ends = [distance_of(np.array(row), np.array([1.0, 0, 0]), "rnod").item() for row in ([0, 1.0, 0], [0, 0, 1.0])]
    assert ends == pytest.approx([math.sqrt(1 / 2), 1])  # one group away, and as far as can be


def study_of(**fields: object):
    runs = runs_of({("A", query): "d1 d2 d3" for query in ("q1", "q2")})
    values = {"labels": labels_of({"d1": "female", "d2": "neutral"}), "qrels": qrels_of({"q1": {"d1": 1, "d3": 2}})}
    return make_study("gfr", runs=runs, **{**values, **fields})


def test_the_measure_by_hand() -> None:
    """Chances 1/4, 0, 3/4, stops 1/4 and 9/16; neutral and unlabelled documents are half and half, so that female has
    1 at rank 1 and 2/3 at rank 3: RNOD 1/2 and 1/6. q2 has no relevant document."""
    values = fairviz.evaluate(study_of(scale="ordinal"), "GFR(distance='rnod')", cutoff=3)["value"].tolist()
    relevance, fairness = 1 / 4 + 9 / 16 / 3, 1 / 4 * 1 / 2 + 9 / 16 * 5 / 6
    assert values[0] == pytest.approx((relevance + fairness) / 2)
    assert math.isnan(values[1])


def test_where_it_is_undefined_or_refused() -> None:
    study = study_of(labels=labels_of({"d9": "female"}))
    assert math.isnan(fairviz.evaluate(study, "GFR", cutoff=3)["value"][0])
    assert math.isnan(fairviz.evaluate(study_of(), "GFR", cutoff=3, unlabelled="strict")["value"][0])
    assert not math.isnan(fairviz.evaluate(study_of(), "GFR", cutoff=2, unlabelled="strict")["value"][0])
    for measure in ("GFR(distance='rnod')", "AWRF(distance='rnod')"):
        with pytest.raises(FairvizError, match=r"its groups have no order, and rnod is of ordinal groups\. Write"):
            fairviz.evaluate(study_of(), measure, cutoff=3)
    with pytest.raises(FairvizError, match="it has no relevance judgements"):
        fairviz.evaluate(study_of(qrels=None), "GFR", cutoff=3)
    with pytest.raises(FairvizError, match=r"no attribute set 'age'\. Add \[attributes\.COLUMN\] with levels = \["):
        fairviz.evaluate(study_of(), "GFR(attributes='age')", cutoff=3)
    study = study_with_sets(["low"] * 3, ["north"] * 3)
    for sets, message in {
        "age": "it has no attribute set 'age'. Use one of h_index, origin.",
        "h_indx+origin": "it has no attribute set 'h_indx'. Did you mean h_index? Use one of h_index, origin.",
        "origin+origin": "the attribute set 'origin' is named twice. Name it once.",
    }.items():
        with refused(f"GFR(attributes={sets!r})@3 cannot be computed for the study 'gfr': {message}"):
            fairviz.evaluate(study, f"GFR(attributes={sets!r})", cutoff=3)


SETS = {
    "h_index": {"levels": ["low", "mid", "high"], "scale": "ordinal"},
    "origin": {"levels": ["north", "south"], "target": [0.25, 0.75]},
}


def study_with_sets(h_index: list[str | None], origin: list[str | None]):
    cells = {"doc_id": ["d1", "d2", "d3"], "text": "", "h_index": h_index, "origin": origin}
    return study_of(documents=pd.DataFrame(cells), attributes=SETS)


def test_several_sets_by_hand() -> None:
    """Chances 1/4, 0, 3/4, stops 1/4 and 9/16. Gender by JSD, h-index by RNOD, origin by JSD from (1/4, 3/4).

    h-index: low at rank 1; d2 has no value, d3 is high, so that rank 3 has 4/9, 1/9, 4/9. RNOD at rank 1 has weights
    1/2, 1/3, 1/2 and squares 4/9, 1/9, 1/9; at rank 3 squares 1/81, 4/81, 1/81. Origin: north; at rank 3 1/2, 1/2.
    """
    study = study_with_sets(["low", "", "high"], ["north", "south", "north|south"])
    relevance = 1 / 4 + 9 / 16 / 3
    gender = 1 / 4 * (1 - slow_jsd([1, 0], [0.5, 0.5])) + 9 / 16 * (1 - slow_jsd([2 / 3, 1 / 3], [0.5, 0.5]))
    first = math.sqrt(4 / 9 / 2 + 1 / 9 / 3 + 1 / 9 / 2)
    third = math.sqrt(1 / 81 / 2 + 4 / 81 / 3 + 1 / 81 / 2)
    level = 1 / 4 * (1 - first) + 9 / 16 * (1 - third)
    origin = 1 / 4 * (1 - slow_jsd([1, 0], [0.25, 0.75])) + 9 / 16 * (1 - slow_jsd([0.5, 0.5], [0.25, 0.75]))
    texts = ["GFR", "GFR(attributes='h_index')", "GFR(attributes='h_index+origin')"]
    values = fairviz.evaluate(study, texts, cutoff=3).query("query_id == 'q1'").set_index("measure")["value"]
    assert values["GFR@3"] == pytest.approx((relevance + gender) / 2)
    assert values["GFR(attributes='h_index')@3"] == pytest.approx((relevance + gender + level) / 3)
    assert values["GFR(attributes='h_index+origin')@3"] == pytest.approx((relevance + gender + level + origin) / 4)


def test_the_highest_grade_is_that_of_the_study_and_not_of_some_queries() -> None:
    """Of q1 alone, whose documents have grades 0 and 1, under a filter and in places of fewer queries."""
    study = study_of(qrels=qrels_of({"q1": {"d1": 1}, "q2": {"d3": 2}}), scale="ordinal")
    assert fairviz.evaluate(study, "GFR(distance='rnod')", cutoff=1)["value"][0] == (1 / 4 + 1 / 4 * 1 / 2) / 2
    runs = study.runs[study.runs["query_id"] == "q1"]
    fewer = make_study("fewer", runs=runs, labels=study.labels[["doc_id", "label"]], qrels=study.qrels, scale="ordinal")
    assert fairviz.evaluate(fewer, "GFR(distance='rnod')", cutoff=1)["value"][0] == (1 / 4 + 1 / 4 * 1 / 2) / 2


def test_a_cell_that_was_added_later_is_checked_when_a_measure_reads_it() -> None:
    study = make_study(
        "made",
        documents=pd.DataFrame({"doc_id": ["d1", "d2"], "text": ["x", "y"], "h_index": ["low", "mid|high"]}),
        attributes={"h_index": Attribute(("low", "mid", "high"))},
        runs=runs_of({"A": "d3"}),
        labels=labels_of({"d3": "female"}),
        qrels=qrels_of({"q": "d3"}),
    )
    study = add_documents(study, pd.DataFrame({"doc_id": ["d3"], "text": ["z"], "h_index": ["huge"]}))
    with pytest.raises(FairvizError, match="document 'd3' in the column 'h_index': 'huge' is not one of the levels"):
        fairviz.evaluate(study, "GFR(attributes='h_index')")
    assert fairviz.evaluate(study, "GFR")["value"].notna().all()


def test_without_the_extension_its_measure_is_known_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "bundled", lambda group: {})
    with refused(
        "the measure GFR is of the extension tracks, which this copy of fairviz lacks\n"
        "Install the whole of fairviz, or put back its folder fairviz/extensions/tracks.",
        UsageError,
    ):
        parse_question("GFR(user='irbu')@10", {})


# --- FairWeb's files


def test_the_study_of_the_files(tmp_path: Path) -> None:
    study = read_fairweb(**fairweb_files(tmp_path))
    assert study.systems == ("first", "second")
    assert sorted(study.runs["query_id"].unique()) == ["R1", "R2"]
    assert study.groups == ("1", "2", "3")
    assert study.attributes == {"R-HINDEX": Attribute(("1", "2"), "ordinal", (0.25, 0.75))}
    assert study.notices == (
        "The groups are those of R-GENDER, without an order, numbered as in the file, which has no names of groups.",
        "1 document with memberships that differ between topics: stored once for each topic.",
    )
    assert study.qrels["doc_id"].tolist() == ["a#R1", "b", "c", "c", "d", "a#R2", "v"]
    assert study.documents.set_index("doc_id")["R-HINDEX"].to_dict() == {
        "a#R1": "1=1.0", "b": "1=0.5|2=0.5", "c": "2=1.0", "d": "1=0.75|2=0.25", "a#R2": "1=1.0",
    }  # fmt: skip
    labels = study.labels.set_index("doc_id")
    np.testing.assert_allclose(labels.loc["a#R2", ["share of 1", "share of 2", "share of 3"]].astype(float),
                               [0.2, 0.4, 0.4])  # fmt: skip
    again = open_study_folder(save_study(study, tmp_path / "study"))
    assert again.attributes == study.attributes
    assert fairviz.evaluate(again, "GFR(attributes='R-HINDEX')@3").equals(
        fairviz.evaluate(study, "GFR(attributes='R-HINDEX')@3")
    )


def members(text: str) -> dict[tuple[str, str], list[float]]:
    rows = (line.split() for line in text.splitlines())
    return {(row[0], row[1]): [float(share) / sum(map(float, row[2:])) for share in row[2:]] for row in rows}


LISTS = {
    ("first", "R1"): ["a", "u", "c"],
    ("first", "R2"): ["d", "a"],
    ("second", "R1"): ["c", "b"],
    ("second", "R2"): ["c"],
}
LEVELS = {("R1", "a"): 2, ("R1", "c"): 1, ("R2", "c"): 1, ("R2", "d"): 1}


def test_gfr_as_ntcireval_averages_it(tmp_path: Path) -> None:
    """(relevance + GF-JSD of R-GENDER + GF-RNOD of R-HINDEX) / 3, of NTCIR-GFReval and Average-topicsys-matrices.

    `u` is in no file of memberships, and stands equally in all groups; the gains are 1:3.
    """
    study = read_fairweb(**fairweb_files(tmp_path))
    for user, text in zip(("err", "irbu"), task_measures(study), strict=True):
        values = fairviz.evaluate(study, text, cutoff=20).set_index(["system", "query_id"])["value"]
        for (system, topic), documents in LISTS.items():
            levels = [LEVELS.get((topic, document), 0) for document in documents]
            parts = []
            for shares, gold in ((members(GENDER), [1 / 3] * 3), (members(HINDEX), list(map(float, GOLD.split())))):
                rows = [shares.get((topic, document), [1 / len(gold)] * len(gold)) for document in documents]
                parts.append(slow(levels, 2, rows, gold, 20))
            expected = (parts[0][user] + parts[0]["jsd"] + parts[1]["rnod"]) / 3
            assert values[system, topic] == pytest.approx(expected, abs=1e-9), (user, system, topic)


def test_an_ordinal_set_first_and_one_set_alone(tmp_path: Path) -> None:
    files = fairweb_files(tmp_path)
    study = read_fairweb(**{**files, "memberships": files["memberships"][::-1]}, ordinal=["R-HINDEX"])
    assert (study.scale, study.targets) == ("ordinal", {"1": 0.25, "2": 0.75})
    assert task_measures(study)[0] == "GFR(distance='rnod',attributes='R-GENDER')"
    both = [fairviz.evaluate(one, task_measures(one)[0], cutoff=20)["value"] for one in (study, read_fairweb(**files))]
    np.testing.assert_allclose(*both, atol=1e-12)
    alone = read_fairweb(files["memberships"][0], files["qrels"], files["runs"], ordinal=[])
    assert task_measures(alone) == ("GFR", "GFR(user='irbu')")


def test_topics_have_texts_from_a_file_of_queries(tmp_path: Path) -> None:
    (tmp_path / "queries.tsv").write_text("query_id\ttext\nR1\tone\nR2\ttwo\nY1\tthree\n")
    study = read_fairweb(**fairweb_files(tmp_path), topics=tmp_path / "queries.tsv")
    assert study.queries["text"].tolist() == ["one", "two"]
    (tmp_path / "queries.tsv").write_text("query_id\ttext\nR1\tone\n")
    with refused("queries.tsv has no topic 'R2'\nName the file of these topics."):
        read_fairweb(**fairweb_files(tmp_path), topics=tmp_path / "queries.tsv")


SHARES = "Write shares as numbers from 0 to 1."
SUM = "Give shares that sum to 1."
LINE = "Write a line as: topic document p1 … pG, with the share of each group."
ONCE = "Keep one line for each document of a topic."
GOLD_REMEDY = "Write the target share of each group on a line of its own, from 0 to 1, with the sum 1."
BAD = [
    (read_memberships, "R1 a 1 0\nR1 b 1\n", f"f:2: expected 4 columns, found 3: 'R1 b 1'\n{LINE}"),
    (read_memberships, "\nR1 a 1\n", f"f:2: expected 4 columns or more, found 3: 'R1 a 1'\n{LINE}"),
    (read_memberships, "\n", "f: the file is empty\nRemove it, or fill it."),
    (read_memberships, "R1 a 1 x\n", f"f:1: a share is not a number from 0 to 1: 'x'\n{SHARES}"),
    (read_memberships, "R1 a 2 -1\n", f"f:1: a share is not a number from 0 to 1: '2'\n{SHARES}"),
    (read_memberships, "R1 a nan 1\n", f"f:1: a share is not a number from 0 to 1: 'nan'\n{SHARES}"),
    (read_memberships, "R1 a 0.5 0.4\n", f"f:1: the shares sum to 0.9, and not to 1: 'R1 a 0.5 0.4'\n{SUM}"),
    (
        read_memberships,
        "R1 a 1 0\nR2 a 1 0\nR1 a 1 0\n",
        f"f:3: document 'a' has memberships for query 'R1' in line 1 already\n{ONCE}",
    ),
    (read_levels, "R1 a 2\n", "f:1: the level is not L and a number: '2'\n"
     "Write the relevance level as L and a number, L0 for not relevant."),
    (read_levels, "R1 0 a L2\n", "f:1: expected 3 columns, found 4: 'R1 0 a L2'\n"
     "Write a relevance line as: topic document L2."),
    (read_levels, "R1 a L2\nR1 a L1\n", f"f:2: document 'a' is judged for query 'R1' in line 1 already\n{ONCE}"),
    (read_gold, "0.5\nhalf\n", f"f:2: the line is not a number from 0 to 1: 'half'\n{GOLD_REMEDY}"),
    (read_gold, "0.5\n0.4\n", f"f: 2 target shares that sum to 0.9, and not to 1\n{GOLD_REMEDY}"),
    (read_gold, "1\n", f"f: 1 target shares that sum to 1, and not to 1\n{GOLD_REMEDY}"),
    (
        read_described_run,
        "<SYSDESC>x</SYSDESC>\nR1 0 a 1 high run\n",
        "f:2: the score is not a finite number: 'high'\nWrite the score as a finite number, such as 8.5.",
    ),
]  # fmt: skip


def test_slips_in_files(tmp_path: Path) -> None:
    for read, text, message in BAD:
        (tmp_path / "f").write_text(text)
        with refused(message, DataError):
            read(tmp_path / "f", tmp_path)
    (tmp_path / "run").write_text("<SYSDESC>x</SYSDESC>\nR1 0 a 1 2 t\nR1 0 b 2 1 t\n")
    described = read_described_run(tmp_path / "run")
    (tmp_path / "run").write_text("R1 0 a 1 2 t\nR1 0 b 2 1 t\n")
    assert described.equals(read_run(tmp_path / "run"))


def test_files_that_do_not_match(tmp_path: Path) -> None:
    files = fairweb_files(tmp_path)

    def message(**changed: object) -> str:
        with pytest.raises(FairvizError) as error:
            read_fairweb(**{**files, **changed})
        return str(error.value)

    videos = tmp_path / "toy.Y-SUBSCS.gmemb"
    videos.write_text("Y1 v 1 0\n")
    assert message(memberships=[files["memberships"][0], videos], gold=[]) == (
        "R-GENDER has the topic 'R1', which Y-SUBSCS lacks\n"
        "Name the attribute sets of one type of topics, as R-GENDER and R-HINDEX."
    )
    assert message(memberships=[videos], gold=[]) == (
        "the run second ranks none of the topics Y1, …\nName the runs of the topics of the memberships."
    )
    assert message(memberships=[files["memberships"][0]] * 2) == (
        "two files hold the attribute set 'R-GENDER'\nName one file of each set."
    )
    assert message(memberships=files["memberships"][:1]) == (
        "no memberships of the set 'R-HINDEX', of which there are targets\nDid you mean R-GENDER? Use one of R-GENDER."
    )
    (tmp_path / "R-GENDER.golddistr").write_text(GOLD)
    assert message(gold=tmp_path / "R-GENDER.golddistr") == (
        "R-GENDER has 3 groups and 2 targets\nGive a target share for each group."
    )
    assert message(ordinal=["R-HINDX"]) == (
        "no memberships of the ordinal set 'R-HINDX'\nDid you mean R-HINDEX? Use one of R-GENDER, R-HINDEX."
    )
    assert message(runs=[files["runs"][0]] * 2) == (
        "two runs would be called 'first'\nRename one of the files: the system takes its name."
    )
    with pytest.raises(UsageError, match=r"ordinal is \[1\]"):
        read_fairweb(**files, ordinal=[1])


def test_the_command_line_makes_the_study_and_scores_it(tmp_path: Path, call: Call) -> None:
    study, options = tmp_path / "study", []
    for name, paths in fairweb_files(tmp_path).items():
        options += [f"--{name}", *(paths if isinstance(paths, list) else [paths])]
    first = call("fairweb", study, options, "--format csv")
    assert f"wrote {study}" in first.err
    assert "The groups are those of R-GENDER" in first.err
    assert call("fairweb", study, "--format csv").out == first.out
    assert {(row["system"], row["measure"]) for row in first.rows} == {
        (system, f"GFR({user}attributes='R-HINDEX')@20")
        for system in ("first", "second")
        for user in ("", "user='irbu',")
    }
    said = call("fairweb", study, "--qrels q", status=2)
    assert "--memberships, --qrels and --runs belong together" in said.err
