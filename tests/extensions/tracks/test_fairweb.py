"""FairWeb's files as a study, with GFR as NTCIREVAL combines it, and every slip in a file with its exact message."""

from pathlib import Path

import numpy as np
import pytest

import fairviz
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.extensions.tracks.fairweb import read_fairweb, task_measures
from fairviz.extensions.tracks.fairweb_files import read_described_run, read_gold, read_levels, read_memberships
from fairviz.study.attributes import Attribute
from fairviz.study.loaders.runs import read_run
from fairviz.study.study import open_study_folder, save_study
from tests.conftest import Call, refused
from tests.extensions.tracks.fairweb_files import GENDER, GOLD, HINDEX, fairweb_files
from tests.extensions.tracks.test_gfr import slow


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
