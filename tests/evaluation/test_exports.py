"""Files that say what they are: columns, comment lines and names."""

import io
import json

import pandas as pd
import pytest

import fairviz
from fairviz.evaluation import exports
from fairviz.evaluation.exports import Origin, file_name, headed, origin, rendered, with_columns
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, qrels_of, runs_of

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
