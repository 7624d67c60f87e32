"""Texts leave a page for the server that a person typed and confirmed, and for none that a link names."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.analyses.test_gender_swap import triples
from tests.model_server import ModelServer
from tests.pages.conftest import first_run, html_of, kept, settled
from tests.pages.conftest import no_exception as no_exception

SECRET = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def study(monkeypatch: pytest.MonkeyPatch, server: ModelServer) -> None:
    """A study with a folder, and a key in the environment."""
    kept(triples(), "threefold")
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)


def boxes(page: AppTest) -> list:
    return [box for box in page.checkbox if "_send " in str(box.key)]


def refused(page: AppTest, button: str) -> bool:
    """Whether the button with this key or label cannot be pressed: it is disabled, or not there."""
    return all(one.disabled for one in page.button if button in (one.key, one.label))


def test_texts_leave_for_the_server_that_was_typed_and_confirmed(server: ModelServer, monkeypatch) -> None:
    ranker = f"bm25,llm(model='m',url='{server.address}')"
    page = first_run("audit.py", study="threefold", audit_rankers=ranker)
    assert server.address not in str(page.text_input(key="audit_rankers").value)
    assert "(no link names the address of a model; type it on the page); the default was used." in html_of(page)
    assert not boxes(page)
    page = first_run("audit.py", study="threefold")
    page.text_input(key="audit_rankers").set_value(ranker).run()
    (box,) = boxes(page)
    assert server.address.split("/")[2] in box.label.replace("\\", "")
    assert refused(page, "audit_run")
    assert "audit_rankers" not in page.query_params
    box.check().run()
    assert not refused(page, "audit_run")
    page.text_input(key="audit_rankers").set_value(ranker.replace("127.0.0.1", "localhost")).run()
    assert refused(page, "audit_run"), "the tick is for the other server"
    page.text_input(key="audit_rankers").set_value(ranker).run()
    boxes(page)[0].check().run()
    assert not server.bodies
    page.button(key="audit_run").click().run()
    settled(page)
    assert server.bodies
    assert {headers["authorization"] for headers in server.headers} == {"Bearer none"}, "not the key"

    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)  # needs no word
    page = first_run("audit.py", study="threefold")
    page.text_input(key="audit_rankers").set_value(ranker.replace("'m'", "'other'")).run()
    assert not boxes(page)
    assert not refused(page, "audit_run")


@pytest.mark.parametrize(
    ("name", "field", "button", "query"),
    [
        ("gender_swap.py", "counterfactual_ranker", "counterfactual_run", {"study": "threefold"}),
        ("data.py", "rank_with", "Rank", {"study": "threefold", "data_tab": "Rank"}),
        ("mitigations.py", "audit_bench_mitigations", "audit_bench_run", {"study": "newswire"}),
    ],
)
def test_other_pages_ask_alike(name: str, field: str, button: str, query: dict, server: ModelServer) -> None:
    kind = "llm_listwise" if name == "mitigations.py" else "bm25,llm_pairwise"
    ranker = f"{kind}(model='m',url='{server.address}',run='bm25')"
    page = first_run(name, **query, **{field: ranker})
    assert server.address not in str(page.text_input(key=field).value)
    page.text_input(key=field).set_value(ranker).run()
    assert refused(page, button)
    boxes(page)[0].check().run()
    assert not refused(page, button)
