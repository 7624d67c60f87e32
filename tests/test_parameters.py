"""Names with parameters: one grammar for rankers, annotators, measures and tests."""

import keyword
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.annotation.annotators import parse as parse_annotators
from fairviz.errors import UsageError
from fairviz.measures import parse as parse_measure
from fairviz.parameters import (
    LONGEST,
    Call,
    Parameter,
    format_call,
    name_changes,
    parse_arguments,
    parse_calls,
    values_of,
)
from fairviz.rankers import parse_rankers
from fairviz.statistics.families import parse_tests
from tests.conftest import refused

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name))
VALUES = st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=8))
BARE = ("bm25", "a+b", "gpt-4o", "bm25-k1=1.2+tfidf", "2020-01", "lambda")
PATHS = ("/a/b.vec", "http://h:8000/v1", "C:\\new\\x", "~/x")


def test_every_grammar_quotes_and_refuses_alike() -> None:
    """A word can go without quotes, and both kinds of quotes are read."""
    readers = (
        (lambda text: parse_rankers(f"rrf(runs={text})")[0].parameters["runs"]),
        (lambda text: parse_annotators(f"llm(model={text})")[0].values["model"]),
        (lambda text: parse_measure(f"Exposure(group={text})@5").parameters["group"]),
        (lambda text: parse_tests(f"maxT(baseline={text})").baseline),
    )
    for read in readers:
        for name in ("female", "non-binary", "a+b"):
            assert [read(quote.format(name)) for quote in ("{}", "'{}'", '"{}"')] == [name] * 3
        for value in ("a b", "'a", "a'", "'a' 'b", "[", "**x", "'\\d'", "f(x)", "1if 1else 2"):
            with pytest.raises(UsageError, match=r"^cannot read"):
                read(value)


def test_words_without_quotes() -> None:
    for word in (*BARE, *PATHS):
        assert parse_arguments(f"x={word}") == {"x": word}
        assert parse_arguments(f"y=1, x = {word} ,z='x=a,b'") == {"y": 1, "x": word, "z": "x=a,b"}


@given(st.dictionaries(NAMES, VALUES, max_size=3))
def test_what_is_written_is_read(arguments: dict[str, object]) -> None:
    call = format_call("name", arguments)
    assert parse_calls(f"{call},other") == (Call("name", arguments), Call("other", {}))


def test_calls_within_calls() -> None:
    inner = Call("lexicon", {"tau": 0})
    assert parse_calls("vote(lexicon(tau=0),mentions,3),") == (
        Call("vote", {}, (inner, Call("mentions", {}), Call("3", {}))),
    )
    assert format_call("vote", {"a": 1.0}, ["lexicon(tau=0)", "mentions"]) == "vote(lexicon(tau=0),mentions,a=1)"
    assert parse_calls("") == ()


def test_what_is_not_a_call_or_not_an_argument() -> None:
    for text in (
        *("a b", "a(", "]+[", "a.b", "a()()", "a(x=1,x=2)", "a(**{})", "a(*b)", "lambda: 0", "\0", "\udc80", "'a'"),
        *("(" * 3000, "-" * 3000 + "1", "a(x=" + "[" * 3000, "a," * LONGEST),
    ):
        with pytest.raises(ValueError, match=r"^cannot read"):
            parse_calls(text)
    for text in ("1", "x", "x=1),f(y=2", "x=1)(y=2"):
        with pytest.raises(ValueError, match=r"^(cannot read|'.*' has a value|too many)"):
            parse_arguments(text)


NUMBER = Parameter("n", 2.0, "how many", 0.0, 10.0)
WHOLE = Parameter("w", 3, "how many", 1, 5, whole=True, named=False)
TEXT = Parameter("t", "", "a path", required=True)
CHOICE = Parameter("c", "one", choices=("one", "two"))
FLAG = Parameter("f", True)
ALL = (NUMBER, WHOLE, TEXT, CHOICE, FLAG)


def test_values_have_the_type_of_the_default() -> None:
    values = values_of(Call("it", {"n": 4, "w": 4.0, "f": False}), ALL, {"t": "/a b/c", "other": 1})
    assert values == {"n": 4.0, "w": 4, "t": "/a b/c", "c": "one", "f": False}
    assert [type(values[name]) for name in "nwf"] == [float, int, bool]
    assert name_changes(ALL, values) == "-n=4-t=c-f=False"
    assert [each.kind for each in ALL] == ["number", "integer", "text", "choice", "flag"]
    assert CHOICE.described == "c='one':  (one, two)"
    assert NUMBER.described == "n=2: how many (0 to 10)"


def test_values_that_cannot_be() -> None:
    number, whole = "Use a number from 0 to 10.", "Use a whole number from 1 to 5."
    for arguments, message in (
        ({"t": ""}, "it needs t\nWrite it as it(t='…'): a path."),
        ({"n": 11}, f"it cannot take n=11\n{number}"),
        ({"n": math.nan}, f"it cannot take n=nan\n{number}"),
        ({"n": True}, f"it cannot take n=True\n{number}"),
        ({"n": "1"}, f"it cannot take n='1'\n{number}"),
        ({"w": 1.5}, f"it cannot take w=1.5\n{whole}"),
        ({"w": 10**400}, f"it cannot take w=1{'0' * 79}\n{whole}"),
        ({"t": 1}, "it cannot take t=1\nUse a text in quotes."),
        ({"t": None}, "it cannot take t=None\nUse a text in quotes."),
        ({"c": "three"}, "it cannot take c='three'\nUse one of 'one', 'two'."),
        ({"f": 1}, "it cannot take f=1\nUse True or False."),
        ({"x": 1}, "it has no parameter 'x'\nit takes n=2, w=3, t='', c='one', f=True."),
    ):
        with refused(message, UsageError):
            values_of(Call("it", arguments), ALL)


def test_a_value_without_a_name() -> None:
    with pytest.raises(UsageError) as error:
        values_of(parse_calls("it(3)")[0], ALL)
    assert str(error.value).endswith("it takes n=2, w=3, t='', c='one', f=True, each by its name.")
    with pytest.raises(UsageError, match=r"bare takes no parameter\.$"):
        values_of(parse_calls("bare(3)")[0], ())
