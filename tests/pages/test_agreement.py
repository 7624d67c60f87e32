"""The page Agreement: who is compared, the documents it opens, and what a study lacks; and who votes, on every page."""

import html
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.annotator_groups.answer import annotator_groups
from fairviz.analyses.reading.filters import Filters
from fairviz.annotation.voters import PHRASES, votes_of
from fairviz.datasets import studies_folder
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import disagreement_text
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from fairviz.ui.read.effects import NOISE, WITHOUT
from tests.analyses.test_people import two_teams
from tests.pages.conftest import Seen, first_run, html_of, kept, keys_of, notes_of, put, settled, table_with
from tests.pages.test_read import DOCUMENTS, RUNS


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


# One definition of who votes: every page shows the count of disagreement, the majority and the disputed documents that
# Python has, names whose labels it shows, and counts the labels of people from their upload on.


KINDS = {"anna": "person", "ben": "person", "cleo": "person", "reader": "mixed", "model": "model", "rule": "rule"}
DRAWN = [f"d{number}" for number in range(14)]


def drawn_votes(seed: int) -> tuple[Study, tuple[str, ...]]:
    """A saved study of people, models, a rule, decisions, test questions and ties, and voters; all drawn at random."""
    random = np.random.default_rng(seed)
    names = [name for name in KINDS if random.random() < 0.75] or ["anna"]
    rows = []
    for name in names:
        for doc_id in DRAWN:
            if random.random() < 0.8:
                is_test = doc_id == "d0" and KINDS[name] == "person"
                label = str(random.choice(["neutral", "female", "male"]))
                rows.append((doc_id, name, label, label if is_test else ""))
    rows += [(doc_id, "adjudicated", "female", "") for doc_id in DRAWN[:2] if seed % 2]
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label", "test_label"])
    runs = [(system, f"q{query}", str(doc_id), rank, -rank) for system in ("up", "down") for query in range(3)
            for rank, doc_id in enumerate(random.permutation(DRAWN)[:6], start=1)]  # fmt: skip
    study = make_study(
        f"drawn{seed}", labels=labels, documents=pd.DataFrame({"doc_id": DRAWN, "text": "the boat left"}),
        runs=pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]),
        annotators={name: Annotator(name, KINDS.get(name, "")) for name in labels["annotator"].unique()},
    )  # fmt: skip
    groups = [(), ("all",), ("all but rules",), tuple(names[:2]), tuple(names)]
    return fairviz.open_study(kept(study)), groups[seed % len(groups)]


def listed(page: AppTest) -> set[str]:
    """The documents of Read's list."""
    listing = page.session_state["inspect_list"]
    return set(listing.doc_ids[listing.passing])


def test_every_page_shows_the_same_voters_count_majority_and_disputed_documents() -> None:
    study, voters = drawn_votes(7)
    votes = votes_of(study, voters)
    assert len(votes.annotators) > 1
    told, chosen = html.escape(disagreement_text(votes))[1:], {"study": study.name, "voters": list(voters)}
    for page in ("overview.py", "annotate.py"):
        assert told in html_of(first_run(page, **chosen))
    read = first_run("read.py", **chosen, inspect_disagreement="any")
    assert told in html_of(read)
    assert listed(read) == set(votes.disputed)
    majority = html_of(first_run("agreement.py", **chosen, agreement_tab="Consensus"))
    assert told in majority
    assert f"majority: {int((votes.winners >= 0).sum()):,} of {len(votes.doc_ids):,} document" in majority
    tied = {doc_id for doc_id, winner in zip(votes.doc_ids, votes.winners, strict=True) if winner < 0}
    assert listed(first_run("read.py", **chosen, inspect_disagreement="tied")) == tied
    documents = first_run("agreement.py", **chosen, agreement_tab="Documents")
    tables = [table.value for table in documents.dataframe if {"doc_id", "said"} <= set(table.value)]
    assert {doc_id for table in tables for doc_id in table["doc_id"]} == set(votes.disputed)
    assert votes.disputed
    documents.button(key="agreement_read").click().run()
    assert list(documents.session_state["voters"]) == list(voters)
    assert documents.session_state["inspect_disagreement"] == "any"


# Beside every figure of labels is how many ranks have one, and who gave it

VOTES = {"ann": ("female", "male"), "bob": ("female", "female"), "eve": ("male", "male")}
WITH_LABELS = ("overview.py", "tradeoff.py", "read.py")


def saved(**kinds: str) -> None:
    """Two documents, labelled by three; kinds: what each of them is."""
    rows = [(doc, name, label) for name, labels in VOTES.items() for doc, label in zip("ab", labels, strict=True)]
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label"])
    study = make_study("made", runs=RUNS, labels=labels, documents=DOCUMENTS)
    named = {name: Annotator(name, kind) for name, kind in kinds.items()}  # type: ignore[arg-type]
    kept(replace(study, annotators={**study.annotators, **named}))


@pytest.mark.parametrize("page", WITH_LABELS)
def test_the_ranks_with_a_label_and_whose_labels_they_are(page: str, seen: Seen) -> None:
    saved(ann="person", bob="person", eve="model")
    text = html_of(first_run(page, study="made"))
    assert "1 of 2 ranks labelled: majority of ann and bob (people)." in text, "they tie on b"
    if page == "tradeoff.py":
        text = html_of(first_run(page, study="made", annotator="eve"))
        assert "2 of 2 ranks labelled: eve (language model)." in text
    text = html_of(seen(page, study="newswire"))
    assert "per system) labelled: project (model with a reader)." in text
    assert "gold" not in text.partition("labelled: project")[2][:60]


def test_the_guideline_says_of_the_labels_what_the_pages_say() -> None:
    """Where the annotator is a language model and a reader, the guideline does not speak of a model alone."""
    study = fairviz.open_study("newswire")
    text = (Path(str(study.folder)) / "GUIDELINE.md").read_text(encoding="utf-8")
    assert f"“{PHRASES[study.annotators['project'].kind]}”" in text
    assert "no person has" not in text


def test_agreement_says_who_the_others_are_compared_with_and_who_votes(seen: Seen) -> None:
    text = html_of(seen("agreement.py", study="newswire", agreement_tab="Consensus"))
    assert "343 of 343 documents labelled by project (model with a reader)." in text
    assert "Only project (model with a reader) votes, so a consensus would repeat these labels." in text
    saved(ann="person", bob="person", eve="model")
    text = html_of(first_run("agreement.py", study="made", agreement_tab="Consensus"))
    assert "1 of 2 documents labelled by majority of ann and bob (people)." in text
    assert "Voters: ann and bob (people)." in text


def asked(question: str, **query: str) -> tuple[AppTest, str]:
    page = first_run("read.py", study="made", inspect_question=question, **query)
    return page, html_of(page)


def test_without_one_annotator_says_what_it_is_compared_with_and_starts_there() -> None:
    """Three people: the table's baseline is the value that `summarise` gives under what the sentence names."""
    saved(ann="person", bob="person", eve="person")
    study = fairviz.open_study("made")
    value = fairviz.summarise(fairviz.evaluate(study, "CWEx", annotator="majority"))["value"]
    for annotator in ("", "ann"):
        page, text = asked(WITHOUT, annotator=annotator)
        assert "minus its value under majority of ann, bob and eve (people)" in text
        assert ("which is the value on this page." in text) == (not annotator)
        assert ("count ann (people) instead" in text) == (annotator == "ann")
        wide = next(table.value for table in page.dataframe if list(table.value.columns) == ["annotator", "s", "t"])
        for name in VOTES:
            without = make_study("rest", runs=RUNS, labels=study.labels[study.labels["annotator"] != name])
            left = fairviz.summarise(fairviz.evaluate(without, "CWEx", annotator="majority"))["value"]
            row = wide.set_index("annotator").loc[name]
            assert row.tolist() == pytest.approx((left - value).tolist(), nan_ok=True)


def test_where_one_annotator_votes_the_card_says_that_none_can_be_left_out() -> None:
    saved(ann="person", bob="rule", eve="model")
    text = asked(WITHOUT)[1]
    assert "in the study 'made' ann (people) alone votes: none can be left out" in html.unescape(text)
    assert "1,000 draws from the labels of ann (people). Undisputed labels stay." in asked(NOISE)[1]


# Labels that are uploaded on Data: what their annotators are is asked once, and decides whether they vote

NAMES = ("anna", "ben", "cleo")


def csv_of_three(documents: int = 60, study: str = "newswire") -> bytes:
    """The first documents of a study by three annotators, of whom one skips every tenth."""
    labels = fairviz.open_study(study).labels
    labels = labels[labels["annotator"] == "project"].head(documents).reset_index(drop=True)
    others = {"neutral": "male", "male": "female", "female": "neutral"}
    tables = []
    for number, name in enumerate(NAMES):
        table = labels[["doc_id", "label"]].assign(annotator=name)
        wrong = table.index % (4 + number) == 0
        table.loc[wrong, "label"] = table.loc[wrong, "label"].map(others)
        tables.append(table[table.index % 10 != 3] if name == "cleo" else table)
    return pd.concat(tables).to_csv(index=False).encode()


def uploaded(kind: str = "person") -> AppTest:
    """The page Data after the upload, its annotators declared to be of this kind."""
    page = first_run("data.py", study="football", data_tab="Add and save")
    page.file_uploader(key="upload_labels").upload("three.csv", csv_of_three(9, "football"), "text/csv").run()
    return page.button(key=f"upload_kind_{kind}").click().run() if kind else page


def of(page: AppTest) -> Study:
    return page.session_state["current"].study


def test_uploaded_people_are_asked_about_once_count_at_once_and_every_page_names_them() -> None:
    page = uploaded("")
    assert "Who are anna, ben, cleo?" in html_of(page)
    assert "anna" not in of(page).annotators
    page.button(key="upload_kind_person").click().run()
    study = of(page)
    assert [study.annotators[name].kind for name in NAMES] == ["person"] * 3
    assert "Who are" not in html_of(page)
    told = disagreement_text(votes_of(study, NAMES))
    assert f"{told}.<br>" in html_of(page) or f"{told}.</div>" in html_of(page)
    assert "labels: majority of anna, ben and cleo (people)." in html_of(page)
    assert page.session_state["annotator"] == "majority"

    overview = after(page, "overview.py", "annotator", "voters")
    text = html_of(overview)
    assert f"{told}; Krippendorff&#x27;s alpha 0." in text
    assert "labels: majority of anna, ben and cleo (people)<" in text
    scores = fairviz.summarise(fairviz.evaluate(study, "CWEx", annotator="majority"))
    shown = table_with(overview, "CWEx ↑").set_index("system")
    assert shown["CWEx ↑"].to_dict() == pytest.approx(scores.set_index("system")["value"].to_dict())

    count = int(study.labels["annotator"].isin(NAMES).sum())
    row = next(line for line in html_of(after(page, "data.py")).split("<tr>") if "anna, ben, cleo" in line)
    assert f">{count}</td>" in row
    assert f"{count} labels by people (anna, ben, cleo). {told}; Krippendorff" in html_of(after(page, "annotate.py"))

    more = b"doc_id,annotator,label\nn4,anna,neutral\n"
    page.file_uploader(key="upload_labels").set_value(("more.csv", more, "text/csv")).run()
    assert len(of(page).labels) == len(study.labels) + 1, "a known annotator is not asked about again"


def test_a_kind_that_is_not_known_is_an_answer_and_no_person() -> None:
    page = uploaded("unknown")
    assert [of(page).annotators[name].kind for name in NAMES] == [""] * 3
    assert "Who are" not in html_of(page)


def after(page: AppTest, file: str, *choices: str) -> AppTest:
    """The page in this file, in a session with the same upload and, of the choices, these."""
    state = page.session_state
    return first_run(file, of(page), **{name: state[name] for name in choices if state[name]})


def test_labels_that_do_not_count_are_told_and_used_with_one_click_and_back() -> None:
    page = uploaded("")
    page.checkbox(key="upload_at_once").uncheck()
    page.button(key="upload_kind_person").click().run()
    count = int(of(page).labels["annotator"].isin(NAMES).sum())
    told = f"labels: project (model with a reader); {count} labels by people are not used"
    assert f"{told}. Use them" in page.button(key="use_people").label.replace("\\", "")
    overview = after(page, "overview.py", "annotator", "voters")
    assert f"{told}<" in html_of(overview)
    overview.button(key="use_people").click().run()
    assert "labels: majority of anna, ben and cleo (people)<" in html_of(overview)
    assert "use_people" not in keys_of(overview.button)
    overview.button(key="take_back_annotator").click().run()
    assert f"{told}<" in html_of(overview)
