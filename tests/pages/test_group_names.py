"""Every page shows a study whose groups and labels have names with quotes, markup and signs of every grammar."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.read.effects import measures
from fairviz.words.counting import Lexicon, format_lexicon
from tests.pages.test_first_run import PAGES, ROOT, framed, html_of

HARD = ("women's", 'a"b', "both \"and' x", "%7C|;:,", "back\\slash", "x)y(z", "<b>bold</b>", "{}", "größe 女")
GROUPS = {"two": HARD[:2], "many": HARD}
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota")


def hard_study(groups: tuple[str, ...]) -> Study:
    """Two systems, a query and a document for each group, labelled by two people who part on the last document."""
    documents = [f"d{place}" for place in range(len(groups) + 1)]
    texts = [f"{WORDS[place % len(groups)]} and she nurse" for place in range(len(documents))]
    names = ["neutral", *groups]
    runs = [
        (system, query, document, place + 1, float(-place))
        for system, order in (("A", documents), ("B", documents[::-1]))
        for query in ("q1", "q2", "q3")
        for place, document in enumerate(order)
    ]
    labels = [(document, who, names[place]) for who in ("ann", "bob") for place, document in enumerate(documents)]
    labels[-1] = (documents[-1], "bob", "neutral")
    return make_study(
        "hard",
        groups=groups,
        queries=pd.DataFrame({"query_id": ["q1", "q2", "q3"], "text": ["nurse", "engineer", "teacher she"]}),
        documents=pd.DataFrame({"doc_id": documents, "text": texts, "title": ""}),
        runs=pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]),
        qrels=pd.DataFrame({"query_id": ["q1"], "doc_id": ["d0"], "relevance": [1]}),
        labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]),
        lexicon=Lexicon("own", tuple(zip(WORDS[: len(groups)], groups, strict=True))),
    )


def shown(page: str, study: Study, **query: str) -> AppTest:
    """The page with this study among the session's own."""
    test = AppTest.from_function(framed, args=(str(ROOT / "pages" / page),), default_timeout=60)
    test.session_state["own_studies"] = {study.name: study}
    for name, value in {"study": study.name, **query}.items():
        test.query_params[name] = value
    return test.run()


@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
@pytest.mark.parametrize("page", [page for page in PAGES if page != "label.py"])  # which has no frame, so no study
def test_every_page_shows_groups_of_any_name(page: str, groups: tuple[str, ...]) -> None:
    study = hard_study(groups)
    words = Lexicon("", tuple((f"{word}|x", group) for word, group in study.lexicon.words))
    query = {"lexicon": format_lexicon(words), "tau": "0"} if len(groups) > 2 else {}
    test = shown(page, study, **query)
    assert not test.exception
    text = html_of(test)
    assert "fv-error" not in text
    assert "The address" not in text
    assert "<b>bold</b>" not in text
    assert test.session_state["current"].study.groups == groups


def test_data_and_the_panel_of_the_list_count_the_words_that_match_nothing() -> None:
    words = "female:alpha|*woman|stay-at-home mum;male:beta|gamm*"
    text = html_of(shown("data.py", hard_study(("female", "male")), lexicon=words))
    for sentence in (
        "1 phrase matches as sequences of words, the longest first.",
        "1 entry with * matches every word that begins so.",
        "1 of 5 entries can never match with the tokenizer word: *woman.",
        "2 of 5 entries occur in no document: stay-at-home mum, gamm*.",
    ):
        assert text.count(sentence) == 2, sentence


@pytest.mark.parametrize("group", HARD)
def test_the_exposure_of_a_group_of_any_name_is_read_back(group: str) -> None:
    study = hard_study((group, "others"))
    text = [text for text in measures(study) if text.startswith("Exposure(group=")][1]
    question = parse(text, 10)
    assert question.parameters["group"] == group
    assert parse(question.text).parameters["group"] == group


def test_inspect_measures_the_exposure_of_a_group_with_a_quote_in_its_name() -> None:
    study = hard_study(HARD)
    test = shown("read.py", study)
    for text in measures(study):
        test.selectbox(key="measure").set_value(text).run()
        assert not test.exception
        assert "fv-error" not in html_of(test)
        assert test.selectbox(key="measure").value == text
