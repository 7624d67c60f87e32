"""`bm25(k1=0.9,b=0.4),tfidf` and what is wrong about other texts."""

import pytest

from fairviz.errors import UsageError
from fairviz.rankers import RANKERS, parse_rankers

ALL = (
    "bm25, tfidf, qlm, w2v_add, w2v_si, fasttext_add, bi_encoder, backpack, cross_encoder, llm_pairwise, llm_listwise, "
    "rrf, neutral, balanced, detconstsort, oracle, perfect, random"
)


def test_names_and_parameters():
    choices = parse_rankers(" bm25 , bm25(k1=1.2, b=0.75),tfidf()")
    assert [choice.system for choice in choices] == ["bm25", "bm25-k1=1.2-b=0.75", "tfidf"]
    assert dict(choices[0].parameters) == {"k1": 0.9, "b": 0.4}
    assert dict(choices[1].parameters) == {"k1": 1.2, "b": 0.75}
    assert parse_rankers("bm25(k1=0.90)")[0].system == "bm25"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"no ranker is named\nUse one or more of {ALL}."),
        ("bm26", f"there is no ranker 'bm26'\nUse one or more of {ALL}."),
        ("bm25,", None),
        ("bm25,bm25", "bm25 is named twice\nName it once."),
        ("bm25(k1=0.9", "cannot read 'bm25(k1=0.9' as a ranker\nWrite it as bm25(k1=0.9,b=0.4),tfidf."),
        ("tfidf bm25", "cannot read 'tfidf bm25' as a ranker\nWrite it as bm25(k1=0.9,b=0.4),tfidf."),
        ("bm25(k2=1)", "bm25 has no parameter 'k2'\nbm25 takes k1=0.9, b=0.4."),
        ("bm25(0.9)", "bm25 has no parameter '0.9'\nbm25 takes k1=0.9, b=0.4, each by its name."),
        ("tfidf(k=1)", "tfidf has no parameter 'k'\ntfidf takes no parameter."),
        ("bm25(b=1.5)", "bm25 cannot take b=1.5\nUse a number from 0 to 1."),
        ("bm25(b=nan)", "bm25 cannot take b='nan'\nUse a number from 0 to 1."),
        ("random(seed=1.5)", "random cannot take seed=1.5\nUse a whole number from 0 to 2,147,483,647."),
        ("rrf(run=a)", "rrf has no parameter 'run'\nrrf takes k=60, runs=''."),
        (
            "fasttext_add",
            "fasttext_add needs embedding\nWrite it as fasttext_add(embedding='…'): the path of a fastText .bin or "
            ".vec file.",
        ),
        (
            "cross_encoder(n=10)",
            "cross_encoder needs model\nWrite it as cross_encoder(model='…'): the name or path of a CrossEncoder of "
            "sentence-transformers.",
        ),
        ("bm25(k1=x)", "bm25 cannot take k1='x'\nUse a number from 0 to 10."),
    ],
)
def test_what_cannot_be_read(text, message):
    if message is None:
        assert len(parse_rankers(text)) == 1  # a comma at the end is forgiven
        return
    with pytest.raises(UsageError) as caught:
        parse_rankers(text)
    assert str(caught.value) == message


def test_texts_in_quotes_can_hold_commas_and_brackets():
    first, second, third = parse_rankers("""rrf(runs='bm25+tf,(1)', k=10),bi_encoder(model="a b/c d"),rrf(runs=x+y)""")
    assert dict(first.parameters) == {"k": 10, "runs": "bm25+tf,(1)"}
    assert first.system == "rrf-k=10-runs=bm25+tf_1_"
    assert second.parameters["model"] == "a b/c d"
    assert second.system == "bi_encoder-model=c_d"
    assert third.parameters["runs"] == "x+y"


def test_whole_numbers_are_named_whole():
    assert parse_rankers("random(seed=12345678)")[0].system == "random-seed=12345678"


def test_one_embedding_for_all_that_take_one():
    choices = parse_rankers("bm25,w2v_add,w2v_si(embedding=glove),fasttext_add", embedding="/a/b.vec")
    assert [choice.parameters.get("embedding") for choice in choices] == [None, "/a/b.vec", "glove", "/a/b.vec"]
    assert [choice.system for choice in choices] == [
        "bm25", "w2v_add-embedding=b.vec", "w2v_si", "fasttext_add-embedding=b.vec",
    ]  # fmt: skip


def test_the_registry_names_its_records():
    assert ", ".join(RANKERS) == ALL
    assert [ranker.name for ranker in RANKERS.values()] == list(RANKERS)
    for ranker in RANKERS.values():
        for parameter in ranker.parameters:
            assert parameter.is_text or parameter.low <= parameter.default <= parameter.high
            assert parameter.help
