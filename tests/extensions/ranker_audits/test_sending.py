"""Texts leave a page for the server that a person typed and confirmed, and for none that a link names."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.analyses.gender_swap.cases import triples
from tests.model_server import ModelServer
from tests.pages.conftest import first_run, html_of, kept, settled
from tests.pages.conftest import no_exception as no_exception

SECRET = "sk-very-secret-0123456789"
FIELDS = {"audit.py": ("audit_rankers", "audit_run"), "gender_swap.py": ("counterfactual_ranker", "counterfactual_run")}


@pytest.fixture(autouse=True)
def study(monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> None:
    """A study with a folder, and a key in the environment."""
    kept(triples(), "threefold")
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)


def ranker(page: str, server: ModelServer) -> str:
    name = "llm" if page == "audit.py" else "llm_pairwise"
    return f"bm25,{name}(model='m',url='{server.address}')"


def boxes(page: AppTest) -> list:
    return [box for box in page.checkbox if "_send threefold" in str(box.key)]


@pytest.mark.parametrize("name", FIELDS)
def test_a_link_fills_in_no_server(name: str, server: ModelServer) -> None:
    field, _ = FIELDS[name]
    page = first_run(name, study="threefold", **{field: ranker(name, server)})
    assert server.address not in str(page.text_input(key=field).value)
    assert "(no link names the address of a model; type it on the page); the default was used." in html_of(page)
    assert not boxes(page)


@pytest.mark.parametrize("name", FIELDS)
def test_a_server_that_is_typed_is_confirmed(name: str, server: ModelServer) -> None:
    field, button = FIELDS[name]
    page = first_run(name, study="threefold")
    page.text_input(key=field).set_value(ranker(name, server)).run()
    (box,) = boxes(page)
    assert server.address.split("/")[2] in box.label.replace("\\", "")
    assert page.button(key=button).disabled
    assert field not in page.query_params
    box.check().run()
    assert not page.button(key=button).disabled
    page.text_input(key=field).set_value(ranker(name, server).replace("127.0.0.1", "localhost")).run()
    assert page.button(key=button).disabled, "the tick is for the other server"


def test_texts_go_there_without_the_key(server: ModelServer) -> None:
    page = first_run("audit.py", study="threefold")
    page.text_input(key="audit_rankers").set_value(ranker("audit.py", server)).run()
    boxes(page)[0].check().run()
    assert not server.bodies
    page.button(key="audit_run").click().run()
    settled(page)
    assert server.bodies
    assert {headers["authorization"] for headers in server.headers} == {"Bearer none"}


def test_the_server_of_the_environment_needs_no_word(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)
    page = first_run("audit.py", study="threefold")
    page.text_input(key="audit_rankers").set_value(ranker("audit.py", server)).run()
    assert not boxes(page)
    assert not page.button(key="audit_run").disabled


def test_ranking_on_the_data_page_is_confirmed_too(server: ModelServer) -> None:
    page = first_run("data.py", study="threefold", data_tab="Rank")
    page.text_input(key="rank_with").set_value(ranker("data.py", server)).run()
    (rank,) = [button for button in page.button if button.label == "Rank"]
    assert rank.disabled
    boxes(page)[0].check().run()
    (rank,) = [button for button in page.button if button.label == "Rank"]
    assert not rank.disabled


def test_a_mitigation_that_asks_a_model_is_confirmed_too(server: ModelServer) -> None:
    page = first_run("mitigations.py", study="newswire")
    mitigation = f"llm_listwise(model='m',url='{server.address}',run='bm25')"
    page.text_input(key="audit_bench_mitigations").set_value(mitigation).run()
    assert page.button(key="audit_bench_run").disabled
    (box,) = [box for box in page.checkbox if "_send newswire" in str(box.key)]
    box.check().run()
    assert not page.button(key="audit_bench_run").disabled
