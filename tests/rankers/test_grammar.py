"""`bm25(k1=0.9,b=0.4),tfidf` and what is wrong about other texts."""

import pytest

from fairviz.errors import UsageError
from fairviz.rankers import RANKERS, parse_rankers


def test_names_and_parameters():
    choices = parse_rankers(" bm25 , bm25(k1=1.2, b=0.75),tfidf()")
    assert [choice.system for choice in choices] == ["bm25", "bm25-k1=1.2-b=0.75", "tfidf"]
    assert dict(choices[0].parameters) == {"k1": 0.9, "b": 0.4}
    assert dict(choices[1].parameters) == {"k1": 1.2, "b": 0.75}
    assert parse_rankers("bm25(k1=0.90)")[0].system == "bm25"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no ranker is named\nUse one or more of bm25, tfidf."),
        ("bm26", "there is no ranker 'bm26'\nUse one or more of bm25, tfidf."),
        ("bm25,", None),
        ("bm25,bm25", "bm25 is named twice\nName it once."),
        ("bm25(k1=0.9", "cannot read 'bm25(k1=0.9' as a ranker\nWrite it as bm25(k1=0.9,b=0.4),tfidf."),
        ("tfidf bm25", "cannot read 'tfidf bm25' as a ranker\nWrite it as bm25(k1=0.9,b=0.4),tfidf."),
        ("bm25(k2=1)", "bm25 has no parameter 'k2=1'\nbm25 takes k1=0.9, b=0.4."),
        ("bm25(0.9)", "bm25 has no parameter '0.9'\nbm25 takes k1=0.9, b=0.4."),
        ("tfidf(k=1)", "tfidf has no parameter 'k=1'\ntfidf takes no parameter."),
        ("bm25(b=1.5)", "bm25 cannot take b=1.5\nUse a number from 0 to 1."),
        ("bm25(b=nan)", "bm25 cannot take b=nan\nUse a number from 0 to 1."),
        ("bm25(k1=x)", "bm25 cannot take k1=x\nUse a number from 0 to 10."),
    ],
)
def test_what_cannot_be_read(text, message):
    if message is None:
        assert len(parse_rankers(text)) == 1  # a comma at the end is forgiven
        return
    with pytest.raises(UsageError) as caught:
        parse_rankers(text)
    assert str(caught.value) == message


def test_the_registry_names_its_records():
    assert [ranker.name for ranker in RANKERS.values()] == list(RANKERS) == ["bm25", "tfidf"]
    for ranker in RANKERS.values():
        assert all(parameter.low <= parameter.default <= parameter.high for parameter in ranker.parameters)
