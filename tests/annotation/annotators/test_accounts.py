"""What the answers on disk say of a language model's labels, read off them again; and prompts of one's own."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from fairviz.annotation.annotators import parse
from fairviz.annotation.annotators.accounts import account, choice_of, lost_answer
from fairviz.annotation.annotators.annotating import annotate, describe, with_annotations
from fairviz.annotation.annotators.llm import keep_prompt, own_prompts
from fairviz.errors import FairvizError
from fairviz.models.answers import answers_path
from fairviz.study.record import Annotator, Study
from tests.annotation.annotators.test_annotating import grid
from tests.conftest import refused
from tests.model_server import ModelServer


def said(prompt: str) -> str:
    """Neutral of all but the men, of whom it says nothing that is a class."""
    return "It could be either." if "his father" in prompt else "Neutral"


def described(name: str, description: str) -> Study:
    return replace(grid(1), annotators={name: Annotator(name, "model", description)})


def test_tokens_and_lost_answers_are_read_off_the_disk(server: ModelServer) -> None:
    server.answer = said
    study = grid()
    ruled = with_annotations(study, annotate(study, "mentions"))
    assert [account(ruled, name) for name in ("mentions", "ann")] == [None, None]
    assert not answers_path().exists(), "whoever is no language model has no account, and no file is made"
    made = annotate(study, f"llm(model='m',url='{server.address}')", queries=2)
    grown = with_annotations(study, made)
    found = account(grown, "llm-model=m")
    assert (found.tokens_in, found.tokens_out) == (600, 12)
    assert found.seconds == pytest.approx(made.record.iloc[0]["seconds"])
    assert found.outcomes.to_dict("records") == [
        {"doc_id": f"{kind}{query}", "outcome": "unparsed" if kind == "m" else "labelled",
         "text": "It could be either." if kind == "m" else "Neutral"} for query in (0, 1) for kind in "fmn"
    ]  # fmt: skip
    lost = lost_answer(grown, "llm-model=m", "m0")
    assert (lost.outcome, lost.text) == ("unparsed", "It could be either.")
    for name, document in (("llm-model=m", "f0"), ("llm-model=m", "m5"), ("llm-model=m", "nobody"), ("ann", "m0")):
        assert lost_answer(grown, name, document) is None
    assert len(server.bodies) == 6, "nobody was asked again"
    os.remove(answers_path())
    assert account(grown, "llm-model=m") is None, "without any stored answer"
    annotate(study, f"llm(model='other',url='{server.address}')", queries=1)
    assert account(grown, "llm-model=m") is None, "the store holds another model's answers alone"


def test_logprob_gives_an_account_without_its_question_about_no_document(server: ModelServer) -> None:
    server.probabilities = lambda prompt: {} if "his father" in prompt else {"Neutral": -0.1, "Female": -2.0}
    study = grid(2)
    grown = with_annotations(study, annotate(study, f"logprob(model='m',url='{server.address}')"))
    assert account(grown, "logprob-model=m").outcomes["outcome"].tolist() == ["labelled", "unparsed", "labelled"] * 2
    assert lost_answer(grown, "logprob-model=m", "m1").outcome == "unparsed"


@pytest.mark.parametrize(
    "text",
    [
        "llm(model='a, b: c',prompt='three-shot',url='http://localhost:1/v1')",
        "llm(model='m')",
        "logprob(model='smollm2',calibrate='batch')",
    ],
)
def test_an_annotator_is_read_off_its_description(text: str) -> None:
    (choice,) = parse(text)
    former = describe(choice).replace("table 1).", "table 1) at temperature 0.")  # before there were samples
    assert (former != describe(choice)) == text.startswith("llm")
    for description in (describe(choice), former):
        assert choice_of(described(choice.name, description), choice.name) == choice
    assert choice_of(described(choice.name, "llm (model=m): mine."), choice.name) is None


@pytest.mark.parametrize("takes", [True, False])
def test_several_answers_have_one_account(server: ModelServer, takes: bool) -> None:
    server.answer = lambda prompt: '{"class": "Male"}' if takes else "Male"
    server.faults = [] if takes else ["odd"]
    study = grid(1)
    grown = with_annotations(study, annotate(study, f"llm(model='m',samples=3,structured=True,url='{server.address}')"))
    (name,) = set(grown.labels["annotator"]) - {"ann"}
    assert account(grown, name).outcomes["outcome"].tolist() == ["labelled"] * 3


def test_labels_of_a_session_are_replaced_where_that_is_asked() -> None:
    study = grid()
    made = annotate(study, "mentions")
    grown = with_annotations(study, made)
    again = with_annotations(grown, made, replacing=True)
    assert sorted(again.labels["doc_id"]) == sorted(grown.labels["doc_id"])
    people = replace(grown, annotators={**grown.annotators, "mentions": Annotator("mentions", "person")})
    with pytest.raises(FairvizError, match=r"^grid has labels by mentions already\n"):
        with_annotations(people, made, replacing=True)


def test_a_prompt_is_kept_under_a_name_for_good(server: ModelServer, tmp_path: Path) -> None:
    path = keep_prompt("mine", "Class of {passage}?")
    assert own_prompts() == {"mine": path}
    assert keep_prompt("mine", "Class of {passage}?") == path
    annotate(grid(1), f"llm(model='m',prompt='{path}',url='{server.address}')")
    assert server.prompts()[0] == "Class of She and her mother met the woman. Number 0.?"
    for name, text, message in (
        ("mine", "Another {passage}", "there is another prompt called 'mine'\nChoose another name."),
        ("zero-shot", "{passage}", "zero-shot is a prompt of the program\nChoose another name."),
        ("b", "none", "the prompt has no {passage}\nWrite {passage} where the text of the document belongs."),
        ("../b", "{passage}", "'../b' cannot name the file of a prompt\nUse letters, digits, hyphens and underscores."),
        ("b", "{passage}" + "x" * 200_000, "the prompt is longer than 200,000 bytes\nWrite a shorter one."),
    ):
        with refused(message):
            keep_prompt(name, text)
    os.mkfifo(tmp_path / "pipe")
    (choice,) = parse(f"llm(model='m',prompt='{tmp_path / 'pipe'}',url='{server.address}')")
    assert account(described(choice.name, describe(choice)), choice.name) is None, "a description opens no pipe"
