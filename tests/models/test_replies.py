"""Any JSON as an answer gives a reply or an error for a person, is storable, and holds no key."""

import base64
import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.annotation.annotators.llm import class_scores
from fairviz.errors import FairvizError
from fairviz.models.language_model import LanguageModel
from fairviz.models.protocol import PassingError, Reply
from fairviz.models.remote_model import _Received, _reply, without_key
from fairviz.models.replies import read_reply, tokens_of, usable
from tests.extension_rows import rows

KEY = 'sk-"very/secret\\0123456789'
MODEL = LanguageModel("m", "http://host/v1", "m", 0, 0, lambda *_: pytest.fail("nothing is asked"))
CLASSES = {"female": "Female", "male": "Male", "neutral": "Neutral"}
HALVES = ("\ud83d", "\ude00", "\ud83d\ude00")

WORDS = (*CLASSES.values(), "Class: ", "[1] > [2]", "Reasoning: ", "context length", "\x00", KEY)
texts = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from(HALVES), st.text(max_size=5)), max_size=4
).map("".join)  # fmt: skip
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
    """The same JSON with some of its characters in escapes."""
    quoted = False
    signs = []
    place = 0
    while place < len(text):
        sign = text[place]
        if sign == "\\":
            length = 6 if text[place + 1] == "u" else 2
            signs.append(text[place : place + length])
            place += length
            continue
        quoted ^= sign == '"'
        plain = not quoted or sign == '"' or lot.random() < 0.7
        signs.append(sign if plain else "\\/" if sign == "/" else "".join(f"\\u{unit:04x}" for unit in units(sign)))
        place += 1
    return "".join(signs)


def units(sign: str) -> list[int]:
    coded = sign.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(coded[start : start + 2], "big") for start in range(0, len(coded), 2)]


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
