"""The pages Two systems and Measures under AppTest: the command line's numbers, lists by hand, links, and messages."""

from collections.abc import Callable
from dataclasses import replace

import pytest

import fairviz
from fairviz.study.record import Study, with_fingerprint
from fairviz.ui.kit import charts
from tests.pages.conftest import Seen, first_run, html_of, table_with

SYSTEMS = "All systems against the baseline"
TABS = ("Queries", "Tails", SYSTEMS, "Slices")


def test_only_the_open_tab_is_computed_and_says_what_it_rests_on(seen: Seen) -> None:
    page = seen("compare.py", study="newswire")
    assert [tab.label for tab in page.tabs if tab.label in TABS] == list(TABS)
    assert "The two lists" in html_of(page)
    assert not [element for element in page.dataframe if "p_corrected" in element.value]
    choices = {"study": "newswire", "system": "w2v_add", "baseline": "tfidf", "tests": "holm(statistic='wilcoxon')",
               "columns": ["CWEx", "RaB"], "compare_margin": "0.1 RaB=0.5", "compare_slice": "category"}  # fmt: skip
    text = html_of(first_run("compare.py", **choices, compare_tab=SYSTEMS))
    assert "The two lists" not in text
    assert "<b>w2v_add</b>" in text
    assert "Tests: all 21 pairs, Wilcoxon signed ranks, Holm; intervals 95 % of one difference, uncorrected." in text
    assert "Equivalence (±0.1): not shown." in text
    page = first_run("compare.py", **choices, compare_tab="Slices")
    whole, shown = [element.value for element in page.dataframe if "slice" in element.value]  # exported, and the grid
    rows = whole[(whole["system"] == "w2v_add") & whole["measure"].str.startswith("CWEx")]
    assert shown["difference"].tolist() == rows["difference"].tolist()
    why = "a verdict needs 10 queries, and half of all, that two systems both answer"  # a slice has 5 or 6
    assert f"Tests: no pair was tested, as {why}. All slices of a measure are one family." in html_of(page)


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


def test_the_lists_of_a_query_by_hand() -> None:
    """`left` and `right` of football: the same four documents, turned round."""
    moved = {"compare_curves": ["TED"]}  # these cards were on Two systems
    page = first_run("compare.py", study="football", cutoff="4", measure="TExFAIR", compare_tab="Slices", **moved)
    text = html_of(page)
    assert "The address sets compare_tab to &#x27;Slices&#x27;, which is not offered here" in text
    assert "Slices" not in [one.label for one in page.tabs]
    lists = next(line for line in text.split("\n") if "The two lists" in line)
    study = fairviz.open_study("football")
    for system in ("left", "right"):
        run = study.runs[study.runs["system"] == system].sort_values("rank")
        places = [lists.find(f"<b>{name}</b>") for name in run["doc_id"].head(4)]
        assert min(places) > 0
    assert "<b>left</b> in TExFAIR: 1 query is too few for a verdict, which needs 10. No verdict." in text
    assert page.button(key="compare_moved").label == "Open the choices of this link on Measures"
    assert page.query_params["compare_curves"] in ("TED", ["TED"])


def test_a_pair_and_a_query_are_chosen_change_places_and_stand_in_the_address() -> None:
    page = first_run("compare.py", study="newswire", system="w2v_si", columns=["CWEx", "RaB"])
    assert "compare_moved" not in {button.key for button in page.button}
    assert (page.selectbox(key="pair_system").value, page.selectbox(key="baseline").value) == ("w2v_si", "bm25")
    page.button(key="compare_swap").click().run()
    assert (page.selectbox(key="pair_system").value, page.selectbox(key="baseline").value) == ("bm25", "w2v_si")
    page.selectbox(key="query").select("q07").run()
    assert page.query_params["query"] in ("q07", ["q07"])
    page.selectbox(key="measure").select("RaB").run()
    assert page.selectbox(key="query").value == "q07"
    assert "RaB@10: bm25 " in html_of(page)


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
    text = html_of(seen("compare.py", study="newswire", measure="CWEx", columns="CWEx", **query))
    for sentence in told:
        assert sentence in text
    assert (", p " in text.partition(told[0])[2][:60]) == (len(told) == 1)


def test_a_margin_that_cannot_be_is_told_and_none_asks_for_no_equivalence() -> None:
    page = first_run("compare.py", study="football", compare_tab=SYSTEMS, columns="CWEx")
    for typed, told in (
        ("much", "the margin is &#x27;much&#x27;"),
        ("0.1 0.2", "the margin is given twice for all measures"),
        ("-1", "the margin is -1"),
        ("GSR=0.1", "there is a margin for &#x27;GSR&#x27;, and it is not compared"),
        ("", ""),
    ):
        page.text_input(key="compare_margin").set_value(typed).run()
        assert told in html_of(page)
        assert ("fv-warning" in html_of(page)) == bool(told)
        assert "p_equivalent" not in {column for element in page.dataframe for column in element.value}


@pytest.mark.parametrize("page", ["compare.py", "measures.py", "tradeoff.py"])
def test_ranks_without_a_label_are_told_in_sight(page: str, football: Study, seen: Seen) -> None:
    labelled = football.labels["doc_id"].isin(football.documents["doc_id"][::2])
    half = with_fingerprint(replace(football, name="half", folder=None, labels=football.labels[labelled]))
    scores = fairviz.evaluate(half, "CWEx")
    share = scores["labelled"].sum() / scores["places"].sum()
    assert f"top 10: {share:.0%} labelled" in html_of(first_run(page, half, columns=["CWEx", "AWRF"]))
    assert " labelled</span>" not in html_of(seen(page, study="football", columns=["CWEx", "AWRF"]))


def test_curves_are_of_the_chosen_measures() -> None:
    """At first those of figure 2 of the TExFAIR paper: NFaiRR, and TExFAIR with and without the discount."""
    page = first_run("measures.py", study="football", columns=["CWEx", "AWRF"])
    assert page.multiselect(key="compare_curves").value == ["TExFAIR", "TExFAIR(rbdf=False)", "NFaiRR"]
    assert table_with(page, "cutoff")["measure"].unique().tolist() == [
        "TExFAIR",
        "TExFAIR(rbdf=False)",
        "NFaiRR(tau=1)",
    ]
    page.multiselect(key="compare_curves").set_value(["TED", "TED(rbdf=False)"]).run()
    assert set(table_with(page, "cutoff")["measure"]) == {"TED", "TED(rbdf=False)"}
