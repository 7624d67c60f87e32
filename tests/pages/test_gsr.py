"""Stereotypes and Words under AppTest: what they show, what they say where something is missing, and hard studies."""

import json
import os
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fairviz
from fairviz.analyses.gsr_validity.direct import direct_stereotypes
from fairviz.evaluation.gsr import direction_of, gsr, gsr_points, influence, leave_out
from fairviz.evaluation.settings import Settings
from fairviz.rankers.word_vectors import study_vocabulary
from fairviz.study.study import make_study
from fairviz.words.genderedness import PAIRS
from fairviz.words.vectors import add_vectors, load_embedding, remove_vectors
from tests.made import runs_of
from tests.pages.conftest import first_run, grid_of, html_of, kept, press, small_vectors, table_with

TEXTS = {
    "f": "The nurse and the midwife cared for a pregnant ballerina",
    "m": "The captain praised his strong soldiers",
}


def saved(name, queries, systems=("one",), texts=TEXTS, **parts):
    """A study of one's own in the data folder: every system ranks all documents for every query."""
    study = make_study(
        name,
        queries=pd.DataFrame({"query_id": list(queries), "text": list(queries.values())}),
        documents=pd.DataFrame({"doc_id": list(texts), "text": list(texts.values())}),
        runs=runs_of({(system, query): list(texts) for system in systems for query in queries}),
        **parts,
    )
    return kept(study, name)


def shown_cells(test, key):
    """What a styled table shows, in place of its numbers."""
    (proto,) = [element.proto for element in test.dataframe if element.proto.id.endswith(f"-{key}")]
    return pa.ipc.open_stream(proto.arrow_data.styler.display_values).read_all().to_pandas()


def charts(test, title):
    specs = [json.loads(element.proto.spec) for element in test.get("plotly_chart")]
    return [spec for spec in specs if spec["layout"].get("title", {}).get("text", "") == title]


def test_the_table_of_slopes_is_that_of_the_library():
    test = first_run("gsr.py", study="occupations", cutoff="3", left_out="4")
    study = fairviz.open_study("occupations")
    expected = gsr(leave_out(gsr_points(study, Settings(study="occupations", cutoff=3)), 4))
    shown = grid_of(test, "stereotypes_slopes")
    assert shown["system"].tolist() == expected["system"].tolist() == ["S", "N", "CS"]
    for column in ("slope", "r", "theil_sen", "queries"):
        assert np.allclose(shown[column], expected[column], equal_nan=True)
    assert "S has the highest slope" in html_of(test).replace("<b>", "").replace("</b>", "")


def test_every_card_is_there_on_newswire(seen):
    test = seen("gsr.py", study="newswire")
    (scatter,) = charts(test, "Each point a query; the slope of the line is GSR, with its 95 % interval")
    assert len([key for key in scatter["layout"] if key.startswith("xaxis")]) == 9
    assert charts(test, "GSR without the most gendered queries, 95 % bands")
    text = html_of(test)
    assert "a vector for 8,142 of the study&#x27;s 8,249 different words" in text
    assert "+ female, − male. Shaded words count" in text
    assert any("part" in element.value and "word" in element.value for element in test.dataframe)
    cells = [str(cell) for cell in shown_cells(test, "stereotypes_slopes").to_numpy().ravel()]
    assert "0.000" in cells  # the upper end of random, −0.0003
    assert [cell for cell in cells if re.search(r"-\d|[−-]0\.0+$|e[-+]\d", cell)] == []
    assert [fold.label for fold in test.expander if "trusted" in fold.label] == ["How far can GSR be trusted?"]
    assert not [group for group in test.button_group if group.key == "stereotypes_question"], "it is folded"


def test_gsr_is_counted_as_the_choices_say(newswire):
    """The slopes are the library's, the control says what is in force, and the built-in stop words come back."""
    chosen = {"query_terms": "lemma", "list_weights": "code", "stop_words": "the of police"}
    test = first_run("gsr.py", study="newswire", systems=["bm25"], **chosen)
    assert "Counting: other" in popovers(test)
    assert "In force: lemmas, the code&#x27;s weights, 3 stop words from a file." in html_of(test)
    assert np.allclose(slopes_shown(test), slopes_of(newswire, **chosen))
    test.selectbox(key="query_terms").set_value("exact")
    test.selectbox(key="list_weights").set_value("equation").run()
    assert "In force: 3 stop words from a file." in html_of(test)
    assert np.allclose(slopes_shown(test), slopes_of(newswire, stop_words="the of police"))
    press(test, "The built-in stop words")
    assert "Counting: paper" in popovers(test)
    assert "In force: the paper’s text." in html_of(test)
    assert test.session_state["stop_words"] == ""
    assert np.allclose(slopes_shown(test), slopes_of(newswire))


@pytest.mark.parametrize(
    ("chosen", "shaded"),
    [
        ({}, ["nurse", "midwife"]),
        ({"query_terms": "lemma"}, ["midwife"]),
        ({"query_terms": "lemma", "stop_words": "midwife"}, []),
    ],
)
def test_shaded_words_are_those_that_count(chosen, shaded):
    """Of a document that says “nurse”, for a query that says “nurses”."""
    saved("plain", {"a": "nurses", "b": "captains"})
    text = html_of(first_run("gsr.py", study="plain", query="a", **chosen))
    document = text[text.index("<b>f</b>") : text.index("<b>m</b>")]
    assert [word for word in ("nurse", "midwife") if re.search(rf"<[^>]*title=[^>]*>{word}<", document)] == shaded


def popovers(test):
    return [block.proto.popover.label for block in test.get("popover")]


def slopes_shown(test):
    return grid_of(test, "stereotypes_slopes")["slope"]


def slopes_of(study, **chosen):
    return gsr(gsr_points(study, Settings(systems=("bm25",), **chosen)))["slope"]


def test_debiasing_sets_the_rankers_beside_themselves_with_the_same_look(newswire, seen):
    test = first_run("gsr.py", debias="regular")
    shown = grid_of(test, "stereotypes_slopes")
    assert shown["system"].tolist() == ["w2v_add", "w2v_add · regular", "w2v_si", "w2v_si · regular", "perfect"]
    slopes = shown.set_index("system")["slope"]
    assert 0 < slopes["w2v_add · regular"] < slopes["w2v_add"]
    whole = gsr(gsr_points(newswire, Settings())).set_index("system")["slope"]
    assert np.isclose(slopes["w2v_add"], whole["w2v_add"])  # newswire's own run, ranked anew
    assert np.isclose(slopes["perfect"], whole["perfect"])
    before = table_with(test, "change")
    assert np.isnan(before["change"][1])
    assert before["change"][2] < 0
    assert charts(test, "How much debiasing reorders each query's list")
    title = "GSR without the most gendered queries, 95 % bands"
    assert look(seen("gsr.py", study="newswire"), title, "w2v_add") == look(test, title, "w2v_add")


def look(test, title, system):
    """The marker and colour of a system's line in the figure of this title."""
    (figure,) = charts(test, title)
    trace = next(trace for trace in figure["data"] if (trace.get("name") or "").strip("</b>") == system)
    return trace["marker"]["symbol"], trace["line"]["color"]


@pytest.mark.parametrize("page", ["words.py", "gsr.py"])
def test_vectors_that_are_not_fetched_can_be_fetched_here(page):
    test = first_run(page, study="occupations", embedding="google-news-subset", word_lists="science-arts")
    text = html_of(test)
    assert "The word vectors google-news-subset are not fetched." in text
    assert "Fetch them here, or run: fairviz fetch google-news-subset" in text
    assert [one.label for one in test.button if one.label.startswith("Fetch")] == ["Fetch google-news-subset"]
    assert test.selectbox(key="embedding").value == "google-news-subset"
    if page == "gsr.py":
        test.selectbox(key="embedding").select("glove").run()
        assert "are not fetched" not in html_of(test)


def test_an_address_cannot_open_a_file(tmp_path):
    """Neither its vectors nor a word of it are shown, and a pipe does not hold the page."""
    secret, pipe = tmp_path / "secret.txt", tmp_path / "pipe"
    secret.write_text("she 1 2\npassword one two\n")
    os.mkfifo(pipe)
    for page, path in (("gsr.py", str(secret)), ("words.py", str(pipe)), ("words.py", "a\0b")):
        test = first_run(page, bounded=True, study="occupations", embedding=path, word_lists="science-arts")
        text = html_of(test)
        if path != "a\0b":
            assert f"The address sets embedding to &#x27;{path[:80]}&#x27; (no vectors of that name are here" in text
        assert "the default was used" in text
        assert "glove: 400,000 words" in text
        assert "password" not in text
        assert test.session_state["current"].settings.embedding == "glove"


def test_vectors_that_were_added_and_are_gone_are_named_and_removed_ones_give_way_to_glove(tmp_path):
    path = small_vectors(tmp_path / "mine.vec")
    add_vectors("mine", path)
    test = first_run("gsr.py", bounded=True, study="occupations", embedding="mine")
    assert test.session_state["current"].settings.embedding == "mine"
    path.unlink()
    test.run()
    assert f"there are no word vectors &#x27;{path}&#x27; (No such file or directory)" in html_of(test)
    remove_vectors("mine")
    test.run()
    assert "The word vectors &#x27;mine&#x27; were removed; glove is used." in html_of(test)
    assert test.session_state["current"].settings.embedding == "glove"


def test_two_pairs_are_too_few_and_a_missing_one_is_named():
    for page in ("gsr.py", "words.py"):
        test = first_run(page, bounded=True, study="occupations", pairs="she-he, woman-man, qqzzx-zzqqx")
        assert "the gender direction needs 3 pairs of words" in html_of(test)
        assert "(it lacks qqzzx-zzqqx)" in html_of(test)
    pairs = {"pairs": "she-he, woman-man, girl-boy, qqzzx-zzqqx", "word_lists": "science-arts"}
    text = html_of(first_run("words.py", study="occupations", **pairs))
    assert "gender, from 3 pairs, is" in text
    assert "Left out, as a word has no vector: qqzzx-zzqqx." in text


FOUR = {"q1": "nurse", "q2": "captain", "q3": "lawyer", "q4": "poet"}
SAME = {"q1": "nurse", "q2": "the nurse", "q3": "a nurse", "q4": "nurse"}


@pytest.mark.parametrize(
    ("queries", "texts", "asked", "told"),
    [
        ({"q1": "nurse"}, TEXTS, {}, ["No system has a slope: ", "Too few queries to leave any out.",
         "The slope of one is undefined: only one query and its list have a genderedness"]),
        (SAME, TEXTS, {}, ["all 4 queries have the same genderedness"]),
        ({"q1": "qqzzx", "q2": "zzqqx wwqqx"}, TEXTS, {}, ["no query has a word that the vectors hold", "no vector"]),
        (FOUR, {"d": "nurse captain poet lawyer"}, {}, []),
        (FOUR, {"d": "the nurse", "e": "the captain"}, {"cutoff": "1"}, []),
        (FOUR, TEXTS, {"debias": "regular", "left_out": "50"}, ["Effectiveness needs relevance judgements"]),
        (FOUR, TEXTS, {"gsr_depth": "relevant"}, ["GSR: it has no relevance judgements."]),
    ],
    ids=["one query", "the same query", "no vector", "words of queries only", "words of queries, k = 1", "debiased",
         "depth by relevance"],
)  # fmt: skip
def test_what_a_study_lacks_is_told(queries, texts, asked, told):
    test = first_run("gsr.py", study=saved("lacking", queries, texts=texts), **asked)
    for line in told:
        assert line in html_of(test)
    if "gsr_depth" in asked:
        assert test.selectbox(key="gsr_depth").value == "relevant"  # the way back
    if "left_out" in asked:
        assert test.slider(key="left_out").value == 1, "more than there are are cut"


def test_a_study_without_text_says_what_is_missing():
    text = html_of(first_run("gsr.py", study=kept(make_study("bare", runs=runs_of({"one": "d1"})))))
    assert "GSR: it has no text of queries. Add queries.tsv with the columns query_id and text." in text
    first_run("words.py", study="bare", word_lists="science-arts")


def test_a_filter_that_leaves_the_selected_query_out_is_said():
    test = first_run("gsr.py", systems=["bm25"], query="q01", filter_column="query_id", filter_values=["q02", "q03"])
    assert "The filter in the sidebar leaves this query out." in html_of(test)


def test_words_typed_and_lists_chosen_are_shown_with_their_tests():
    test = first_run(
        "words.py", words="nurse, qqzzx", against="engineer", word_lists=["agency-communion-printed", "science-arts"]
    )
    text = html_of(test)
    assert "Without a vector, and so without a genderedness: qqzzx, corageous." in text
    assert "The paper prints &#x27;corageous&#x27;." in text
    assert "my words above set against" in text
    table = table_with(test, "ci_low", "word")
    assert table["list"].unique().tolist() == ["my words", "set against", "communion", "agency", "arts", "science"]
    assert charts(test, "Words between male and female")
    assert charts(test, "Gender, and what else sets them apart")
    assert charts(test, "How much of the pairs' variance gender explains")


def test_words_that_are_none_are_no_error_and_neighbours_stand_under_each_debiasing():
    asked = {"study": "occupations", "bounded": True}
    assert "One-tailed permutation tests: fill both fields" in html_of(first_run("words.py", **asked, words="qqzzx"))
    test = first_run("words.py", **asked, words="x" * 9000)
    assert "a word of 9,000 characters is too long" in html_of(test)
    assert not [element for element in test.get("html") if "xxx" in element.proto.body]
    text = html_of(first_run("words.py", **asked, words="nurse, <script>", against="nurse"))
    assert ": fill both fields" not in text
    assert "<script>" not in text
    for found in ("regular debiasing</th>", "strong debiasing</th>", "doctor"):
        assert found in text
    (g,) = direction_of(Settings()).of(["nurse"])
    told = re.search(r"nurse .+? from the average word; g = (\S+)\)\.", re.sub("<[^>]+>", "", text))
    assert told[1] == f"{g:+.2f}".replace("-", "−")


def asked(question, **query):
    """The page with its last part open, at this question."""
    return first_run("gsr.py", state={"stereotypes_trust": True}, stereotypes_question=question, **query)


def ask(test, question):
    return test.button_group(key="stereotypes_question").set_value(question).run()


def test_the_documents_of_a_point_are_shown_whoever_votes(newswire):
    """GSR reads no labels, so no choice of voters may stop it. The query that pulls the slope most is the first."""
    choices = {"voters": ["lexicon"], "systems": ["qlm"], "system": "qlm"}
    test = first_run("gsr.py", bounded=True, study="newswire", **choices)
    text = html_of(test)
    assert "fv-error" not in text
    assert "has no annotator" not in text
    pulls = influence(gsr_points(newswire, Settings(systems=("qlm",)))).set_index("query_id")["change"]
    query = newswire.queries.set_index("query_id")["text"][str(pulls.abs().idxmax())]
    picked = test.selectbox(key="query")
    assert picked.format_func(picked.value) == f"the one that moves the slope most: {query}"
    assert f"(1st of {len(pulls)} queries by influence)" in text


def test_each_question_of_trust_is_answered_or_says_what_is_missing():
    test = asked("statistical parity", study="occupations")
    assert charts(test, "GSR and statistical parity, each point an answer to the toy set")
    assert "<b>r = 0.85</b>" in html_of(test)
    text = html_of(ask(test, "direct stereotypes"))
    assert not charts(test, "GSR and statistical parity, each point an answer to the toy set")  # one at a time
    assert "has no system &#x27;perfect&#x27; to compare with" in text
    assert "fairviz rank occupations --with perfect" in text
    assert "fv-error" not in text
    ask(test, "other vectors")
    assert "The word vectors google-news-subset are not fetched." in html_of(test)
    assert [button.label for button in test.button if button.key == "fetch_google-news-subset"]


def test_direct_stereotypes_are_those_of_the_library(newswire):
    test = asked("direct stereotypes", cutoff="5", systems=["w2v_add", "bm25", "perfect"])
    assert charts(test, "Male documents for each female one, less perfect's")
    assert charts(test, "Which gender is over-represented")
    shown = table_with(test, "reference_gap")
    expected = direct_stereotypes(newswire, Settings(cutoff=5, systems=("w2v_add",)), smoothing=1)
    assert shown["over"].tolist() == expected["over"].tolist()
    assert np.allclose(shown["delta"], expected["delta"])
    assert "smoothing = 1" in html_of(test)
    test.selectbox(key="stereotypes_direct_system").set_value("bm25").run()
    assert table_with(test, "reference_gap")["system"].unique().tolist() == ["bm25"]


def test_other_vectors_from_a_file_say_the_same_of_queries_and_systems(tmp_path):
    """A file of GloVe's own vectors for the study's words alone: the same g, so both agree wholly."""
    glove = load_embedding("glove")
    wanted = study_vocabulary(fairviz.open_study("occupations")) | {word.lower() for pair in PAIRS for word in pair}
    words = sorted(word for word in wanted if glove.row(word) >= 0)
    rows = (f"{word} {' '.join(f'{value:.5f}' for value in glove.vectors[glove.row(word)])}" for word in words)
    path = tmp_path / "small.txt"
    path.write_text(f"{len(words)} {glove.vectors.shape[1]}\n" + "\n".join(rows) + "\n", encoding="utf-8")
    add_vectors("small", path)
    test = asked("other vectors", study="occupations", embedding="small")
    test.selectbox(key="stereotypes_second").set_value("glove").run()
    assert charts(test, "Genderedness of queries by two sets of vectors")
    assert "<b>small</b> and <b>glove</b> agree on" in html_of(test)
    table = table_with(test, "small", "system")
    assert table["system"].tolist() == ["S", "N", "CS"]
    text = html_of(test)
    assert "Spearman&#x27;s ρ 1.00, p = .333." in text  # 2 of the 6 orders of three systems


def test_other_vectors_that_cannot_be_read_are_no_error_of_the_page(tmp_path):
    path = tmp_path / "<b>none.bin"
    path.write_bytes(b"none")
    add_vectors("mine", path)
    text = html_of(asked("other vectors", study="occupations", stereotypes_second="mine"))
    assert "&lt;b&gt;none.bin" in text
    assert "<b>none.bin" not in text
    assert "fv-error" not in text
