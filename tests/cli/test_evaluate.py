"""evaluate: values by hand, what files say of themselves, folders of studies, many runs, parts that do not fit."""

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
ASKED = "evaluate football CWEx@4 TExFAIR@4"
SUMMARY = ["system", "measure", "value", "ci_low", "ci_high", "queries", "undefined", "coverage"]
ADDED = ["study", "position_bias", "k", "annotator", "settings", "version", "date"]


def folder_of(path: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    return str(path)


def run_of(*ids: str) -> str:
    return "".join(f"q1 Q0 {doc} {rank} {10 - rank}.0 t\n" for rank, doc in enumerate(ids, 1))


def test_csv(call: Call) -> None:
    said = call("evaluate football CWEx(alpha=0.5) nDCG@4 --k 4 --format csv")
    assert said.err == FOOTBALL_NOTE + "note: 4 of 4 ranks labelled: project (model with a reader).\n"
    assert said.out.splitlines()[0].split(",") == SUMMARY
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


def test_table_and_latex_and_a_row_a_system(call: Call) -> None:
    assert call("evaluate football CWEx@4").out == (
        "system  measure              value  ci_low  ci_high  queries  undefined  coverage\n"
        "left    CWEx(alpha=0.5)@4  -0.0585       –        –        1          0    1.0000\n"
        "right   CWEx(alpha=0.5)@4  -0.5000       –        –        1          0    1.0000\n"
    )
    latex = call("evaluate football CWEx@4 --format latex").out
    assert "left & CWEx(alpha=0.5)@4 & -0.0585 & -- & -- & 1 & 0 & 1.0000 \\\\" in latex
    lines = call(ASKED, "--wide --format csv").out.splitlines()
    assert lines[0] == "system,CWEx(alpha=0.5)@4,TExFAIR@4"
    assert [line.split(",")[0] for line in lines[1:]] == ["left", "right"]
    latex = call(ASKED, "--wide --format latex --provenance").out
    assert latex.startswith("% study: football\n% measures: CWEx(alpha=0.5)@4, TExFAIR@4\n")
    assert "system & CWEx(alpha=0.5)@4 $\\uparrow$ & TExFAIR@4 $\\uparrow$ \\\\" in latex


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


def test_ranges_over_ties_and_random_orders(newswire: Study, call: Call) -> None:
    said = call("evaluate newswire CWEx GSR --systems bm25,random --tie-range --format csv")
    assert "note: GSR@10 has no value for one query, and so no range over ties.\n" in said.err
    assert {row["measure"] for row in said.rows} == {"CWEx(alpha=0.5)@10"}
    assert call("evaluate football GSR --tie-range --format csv").rows == []
    asked = "evaluate newswire CWEx nDCG --systems bm25,random --chance judged --format csv"
    table = call(asked).frame
    expected = fairviz.chance(newswire, ["CWEx", "nDCG"], candidates="judged", systems=["bm25", "random"])
    for column, name in {"chance": "chance", "chance_low": "low", "chance_high": "high", "outside": "outside"}.items():
        assert table[column].to_numpy() == pytest.approx(expected[name].to_numpy(dtype=float), abs=1e-12)
    assert list(table.columns[:5]) == SUMMARY[:5]
    assert call(asked, "--per-query").frame["outside"].sum() == expected["outside"].sum()


# --- files: what they were made of, while standard output keeps its documented columns --------------------------


def test_a_file_says_what_it_was_made_of_and_is_read_without_options(tmp_path: Path, call: Call) -> None:
    assert call(ASKED, "--format csv --provenance").out.splitlines()[0].split(",") == [*SUMMARY, *ADDED]
    said = call("gsr newswire --provenance")
    assert said.out.startswith("# study: newswire\n# k: 10\n# left_out: 0\n# made with: fairviz ")
    file = tmp_path / "scores.csv"
    asked = f"{ASKED} --position-bias reciprocal --unlabelled strict --format csv --output {file}"
    call(asked)
    read = pd.read_csv(file)
    assert list(read.columns) == [*SUMMARY, *ADDED]
    football = fairviz.open_study("football")
    scores = fairviz.evaluate(football, ["CWEx@4", "TExFAIR@4"], position_bias="reciprocal", unlabelled="strict")
    assert read["value"].tolist() == pytest.approx(fairviz.summarise(scores)["value"].tolist())
    by_measure = read.drop_duplicates("measure").set_index("measure")
    assert by_measure["annotator"].fillna("").tolist() == ["project", ""]
    made = set(zip(read["study"], read["position_bias"], read["k"], read["settings"], strict=True))
    assert made == {("football", "reciprocal", 4, "unlabelled=strict")}
    call(asked, "--no-provenance")
    assert list(pd.read_csv(file).columns) == SUMMARY


@pytest.mark.parametrize(
    ("asked", "made"),
    [
        ("compare newswire CWEx --tests \"holm(statistic='wilcoxon')\"",
         {"tests": "holm(statistic='wilcoxon')", "pairs": 21, "k": 10}),
        ("compare newswire CWEx RaB --slice category --margin 0.1 --margin RaB=0.5 --power 0.9 --level 0.9",
         {"slice_by": "category", "margins": "0.1, RaB=0.5", "power": 0.9, "level": 0.9}),
        ("agree newswire --tau 0", {"study": "newswire", "tau": 0}),
        ("evaluate newswire CWEx --range run", {"candidates": "run"}),
    ],
)  # fmt: skip
def test_a_file_has_the_parameters_of_its_verb(asked: str, made: dict[str, object], tmp_path: Path, call: Call) -> None:
    call(asked, f"--format csv --output {tmp_path}/made.csv")
    read = pd.read_csv(tmp_path / "made.csv")
    assert [*map(list, read[[*made]].drop_duplicates().to_numpy())] == [[*made.values()]]
    assert ("position_bias" in read) is not asked.startswith("agree")


def test_csv_for_spreadsheets_begins_with_a_byte_order_mark(tmp_path: Path, call: Call) -> None:
    for arguments in ("check football", "evaluate football CWEx", "evaluate football CWEx --wide",
                      "compare football CWEx --wide", "consensus football"):  # fmt: skip
        for name, option in (("excel", "--excel"), ("plain", "")):
            call(arguments, f"--format csv {option} --output {tmp_path}/{name}.csv")
        assert (tmp_path / "excel.csv").read_bytes() == b"\xef\xbb\xbf" + (tmp_path / "plain.csv").read_bytes()


def test_a_replay_without_differences_replaces_the_table_of_an_earlier_one(tmp_path: Path, call: Call) -> None:
    table = tmp_path / "differs.csv"
    table.write_text("an earlier one")
    call(f"capsule football CWEx@4 --no-figures -o {tmp_path}/c.zip")
    call(f"replay {tmp_path}/c.zip --format csv --output {table}")
    assert table.read_text() == "measure,system,values,differ,largest_difference,then,now\n"


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_who_speaks_is_said_beside_figures_of_labels(verb: str, call: Call) -> None:
    streams = call(f"{verb} newswire TExFAIR CWEx --k 5 --annotator lexicon")
    assert "note: all ranks (144 to 200 per system) labelled: lexicon (rule).\n" in streams.err
    assert "labelled:" not in call(f"{verb} newswire TExFAIR --k 5").err


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
        alone = call(f"evaluate {studies}/traits TExFAIR@5 {shape} --format csv").frame
        part = table[table["study"] == "traits"]
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
    folder_of(studies / "broken", {"runs/a.run": "1 Q0 d one 2.5 a\n"})
    said = call(f"evaluate {studies} TExFAIR@5 --format csv", status=1)
    assert said.frame["study"].unique().tolist() == ["football", "traits"]
    assert "broken: runs/a.run:1: the rank is not a whole number: 'one'\n" in said.err


def test_what_a_folder_of_studies_cannot_give(studies: Path, tmp_path: Path, call: Call) -> None:
    (tmp_path / "empty" / "folder").mkdir(parents=True)
    for arguments, status, message in (
        (f"{studies} TExFAIR@5 --wide --format latex", 2, "--wide in latex is a table of one study"),
        (f"{studies} CWEx --chance", 2, "--chance is of one study, not of a folder of them"),
        (f"{tmp_path}/empty TExFAIR@5", 1, "holds no part of a study"),
    ):
        assert message in call(f"evaluate {arguments}", status=status).err
    said = call(f"evaluate {studies} Nonsense@5", status=2)
    assert "football" not in said.err, "a measure that cannot be read is refused before a study is opened"
    parts = {"runs/a.run": run_of("d1", "d2"), "labels.csv": "doc_id,label\nd1,female\nd2,male\n"}
    folder_of(tmp_path / "fed" / "one", parts | {"qrels.txt": "q1 0 d1 1\n"})
    folder_of(tmp_path / "fed" / "two", parts)
    said = call(f"evaluate {tmp_path}/fed nDCG CWEx --format csv")
    assert [(row["study"], row["measure"]) for row in said.rows] == [
        ("one", "nDCG@10"), ("one", "CWEx(alpha=0.5)@10"), ("two", "CWEx(alpha=0.5)@10")
    ]  # fmt: skip
    assert "nDCG@10 cannot be computed for the study 'two'" in said.err


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


# --- parts that do not quite fit: what is read, named, and still computed ---------------------------------------


def test_ids_with_blanks_and_other_case_are_named_where_values_are_undefined(tmp_path: Path, call: Call) -> None:
    study = folder_of(tmp_path, {
        "labels.csv": "doc_id,annotator,label\nd1 ,x,female\nD2,x,male\n",
        "documents.csv": "doc_id,text\nd1 ,she\n D2,he\n",
        "qrels.txt": "Q1 0 d1 1\n",
        "runs/a.run": run_of("d1", "d2"),
    })  # fmt: skip
    near = (
        "1 of 2 doc_ids of labels.csv would match without blanks ('d1 ', for 'd1' in the runs).",
        "1 of 2 doc_ids of the runs would match without blanks and in lower case ('d2', for ' D2' in documents.csv).",
        "1 of 1 query_id of qrels.txt would match in lower case ('Q1', for 'q1' in the runs).",
    )
    for arguments in (["check", study], ["evaluate", study, "CWEx@2", "nDCG", "NFaiRR"]):
        printed = call(arguments)
        assert [sentence for sentence in near if sentence not in printed.out + printed.err] == []


def test_groups_of_another_study_and_measures_that_it_cannot_feed(tmp_path: Path, call: Call) -> None:
    """One group, the protected one, has no label; a measure that cannot be computed does not take others with it."""
    labels = "".join(f"d{place},{'young' if place % 2 else 'middle'}\n" for place in range(6))
    ages = folder_of(tmp_path, {
        "study.toml": 'groups = ["young", "middle", "old"]\nneutral = "none"\nprotected = "old"\n',
        "labels.csv": f"doc_id,label\n{labels}",
        "runs/a.run": run_of("d0", "d1", "d2"),
        "runs/b.run": run_of("d2", "d1", "d0"),
    })  # fmt: skip
    assert "labels,groups that no label has,1,old (protected)," in call(f"check {ages} --format csv").out
    assert "No label is old (protected)." in call(f"evaluate {ages} AWRF").err
    rows = call(f"evaluate {ages} Exposure Exposure(group=young) --format csv").rows
    assert [row["measure"] for row in rows] == ["Exposure@10"] * 2 + ["Exposure(group='young')@10"] * 2
    assert [float(row["value"]) > 0 for row in rows] == [False, False, True, True]
    for verb in ("evaluate", "compare"):
        for option in ("", "--wide", *("--per-query", "--tie-range", "--chance", "--range") * (verb == "evaluate")):
            streams = call(f"{verb} {ages} nDCG CWEx Exposure(group=x) {option} --k 3")
            assert ("CWEx" in streams.out, "nDCG" in streams.out) == (True, False)
            assert "nDCG@3 cannot be computed for the study" in streams.err
            assert "it has no group 'x'. Use one of none, young, middle, old." in streams.err
    streams = call(f"evaluate {ages} nDCG CWEx --runs {ages}/runs/*.run --format csv")
    assert streams.out.count("CWEx(alpha=0.5)@10") == 2
    assert "nDCG@10 cannot be computed" in streams.err
    refusal = call(f"evaluate {ages} nDCG NFaiRR", status=1).err
    assert "nDCG@10 cannot be computed" in refusal
    assert "NFaiRR(tau=1)@10 cannot be computed" in refusal
    assert "nDCG@10 and RR@10 cannot be computed" in call(f"evaluate {ages} nDCG RR", status=1).err
