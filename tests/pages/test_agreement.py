"""The first run of the Agreement page on studies that have little to compare."""

import json
from pathlib import Path

import pytest

from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.annotator_groups.answer import annotator_groups
from fairviz.analyses.reading.filters import Filters
from fairviz.datasets import studies_folder
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from tests.analyses.test_people import two_teams
from tests.pages.conftest import first_run, html_of, kept, notes_of, put, settled, table_with


def titles(test) -> set[str]:
    """Of all charts but the position bias in the sidebar, which has none."""
    specs = [json.loads(element.proto.spec) for element in test.get("plotly_chart")]
    return {spec["layout"]["title"]["text"] for spec in specs} - {""}


def test_several_annotators_are_compared_and_the_word_list_with_them(seen):
    test = seen("agreement.py", study="newswire", voters="all")
    text = html_of(test)
    assert "<b>project, lexicon and mentions disagree on 99 of 343 documents</b> (29 %); Krippendorff" in text
    assert "alpha is 0.587 (" in text
    assert "Queries, relevance and the labels" not in text, "Overview and Data have the study's notices"
    first = {"Labels by lexicon against project", "Each annotator against project"}
    assert titles(test) == {*first, "All annotators together"}, "the open tab alone is drawn"
    tabs = {"Pairs": "Cohen's kappa of every pair", "Word list": "The word list as annotator: neutral or gendered"}
    for tab, title in tabs.items():
        assert titles(seen("agreement.py", study="newswire", agreement_tab=tab)) == {*first, title}


def test_an_annotator_who_saw_documents_twice_has_a_line_with_themselves() -> None:
    labels = [f"d{number},{who},male,{'male' if number else 'female'}" for number in range(8) for who in ("ann", "ben")]
    put("twice", labels="\n".join(["doc_id,annotator,label,label_again", *labels]))
    test = first_run("agreement.py", study="twice", agreement_tab="With themselves")
    assert "Each annotator with themselves" in titles(test)
    assert "few documents leave them wide" in html_of(test)
    table = comparisons.table(open_study("twice"), Settings(), Comparison(), "themselves")
    assert table[["annotator", "documents", "value"]].to_numpy().tolist() == [["ann", 8, 7 / 8], ["ben", 8, 7 / 8]]


def test_where_one_annotator_votes_it_is_named_and_voters_can_be_added_here_or_in_the_sidebar():
    test = first_run("agreement.py", study="newswire")
    assert "<b>Only project votes, and one annotator cannot disagree</b>." in html_of(test)
    assert "Add voters above to see where they disagree." in html_of(test)
    assert "Groups" not in [tab.label for tab in test.tabs]
    test.multiselect(key="voters").select("lexicon").run()
    test.multiselect(key="agreement_voters").select("mentions").run()
    assert list(test.session_state["voters"]) == test.query_params["voters"] == ["lexicon", "mentions"]
    assert "<b>lexicon and mentions disagree on 52 of 343 documents</b>" in html_of(test)
    test.multiselect(key="agreement_voters").select("all").run()
    assert list(test.session_state["voters"]) == ["all"], "a group replaces names"
    test.multiselect(key="agreement_voters").select("mentions").run()
    assert list(test.session_state["voters"]) == ["mentions"], "and a name replaces it"


def test_read_them_opens_exactly_the_documents_of_the_chosen_annotators() -> None:
    test = first_run("agreement.py", study="newswire", agreement_tab="Documents", voters="all")
    told = "project, lexicon and mentions disagree on 99 of 343 documents, most often neutral against male (84)."
    assert told in html_of(test)
    listed = table_with(test, "said", "doc_id")
    assert len(listed) == 99
    assert opened_by(test, "newswire", voters="all") == set(listed["doc_id"])
    state = test.session_state
    assert (state["inspect_disagreement"], list(state["voters"])) == ("any", ["all"])
    assert not state["inspect_decided"], "decided documents are counted, and opened"


def opened_by(test, study: str, **settings: object) -> set[str]:
    """The documents that *Read them* opens."""
    test.button(key="agreement_read").click().run()
    state, names = test.session_state, [f"inspect_{name}" for name in vars(Filters())]
    address = {name: state[name] for name in (*names, "document") if name in state}
    read = first_run("read.py", study=study, **{name: value for name, value in address.items() if value}, **settings)
    assert list(read.session_state["ignored"]) == []
    opened = read.session_state["inspect_list"]
    return set(opened.doc_ids[opened.passing])


THREE = (
    "doc_id,annotator,label,sure\n"
    "d1,a,male,yes\nd1,b,female,yes\n"  # different genders
    "d2,a,male,yes\nd2,b,neutral,yes\n"
    "d3,a,male,\nd3,b,neutral,yes\n"  # one label is left out
    "d4,a,male,yes\nd4,b,male,yes\n"
)


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"inspect_search": "d1"}, {"d1", "d2", "d3"}),
        ({"agreement_empty": "sure"}, {"d1", "d2"}),
        ({"agreement_labels": "neutral or gendered", "agreement_empty": "sure"}, {"d2"}),
        ({"agreement_labels": "neutral or gendered", "voters": ["a", "b"]}, {"d2", "d3"}),
    ],
)
def test_read_them_follows_every_choice_of_the_page_and_no_earlier_filter(chosen: dict, expected: set[str]) -> None:
    name = put("three", labels=THREE)
    test = first_run("agreement.py", study=name, agreement_tab="Documents", **chosen)
    listed = table_with(test, "said", "doc_id")
    assert set(listed["doc_id"]) == expected
    assert opened_by(test, name) == expected


def test_read_them_leaves_out_the_word_list_and_answers_to_test_questions() -> None:
    labels = "doc_id,annotator,label,test_label\nd1,a,male,\nd1,b,female,\nd2,a,neutral,\nd2,b,neutral,\n"
    labels += "d3,a,male,male\nd3,b,male,male\n"
    name = put("tested", labels=labels, documents="doc_id,text\nd1,he\nd2,he and his son\nd3,he\n")
    test = first_run("agreement.py", study=name, agreement_tab="Documents")
    assert opened_by(test, name) == {"d1"}


def test_a_notice_on_offensive_texts_is_shown_beside_them():
    labels = "doc_id,annotator,label\nd1,a,male\nd1,b,female\n"
    name = put("offensive", labels=labels)
    toml = Path(studies_folder(), name, "study.toml")
    toml.write_text('notices = ["The text is offensive.", "The labels are ours."]\n')
    assert "The text is offensive." not in html_of(first_run("agreement.py", study=name))
    text = html_of(first_run("agreement.py", study=name, agreement_tab="Documents"))
    assert '<div class="fv-box fv-warning" role="note">The text is offensive.</div>' in text


def test_the_record_names_what_each_annotator_is_once(seen):
    test = seen("agreement.py", study="newswire", agreement_tab="Records")
    record = table_with(test, "kind")
    kinds = record.set_index("annotator")["kind"]
    assert kinds["classifier"] == kinds["prototypes"] == "trained classifier"
    assert kinds["lexicon"] == "rule"
    assert sum("word list: live (" in note for note in notes_of(test).splitlines()) == 2  # in the side bar, and here


def test_one_annotator_is_compared_with_the_word_list(seen):
    assert titles(seen("agreement.py", study="football")) == {
        "The word list as annotator: neutral or gendered",
        "Labels by word list against project",
        "Each annotator against project",
    }


@pytest.mark.parametrize(
    ("files", "told", "drawn"),
    [
        ({"labels": "doc_id,annotator,label\nd1,a,male\n"},
         "<b>Only a votes, and one annotator cannot disagree</b>.", {"Each annotator against a"}),
        ({"labels": "doc_id,annotator,label\nd1,a,male\nd2,b,female\n"},
         "<b>a and b labelled no document in common</b>.", None),
        ({"documents": "doc_id,text\nd1,he\n"}, "lacking has no labels.", set()),
    ],
    ids=["one annotator and no text", "no document in common", "no labels"],
)  # fmt: skip
def test_what_a_study_lacks_is_told(files, told, drawn):
    test = first_run("agreement.py", study=put("lacking", **files))
    assert told in html_of(test)
    assert drawn is None or titles(test) == drawn


def test_test_questions_and_ties_are_told():
    rows = [f"d{doc},{who},{'male' if who == 'c' else 'female'},female" for doc in range(5) for who in "abc"]
    rows += ["d9,a,male,", "d9,b,neutral,"]
    labels = "doc_id,annotator,label,test_label\n" + "\n".join(rows) + "\n"
    test = first_run("agreement.py", study=put("asked", labels=labels), agreement_tab="Consensus")
    text = html_of(test)
    assert "5 test questions are left out (15 answers): what is right was known before" in text
    assert "3 annotators answered test questions." in text
    assert "Not voting, as they failed more than 20 %: c (5 of 5)." in text
    assert "majority: 0 of 1 document, 1 tie left open." in text
    assert "dawid-skene: 1 of 1 document." in text
    assert not test.button(key="agreement_use_majority").disabled


def test_groups_of_annotators_are_compared_in_a_tab() -> None:
    kept(two_teams(miss=0.5), "teams")
    found = annotator_groups(open_study("teams"), measures="CWEx")
    page = settled(first_run("agreement.py", study="teams", agreement_tab="Groups"))
    text = html_of(page)
    assert all(sentence in text for sentence in found.sentences)
    assert "Agreement of groups by team" in titles(page)
