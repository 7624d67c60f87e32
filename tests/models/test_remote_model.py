"""What goes to a server beside the question: no key but the one that is meant for it, and nothing to another place."""

import pytest

from fairviz.errors import FairvizError
from fairviz.models.addresses import OPENAI
from fairviz.models.asking import Budget, Spent, ask_all
from fairviz.models.language_model import chosen_model
from fairviz.models.protocol import Question
from fairviz.models.remote_model import key_for
from tests.model_server import ModelServer, model_server

SECRET = "sk-very-secret-0123456789"


def asked(server: ModelServer) -> list[str]:
    """All headers of the requests that the server got."""
    ask_all(chosen_model("m", server.address), [Question("question", 5)], lambda *_: None)
    return [value for headers in server.headers for value in headers.values()]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_API_KEY", SECRET),
        ("OPENAI_ADMIN_KEY", SECRET),
        ("OPENAI_ORG_ID", SECRET),
        ("OPENAI_PROJECT_ID", SECRET),
        ("OPENAI_CUSTOM_HEADERS", f"X-Gateway: {SECRET}\nauthorization: Bearer {SECRET}"),
        ("FAIRVIZ_API_KEY", SECRET),
    ],
)
def test_nothing_else_of_the_environment_is_sent(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    headers = asked(server)
    assert "Bearer none" in headers
    assert not [value for value in headers if SECRET in value]


def test_a_key_goes_to_its_own_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)
    assert (key_for(OPENAI), key_for("http://stranger/v1"), key_for(f"{OPENAI}.stranger")) == (SECRET, "", "")
    monkeypatch.setenv("FAIRVIZ_BASE_URL", "http://lab:8000/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    assert (key_for(OPENAI), key_for("http://lab:8000/v1"), key_for("http://lab:8001/v1")) == ("sk-openai", SECRET, "")


@pytest.mark.parametrize("fault", ["301", "302", "303", "307", "308"])
def test_no_redirect_is_followed(server: ModelServer, fault: str) -> None:
    with model_server() as other:
        server.faults, server.elsewhere = [fault] * 3, other.address
        spent = Spent(Budget(requests=9))
        with pytest.raises(FairvizError) as caught:
            ask_all(chosen_model("m", server.address), [Question("question", 5)], lambda *_: None, spent=spent)
        assert str(caught.value) == (
            f"{server.address} redirects to {other.address}/chat/completions (status {fault}); nothing is sent there\n"
            "Name that address yourself where you trust it: url='http://localhost:8000/v1'."
        )
        assert (len(server.bodies), len(other.bodies), spent.requests) == (1, 0, 1)


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("", "no address"),
        ("/other/path", "/other/path"),
        ("http://[::1", "no address"),
        ("http://host:99999/v1", "no address"),
        ("ftp://user:word@host/a%0ab?query=1#end", "ftp://host/ab"),
        (f"http://host/{SECRET}", "http://host/[key]"),
        (f"http://host/%73{SECRET[1:]}", "http://host/[key]"),
        (f"http://host/?key={SECRET}", "http://host/"),
        ("http://host/" + "a" * 500, "http://host/" + "a" * 188),
    ],
)
def test_a_place_is_shown_on_one_line(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, place: str, shown: str
) -> None:
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)
    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)
    server.faults, server.location = ["307"], place
    with pytest.raises(FairvizError) as caught:
        asked(server)
    assert caught.value.message == f"{server.address} redirects to {shown} (status 307); nothing is sent there"
