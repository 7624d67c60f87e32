"""The first run of the Agreement page on studies that have little to compare."""

import json
from pathlib import Path

from fairviz.datasets import studies_folder
from tests.pages.test_first_run import first_run, html_of


def put(name: str, **files: str) -> str:
    folder = Path(studies_folder()) / name
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / f"{file}.csv").write_text(content)
    return name


def titles(test) -> set[str]:
    """Of all charts but the position bias in the sidebar, which has none."""
    specs = [json.loads(element.proto.spec) for element in test.get("plotly_chart")]
    return {spec["layout"]["title"]["text"] for spec in specs} - {""}


def test_several_annotators_are_compared_and_the_word_list_with_them():
    test = first_run("agreement.py", study="newswire")
    assert not test.exception
    text = html_of(test)
    assert "3 annotators gave 1,029 labels; " in text
    assert "on 99 of 343 documents (29 %) they part" in text
    assert titles(test) == {
        "All annotators together",
        "Each annotator against project",
        "What lexicon says where project says what",
        "Cohen's kappa of every pair",
        "The word list as annotator: neutral or gendered",
    }
    assert "a consensus would repeat those labels" in text


def test_one_annotator_is_compared_with_the_word_list():
    test = first_run("agreement.py", study="football")
    text = html_of(test)
    assert "gave labels here, so there is nobody to agree with. The word list is compared with it below." in text
    assert titles(test) == {
        "The word list as annotator: neutral or gendered",
        "What word list says where project says what",
        "Each annotator against project",
    }


def test_one_annotator_and_no_text():
    test = first_run("agreement.py", study=put("bare", labels="doc_id,annotator,label\nd1,a,male\n"))
    assert not test.exception
    assert "Only a gave labels here, so there is nobody to agree with." in html_of(test)
    assert "below" not in html_of(test)


def test_no_labels():
    test = first_run("agreement.py", study=put("unlabelled", documents="doc_id,text\nd1,he\n"))
    assert not test.exception
    assert "unlabelled has no labels, so there is nobody to compare." in html_of(test)
    assert not titles(test)


def test_annotators_who_share_no_document():
    labels = "doc_id,annotator,label\nd1,a,male\nd2,b,female\n"
    test = first_run("agreement.py", study=put("apart", labels=labels))
    assert not test.exception
    assert "2 annotators gave 2 labels; no document has two of them, so there is nothing to compare." in html_of(test)


def test_test_questions_and_ties_are_told():
    rows = [f"d{doc},{who},{'male' if who == 'c' else 'female'},female" for doc in range(5) for who in "abc"]
    rows += ["d9,a,male,", "d9,b,neutral,"]
    labels = "doc_id,annotator,label,test_label\n" + "\n".join(rows) + "\n"
    test = first_run("agreement.py", study=put("asked", labels=labels))
    assert not test.exception
    text = html_of(test)
    assert "5 test questions are left out (15 answers): what is right was known before" in text
    assert "3 annotators answered test questions." in text
    assert "Left out of every consensus, for failing more than 20 %: c (5 of 5)." in text
    assert "majority: 5 of 6 labelled documents, 1 tie is left open for an expert." in text
    assert "dawid-skene: 6 of 6 labelled documents." in text
    assert not test.button(key="agreement_use_majority").disabled


def test_what_an_annotator_is_stands_there_once():
    text = html_of(first_run("agreement.py", study="newswire"))
    assert text.count("word list: live, as ") == 1
