"""What goes to a server beside the question: no key but the one that is meant for it."""

import pytest

from fairviz.models.asking import ask_all
from fairviz.models.language_model import Question, chosen_model
from tests.model_server import ModelServer, model_server

SECRET = "sk-very-secret-0123456789"


def asked(server: ModelServer) -> list[str]:
    """All headers of the requests that the server got."""
    ask_all(chosen_model("m", server.address), [Question("question", 5)], lambda *_: None)
    return [value for headers in server.headers for value in headers.values()]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_ADMIN_KEY", SECRET),
        ("OPENAI_ORG_ID", SECRET),
        ("OPENAI_PROJECT_ID", SECRET),
        ("OPENAI_CUSTOM_HEADERS", f"X-Gateway: {SECRET}\nauthorization: Bearer {SECRET}"),
    ],
)
def test_nothing_else_of_the_environment_is_sent(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    headers = asked(server)
    assert "Bearer none" in headers
    assert not [value for value in headers if SECRET in value]


def test_a_key_does_not_follow_to_another_server(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)
    with model_server() as other:
        server.faults, server.elsewhere = ["elsewhere"], other.address
        assert f"Bearer {SECRET}" in asked(server)
        assert len(other.bodies) == 1
        assert not [value for headers in other.headers for value in headers.values() if SECRET in value]
