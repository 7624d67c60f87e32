"""The page Audit under AppTest: what it shows before a run, the command line's numbers after it, the cards of lists,
and that texts leave a page for the server that a person typed and confirmed, and for none that a link names."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.extensions.ranker_audits.author_names import format_names
from fairviz.extensions.ranker_audits.list_plan import ListwisePlan
from fairviz.extensions.ranker_audits.listwise import audit_listwise
from fairviz.extensions.ranker_audits.pairs import PairwisePlan
from fairviz.extensions.ranker_audits.ui import controls, pairs, views
from fairviz.extensions.ranker_audits.ui.controls import AuditCalls
from fairviz.output.recipes import recipe
from fairviz.rankers import parse_rankers
from fairviz.study.record import Study
from fairviz.study.tables import LABELS, QRELS, RUNS, conform, empty
from fairviz.ui.kit import html, jobs
from fairviz.ui.state import going, registry
from fairviz.ui.state.registry import Page
from tests.analyses.test_gender_swap import triples
from tests.extensions.ranker_audits.test_listwise import study as study_of_lists
from tests.extensions.ranker_audits.test_llm_rankers import ordering
from tests.extensions.ranker_audits.test_pairwise import judged
from tests.model_server import ModelServer
from tests.pages.conftest import Panels, drawn_by, first_run, html_of, kept, put, run_as_printed, settled, table_with
from tests.pages.conftest import no_exception as no_exception
from tests.pages.conftest import panels as panels
from tests.pages.conftest import printed as printed
from tests.pages.conftest import quick as quick
from tests.ui.test_analyses import GO, opened
from tests.ui.test_analyses import registered as registered

EVIL = "<img src=x onerror=alert(1)><script>alert()</script>"
NAMES = {"audit_view": "Authors' names", "audit_rankers": "bm25,tfidf"}


@pytest.fixture
def study() -> Study:
    made = triples()
    made = replace(made, queries=made.queries.assign(leaning=["a", "b", "b"]), fingerprint="")
    kept(made, "threefold")
    return made


def after(name: str, **asked: str) -> AppTest:
    """The page after Run, where it does not run by itself, once the job has ended."""
    page = first_run("audit.py", study=name, **asked)
    if not page.button(key="audit_run").disabled:
        page.button(key="audit_run").click().run()
    return settled(page)


# --- pairs, lists and names


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


def test_authors_names_give_the_numbers_of_the_command_line(study: Study, printed, panels: Panels) -> None:
    text = html_of(after("threefold", **NAMES))
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
    kept(replace(judged(), labels=empty(LABELS), fingerprint=""), "unlabelled")
    assert "<b>bm25:</b>" in html_of(after("unlabelled", **NAMES))


def test_a_program_names_the_word_vectors_of_the_settings(study: Study) -> None:
    calls = AuditCalls(open_study("threefold"), "w2v_add", "none-such")
    code = recipe(calls.of(PairwisePlan()), table="found.table").python
    with pytest.raises(FairvizError, match="none-such"):
        exec(compile(code, "a panel", "exec"), {})


# --- before a run, and after one that ended otherwise


def test_a_small_model_is_called_a_demonstration_before_it_is_asked(study: Study) -> None:
    page = first_run("audit.py", study="threefold", audit_rankers="llm(model='smollm2')", audit_lists="on")
    for kind in ("pairwise", "listwise"):
        told = f"llm_{kind}-model=smollm2: so small a model ranks near chance: a demonstration, never evidence."
        assert told in html_of(page)


def test_what_a_study_lacks_and_choices_that_cannot_be() -> None:
    documents = "doc_id,text\nd1,The woman\nd2,The man\nd3,A car\n"
    lacking = put("lacking", queries="query_id,text\nq1,car\n", documents=documents,
                  labels="doc_id,annotator,label\nd2,a,male\nd3,a,neutral\n")  # fmt: skip
    said = "has no document with text labelled &#x27;female&#x27; by a, and a pair needs one of each group."
    assert said in html_of(first_run("audit.py", study=lacking))
    text = html_of(first_run("audit.py", study="football", audit_rankers="bm52", audit_source="every"))
    assert "there is no ranker &#x27;bm52&#x27;" in text
    assert "The address sets audit_source to" in text
    runs = judged().qrels[["query_id", "doc_id"]].assign(system="made", rank=0, score=0.0)
    runs["rank"] = runs.groupby("query_id").cumcount() + 1
    kept(replace(judged(), qrels=empty(QRELS), runs=conform(runs, RUNS), fingerprint=""), "bare")
    message = "has no relevance judgements, so no candidate list can be made"
    assert message in html_of(first_run("audit.py", study="bare", audit_rankers="bm25", audit_lists="on"))
    assert message not in html_of(first_run("audit.py", study="bare", audit_rankers="bm25"))


@pytest.mark.parametrize(
    ("view", "told"),
    [({}, r"\d+ pairs, \d+ queries"), (NAMES, "9 documents in five versions, 2 queries")],
    ids=("pairs", "names"),
)
def test_rankers_that_read_nothing_are_shown_before_a_long_run(study: Study, monkeypatch, view: dict, told: str):
    monkeypatch.setattr(controls, "reading_seconds", lambda *_, **__: 61.0)
    page = settled(first_run("audit.py", study="threefold", **{**view, "audit_rankers": "bm25,bi_encoder"}))
    text = html_of(page)
    assert re.search(rf"Run adds bi_encoder: {told}; about 61 seconds\.", text)
    assert "<b>bm25:</b>" in text
    assert "<b>bi_encoder:</b>" not in text
    assert not page.button(key="audit_run").disabled


def test_an_ended_job_says_how(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise jobs.Stopped

    monkeypatch.setattr(controls, "audit_pairwise", stopped)
    page = after("threefold", audit_rankers="bm25,qlm")
    assert "Stopped: nothing of it is shown." in html_of(page)
    assert not page.button(key="audit_run").disabled


# --- what is shown first


def test_drawn_pairs_are_shown_by_relevance_at_first_where_queries_are_enough_for_a_test() -> None:
    kept(judged(), "judged")
    page = after("judged", audit_rankers="tfidf")
    assert page.selectbox(key=pairs.JUDGED).options == ["drawn, all", "drawn, relevant", "drawn, not relevant"]
    assert page.selectbox(key=pairs.JUDGED).value == "drawn, relevant"
    assert "in both orders" not in page.dataframe[2].value, "a ranker with scores sees no order"
    assert after("newswire", audit_rankers="bm25").selectbox(key=pairs.JUDGED).value == "drawn, not relevant"


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


# --- the cards of lists, integrity first


def cards(study, audit) -> None:
    from fairviz.extensions.ranker_audits.ui import lists

    lists.cards(study, audit)


def test_every_card_of_lists_and_no_text_becomes_a_tag(server: ModelServer) -> None:
    order = ordering(lambda text: "female" in text)
    server.answer = lambda prompt: f"{EVIL} {order(prompt)}" if "Query: topic1 " in prompt else order(prompt)
    made = study_of_lists()
    texts = pd.array([f"{EVIL} {text}" for text in made.documents["text"]], dtype="str")
    queries = pd.array([f"{text} {EVIL}" for text in made.queries["text"]], dtype="str")
    made = replace(made, documents=made.documents.assign(text=texts),
                   queries=made.queries.assign(text=queries, topic=[EVIL, "b", "b", "b"]))  # fmt: skip
    plan = ListwisePlan(per_list=8, window=8, step=4, windows=((4, 2),))
    audit = audit_listwise(made, parse_rankers(f"bm25,llm_listwise(model=m,url='{server.address}')"), plan)
    shown = drawn_by(cards, made, audit)
    text = html_of(shown)
    assert "<img" not in text
    assert "<script>" not in text
    assert text.index("Are these lists to be trusted?") < text.index("times the attention")
    grids = [each.value for each in shown.dataframe]
    (first,) = (place for place, each in enumerate(grids) if "as requested" in each)
    assert first < min(place for place, each in enumerate(grids) if "exposure ratio" in each)
    llm = grids[first][grids[first]["ranker"] == "llm_listwise-model=m"]
    assert llm["as requested"].tolist() == ["3", "3", "3", "9"]
    assert llm["repaired"].tolist() == ["1", "1", "1", "3"]
    windows = next(each for each in grids if "step" in each and "exposure ratio" in each)
    assert windows[["window", "step"]].to_numpy().tolist() == [["8", "4"], ["4", "2"]]
    shown.selectbox(key="audit_list_column").select("topic").run()
    assert EVIL in table_with(shown, "topic")["topic"].tolist()
    shown.selectbox(key="audit_list_ranker").select("llm_listwise-model=m, neutral queries, window 4, step 2").run()
    shown.selectbox(key="audit_list_query").select("q1").run()
    assert "Window 3, ranks 1 to 4: repaired (words around the list" in html_of(shown)
    assert "<script>" not in html_of(shown)


def test_lists_of_one_query_and_a_model_that_says_nothing(server: ModelServer) -> None:
    server.answer = lambda _: ""
    plan, made = ListwisePlan(per_list=8, queries=1, attributes=()), study_of_lists()
    audit = audit_listwise(made, parse_rankers(f"llm_listwise(model=m,url='{server.address}')"), plan)
    text = html_of(drawn_by(cards, made, audit))
    assert "Answers that name no order: empty 1." in text
    assert "do not read a preference into its lists" in text
    assert "(nothing)" in text


# --- where texts are sent


def boxes(page: AppTest) -> list:
    return [box for box in page.checkbox if "_send " in str(box.key)]


def refuses(page: AppTest, button: str) -> bool:
    """Whether the button with this key or label cannot be pressed: it is disabled, or not there."""
    return all(one.disabled for one in page.button if button in (one.key, one.label))


def test_texts_leave_for_the_server_that_was_typed_and_confirmed(study: Study, server: ModelServer, monkeypatch):
    monkeypatch.setenv("FAIRVIZ_API_KEY", "sk-very-secret-0123456789")
    ranker = f"bm25,llm(model='m',url='{server.address}')"
    page = first_run("audit.py", study="threefold", audit_rankers=ranker)
    assert server.address not in str(page.text_input(key="audit_rankers").value)
    assert "(no link names the address of a model; type it on the page); the default was used." in html_of(page)
    assert not boxes(page)
    page = first_run("audit.py", study="threefold")
    page.text_input(key="audit_rankers").set_value(ranker.replace("127.0.0.1", "localhost")).run()
    assert refuses(page, "audit_run")
    boxes(page)[0].check().run()
    assert not refuses(page, "audit_run")
    page.text_input(key="audit_rankers").set_value(ranker).run()
    assert refuses(page, "audit_run"), "the tick is for the other server"
    assert "audit_rankers" not in page.query_params
    (box,) = boxes(page)
    assert server.address.split("/")[2] in box.label.replace("\\", "")
    box.check().run()
    assert not server.bodies
    page.button(key="audit_run").click().run()
    settled(page)
    assert server.bodies
    assert {headers["authorization"] for headers in server.headers} == {"Bearer none"}, "not the key"

    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)  # needs no word
    page.text_input(key="audit_rankers").set_value(ranker.replace("'m'", "'other'")).run()
    assert not boxes(page)
    assert not refuses(page, "audit_run")


@pytest.mark.parametrize(
    ("name", "field", "button", "query"),
    [
        ("gender_swap.py", "counterfactual_ranker", "counterfactual_run", {"study": "threefold"}),
        ("data.py", "rank_with", "Rank", {"study": "threefold", "data_tab": "Rank"}),
        ("mitigations.py", "audit_bench_mitigations", "audit_bench_run", {"study": "threefold"}),
    ],
)
def test_other_pages_ask_alike(study: Study, name: str, field: str, button: str, query: dict, server: ModelServer):
    kind = "llm_listwise" if name == "mitigations.py" else "bm25,llm_pairwise"
    ranker = f"{kind}(model='m',url='{server.address}',run='bm25')"
    page = first_run(name, **query, **{field: ranker})
    assert server.address not in str(page.text_input(key=field).value)
    page.text_input(key=field).set_value(ranker).run()
    assert refuses(page, button)
    boxes(page)[0].check().run()
    assert not refuses(page, button)


def test_a_page_that_is_made_from_a_record_asks_alike() -> None:
    page = opened()
    page.text_input(key="tried_rankers").set_value("llm_pairwise(model='m',url='http://localhost:9/v1')").run()
    (tick,) = boxes(page)
    assert "Send the texts of newswire to localhost" in tick.label
    assert refuses(page, GO)
    assert tick.check().run().button(key=GO)
