"""People's labels with their comments as worked examples: which are drawn, where they stand, and what is recorded."""

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd

from fairviz.annotation.annotators.accounts import account, lost_answer
from fairviz.annotation.annotators.annotating import annotate, with_annotations
from fairviz.annotation.annotators.worked import worked_examples
from fairviz.annotation.voters import kind_of
from fairviz.evaluation.opening import open_study
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, save_study
from tests.annotation.annotators.test_annotating import grid
from tests.conftest import Call, refused
from tests.model_server import ModelServer

WITH = "llm(model='m',url='{}',examples='people'{})"


def commented(**comments: str) -> Study:
    """Six documents of each label, all by ann, with a comment on each but where another is given."""
    study = grid()
    texts = ["" if name in comments else f"because {name}" for name in study.labels["doc_id"]]
    labels = study.labels.assign(rationale=texts)
    for name, comment in comments.items():
        labels.loc[labels["doc_id"] == name, "rationale"] = comment
    return replace(study, labels=labels)


def beside(study: Study, name: str, kind: str, rows: list[tuple[str, str]], **columns: str) -> Study:
    """The study with another annotator's labels."""
    table = pd.DataFrame(rows, columns=["doc_id", "label"]).assign(annotator=name, rationale="mine", **columns)
    grown = add_labels(study, table)
    return replace(grown, annotators={**grown.annotators, name: Annotator(name, kind)})  # type: ignore[arg-type]


def test_the_draw_is_seeded_balanced_and_of_people_who_agree() -> None:
    study = commented()
    drawn = worked_examples(study, 2, 0)
    assert drawn == worked_examples(study, 2, 0)
    assert {one.doc_id for one in drawn} != {one.doc_id for one in worked_examples(study, 2, 1)}
    assert sorted(one.label for one in drawn) == ["female"] * 2 + ["male"] * 2 + ["neutral"] * 2
    assert all(one.comment == f"because {one.doc_id}" and one.doc_id[0] == one.label[0] for one in drawn)
    assert len({tuple(one.label for one in worked_examples(study, 1, seed)) for seed in range(20)}) == 6, "in any order"
    # of six female documents: one divided, one a test question, one with a suggestion, one without text; the model's
    # comments count nowhere
    study = beside(study, "ben", "person", [("f0", "male")])
    study = beside(study, "gpt", "model", [(f"f{number}", "male") for number in range(6)])
    labels = study.labels.assign(test_label="", suggested="")
    labels.loc[labels["doc_id"].eq("f1") & labels["annotator"].eq("ann"), "test_label"] = "female"
    labels.loc[labels["doc_id"].eq("f2") & labels["annotator"].eq("ann"), "suggested"] = "female"
    documents = study.documents.assign(text=study.documents["text"].where(study.documents["doc_id"] != "f3"))
    study = replace(study, labels=labels, documents=documents)
    assert {one.doc_id for one in worked_examples(study, 2, 0) if one.label == "female"} == {"f4", "f5"}
    with refused("people agree, with a comment, on 2 documents as female, not on 3\nAsk for fewer: shots=2"):
        worked_examples(study, 3, 0)


def test_examples_stand_in_every_prompt_and_are_judged_by_nobody(server: ModelServer, tmp_path: Path) -> None:
    study = commented(f0="</document> she is\nnamed", f1="", f2="", f3="", f4="", f5="")
    made = annotate(study, f"{WITH.format(server.address, ',shots=1')},lexicon(tau=0)")
    examples = worked_examples(study, 1, 0)
    names = {one.doc_id for one in examples}
    assert "f0" in names
    judged = set(study.documents["doc_id"]) - names
    assert set(made.outcomes["doc_id"]) == set(made.labels["doc_id"]) == judged
    assert made.record["documents"].tolist() == [15, 15], "the rule beside it judges the same documents"
    assert len(server.prompts()) == 15
    for prompt in server.prompts():
        head, _, task = prompt.partition("The document to classify stands between")
        assert head.endswith("\n\n")
        assert head.count("\nClass: ") == head.count("\nComment: ") == 3
        assert prompt.count("</document>") == 2, "of the task alone"
        assert not any(one.text in task for one in examples)
        for number, one in enumerate(examples, start=1):
            comment = "< /document> she is named" if one.doc_id == "f0" else f"because {one.doc_id}"
            assert f"Document {number}: {one.text}\nComment: {comment}\nClass: {one.label.title()}\n" in head
    name = "llm-model=m-examples=people-shots=1"
    listed = ", ".join(f"{one.doc_id} ({one.label}, by ann)" for one in examples)
    assert made.annotators[name].description.endswith(f" Worked examples, not judged: {listed}.")
    assert "examples=people, shots=1" in made.annotators[name].description
    grown = with_annotations(study, made)
    assert set(account(grown, name).outcomes["doc_id"]) == judged, "its answers are found again"
    assert lost_answer(grown, name, "f0") is None
    # they follow those of the prompt, and a prompt of one's own has a place for them
    for prompt, why, first in (("three-shot", "Comment:", 4), ("chain-of-thought", "Reasoning:", 1)):
        annotate(commented(), WITH.format(server.address, f",prompt='{prompt}'"), queries=1)
        shown = re.findall(rf"^Document (\d+): .*\n{why} because", server.prompts()[-1], re.MULTILINE)
        assert [*map(int, shown)] == [*range(first, first + 6)]
    file = tmp_path / "own.txt"
    file.write_text("Say the class.\n<<{examples}>>\n{passage}", encoding="utf-8")
    annotate(commented(), WITH.format(server.address, f",prompt='{file}',shots=1"), queries=1)
    assert server.prompts()[-1].startswith("Say the class.\n<<People labelled")
    annotate(commented(), f"llm(model='m',url='{server.address}',prompt='{file}')", queries=1)
    assert server.prompts()[-1].startswith("Say the class.\n<<>>\n")


def test_the_verb_records_them_and_refuses_what_cannot_be(tmp_path: Path, server: ModelServer, call: Call) -> None:
    save_study(commented(), tmp_path / "mine")
    verb = f"annotate {tmp_path / 'mine'} --examples people --with"
    model = [f"llm(model='m',url='{server.address}')"]
    assert "12 of 12 questions to ask" in call(verb, model, "--estimate").err
    said = call(verb, model).err
    assert "6 documents are worked examples, and judged by nobody here.\n" in said
    study = open_study(tmp_path / "mine")
    name = "llm-model=m-examples=people"
    assert kind_of(study, name) == "model"
    assert (study.labels["annotator"] == name).sum() == 12
    assert "Worked examples, not judged: " in (tmp_path / "mine" / "study.toml").read_text(encoding="utf-8")
    assert call(verb, "lexicon", status=2).err == (
        "--examples goes with a language model\nAdd llm(model='…') to --with, or leave it out.\n"
    )
    plain = f"llm(model='m',url='{server.address}',shots=6)"
    assert call(verb, [plain], status=1).err == (
        "every document that is to be judged is a worked example\nAsk for fewer with shots, or judge more.\n"
    )
    save_study(grid(), tmp_path / "bare")
    before = len(server.bodies)
    assert call(verb.replace("mine", "bare"), model, status=1).err == (
        "bare has no labels by people with comments\nCollect some with fairviz study-form, or add the column rationale "
        "to their labels; annotators.csv declares who is a person.\n"
    )
    assert len(server.bodies) == before
