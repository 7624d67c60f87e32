"""What leaves the program: tables as text in every format, files that say what they are, and runs scored in batches."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation import executors, exports, run_batches
from fairviz.evaluation.executors import local, on_cluster
from fairviz.evaluation.exports import Origin, file_name, headed, origin, rendered, with_columns
from fairviz.evaluation.formats import ProgressLine, emit, to_csv, to_json, to_latex, to_markdown, to_table
from fairviz.evaluation.run_batches import Evaluation, batches_of, evaluate_runs, run_files
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.conftest import refused
from tests.made import labels_of, qrels_of, runs_of

# --- tables as text


FRAME = pd.DataFrame(
    {
        "system": pd.Categorical(["bm25", "my_run & co"]),
        "value": [1 / 3, float("nan")],
        "queries": pd.Series([117, 0], dtype="int64"),
    }
)


def test_a_table_is_aligned_with_a_row_on_a_line_and_no_escapes():
    assert to_table(FRAME) == (
        "system        value  queries\nbm25         0.3333      117\nmy_run & co       –        0\n"
    )
    assert to_table(FRAME.head(0)) == "system  value  queries\n"
    assert to_table(pd.DataFrame({"text": ["two\nlines", "red\x1b[31m"]})) == "text\ntwo lines\nred [31m\n"
    endless = pd.DataFrame({"ratio": [float("inf"), float("-inf"), float("nan")]})
    assert to_table(endless) == "ratio\n  inf\n -inf\n    –\n"
    assert to_csv(endless) == 'ratio\ninf\n-inf\n""\n'


def test_csv_and_json_have_every_digit_and_empty_values():
    assert to_csv(FRAME) == "system,value,queries\nbm25,0.3333333333333333,117\nmy_run & co,,0\n"
    frame = pd.DataFrame({"name": ['a,"b"\nc'], "value": [0.1]})
    assert list(csv.reader(io.StringIO(to_csv(frame)))) == [["name", "value"], ['a,"b"\nc', "0.1"]]
    assert json.loads(to_json(FRAME)) == [
        {"system": "bm25", "value": 1 / 3, "queries": 117},
        {"system": "my_run & co", "value": None, "queries": 0},
    ]
    assert "Ω" in to_json(pd.DataFrame({"name": ["Ω"]}))
    assert to_json(FRAME.head(0)) == "[]\n"


def test_latex_and_markdown_are_escaped():
    assert to_latex(FRAME) == (
        "\\begin{tabular}{lrr}\n\\toprule\nsystem & value & queries \\\\\n\\midrule\n"
        "bm25 & 0.3333 & 117 \\\\\nmy\\_run \\& co & -- & 0 \\\\\n\\bottomrule\n\\end{tabular}\n"
    )
    odd = pd.DataFrame({"a": ["\\~^&%$#_{}"]})
    assert r"\textbackslash{}\textasciitilde{}\textasciicircum{}\&\%\$\#\_\{\} \\" in to_latex(odd).splitlines()
    assert to_markdown(FRAME) == (
        "| system | value | queries |\n| --- | ---: | ---: |\n| bm25 | 0.3333 | 117 |\n| my\\_run &amp; co | – | 0 |\n"
    )
    odd = pd.DataFrame({"a": ["a|b *c* `d` <img src=x> [e](f) \\ ~g~ $h$\n| i"]})
    assert to_markdown(odd).splitlines()[2] == (r"| a\|b \*c\* \`d\` &lt;img src=x\> \[e\](f) \\ \~g\~ \$h\$ \| i |")
    assert to_markdown(FRAME.head(0)).splitlines()[0] == "| system | value | queries |"


def test_emit_to_a_file_or_standard_output(tmp_path, capsys):
    target = tmp_path / "scores.csv"
    target.write_text("before")
    emit("after – Ω\n", target)
    assert target.read_text(encoding="utf-8") == "after – Ω\n"
    assert list(tmp_path.iterdir()) == [target]
    assert capsys.readouterr().out == ""
    emit("a\n")
    assert capsys.readouterr().out == "a\n"
    with refused(
        f"could not write {tmp_path}/no/scores.csv: No such file or directory\n"
        "Name a file in a folder that you can write."
    ):
        emit("x", tmp_path / "no" / "scores.csv")


def test_p_values_are_never_shown_as_0():
    frame = pd.DataFrame({"p": [2.34e-9, 0.04999, 0.00005, 0.0, float("nan")], "value": [2.34e-9, 0.1, 0.2, 0.3, 0.4]})
    assert [line.split() for line in to_table(frame).splitlines()[1:]] == [
        ["2.3e-09", "0.0000"], ["0.0500", "0.1000"], ["0.0001", "0.2000"], ["0.0000", "0.3000"], ["–", "0.4000"],
    ]  # fmt: skip
    named = pd.DataFrame({"p": [1e-9], "p_equivalent_corrected": [2e-9], "pearson": [1e-9]})
    assert to_table(named).split("\n")[1].split() == ["1.0e-09", "2.0e-09", "0.0000"]


def test_numbers_of_queries_are_whole():
    frame = pd.DataFrame({"needed": [119.0, float("nan")], "needed_high": [float("inf"), 240.0]})
    assert [line.split() for line in to_table(frame).splitlines()[1:]] == [["119", "inf"], ["–", "240"]]


def test_a_line_of_progress_has_the_time_left_at_its_own_pace(monkeypatch, capsys):
    clock = iter([0.0, 2.0, 30.0, 60.0, 61.0])
    monkeypatch.setattr("fairviz.evaluation.formats.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    flushed: list[int] = []
    monkeypatch.setattr("sys.stderr.flush", lambda: flushed.append(done))
    progress = ProgressLine("counting")
    for done in (10, 11, 25, 55, 100):  # ten were done before
        progress(done, 100)
    assert flushed == [10, 11, 25, 55, 100], "a line without its end is seen at once"
    progress.close()
    *lines, end = capsys.readouterr().err.split("\r")[1:]
    assert [line.rstrip() for line in (*lines, end)] == [
        "counting 10 % (10 of 100)",
        "counting 11 % (11 of 100)",
        "counting 25 % (25 of 100; about 2 minutes left)",
        "counting 55 % (55 of 100; about 60 seconds left)",
        "counting 100 % (100 of 100)",
    ]
    assert end.startswith("counting 100 % (100 of 100)" + " " * 5), "what was longer is overwritten"


# --- columns, comment lines and names that say what a file rests on


MEASURES = ["CWEx(alpha=0.5)@4", "RaB@2", "NFaiRR(tau=1)@2", "Rprec"]


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "today", lambda: "2026-01-31")


@pytest.fixture
def study() -> Study:
    labels, qrels = labels_of({"a": "female", "b": "male"}, "gold"), qrels_of({"q": "a"})
    documents = pd.DataFrame({"doc_id": ["a", "b"], "text": ["her mother", "a tree"]})
    return make_study("made", runs=runs_of({"=s": "a b"}), labels=labels, documents=documents, qrels=qrels)


def asked(study: Study, **choices: object) -> tuple[pd.DataFrame, Origin]:
    settings = fairviz.Settings(**choices)  # type: ignore[arg-type]
    summary = fairviz.summarise(fairviz.evaluate(study, MEASURES, settings))
    return summary, origin(study, settings, tuple(summary["measure"]))


def test_a_row_says_what_it_rests_on_and_the_table_itself_is_not_changed(study: Study) -> None:
    summary, about = asked(study, position_bias="uniform", ties="trec_eval", systems=("=s",))
    read = pd.read_csv(io.StringIO(rendered(summary, "csv", about)), dtype="str", keep_default_na=False)
    columns = ["study", "position_bias", "k", "annotator", "settings", "version", "date", "guarded_by_apostrophe"]
    assert list(read.columns[-8:]) == columns
    assert read["system"].tolist() == ["'=s"] * 4  # a spreadsheet runs none of it
    told = read.set_index("measure")
    assert told.loc[MEASURES, ["position_bias", "k", "annotator"]].to_numpy().tolist() == [
        ["uniform", "4", "gold"], ["", "2", ""], ["uniform", "2", ""], ["", "", ""],
    ]  # fmt: skip
    same = read[["study", "settings", "version", "date"]].drop_duplicates().to_numpy().tolist()
    assert same == [["made", "systems==s; ties=trec_eval", f"fairviz {fairviz.__version__}", "2026-01-31"]]
    summary, about = asked(study)
    before = summary.copy()
    with_columns(summary, about)
    pd.testing.assert_frame_equal(summary, before)
    first, *_ = json.loads(rendered(summary, "json", about))
    assert (first["study"], first["k"], first["date"]) == ("made", 4, "2026-01-31")
    parts = pd.DataFrame({"measure": ["GSR.list@7"], "value": [0.1]})
    about = Origin("made", fairviz.Settings(), "gold", ("GSR.list@7",), (), "d")
    assert with_columns(parts, about)["k"].tolist() == [7]
    made = with_columns(
        pd.DataFrame({"annotator": ["x"]}), Origin("made", fairviz.Settings(), date="d", more=(("annotator", "y"),))
    )
    assert made.iloc[0].to_dict() == {
        "annotator": "x", "study": "made", "settings": "", "annotator_of_file": "y",
        "version": f"fairviz {fairviz.__version__}", "date": "d",
    }  # fmt: skip


def test_names_are_guarded_in_tables_and_short_in_files() -> None:
    about = Origin("=cmd", fairviz.Settings(), "@who", ("CWEx(alpha=0.5)@4",), (), "2026-01-31")
    text = rendered(pd.DataFrame({"measure": ["CWEx(alpha=0.5)@4"], "value": [0.5]}), "csv", about)
    assert ",'=cmd,log2,4,'@who,," in text
    assert text.splitlines()[0].endswith(",guarded_by_apostrophe")
    measures = ("CWEx(alpha=0.5)@4", "RaB@4")
    about = Origin("a/b: c=(1),+&#$", fairviz.Settings(), "gold", measures, (), "2026-01-31")
    assert file_name(about, "scores-wide", "tex") == "a-b-c-1-scores-wide.tex"
    assert file_name(Origin("newswire", fairviz.Settings()), "table", "tex") == "newswire-table.tex"
    assert len(file_name(Origin("學" * 300, fairviz.Settings(), date="d"), "scores", "csv").encode()) <= 84


def test_latex_and_table_say_it_in_comment_lines(study: Study) -> None:
    summary, about = asked(study, tokenizer="whitespace")
    lines = [
        "study: made",
        "measures: CWEx(alpha=0.5)@4, RaB@2, NFaiRR(tau=1)@2, Rprec",
        "position bias: log2",
        "k: 4, 2",
        "annotator: gold",
        "settings: tokenizer=whitespace",
        f"made with: fairviz {fairviz.__version__} on 2026-01-31",
    ]
    latex = rendered(summary, "latex", about).splitlines()
    package = r"% needs: \usepackage{booktabs}"
    assert latex[:9] == [*(f"% {line}" for line in lines), package, r"\begin{tabular}{llrrrrrr}"]
    assert rendered(summary, "table", about).splitlines()[:7] == [f"# {line}" for line in lines]
    assert rendered(summary, "latex") == "\n".join(latex[8:]) + "\n"
    about = Origin("a\n\\input{x}", fairviz.Settings(), date="d")  # no name leaves the comment
    assert headed("", about) == f"% study: a \\input{{x}}\n% made with: fairviz {fairviz.__version__} on d\n"


def test_long_settings_are_cut_and_told_apart_by_a_hash() -> None:
    words = [f"female:{'|'.join(f'w{number}' for number in range(count))};male:he" for count in (80, 81)]
    one, two = (exports.other_settings(fairviz.Settings(lexicon=text)) for text in words)
    assert one != two
    assert one.startswith("lexicon=female:w0|w1|")
    assert len(one) < 170
    weights = fairviz.Settings(position_bias="custom", custom_bias=(1.0, 0.5))
    about = Origin("made", weights, "", ("NFaiRR(tau=1)@2",), (), "d")
    assert "position bias: custom(1, 0.5)" in exports.lines(about)


# --- runs in batches: the table of one study that holds them all, and what is refused


IN_BATCHES = ("CWEx@10", "NFaiRR@10", "TExFAIR@5", "nDCG@10", "GSR@10", "AWRF@3", "ARaB@10")
SETTINGS = Settings(background="collection")


@pytest.fixture
def pattern(tmp_path: Path, newswire: Study) -> str:
    """Newswire's runs; some lack queries that others answer."""
    for number, (name, rows) in enumerate(newswire.runs.groupby("system", observed=True)):
        lacking = [sorted(rows["query_id"].unique())[number * 3 + at] for at in range(number % 3)]
        rows = rows[~rows["query_id"].isin(lacking)]
        lines = [f"{q} Q0 {d} {r} {s!r} {name}\n" for _, q, d, r, s in rows.itertuples(index=False)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return str(tmp_path / "*.run")


def in_turn(work: Callable, items: Sequence) -> list:
    return [(item, work(item)) for item in reversed(items)]


@pytest.mark.parametrize(("most", "per_query"), [(1, False), (4, True)])
def test_batches_have_the_values_of_one_study(
    pattern: str, monkeypatch: pytest.MonkeyPatch, newswire: Study, per_query: bool, most: int
) -> None:
    monkeypatch.setattr(run_batches, "MOST_FILES", most)
    files = run_files(pattern)
    evaluation = Evaluation("newswire", IN_BATCHES, SETTINGS, per_query)
    table, broken = evaluate_runs(evaluation, files, in_turn, lambda done, total: None)
    assert broken == []
    runs = run_batches.stack_runs([run_batches.reader_of("runs", file)(file) for file in files])
    whole = replace(newswire, runs=runs, drafts=(), fingerprint="")
    scores = evaluate(whole, IN_BATCHES, SETTINGS)
    wanted = scores.drop(columns=["labelled", "places"]) if per_query else summarise(scores)
    by = ["measure", "system", *(["query_id"] if per_query else [])]
    found, wanted = (
        one.astype(dict.fromkeys(by, "str")).sort_values(by).reset_index(drop=True) for one in (table, wanted)
    )
    pd.testing.assert_frame_equal(found, wanted, rtol=1e-12)


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_answered(pattern: str) -> None:
    folder = Path(pattern).parent
    (folder / "bad.run").write_text("1 Q0 d one 2.5 t\n")
    evaluation = Evaluation("newswire", ("CWEx@10",), SETTINGS)
    table, broken = evaluate_runs(evaluation, run_files(pattern), local(1), lambda done, total: None)
    assert len(table) == 9
    assert broken == ["bad.run:1: the rank is not a whole number: 'one'"]


def test_what_depends_on_all_runs_and_files_of_one_system_are_refused(pattern: str, tmp_path: Path) -> None:
    for settings in (Settings(), Settings(background="run:bm25")):
        with pytest.raises(UsageError, match="depends on all runs together"):
            evaluate_runs(Evaluation("newswire", ("NFaiRR@10",), settings), run_files(pattern), in_turn, print)
    for name in ("a.run", "a.txt"):
        (tmp_path / name).write_text("x")
    with pytest.raises(UsageError, match="are of one system"):
        run_files(str(tmp_path / "*"))
    with pytest.raises(UsageError, match="no file matches"):
        run_files(str(tmp_path / "*.gz"))


def test_files_are_batched_by_size_and_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        (tmp_path / f"{number}.run").write_text("x" * (10 if number != 2 else 100))
    monkeypatch.setattr(run_batches, "MOST_BYTES", 25)
    files = run_files(str(tmp_path / "*.run"))
    assert [len(batch.files) for batch in batches_of(files)] == [2, 1, 2]


# --- a Dask cluster that cannot be used, and what is printed of one


def test_a_file_that_is_of_no_scheduler_is_refused_and_one_that_does_not_answer(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    for content, trouble in (
        (b"{}", "it has no address"),
        (b"[]", "it has no address"),
        (b'{"address": 5}', "it has no address"),
        (b"", "Expecting value"),
        (b"\xff\xfe\0", "can't decode byte 0xff"),
    ):
        file.write_bytes(content)
        with pytest.raises(FairvizError) as caught:
            list(on_cluster(str(file), print)(len, ["item"]))
        assert caught.value.message.startswith(f"{file} is not a scheduler file (")
        assert trouble in caught.value.message
        assert caught.value.remedy == "Name the file that `dask scheduler --scheduler-file FILE` wrote."
    with pytest.raises(FairvizError, match=r"no scheduler with workers answers at tcp://127\.0\.0\.1:9"):
        list(on_cluster("tcp://127.0.0.1:9", print, 1)(len, ["item"]))


def test_other_versions_of_workers_are_said_and_another_fairviz_is_refused() -> None:
    here = dict.fromkeys(executors.PACKAGES, "2") | {"fairviz": "9"}

    def described(**of_worker: str | None) -> str:
        versions = {"client": {"packages": here}, "workers": {"tcp://w": {"packages": here | of_worker}}}
        client = SimpleNamespace(get_versions=lambda packages: versions, dashboard_link="")
        return executors._described(client)

    assert described(numpy="1.0") == "1 worker, other versions: numpy 1.0, here 2"
    with pytest.raises(FairvizError, match="workers have fairviz not installed, here it is 9"):
        described(fairviz=None)
