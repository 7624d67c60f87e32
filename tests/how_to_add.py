"""What tests/test_how_to_add.py added to a copy is in use there, wherever things of its kind are."""

from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.measures import MEASURES
from fairviz.ui.shell import gate
from tests.conftest import ROOT, Call, refused
from tests.pages.conftest import PATIENCE, first_run, html_of, kept, no_exception

pytestmark = pytest.mark.usefixtures(no_exception.__name__)
APP = str(ROOT / "app.py")
RAN = (  # what can be computed by one measure: a verb with its options, and the status
    ("evaluate football {}", 0),
    ("compare football {}", 0),
    ("gate football --baseline left --candidate right --fail-if '{} below 3'", 1),  # one query decides nothing
    ("explain football {} --system left --query best-player", 0),
    ("sensitivity football --systems left,right --measure {} --choice cutoff", 0),
    ("atlas football {} CWEx", 0),
    ("bench football {} --mitigations \"balanced(run='left')\"", 0),
)


def pages_use_measure(name: str) -> None:
    """Every page that takes a measure, and none by default but for one that is a column, too."""

    def shown(page: AppTest) -> str:
        return html_of(page) + " ".join(str([*grid.value]) for grid in page.dataframe)

    page = first_run("overview.py", study="football")
    assert f"{name}@10" not in shown(page)
    columns = page.multiselect(key="overview_columns")
    assert name in columns.options
    assert f"{name}Column" in columns.value
    assert name in shown(first_run("overview.py", study="football", columns=[name]))
    axes = {"tradeoff_y": name, "tradeoff_x": f"{name}Column"}
    page = first_run("tradeoff.py", study="football", **axes)
    assert {key: page.selectbox(key=key).value for key in axes} == axes
    page = first_run("tradeoff.py", study="football", tradeoff_curve="over k", tradeoff_measures=[name])
    assert page.multiselect(key="tradeoff_measures").value == [name]
    for each in ("compare.py", "query.py"):
        page = first_run(each, study="football", measure=name, columns=["CWEx", name])
        assert page.selectbox(key="measure").value == name, each
    page = first_run("sensitivity.py", study="football", robustness_measures=[name], sample="1")
    assert page.multiselect(key="robustness_measures").value == [name]
    assert page.number_input(key="sample").value == 1  # a choice
    assert page.button(key="take_back_sample").label == "sample 1 ✕"
    assert "sample" in page.multiselect(key="robustness_choices").options
    page = first_run("methods.py")
    assert name in page.dataframe[0].value["measure"].tolist()
    assert name in [expander.label for expander in page.expander]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_measure(call: Call) -> None:
    for verb, status in RAN:
        said = call(verb.format("Sample"), status=status)
        assert verb.startswith("explain") or "Sample" in said.out, verb
    pages_use_measure("Sample")
    study = fairviz.open_study("football")
    wanted, found = (fairviz.evaluate(study, each)["value"].tolist() for each in ("Exposure(group='female')", "Sample"))
    assert found == wanted
    names = list(MEASURES)
    assert names[names.index("NFaiRR") + 1] == "SampleColumn"


def test_a_choice(call: Call) -> None:
    from fairviz.output.capsule import recorded_settings
    from fairviz.ui.shell import chips
    from fairviz.ui.state import pins

    study, chosen = fairviz.open_study("football"), Settings(study="football", sample=1)
    before, after = (fairviz.evaluate(study, "CWEx@2", sample=ranks)["value"] for ranks in (0, 1))
    assert not before.equals(after)
    assert "sample: ranks left out" in (Settings.__doc__ or "")
    assert from_query(to_query(chosen)) == (chosen, [])
    assert from_query({"sample": ["-1"]})[1] == [
        "The address sets sample to '-1' (sample is -1); the default was used. Use a whole number from 0 to 100,000."
    ]
    assert [chip.text for chip in chips.of_settings(chosen)] == ["sample 1"]
    assert chips.group_label("Systems & queries", chosen) == "Systems & queries · +1"
    assert pins.from_text(pins.to_text(chosen)) == chosen
    assert recorded_settings(chosen)["sample"] == 1
    call("evaluate football CWEx@2 --sample 1 --format csv --output scores.csv")
    assert "sample=1" in Path("scores.csv").read_text(encoding="utf-8")
    found = fairviz.robustness(study, list(study.systems[:2]), "CWEx@2", {"sample": None}).table
    assert found["sample"].astype(str).tolist() == ["0", "1"]
    assert found["difference"].nunique() == 2


def test_a_figure() -> None:
    sample = import_module("fairviz.figures.sample")
    assert sample.draw(sample.info([1])).data[0].y == (1,)
    assert sample.draw(sample.info([])).layout.title.text == "A sample"


def test_a_loader() -> None:
    Path("mine", "runs").mkdir(parents=True)
    Path("mine", "runs", "a.listing").write_text("1,d,1,2.5\n")
    assert fairviz.open_study("mine").systems == ("a",)


def test_a_ranker_and_a_labeller() -> None:
    study = fairviz.open_study("football")
    assert fairviz.rank(study, "longest").systems[-1] == "longest"
    assert set(fairviz.annotate(study, "pronoun").labels["annotator"]) >= {"pronoun"}


def test_a_reranker(call: Call) -> None:
    from fairviz.analyses.mitigations.mitigation import offered

    rows = [("first", str(query), f"d{rank}", rank, 9.0 - rank) for query in range(12) for rank in range(1, 5)]
    labels = {"doc_id": [f"d{rank}" for rank in range(1, 5)], "label": ["male", "male", "female", "neutral"]}
    study = fairviz.make_study(
        "lists", runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
        labels=pd.DataFrame(labels).assign(annotator="a"),
    )  # fmt: skip
    assert "turned(run='first')" in offered(study)
    found = call("bench", [kept(study)], "CWEx --held-out 1 --format csv").frame
    assert {"turned-run=first", "detconstsort-run=first"} <= set(found["mitigation"])
    made = fairviz.mitigation_bench(study, "turned(run='first')", "CWEx", held_out=1)
    assert made.table["base"].tolist() == ["first"]
    field = first_run("mitigations.py", study="lists").multiselect(key="audit_bench_mitigations_picked")
    assert "turned(run='first')" in field.options


def test_a_page() -> None:
    page = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    assert {"/sample", "/longest"} <= set(gate.paths())
    page.switch_page("pages/sample.py").run()
    assert [each.value for each in page.markdown] == ["A page for a test."]


def test_an_annotator() -> None:
    from fairviz.annotation.rules import annotate

    assert set(annotate(fairviz.open_study("football"), "sample")["label"]) == {"neutral"}


def test_a_tokenizer(call: Call) -> None:
    from fairviz.rankers import parse_rankers
    from fairviz.ui.kit.highlight import marked_html
    from fairviz.words.counting import count_groups, parse_lexicon

    words = parse_lexicon("female:she|her")
    for fast in (False, True):
        assert count_groups(["She_her"], words, "sample", fast=fast).counts.tolist() == [[2, 0]]
    assert marked_html("She_her", words, "sample", ("female",)).count("<span") == 2
    assert Settings(tokenizer="sample").tokenizer == "sample"
    assert parse_rankers("neutral(run=left,tokenizer=sample)")
    call("agree football --tokenizer sample")


def test_a_verb(call: Call) -> None:
    assert "count the rows of each part of a study" in call("--help").out
    assert call("sizes football").out.split() == ["runs", "8", "queries", "1", "documents", "10", "labels", "10"]


def test_an_analysis(call: Call) -> None:
    from fairviz.analyses.running import analyse

    assert "list the queries with most words" in call("--help").out
    study = fairviz.open_study("occupations")
    table = analyse(study, "longest", top=2).table()
    said = call("longest occupations --top 2 --format csv")
    assert [row["query_id"] for row in said.rows] == list(table["query_id"])
    assert "The longest query has" in said.err
    with refused("longest has no parameter 'tops'\nlongest takes top=3.", FairvizError):
        analyse(study, "longest", tops=2)
    page = first_run("longest.py", study="occupations", longest_top="2")
    assert page.number_input(key="longest_top").value == 2
    assert "The longest query has" in html_of(page)
    shown = [list(frame.value["query_id"]) for frame in page.dataframe if "words" in frame.value]
    assert list(table["query_id"]) in shown


def test_a_check(call: Call) -> None:
    found = {row["code"]: row["state"] for row in call("check football --claims --format json").json}
    assert found["FV901"] == "tip"
