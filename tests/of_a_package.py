"""What the package of docs/template adds is in use, in a process that has it (tests/test_added_records.py)."""

import zipfile
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.analyses.running import analyse
from fairviz.ui.kit.highlight import marked_html
from fairviz.ui.state.registry import CHOICES, PAGES
from fairviz.words.counting import count_groups, parse_lexicon
from fairviz.words.tokenizers import TOKENIZERS
from tests.conftest import Call
from tests.how_to_add import APP
from tests.pages.conftest import PATIENCE, first_run, html_of, no_exception
from tests.template import PACKAGE

pytestmark = pytest.mark.usefixtures(no_exception.__name__)


def test_a_measure_has_its_values(call: Call) -> None:
    """The values are counted anew here, query by query."""
    study = fairviz.open_study("newswire")
    labels = study.labels[study.labels["annotator"] == "project"].set_index("doc_id")["label"]
    top = study.runs[(study.runs["system"] == "bm25") & (study.runs["rank"] <= 10)]
    wanted = top.groupby("query_id", observed=True)["doc_id"].agg(
        lambda names: len({labels.get(name) for name in names} & {"female", "male"}) / 2
    )
    table = call("evaluate newswire Presence@10 --per-query --format csv").frame
    values = table[table["system"] == "bm25"].astype({"query_id": "str"}).set_index("query_id")["value"]
    assert values.to_dict() == pytest.approx(wanted.to_dict())


def test_a_capsule_and_a_report_use_a_measure(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The capsule is played again."""
    monkeypatch.chdir(tmp_path)
    call("capsule football -o all.zip --no-figures")
    with zipfile.ZipFile("all.zip") as zipped:
        assert any(b"Presence@10" in zipped.read(each) for each in zipped.namelist() if each.endswith(".csv"))
    call("replay all.zip")
    call("report football Presence --map left,right --map-measure Presence -o one.html")
    report = Path("one.html").read_text(encoding="utf-8")
    for text in ("Presence@10", "Presence along the cutoff", PACKAGE):
        assert text in report


def test_pages_name_the_package_of_a_measure_and_a_page_of_it_is_in_its_menu() -> None:
    """At their end; they use it as one of the program's own (tests/how_to_add.py), and by default do not."""
    page = AppTest.from_file(APP, default_timeout=PATIENCE)
    page.query_params["study"] = "football"
    assert f"Presence: package {PACKAGE}." in html_of(page.run())
    assert "Presence" not in page.multiselect(key="overview_columns").value
    assert PACKAGE in unescape(html_of(first_run("methods.py")))
    assert [name for name, page in PAGES.items() if page.package] == ["labelled"]
    assert "labelled_order" in CHOICES
    assert PAGES["longest"].section == "Robustness"


def test_rankers_annotators_and_loaders(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    fairviz.save_study(fairviz.open_study("football"), folder)
    (folder / "runs" / "mine.pairs").write_text("best-player f1 2\nbest-player m1 3\n")
    study = fairviz.open_study(folder)
    rows = study.runs[study.runs["system"] == "mine"].sort_values("rank")
    assert rows["doc_id"].tolist() == ["m1", "f1"]
    assert fairviz.rank(study, "longest").systems[-1] == "longest"
    labels = fairviz.annotate(study, "pronoun").labels
    assert set(labels.loc[labels["annotator"] == "pronoun", "label"]) <= {"female", "male", "neutral"}


def test_a_tokenizer_counts_and_marks(call: Call) -> None:
    words = parse_lexicon("female:wife|ex-wife")
    for fast in (False, True):
        counted = count_groups(["His ex-wife", "a wife-like"], words, "hyphenated", fast=fast)
        assert counted.counts.tolist() == [[1, 0], [0, 0]]
    assert marked_html("His ex-wife", words, "hyphenated", ("female",)).count("<span") == 1
    assert TOKENIZERS["hyphenated"].summary == f"words with their hyphens (package {PACKAGE})"
    call("evaluate football NFaiRR --tokenizer hyphenated")


def test_an_analysis_and_a_verb(call: Call) -> None:
    words = fairviz.open_study("newswire").queries["text"].str.split().str.len()
    said = call("longest newswire --top 1 --format csv")
    assert [row["words"] for row in said.rows] == ["6"] * sum(words == 6)
    assert "The longest query has 6 words." in said.err
    assert call("sizes football").out.split() == ["runs", "8", "queries", "1", "documents", "10", "labels", "10"]
    assert "--top" in call("longest newswire --top 0", status=2).err
    everything = call("--help").out.split()
    assert {"longest", "sizes"} <= set(everything)
    assert everything.count("(package") == 2
    found = analyse(fairviz.open_study("newswire"), "longest", top=1)
    assert found.sentences == ("The longest query has 6 words.",)
