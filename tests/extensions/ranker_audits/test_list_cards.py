"""The cards of an audit of lists, integrity first, with Python's numbers."""

from dataclasses import replace

import pandas as pd

from fairviz.extensions.ranker_audits.list_plan import ListwisePlan
from fairviz.extensions.ranker_audits.listwise import audit_listwise
from fairviz.rankers import parse_rankers
from fairviz.study.record import Study
from tests.extensions.ranker_audits.listwise_server import ordering
from tests.extensions.ranker_audits.test_listwise import study
from tests.model_server import ModelServer
from tests.pages.conftest import drawn_by, html_of, table_with
from tests.pages.conftest import no_exception as no_exception

EVIL = "<img src=x onerror=alert(1)><script>alert()</script>"


def page(study, audit) -> None:
    from fairviz.extensions.ranker_audits.ui import lists

    lists.cards(study, audit)


def hostile() -> Study:
    made = study()
    texts = [f"{EVIL} {text}" for text in made.documents["text"]]
    queries = [f"{text} {EVIL}" for text in made.queries["text"]]
    return replace(
        made,
        documents=made.documents.assign(text=pd.array(texts, dtype="str")),
        queries=made.queries.assign(text=pd.array(queries, dtype="str"), topic=[EVIL, "b", "b", "b"]),
    )


def test_every_card_and_no_text_becomes_a_tag(server: ModelServer) -> None:
    order = ordering(lambda text: "female" in text)
    server.answer = lambda prompt: f"{EVIL} {order(prompt)}" if "Query: topic1 " in prompt else order(prompt)
    plan = ListwisePlan(per_list=8, window=8, step=4, windows=((4, 2),))
    made = hostile()
    audit = audit_listwise(made, parse_rankers(f"bm25,llm_listwise(model=m,url='{server.address}')"), plan)
    shown = drawn_by(page, made, audit)
    text = html_of(shown)
    assert "<img" not in text
    assert "<script>" not in text
    grids = [each.value for each in shown.dataframe]
    (first,) = (place for place, each in enumerate(grids) if "as requested" in each)
    assert first < min(place for place, each in enumerate(grids) if "exposure ratio" in each)
    integrity = grids[first]
    llm = integrity[integrity["ranker"] == "llm_listwise-model=m"]
    assert llm["as requested"].tolist() == ["3", "3", "3", "9"]
    assert llm["repaired"].tolist() == ["1", "1", "1", "3"]
    assert text.index("Are these lists to be trusted?") < text.index("times the attention")
    windows = next(each for each in grids if "step" in each and "exposure ratio" in each)
    assert windows[["window", "step"]].to_numpy().tolist() == [["8", "4"], ["4", "2"]]
    shown.selectbox(key="audit_list_column").select("topic").run()
    assert EVIL in table_with(shown, "topic")["topic"].tolist()
    shown.selectbox(key="audit_list_ranker").select("llm_listwise-model=m, neutral queries, window 4, step 2").run()
    shown.selectbox(key="audit_list_query").select("q1").run()
    assert "Window 3, ranks 1 to 4: repaired (words around the list" in html_of(shown)
    assert "<script>" not in html_of(shown)


def test_one_query_and_a_model_that_says_nothing(server: ModelServer) -> None:
    server.answer = lambda _: ""
    plan, made = ListwisePlan(per_list=8, queries=1, attributes=()), study()
    audit = audit_listwise(made, parse_rankers(f"llm_listwise(model=m,url='{server.address}')"), plan)
    text = html_of(drawn_by(page, made, audit))
    assert "Answers that name no order: empty 1." in text
    assert "do not read a preference into its lists" in text
    assert "(nothing)" in text
