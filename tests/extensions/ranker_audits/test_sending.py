"""Texts leave the page Audit for the server that a person confirmed, without the key of another."""

import pytest

from tests.model_server import ModelServer
from tests.pages.conftest import first_run, settled
from tests.pages.conftest import no_exception as no_exception
from tests.pages.test_sending import boxes, ranker
from tests.pages.test_sending import study as study


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
