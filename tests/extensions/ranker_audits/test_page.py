"""The page Audit under AppTest: what it shows before a run, and the command line's numbers after it."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.extensions.ranker_audits.author_names import format_names
from fairviz.extensions.ranker_audits.pairs import PairwisePlan
from fairviz.extensions.ranker_audits.ui import controls, pairs, views
from fairviz.extensions.ranker_audits.ui.controls import AuditCalls
from fairviz.output.recipes import recipe
from fairviz.study.record import Study
from fairviz.study.tables import LABELS, QRELS, RUNS, conform, empty
from fairviz.ui.kit import html, jobs
from fairviz.ui.state import going, registry
from fairviz.ui.state.registry import Page
from tests.analyses.test_gender_swap import triples
from tests.extensions.ranker_audits.test_pairwise import judged
from tests.pages.conftest import Panels, first_run, html_of, kept, put, run_as_printed, settled
from tests.pages.conftest import no_exception as no_exception
from tests.pages.conftest import panels as panels
from tests.pages.conftest import printed as printed
from tests.pages.test_gender_swap import DOCUMENTS, QUERIES


@pytest.fixture
def study() -> Study:
    made = triples()
    made = replace(made, queries=made.queries.assign(leaning=["a", "b", "b"]), fingerprint="")
    kept(made, "threefold")
    return made


def after(name: str, **asked: str):
    """The page after Run, where it does not run by itself, once the job has ended."""
    page = first_run("audit.py", study=name, **asked)
    if not page.button(key="audit_run").disabled:
        page.button(key="audit_run").click().run()
    return settled(page)


def test_a_run_gives_the_numbers_of_the_command_line(study: Study, printed, panels: Panels) -> None:
    page = settled(first_run("audit.py", study="threefold", audit_rankers="bm25,tfidf"))
    assert page.button(key="audit_run").disabled, "a short audit runs by itself"
    text = html_of(page)
    assert "fv-error" not in text
    assert "<b>tfidf:</b> 2 queries are too few for a verdict, which needs 10." in text
    expected = printed("fairviz audit threefold --with bm25,tfidf --every-column")
    numbers = ["first", "other_first", "gap", "gap_low", "p_by_pair", "queries"]
    pd.testing.assert_frame_equal(panels["audit_table"][0][numbers], expected[numbers], check_dtype=False, rtol=1e-9)
    assert set(panels) == {f"audit_{name}" for name in ("shares", "integrity", "gaps", "table", "by_table", "by_shares",
                                                       "by_gaps", "pairs")}  # fmt: skip
    run_as_printed(panels)


def test_pairs_and_lists_together(study: Study, panels: Panels) -> None:
    page = after("threefold", audit_rankers="bm25", audit_lists="on")
    assert "Are these lists to be trusted?" not in html_of(page), "pairs and lists fill a page each"
    panels.clear()
    text = html_of(page.segmented_control(key=views.PART).set_value(views.LISTS).run())
    tied = text.index("of the documents get no place and")
    assert text.index("Are these lists to be trusted?") < tied < text.index("bm25: not tested.")
    assert set(panels) == {"audit_both", *(f"audit_list_{name}" for name in
                                          ("integrity", "ratio", "ranks", "table", "moves"))}  # fmt: skip
    run_as_printed(panels)


def test_a_program_names_the_word_vectors_of_the_settings(study: Study) -> None:
    calls = AuditCalls(open_study("threefold"), "w2v_add", "none-such")
    code = recipe(calls.of(PairwisePlan()), table="found.table").python
    with pytest.raises(FairvizError, match="none-such"):
        exec(compile(code, "a panel", "exec"), {})


def test_a_small_model_is_called_a_demonstration_before_it_is_asked(study: Study) -> None:
    page = first_run("audit.py", study="threefold", audit_rankers="llm(model='smollm2')", audit_lists="on")
    for kind in ("pairwise", "listwise"):
        told = f"llm_{kind}-model=smollm2: so small a model ranks near chance: a demonstration, never evidence."
        assert told in html_of(page)


def test_what_a_study_lacks_and_choices_that_cannot_be() -> None:
    labels = "doc_id,annotator,label\nd2,a,male\nd3,a,neutral\n"
    page = first_run("audit.py", study=put("lacking", queries=QUERIES, documents=DOCUMENTS, labels=labels))
    said = "has no document with text labelled &#x27;female&#x27; by a, and a pair needs one of each group."
    assert said in html_of(page)
    page = first_run("audit.py", study="football", audit_rankers="bm52", audit_source="every")
    assert "there is no ranker &#x27;bm52&#x27;" in html_of(page)
    assert "The address sets audit_source to" in html_of(page)


def test_an_ended_job_says_how(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise jobs.Stopped

    monkeypatch.setattr(controls, "audit_pairwise", stopped)
    page = after("threefold", audit_rankers="bm25,qlm")
    assert "Stopped: nothing of it is shown." in html_of(page)
    assert not page.button(key="audit_run").disabled


def test_drawn_pairs_are_shown_by_relevance_at_first() -> None:
    kept(judged(), "judged")
    page = after("judged", audit_rankers="tfidf")
    assert page.selectbox(key=pairs.JUDGED).options == ["drawn, all", "drawn, relevant", "drawn, not relevant"]
    assert page.selectbox(key=pairs.JUDGED).value == "drawn, relevant"
    assert "in both orders" not in page.dataframe[2].value, "a ranker with scores sees no order"


def test_lists_that_cannot_be_made_are_told_before_a_run() -> None:
    runs = judged().qrels[["query_id", "doc_id"]].assign(system="made", rank=0, score=0.0)
    runs["rank"] = runs.groupby("query_id").cumcount() + 1
    kept(replace(judged(), qrels=empty(QRELS), runs=conform(runs, RUNS), fingerprint=""), "bare")
    message = "has no relevance judgements, so no candidate list can be made"
    assert message in html_of(first_run("audit.py", study="bare", audit_rankers="bm25", audit_lists="on"))
    assert message not in html_of(first_run("audit.py", study="bare", audit_rankers="bm25"))


def test_old_links_to_mitigations_open_their_page(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(going.st, "switch_page", opened.append)
    page = first_run("audit.py", study="football", audit_view="Mitigations")
    assert opened == ["pages/mitigations.py"]
    assert page.session_state["audit_view"] == views.PREFERENCES


def test_a_page_that_is_part_of_this_one_is_its_first_view(monkeypatch: pytest.MonkeyPatch) -> None:
    part = Page("audit_part", "Parts", part_of="audit", fits=lambda study: study.name == "football",
                draw=lambda: html.quiet("drawn by the part"))  # fmt: skip
    monkeypatch.setattr(registry, "PAGES", {**registry.PAGES, part.name: part})
    assert part not in registry.in_menus()
    page = first_run("audit.py", study="football")
    assert page.segmented_control(key=views.VIEW).options == ["Parts", views.PREFERENCES, views.NAMES]
    assert "drawn by the part" in html_of(page)
    assert "Parts" not in first_run("audit.py", study="occupations").segmented_control(key=views.VIEW).options
    monkeypatch.setattr(registry, "PAGES", {part.name: part})
    assert part in registry.in_menus(), "without that page it is one of its own"


def test_the_pairs_shown_first_have_enough_queries_for_a_test() -> None:
    page = after("newswire", audit_rankers="bm25")
    assert page.selectbox(key=pairs.JUDGED).value == "drawn, not relevant"


NAMES = {"audit_view": "Authors' names", "audit_rankers": "bm25,tfidf"}


def test_authors_names_give_the_numbers_of_the_command_line(study: Study, printed, panels: Panels) -> None:
    page = after("threefold", **NAMES)
    text = html_of(page)
    assert "fv-error" not in text
    assert "<b>tfidf:</b> 2 queries are too few for a verdict, which needs 10." in text
    assert "there the name is a term to match" not in text
    expected = printed("fairviz audit threefold --kind attribution --with bm25,tfidf")
    numbers = ["value", "placebo", "placebo_low", "beyond", "queries", "sets", "pairs"]
    table = panels["audit_quantities"][0]
    pd.testing.assert_frame_equal(table[numbers], expected[numbers], check_dtype=False, rtol=1e-9)
    assert set(panels) == {"audit_authors", "audit_quantities", "audit_unnamed", "audit_name_answers"}
    run_as_printed(panels)


def test_authors_names_of_ones_own(study: Study, panels: Panels) -> None:
    """From the address, from rows of the table, and from a file; a program has the names."""
    listed = "female:Ada|Bea;male:Carl|Dan"
    after("threefold", **NAMES, audit_names=listed, audit_template="{text} {name}")
    assert "'female': ['Ada', 'Bea']" in panels["audit_quantities"][1].python
    assert "template='{text} {name}'" in panels["audit_quantities"][1].python
    run_as_printed(panels)
    assert format_names(views.EDITOR.in_file("n.csv", b"f,Ada\nf,Bea\nm,Carl\nm,Dan\n")) == listed
    page = first_run("audit.py", study="threefold", **NAMES, audit_names="female:Ada")
    assert "the list has 1 female name" in html_of(page)
    with pytest.raises(FairvizError) as caught:
        views.EDITOR.in_file("n.csv", b"f,Ada\nx,Bea\n")
    assert caught.value.message == "n.csv:2: unknown gender: 'x,Bea'"


def test_authors_names_need_no_labels() -> None:
    made = replace(judged(), labels=empty(LABELS), fingerprint="")
    kept(made, "unlabelled")
    page = after("unlabelled", **NAMES)
    assert "<b>bm25:</b>" in html_of(page)


@pytest.mark.parametrize(
    ("view", "told"),
    [({}, r"\d+ pairs, \d+ queries"), (NAMES, "9 documents in five versions, 2 queries")],
    ids=("pairs", "names"),
)
def test_rankers_that_read_nothing_are_shown_before_a_long_run(study: Study, monkeypatch, view: dict, told: str):
    monkeypatch.setattr(controls, "reading_seconds", lambda *_, **__: 61.0)
    page = first_run("audit.py", study="threefold", **{**view, "audit_rankers": "bm25,bi_encoder"})
    text = html_of(page)
    assert re.search(rf"Run adds bi_encoder: {told}; about 61 seconds\.", text)
    assert "<b>bm25:</b>" in text
    assert "<b>bi_encoder:</b>" not in text
    assert not page.button(key="audit_run").disabled


def test_the_answers_to_a_pair_are_a_row_a_ranker_with_its_gap_where_it_has_one() -> None:
    wins = {"group": "female", "other": "male", "first_order": "group", "second_order": "neither"}
    rows = pd.DataFrame([{**wins, "system": "bm25", "gap": 0.5}, {**wins, "system": "llm", "gap": float("nan")}])
    texts = [("bm25", ""), ("bm25", ""), ("llm", "The <b>first</b>"), ("llm", "None of them")]
    integrity = pd.DataFrame({"system": ["bm25", "llm"], "first_named": [float("nan"), 0.5], "tokens_in": [0, 200]})
    found = pairs.answers_html(rows, pd.DataFrame(texts, columns=["system", "text"]), integrity)
    assert re.findall(r"<td[^>]*>(.*?)</td>", found) == [
        "bm25", "female wins", "sees no order", "0.500 standard deviations",
        "llm", "female wins: “The &lt;b&gt;first&lt;/b&gt;”", "neither: “None of them”", "unknown",
    ]  # fmt: skip
