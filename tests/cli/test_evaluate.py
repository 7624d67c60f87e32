"""fairviz evaluate: values by hand, files of choices, ranges over ties and orders, folders of studies, many runs."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.cli.main import parser
from fairviz.cli.options import settings_of
from fairviz.home import application_folder
from fairviz.study.record import Study
from tests.conftest import Call

FOOTBALL_NOTE = (
    "note: The documents, labels and relevance of this study were made by this project after Figure 1 of the TExFAIR "
    "paper; they are an illustration, not evidence about any search engine.\n"
)
FOOTBALL = application_folder() / "data" / "football"
RUNS = str(FOOTBALL / "runs" / "*")
SHAPES = ("", "--per-query", "--wide")


def test_csv(call: Call) -> None:
    said = call("evaluate football CWEx(alpha=0.5) nDCG@4 --k 4 --format csv")
    assert said.err == FOOTBALL_NOTE + "note: 4 of 4 ranks labelled: project (model with a reader).\n"
    assert said.out.splitlines()[0] == "system,measure,value,ci_low,ci_high,queries,undefined,coverage"
    assert [(row["system"], row["measure"]) for row in said.rows] == [
        (system, measure) for measure in ("CWEx(alpha=0.5)@4", "nDCG@4") for system in ("left", "right")
    ]
    # Figure 1 by hand: p = 1, 0.63093, 0.5, 0.43068; male ranks 1 and 4, female 2 and 3.
    p = [1, 0.6309297535714575, 0.5, 0.43067655807339306]
    gap = abs(p[0] + p[3] - p[1] - p[2]) / sum(p)
    left, right, ndcg, _ = said.rows
    assert (float(left["value"]), float(right["value"])) == pytest.approx((-0.5 * gap, -0.5), abs=1e-12)
    assert (left["coverage"], ndcg["coverage"]) == ("1.0", ""), "no labels in nDCG"
    assert (left["ci_low"], left["queries"], left["undefined"]) == ("", "1", "0"), "one query"
    assert call("evaluate football NFaiRR(tau=1)@4 --per-query --format csv").out == (
        "system,query_id,measure,value\nleft,best-player,NFaiRR(tau=1)@4,\nright,best-player,NFaiRR(tau=1)@4,\n"
    ), "an undefined value is an empty field"
    decided = call("evaluate Football cwex ndcg@4 --k 4 --format csv --annotator adjudicated")
    assert decided.out == said.out, "before there are any decisions, and whatever the case of letters"
    decisions = "adjudicated (a reader's decisions), else project (model with a reader)"
    assert decided.err == FOOTBALL_NOTE + f"note: 4 of 4 ranks labelled: {decisions}.\n"


def test_table_and_latex(call: Call) -> None:
    assert call("evaluate football CWEx@4").out == (
        "system  measure              value  ci_low  ci_high  queries  undefined  coverage\n"
        "left    CWEx(alpha=0.5)@4  -0.0585       –        –        1          0    1.0000\n"
        "right   CWEx(alpha=0.5)@4  -0.5000       –        –        1          0    1.0000\n"
    )
    latex = call("evaluate football CWEx@4 --format latex").out
    assert "left & CWEx(alpha=0.5)@4 & -0.0585 & -- & -- & 1 & 0 & 1.0000 \\\\" in latex


def test_every_option_is_handed_on() -> None:
    options = (
        "--k 7 --position-bias rbp(p=0.6) --tokenizer whitespace --annotator majority --unlabelled strict "
        "--background collection --ties trec_eval --query-terms lemma --list-weights code"
    )
    assert settings_of(parser().parse_args(["evaluate", "football", "CWEx", *options.split()])) == fairviz.Settings(
        cutoff=7, position_bias="rbp(p=0.6)", tokenizer="whitespace", annotator="majority", unlabelled="strict",
        background="collection", ties="trec_eval", query_terms="lemma", list_weights="code",
    )  # fmt: skip
    assert settings_of(parser().parse_args(["evaluate", "football", "CWEx"])) == fairviz.Settings()


def test_weights_and_a_lexicon_from_a_file(tmp_path: Path, call: Call) -> None:
    weights = tmp_path / "clicks.csv"
    weights.write_text("rank,weight\n1,3\n2,1\n")
    asked = "evaluate football ExposureGap@4 --per-query --format csv --position-bias"
    assert [row["value"] for row in call(asked, weights).rows] == ["0.5", "1.0"]
    weights.write_text("rank,weight\n1,a\n")
    assert call(asked, weights, status=1).err == (
        "clicks.csv:2: the weight is not a number of 0 or more: '1,a'\n"
        "Give two columns, rank and weight, such as: 1,0.42\n"
    )
    lexicon = tmp_path / "words.csv"
    lexicon.write_text("word,group\nleague,male\nclub,female\n")
    asked = "evaluate football RaB(magnitude=tc)@4 --per-query --format csv --lexicon"
    values = [float(row["value"]) for row in call(asked, lexicon).rows]
    assert values == [-0.25, 0.25], "left: league twice, club once; right: league once, club twice"
    lexicon.write_text("word,group\nleague,male\nleague,female\n")
    assert "words.csv:3: " in call(asked, lexicon, status=1).err


# --- ranges over ties and over random orders --------------------------------------------------------------------


def test_gsr_has_no_range_over_ties(call: Call) -> None:
    said = call("evaluate newswire CWEx GSR --tie-range --format csv")
    assert "note: GSR@10 has no value for one query, and so no range over ties.\n" in said.err
    assert {row["measure"] for row in said.rows} == {"CWEx(alpha=0.5)@10"}
    assert call("evaluate newswire GSR --tie-range --format csv").rows == []


def test_chance_adds_the_band_of_random_orders(newswire: Study, call: Call) -> None:
    asked = "evaluate newswire CWEx nDCG --chance judged --format csv"
    table = call(asked).frame
    expected = fairviz.chance(newswire, ["CWEx", "nDCG"], candidates="judged")
    for column, name in {"chance": "chance", "chance_low": "low", "chance_high": "high", "outside": "outside"}.items():
        assert table[column].to_numpy() == pytest.approx(expected[name].to_numpy(dtype=float), abs=1e-12)
    assert list(table.columns[:5]) == ["system", "measure", "value", "ci_low", "ci_high"]
    assert call(asked, "--per-query").frame["outside"].sum() == expected["outside"].sum()


# --- a folder of studies: one table, with a line for each study that cannot be read -----------------------------


@pytest.fixture
def studies(tmp_path: Path) -> Path:
    for name in ("football", "traits"):
        shutil.copytree(FOOTBALL.parent / name, tmp_path / "studies" / name)
    (tmp_path / "studies" / "notes").mkdir()
    return tmp_path / "studies"


def test_a_folder_of_studies_is_one_table(studies: Path, tmp_path: Path, call: Call) -> None:
    for shape in SHAPES:
        table = call(f"evaluate {studies} TExFAIR@5 {shape} --format csv").frame
        assert list(table)[:2] == ["study", "system"]
        assert table["study"].unique().tolist() == ["football", "traits"]
        for name, part in table.groupby("study"):
            alone = call(f"evaluate {studies}/{name} TExFAIR@5 {shape} --format csv").frame
            pd.testing.assert_frame_equal(part.drop(columns="study").reset_index(drop=True), alone)
    # files name what each study was computed with
    asked = f"evaluate {studies} TExFAIR@5 --tokenizer whitespace"
    call(asked, f"--format json --output {tmp_path}/t.json")
    rows = pd.read_json(tmp_path / "t.json")
    assert set(zip(rows["study"], rows["settings"], strict=True)) == {
        ("football", "tokenizer=whitespace"), ("traits", "tokenizer=whitespace"),
    }  # fmt: skip
    call(asked, f"--format markdown --output {tmp_path}/t.md")
    comments = [line for line in (tmp_path / "t.md").read_text().splitlines() if line.startswith("<!-- study")]
    assert comments == ["<!-- study: football -->", "<!-- study: traits -->"]
    # one that cannot be read is named, and the others are answered
    (studies / "broken" / "runs").mkdir(parents=True)
    (studies / "broken" / "runs" / "a.run").write_text("1 Q0 d one 2.5 a\n")
    said = call(f"evaluate {studies} TExFAIR@5 --format csv", status=1)
    assert said.frame["study"].unique().tolist() == ["football", "traits"]
    assert "broken: runs/a.run:1: the rank is not a whole number: 'one'\n" in said.err


def test_what_a_folder_of_studies_cannot_give(studies: Path, tmp_path: Path, call: Call) -> None:
    said = call(f"evaluate {studies} TExFAIR@5 --wide --format latex", status=2)
    assert "--wide in latex is a table of one study" in said.err
    said = call(f"evaluate {studies} CWEx --chance", status=2)
    assert "--chance is of one study, not of a folder of them" in said.err
    (tmp_path / "empty" / "folder").mkdir(parents=True)
    assert "holds no part of a study" in call(f"evaluate {tmp_path}/empty TExFAIR@5", status=1).err
    said = call(f"evaluate {studies} Nonsense@5", status=2)
    assert "football" not in said.err, "a measure that cannot be read is refused before a study is opened"


# --- many runs in a pool of processes ---------------------------------------------------------------------------


def test_the_studys_own_runs_by_a_pattern_have_the_same_table(call: Call) -> None:
    for shape in SHAPES:
        asked = f"evaluate football TExFAIR@5 {shape} --format csv"
        pd.testing.assert_frame_equal(call(asked, f"--runs {RUNS} --workers 1").frame, call(asked).frame, rtol=1e-12)
    asked = f"evaluate football --runs {RUNS} --workers 1"
    assert "depends on all runs together" in call(asked, "NFaiRR@5", status=2).err
    call(asked, "NFaiRR@5 --background collection")
    assert "Leave them or --runs out." in call(asked, "TExFAIR@5 --tie-range", status=2).err


def test_a_pool_and_a_folder_that_is_named_by_its_path(tmp_path: Path, call: Call) -> None:
    for number in range(60):
        lines = (FOOTBALL / "runs" / "left.run").read_text().replace("left", f"s{number}")
        (tmp_path / f"s{number:02}.run").write_text(lines)
    found = call(f"evaluate {FOOTBALL} TExFAIR@5 --runs {tmp_path}/*.run --format csv --workers 2").frame
    assert found["system"].tolist() == [f"s{number:02}" for number in range(60)]
    assert found["value"].nunique() == 1


def test_a_broken_run_is_named_and_the_status_is_1(tmp_path: Path, call: Call) -> None:
    (tmp_path / "bad.run").write_text("1 Q0 d one 2.5 t\n")
    shutil.copy(FOOTBALL / "runs" / "left.run", tmp_path / "good.run")
    asked = f"evaluate football TExFAIR@5 --runs {tmp_path}/*.run --workers 1"
    said = call(asked, f"--output {tmp_path}/t.csv --format csv", status=1)
    assert "bad.run:1: the rank is not a whole number: 'one'\n" in said.err
    written = pd.read_csv(tmp_path / "t.csv")
    assert written["system"].tolist() == ["good"]
    assert written["runs"].unique().tolist() == [f"{tmp_path}/*.run"]
