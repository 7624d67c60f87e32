"""The pages Two systems and Measures under AppTest: the command line's numbers, lists by hand, links, and messages."""

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

import fairviz
from fairviz.study.record import Study, with_fingerprint
from fairviz.ui.compare.cards import margins_of
from fairviz.ui.kit import charts
from tests.made import labels_of, runs_of
from tests.pages.conftest import OVERVIEW, Seen, first_run, grid_of, html_of, kept, numbers_of, table_with

MEASURES = [f"{name}@5" for name in OVERVIEW]
SYSTEMS = "All systems against the baseline"
TABS = ("Queries", "Tails", SYSTEMS, "Slices")
HOLM = "holm(statistic='wilcoxon')"


@pytest.fixture
def compared(printed) -> Callable[..., pd.DataFrame]:
    """The table that `fairviz compare` prints for these options."""

    def table_of(*options: str) -> pd.DataFrame:
        table = printed("fairviz compare newswire", *MEASURES, *OPTIONS, *options)
        ranks = {name: table[name].astype("Int64") for name in table.columns if "rank_" in name}
        return table.assign(warning=table["warning"].astype("object").fillna(""), **ranks)

    return table_of


CHOICES = {
    "study": "newswire", "cutoff": "5", "system": "w2v_add", "baseline": "tfidf",
    "compare_margin": "0.1 RaB=0.5", "compare_power": "0.9", "tests": HOLM,
}  # fmt: skip
OPTIONS = (
    "--needed",
    "--baseline",
    "tfidf",
    "--margin",
    "0.1",
    "--margin",
    "RaB=0.5",
    "--power",
    "0.9",
    "--tests",
    HOLM,
)


def test_the_table_is_that_of_the_command_line(compared) -> None:
    page = first_run("compare.py", **CHOICES, compare_tab=SYSTEMS)
    whole = table_with(page, "p_equivalent")
    pd.testing.assert_frame_equal(whole, compared(), check_dtype=False, rtol=1e-9)
    text = html_of(page)
    assert "<b>w2v_add</b>" in text
    assert "Tests: all 21 pairs, Wilcoxon signed ranks, Holm; intervals 95 % of one difference, uncorrected." in text
    assert "Equivalence (±0.1): not shown." in text


def test_the_slices_are_those_of_the_command_line(compared) -> None:
    page = first_run("compare.py", **CHOICES, compare_tab="Slices", compare_slice="category")
    sliced = compared("--slice", "category")
    rows = sliced[(sliced["system"] == "w2v_add") & sliced["measure"].str.startswith("CWEx")].reset_index(drop=True)
    whole, shown = [element.value for element in page.dataframe if "slice" in element.value]  # exported, and the grid
    pd.testing.assert_frame_equal(whole, sliced, check_dtype=False, rtol=1e-9)
    shown = shown.reset_index(drop=True)
    pd.testing.assert_frame_equal(shown, rows[list(shown.columns)], check_dtype=False, rtol=1e-9)
    why = "a verdict needs 10 queries, and half of all, that two systems both answer"  # a slice has 5 or 6
    assert f"Tests: no pair was tested, as {why}. All slices of a measure are one family." in html_of(page)


def test_only_the_open_tab_is_computed() -> None:
    page = first_run("compare.py", study="newswire")
    assert [tab.label for tab in page.tabs if tab.label in TABS] == list(TABS)
    assert "The two lists" in html_of(page)
    assert not [element for element in page.dataframe if "p_corrected" in element.value]
    page = first_run("compare.py", study="newswire", compare_tab=SYSTEMS)
    assert "The two lists" not in html_of(page)


def test_the_chosen_measures_are_those_of_the_table_and_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """A choice that Overview shares."""
    files: list[Callable[[str], str] | None] = []
    real = charts.table

    def noted(*given, printed: Callable[[str], str] | None = None, **named) -> None:
        files.append(printed)
        real(*given, printed=printed, **named)

    monkeypatch.setattr(charts, "table", noted)
    page = first_run("compare.py", study="newswire", compare_tab=SYSTEMS, columns=["TExFAIR", "RaB"])
    (latex,) = [printed("latex") for printed in files if printed]
    assert latex.splitlines()[1] == "% measures: TExFAIR@10, RaB@10"
    assert "% needs: \\usepackage{booktabs}" in latex.splitlines()
    assert r"system & TExFAIR@10 $\uparrow$ & RaB@10 $\rightarrow 0$" in latex
    files.clear()
    page.multiselect(key="overview_columns").set_value(["TExFAIR", "RaB", "AWRF"]).run()
    assert page.session_state["columns"] == ["TExFAIR", "RaB", "AWRF"]
    (latex,) = [printed("latex") for printed in files if printed]
    assert "AWRF@10" in latex


def test_a_link_with_choices_of_measures_over_the_cutoff_leads_to_measures() -> None:
    """These cards were on Two systems."""
    page = first_run("compare.py", study="newswire", compare_curves=["TED"])
    assert page.button(key="compare_moved").label == "Open the choices of this link on Measures"
    assert page.query_params["compare_curves"] in ("TED", ["TED"])
    assert "compare_moved" not in {button.key for button in first_run("compare.py", study="newswire").button}


def test_the_lists_of_a_query_by_hand() -> None:
    """`left` and `right` of football: the same four documents, turned round."""
    page = first_run("compare.py", study="football", cutoff="4", measure="TExFAIR")
    lists = next(text for text in html_of(page).split("\n") if "The two lists" in text)
    study = fairviz.open_study("football")
    for system in ("left", "right"):
        run = study.runs[study.runs["system"] == system].sort_values("rank")
        places = [lists.find(f"<b>{name}</b>") for name in run["doc_id"].head(4)]
        assert min(places) > 0
    assert "<b>left</b> in TExFAIR: 1 query is too few for a verdict, which needs 10. No verdict." in html_of(page)


def test_a_query_is_chosen_by_name_and_stands_in_the_address() -> None:
    page = first_run("compare.py", study="newswire")
    page.selectbox(key="query").select("q07").run()
    assert page.query_params["query"] in ("q07", ["q07"])
    page.selectbox(key="measure").select("RaB").run()
    assert page.selectbox(key="query").value == "q07"
    assert "RaB@10: tfidf " in html_of(page)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"system": "w2v_add", "baseline": "bm25"}, ["<b>w2v_add</b> is ahead of <b>bm25</b> in CWEx (+0."]),
        ({"system": "bm25", "baseline": "w2v_add"}, ["<b>bm25</b> is behind <b>w2v_add</b> in CWEx (−0."]),
        ({"system": "random", "baseline": "bm25"},
         ["<b>random</b> is not tested against <b>bm25</b> in CWEx (", "random (reference): tick it under Tests",
          " The interval is of one difference, uncorrected."]),
        ({"system": "w2v_add", "baseline": "rrf", "tests": "maxT(baseline='bm25')"},
         ["<b>w2v_add</b> is not tested against <b>rrf</b> in CWEx (", "Only differences to bm25 are tested. The"]),
    ],
    ids=["ahead", "behind", "a reference", "another baseline is tested"],
)  # fmt: skip
def test_the_verdict_is_told_with_what_it_rests_on(query: dict[str, str], told: list[str], seen: Seen) -> None:
    text = html_of(seen("compare.py", study="newswire", measure="CWEx", **query))
    for sentence in told:
        assert sentence in text
    assert (", p " in text.partition(told[0])[2][:60]) == (len(told) == 1)


def test_the_two_change_places() -> None:
    page = first_run("compare.py", study="newswire", system="rrf", baseline="qlm")
    page.button(key="compare_swap").click().run()
    assert (page.selectbox(key="pair_system").value, page.selectbox(key="baseline").value) == ("qlm", "rrf")


def test_the_selected_system_is_compared_at_first() -> None:
    page = first_run("compare.py", study="newswire", system="w2v_si")
    assert page.selectbox(key="pair_system").value == "w2v_si"
    assert page.selectbox(key="baseline").value == "bm25"


def test_queries_on_which_measures_part_are_those_of_the_library(newswire: Study) -> None:
    page = first_run("measures.py", study="newswire", system="w2v_add", measure="NFaiRR")
    found = fairviz.atlas(newswire, OVERVIEW)
    parted = found.queries("w2v_add", "bm25")
    rows = parted["first"].str.startswith("NFaiRR") | parted["second"].str.startswith("NFaiRR")
    expected = parted[rows & (parted["query_id"] != "")].reset_index(drop=True)
    pd.testing.assert_frame_equal(numbers_of(page, "compare_opposed_numbers"), expected, check_dtype=False)
    assert grid_of(page, "compare_opposed")["strength"].tolist() == pytest.approx(expected["strength"].tolist())


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("much", "the margin is &#x27;much&#x27;"),
        ("0.1 0.2", "the margin is given twice for all measures"),
        ("-1", "the margin is -1"),
        ("GSR=0.1", "there is a margin for &#x27;GSR&#x27;, and it is not compared"),
    ],
)
def test_a_margin_that_cannot_be(typed: str, said: str) -> None:
    page = first_run("compare.py", study="newswire", compare_margin=typed)
    assert said in html_of(page)
    assert "p_equivalent" not in {column for element in page.dataframe for column in element.value}


def test_no_margin_asks_for_no_equivalence() -> None:
    page = first_run("compare.py", study="newswire")
    page.text_input(key="compare_margin").set_value("").run()
    assert "fv-warning" not in html_of(page)
    assert margins_of("") == ()


@pytest.mark.parametrize("page", ["compare.py", "measures.py", "tradeoff.py"])
def test_ranks_without_a_label_are_told_in_sight(page: str, newswire: Study) -> None:
    labelled = newswire.labels["doc_id"].isin(newswire.documents["doc_id"][::2])
    half = with_fingerprint(replace(newswire, name="half", folder=None, labels=newswire.labels[labelled]))
    scores = fairviz.evaluate(half, "CWEx")
    share = scores["labelled"].sum() / scores["places"].sum()
    assert f"top 10: {share:.0%} labelled" in html_of(first_run(page, half))
    assert " labelled</span>" not in html_of(first_run(page, study="newswire"))


def test_one_system_alone_and_none() -> None:
    page = first_run("compare.py", study="newswire", systems=["bm25"])
    assert "Only bm25 is shown: a second system is needed to compare it with." in html_of(page)


def test_a_study_without_columns_of_queries() -> None:
    page = first_run("compare.py", study="football", cutoff="4", compare_tab="Slices")
    assert "The address sets compare_tab to &#x27;Slices&#x27;, which is not offered here" in html_of(page)
    assert "Slices" not in [one.label for one in page.tabs]


def test_curves_with_and_without_rbdf_are_what_evaluate_says(newswire: Study) -> None:
    """Figure 2 of the TExFAIR paper: NFaiRR, and TExFAIR with and without the discount, over the cutoff."""
    page = first_run("measures.py", study="newswire")
    assert page.multiselect(key="compare_curves").value == ["TExFAIR", "TExFAIR(rbdf=False)", "NFaiRR"]
    table = table_with(page, "cutoff")
    texts = ("TExFAIR", "TExFAIR(rbdf=False)", "NFaiRR(tau=1)")
    assert tuple(dict.fromkeys(table["measure"])) == texts
    for cutoff in (1, 7, 20):
        found = fairviz.summarise(fairviz.evaluate(newswire, [f"{text}@{cutoff}" for text in texts]))
        rows = table[table["cutoff"] == cutoff]
        expected = found.set_index(["measure", "system"])["value"]
        keys = [(f"{text}@{cutoff}", system) for text, system in zip(rows["measure"], rows["system"], strict=True)]
        assert rows["value"].tolist() == pytest.approx(expected.loc[keys].tolist(), abs=1e-12)
    page.multiselect(key="compare_curves").set_value(["TED", "TED(rbdf=False)"]).run()
    assert set(table_with(page, "cutoff")["measure"]) == {"TED", "TED(rbdf=False)"}


def test_names_and_texts_that_would_run_stay_text_in_both_lists() -> None:
    """Documents, queries and texts are data: escaped in the lists, never elements."""
    evil = "<script>x</script><img/onerror=y>"
    study = fairviz.make_study(
        "harmful",
        runs=runs_of({name: [evil, "b"] for name in ("one", "plain")}),
        queries=pd.DataFrame({"query_id": ["q"], "text": [f"who {evil}"]}),
        documents=pd.DataFrame({"doc_id": [evil, "b"], "text": [f"she {evil}", "he"]}),
        labels=labels_of({evil: "female", "b": "male"}),
    )
    kept(study, "harmful")
    page = first_run("compare.py", study="harmful")
    text = html_of(page)
    assert 'aria-label="The two lists"' in text
    assert text.count("&lt;script&gt;x&lt;/script&gt;") >= 3
    assert "<script>" not in text
    assert "<img" not in text
