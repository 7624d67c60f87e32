"""fairviz evaluate: values by hand, files of choices, ranges over ties and orders, folders of studies, many runs."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.cli.main import parser
from fairviz.cli.options import settings_of
from fairviz.home import application_folder
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from tests.cli.cases import FOOTBALL_NOTE
from tests.conftest import Call

FOOTBALL = application_folder() / "data" / "football"
RUNS = str(FOOTBALL / "runs" / "*")
SHAPES = ["", "--per-query", "--wide"]


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


def test_an_undefined_value_is_an_empty_field(call: Call) -> None:
    assert call("evaluate football NFaiRR(tau=1)@4 --per-query --format csv").out == (
        "system,query_id,measure,value\nleft,best-player,NFaiRR(tau=1)@4,\nright,best-player,NFaiRR(tau=1)@4,\n"
    )


def test_the_background_is_the_collection(call: Call) -> None:
    said = call("evaluate football NFaiRR(tau=1)@4 TExFAIR@4 --background collection --per-query --format json")
    values = [record["value"] for record in said.json]
    assert (values[0], values[1], values[3]) == (0, 0, 0)
    assert values[2] > 0.5


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


def test_decisions_can_be_asked_for_before_there_are_any(call: Call) -> None:
    """What Python allows: until a document is decided, the labels are those that count by default."""
    asked = "evaluate football CWEx@4 --format csv"
    assert call(asked, "--annotator adjudicated").out == call(asked).out


def test_the_case_of_letters_is_free(call: Call) -> None:
    lower = call("evaluate Football cwex ndcg@5 --format csv").out
    assert lower == call("evaluate football CWEx nDCG@5 --format csv").out


def test_weights_from_a_file(tmp_path: Path, call: Call) -> None:
    weights = tmp_path / "clicks.csv"
    weights.write_text("rank,weight\n1,3\n2,1\n")
    asked = "evaluate football ExposureGap@4 --per-query --format csv --position-bias"
    assert [row["value"] for row in call(asked, weights).rows] == ["0.5", "1.0"]
    weights.write_text("rank,weight\n1,a\n")
    assert call(asked, weights, status=1).err == (
        "clicks.csv:2: the weight is not a number of 0 or more: '1,a'\n"
        "Give two columns, rank and weight, such as: 1,0.42\n"
    )


def test_a_lexicon_from_a_file(tmp_path: Path, call: Call) -> None:
    lexicon = tmp_path / "words.csv"
    lexicon.write_text("word,group\nleague,male\nclub,female\n")
    asked = "evaluate football RaB(magnitude=tc)@4 --per-query --format csv --lexicon"
    values = [float(row["value"]) for row in call(asked, lexicon).rows]
    assert values == [-0.25, 0.25], "left: league twice, club once; right: league once, club twice"
    lexicon.write_text("word,group\nleague,male\nleague,female\n")
    assert "words.csv:3: " in call(asked, lexicon, status=1).err


def test_lists_of_words_and_weights_that_cannot_be_read(call: Call) -> None:
    """Typed ones that can be are among the tables of test_same_as_python."""
    call("evaluate newswire TExFAIR --lexicon female:she|her;male:she", status=2)
    call("evaluate newswire TExFAIR --position-bias 1,x", status=2)


# --- what cannot be ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["nDCG@0", "CWEx@", "CWEx(alpha=2)@10", "Fairness@10", "nDCG@ten", "(@)", "''"])
def test_a_measure_that_cannot_be_read(measure: str, call: Call) -> None:
    said = call("evaluate football CWEx@4", [measure], status=2)
    assert said.out == ""
    assert said.err
    assert "Traceback" not in said.err


def test_an_unknown_measure_lists_the_known_ones(call: Call) -> None:
    shown = call("evaluate football Fairness@10", status=2).err
    assert "'Fairness" in shown
    assert [name for name in MEASURES if name not in shown] == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nothing-here CWEx@4", "there is no study and no folder called 'nothing-here'\n"
         "Built in: newswire, football, occupations, traits, recruitment, wordings. Fetched or saved: none. "
         "To fetch one (grep-biasir, msmarco-qs2, genderbias-ir, genderbias-qa, crows-pairs): "
         "fairviz fetch NAME\n"),
        ("football CWEx@999999999",
         "the cutoff of 'CWEx@999999999' is '999999999'\nUse a whole number from 1 to 100,000, as in nDCG@10.\n"),
        ("football CWEx@4 --background all", "background is 'all'\nUse candidates, collection or run:NAME.\n"),
        ("football CWEx@4 --background run:bm25",
         "football has no run 'bm25' for --background\nIts runs are left, right.\n"),
        ("football CWEx@4 --annotator gold",
         "the study 'football' has no annotator 'gold'\nUse one of project, majority, dawid-skene.\n"),
        ("football CWEx@4 --position-bias rbp(p=2)", "the position bias 'rbp(p=2)' takes p from 0.01 to 0.99\n"),
        ("football CWEx@4 --position-bias no.csv",
         "unknown position bias 'no.csv'\nUse log2, reciprocal, rbp(p=0.8), linear, uniform, or a file of weights.\n"),
    ],
)  # fmt: skip
def test_choices_that_do_not_exist(line: str, message: str, call: Call) -> None:
    assert call("evaluate", line, status=2).err == message


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("--tie-range --wide", 2, "--wide and --tie-range ask for different tables"),
        ("--chance --wide", 2, "--wide and --chance ask for different tables"),
        ("--chance --tie-range", 2, "--tie-range and --chance ask for different tables"),
        ("--range study --wide", 2, "--range and --wide ask for different tables"),
        ("--range study --tie-range", 2, "--range and --tie-range ask for different tables"),
        ("--range study --chance", 2, "--range and --chance ask for different tables"),
        ("--range study --runs *.run", 2, "--range and --runs ask for different tables"),
        ("--range study --corrected-by project", 2, "--corrected-by gives means, and cannot be used with --range"),
        ("GSR --range", 1, "GSR@10 has no range: it is a slope over queries"),
        ("GSR --chance", 1, "GSR@10 has no chance band"),
        ("--where sport", 2, "Write one column and its value, as --where category=sport."),
        ("--where category=sport --where text=x", 2, "Write one column and its value, as --where category=sport."),
        ("--where colour=red", 2, "have no column 'colour'"),
    ],
)
def test_options_that_cannot_be_together(line: str, status: int, message: str, call: Call) -> None:
    asked = line if line.startswith("GSR") else f"CWEx {line}"
    assert message in call("evaluate newswire", asked, status=status).err


def test_a_study_with_bad_lines_names_them(tmp_path: Path, call: Call) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text("1 Q0 d1 1 9.5 x\n1 Q0 d7 2 8.5\n")
    said = call(f"evaluate {tmp_path} CWEx@4", status=1)
    assert said.out == ""
    assert said.err.startswith("runs/bm25.run:2: expected 6 columns, found 5: '1 Q0 d7 2 8.5'\n")


def test_a_measure_that_the_study_cannot_feed(tmp_path: Path, call: Call) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text("1 Q0 d1 1 9.5 x\n")
    assert call(f"evaluate {tmp_path} CWEx@4", status=1).err == (
        f"CWEx(alpha=0.5)@4 cannot be computed for the study {tmp_path.name!r}: it has no gender labels. Add "
        "labels.csv with the columns doc_id, annotator, label.\n"
    )


# --- ranges over ties and over random orders --------------------------------------------------------------------


def test_the_range_over_ties_is_a_table_of_its_own(newswire: Study, call: Call) -> None:
    lines = call("evaluate newswire CWEx nDCG --tie-range --format csv").out.splitlines()
    assert lines[0] == (
        "system,measure,value,smallest,largest,smallest_is,largest_is,tied,undefined,outer_smallest,outer_largest"
    )
    assert len(lines) == 1 + 2 * len(newswire.systems)
    assert "GSR has no value for one query" in call("evaluate newswire GSR --tie-range").err


def test_chance_adds_the_band_of_random_orders(newswire: Study, call: Call) -> None:
    asked = "evaluate newswire CWEx nDCG --chance judged --format csv"
    table = call(asked).frame
    expected = fairviz.chance(newswire, ["CWEx", "nDCG"], candidates="judged")
    for column, name in {"chance": "chance", "chance_low": "low", "chance_high": "high", "outside": "outside"}.items():
        assert table[column].to_numpy() == pytest.approx(expected[name].to_numpy(dtype=float), abs=1e-12)
    assert list(table.columns[:5]) == ["system", "measure", "value", "ci_low", "ci_high"]
    assert call(asked, "--per-query").frame["outside"].sum() == expected["outside"].sum()


def test_a_file_of_ranges_names_the_candidates(tmp_path: Path, call: Call) -> None:
    """The tables are among those of test_same_as_python."""
    file = tmp_path / "ranges.csv"
    assert call(f"evaluate newswire CWEx --range run --format csv --output {file}").out == ""
    assert set(pd.read_csv(file)["candidates"]) == {"run"}


# --- a folder of studies: one table, with a line for each study that cannot be read -----------------------------


@pytest.fixture
def studies(tmp_path: Path) -> Path:
    for name in ("football", "traits"):
        shutil.copytree(FOOTBALL.parent / name, tmp_path / "studies" / name)
    (tmp_path / "studies" / "notes").mkdir()
    return tmp_path / "studies"


@pytest.mark.parametrize("shape", SHAPES)
def test_a_folder_of_studies_is_one_table(studies: Path, shape: str, call: Call) -> None:
    table = call(f"evaluate {studies} TExFAIR@5 {shape} --format csv").frame
    assert list(table)[:2] == ["study", "system"]
    assert table["study"].unique().tolist() == ["football", "traits"]
    for name, part in table.groupby("study"):
        alone = call(f"evaluate {studies}/{name} TExFAIR@5 {shape} --format csv").frame
        pd.testing.assert_frame_equal(part.drop(columns="study").reset_index(drop=True), alone)


def test_files_name_what_each_study_was_computed_with(studies: Path, tmp_path: Path, call: Call) -> None:
    asked = f"evaluate {studies} TExFAIR@5 --tokenizer whitespace"
    call(asked, f"--format json --output {tmp_path}/t.json")
    rows = pd.read_json(tmp_path / "t.json")
    assert set(zip(rows["study"], rows["settings"], strict=True)) == {
        ("football", "tokenizer=whitespace"), ("traits", "tokenizer=whitespace"),
    }  # fmt: skip
    call(asked, f"--format markdown --output {tmp_path}/t.md")
    comments = [line for line in (tmp_path / "t.md").read_text().splitlines() if line.startswith("<!-- study")]
    assert comments == ["<!-- study: football -->", "<!-- study: traits -->"]


def test_a_study_that_cannot_be_read_is_named_and_the_others_are_answered(studies: Path, call: Call) -> None:
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


@pytest.mark.parametrize("shape", SHAPES)
def test_the_studys_own_runs_by_a_pattern_have_the_same_table(shape: str, call: Call) -> None:
    asked = f"evaluate football TExFAIR@5 {shape} --format csv"
    pd.testing.assert_frame_equal(call(asked, f"--runs {RUNS} --workers 1").frame, call(asked).frame, rtol=1e-12)


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


def test_what_is_of_all_runs_is_refused(call: Call) -> None:
    asked = f"evaluate football --runs {RUNS} --workers 1"
    assert "depends on all runs together" in call(asked, "NFaiRR@5", status=2).err
    call(asked, "NFaiRR@5 --background collection")
    assert "Leave them or --runs out." in call(asked, "TExFAIR@5 --tie-range", status=2).err
