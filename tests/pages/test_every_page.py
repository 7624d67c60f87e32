"""The first run of every page: on the built-in studies, and on studies whose names, groups and labels are hard to show.
Interactions are driven in a real browser."""

from collections.abc import Callable, Iterator

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

import fairviz
from fairviz import Settings
from fairviz.errors import FairvizError
from fairviz.measures import parse
from fairviz.normal_form import normal_form
from fairviz.output.recipes import recipe, summarised
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.kit.html import literal
from fairviz.ui.read.effects import measures
from fairviz.words.counting import Lexicon, format_lexicon
from tests.evaluation.test_draws_everywhere import drawn_study
from tests.fuzz.commands import IN_JSON, NAMES
from tests.made import runs_of
from tests.pages.conftest import PAGES, PATIENCE, ROOT, first_run, html_of

FRAMED = [page for page in PAGES if page != "label.py"]  # which has no frame, so no study


@pytest.mark.parametrize("study", ["newswire", "football", "occupations"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs(page: str, study: str) -> None:
    test = first_run(page, study=study)
    assert len(test.title) == 1
    assert "fv-error" not in html_of(test)


def test_the_app_opens_on_its_overview() -> None:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()
    assert test.title[0].value == "Newswire 2000\\-2001"
    assert "Do measures agree?" in test.markdown[0].value.replace("\\", "")
    assert test.selectbox(key="study").value == "newswire"


HARD = ("women's", 'a"b', "both \"and' x", "%7C|;:,", "back\\slash", "x)y(z", "<b>bold</b>", "{}", "größe 女")
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota")


def hard_study(groups: tuple[str, ...]) -> Study:
    """Two systems, a query and a document for each group, labelled by two people who part on the last document."""
    documents = [f"d{place}" for place in range(len(groups) + 1)]
    texts = [f"{WORDS[place % len(groups)]} and she nurse" for place in range(len(documents))]
    names = ["neutral", *groups]
    runs = {(system, query): order for system, order in (("A", documents), ("B", documents[::-1]))
            for query in ("q1", "q2", "q3")}  # fmt: skip
    labels = [(document, who, names[place]) for who in ("ann", "bob") for place, document in enumerate(documents)]
    labels[-1] = (documents[-1], "bob", "neutral")
    return make_study(
        "hard",
        groups=groups,
        queries=pd.DataFrame({"query_id": ["q1", "q2", "q3"], "text": ["nurse", "engineer", "teacher she"]}),
        documents=pd.DataFrame({"doc_id": documents, "text": texts, "title": ""}),
        runs=runs_of(runs),
        qrels=pd.DataFrame({"query_id": ["q1"], "doc_id": ["d0"], "relevance": [1]}),
        labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]),
        lexicon=Lexicon("own", tuple(zip(WORDS[: len(groups)], groups, strict=True))),
    )


def crossed_study(labels: pd.DataFrame | None = None) -> Study:
    """Documents with a column that genders can be crossed with; labels: in place of those by two people."""
    plain = hard_study(("female", "male"))
    return make_study(
        "crossed", queries=plain.queries, runs=plain.runs, qrels=plain.qrels,
        documents=plain.documents.assign(topic=["arts", "sport", "arts"]),
        labels=plain.labels if labels is None else labels,
    )  # fmt: skip


def soft_study() -> Study:
    """Documents with shares of several groups."""
    shares = {"doc_id": ["d0", "d0", "d1", "d1", "d2"], "label": ["female", "male", "neutral", "male", "male"]}
    return crossed_study(pd.DataFrame(shares).assign(share=[0.7, 0.3, 0.5, 0.5, 1.0]))


HARD_WORDS = Lexicon("", tuple((f"{word}|x", group) for word, group in zip(WORDS, HARD, strict=False)))
MADE: dict[str, tuple[Callable[[], Study], dict[str, str]]] = {
    "two groups of any name": (lambda: hard_study(HARD[:2]), {}),
    "many groups of any name": (lambda: hard_study(HARD), {"lexicon": format_lexicon(HARD_WORDS), "tau": "0"}),
    "crossed groups": (crossed_study, {"crossed_with": "topic"}),
    "shares of several groups": (soft_study, {}),
    "a stochastic system": (drawn_study, {"system": "pl"}),
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("page", FRAMED)
def test_every_page_shows_any_study(page: str, name: str) -> None:
    made, query = MADE[name]
    study = made()
    test = first_run(page, study, **query)
    text = html_of(test)
    assert [error.value for error in test.error] == []
    for wrong in ("fv-error", "The address", "<b>bold</b>"):
        assert wrong not in text
    assert test.session_state["current"].study.groups == study.groups


OF_RANKINGS = ("compare", "gsr", "measures", "overview", "query", "sensitivity", "tradeoff", "what_if")


@pytest.mark.parametrize("page", OF_RANKINGS)
def test_without_runs_a_page_of_rankings_shows_one_message_and_its_remedy(page: str) -> None:
    plain = hard_study(("female", "male"))
    study = make_study("unranked", queries=plain.queries, documents=plain.documents, labels=plain.labels)
    text = html_of(first_run(f"{page}.py", study))
    assert text.count('class="fv-box fv-info"') == 1
    assert "unranked holds no ranked runs, so there is nothing to measure yet." in text
    assert "Upload a TREC run on Data, or rank the documents: fairviz rank unranked --with bm25" in text


@pytest.mark.parametrize("page", ["compare.py", "measures.py"])
def test_with_one_system_a_page_that_compares_shows_one_sentence_and_no_figure(page: str) -> None:
    test = first_run(page, study="football", systems=["right"])
    assert "is shown: a second system is needed to compare it with." in html_of(test)
    assert not test.main.get("plotly_chart")
    assert not test.main.dataframe


@pytest.mark.parametrize("tab", ["Differences", "Over α or k", "Ranks", "Chance and range"])
def test_every_tab_of_the_trade_off_shows_a_stochastic_system(tab: str) -> None:
    assert "fv-error" not in html_of(first_run("tradeoff.py", drawn_study(), tradeoff_tab=tab, system="pl"))


def test_the_python_beside_the_overview_has_the_noise_of_the_ranker() -> None:
    for study, noise in ((drawn_study(), True), (fairviz.open_study("newswire"), False)):
        assert ("by_draw=True" in recipe(summarised(study, Settings(), ["CWEx@10"])).python) == noise


def test_the_control_of_crossed_groups_offers_the_columns_of_the_documents() -> None:
    control = first_run("tradeoff.py", crossed_study()).selectbox(key="crossed_with")
    assert control.label == "Groups crossed with"
    assert control.options == ["nothing: genders alone", "topic"]
    plain = first_run("tradeoff.py", hard_study(("female", "male")))
    assert "crossed_with" not in [box.key for box in plain.selectbox]


def test_data_and_the_panel_of_the_list_count_the_words_that_match_nothing() -> None:
    words = "female:alpha|*woman|stay-at-home mum;male:beta|gamm*"
    text = html_of(first_run("data.py", hard_study(("female", "male")), lexicon=words))
    for sentence in (
        "1 phrase matches as sequences of words, the longest first.",
        "1 entry with * matches every word that begins so.",
        "1 of 5 entries can never match with the tokenizer word: *woman.",
        "2 of 5 entries occur in no document: stay-at-home mum, gamm*.",
    ):
        assert text.count(sentence) == 2, sentence


@pytest.mark.parametrize("group", HARD)
def test_the_exposure_of_a_group_of_any_name_is_read_back(group: str) -> None:
    text = [text for text in measures(hard_study((group, "others"))) if text.startswith("Exposure(group=")][1]
    question = parse(text, 10)
    assert question.parameters["group"] == group
    assert parse(question.text).parameters["group"] == group


def test_read_measures_the_exposure_of_a_group_with_a_quote_in_its_name() -> None:
    study = hard_study(HARD)
    test = first_run("read.py", study)
    for text in measures(study):
        test.selectbox(key="measure").set_value(text).run()
        assert "fv-error" not in html_of(test)
        assert test.selectbox(key="measure").value == text


# Names from data stand as they are in all that Streamlit reads as Markdown: labels of buttons, switches and tabs,
# tooltips and progress bars. An image in such a label would be fetched from a stranger's server.
STRONG, LINK, RED = "*a*", "[x](http:evil.example)", ":red[x]"
IMAGE = "![x](http:evil.example:y.png)"
MARKED = (STRONG, LINK, RED, IMAGE)
UNREAD = ("selectbox", "multiselect", "arrow_data_frame", "html")  # whose options and cells are plain text
HALF = ("\udcff", "\ud800", "a\udfffb")
HOSTILE = [name for name in (*NAMES, *IN_JSON) if name not in HALF]


def study_of(*names: str) -> Study:
    """Systems, queries, documents, annotators and groups, all with these names."""
    documents = [*(f"{name}{place}" for place in range(2) for name in names)]
    runs = {(system, query): [*documents[turn:], *documents[:turn]] for turn, system in enumerate(names)
            for query in names}  # fmt: skip
    labels = [(document, who, "female" if place % 2 else "male") for place, document in enumerate(documents)
              for who in names]  # fmt: skip
    return make_study(
        STRONG,
        queries=pd.DataFrame({"query_id": names, "text": [f"nurse {name}" for name in names], "topic": names}),
        documents=pd.DataFrame({"doc_id": documents, "text": [f"she is a nurse {name}" for name in documents]}),
        runs=runs_of(runs),
        qrels=pd.DataFrame({"query_id": names, "doc_id": documents[: len(names)], "relevance": 1}),
        labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]),
    )


def markdown_of(test: AppTest) -> Iterator[str]:
    """Every text of the page that the browser reads as Markdown."""

    def walk(block: Block) -> Iterator[str]:
        for element in block.children.values():
            proto = element.proto
            if isinstance(element, Block):
                for kind in ("expandable", "popover", "tab"):
                    yield str(getattr(getattr(proto, kind, None), "label", ""))
                yield from walk(element)
                continue
            yield from (str(getattr(proto, name, "")) for name in ("label", "help"))
            if element.type in ("progress", "markdown"):
                yield str(getattr(proto, "text", "")) + str(getattr(proto, "body", ""))
            if element.type not in UNREAD:
                yield from (str(getattr(option, "content", option)) for option in getattr(proto, "options", ()))

    for root in (test.main, test.sidebar):
        yield from walk(root)


@pytest.mark.parametrize("page", PAGES)
def test_no_page_gives_a_name_from_data_as_markdown(page: str) -> None:
    test = first_run(page, study_of(*MARKED), system=RED, query=LINK, annotator=IMAGE, document=f"{STRONG}0")
    assert [text for text in markdown_of(test) if any(name in text for name in MARKED)] == []


def test_the_parts_of_a_value_on_query_are_named_by_the_systems() -> None:
    test = first_run("query.py", study_of(*MARKED), systems=STRONG, query=LINK)
    assert literal(STRONG) in list(markdown_of(test))


def test_what_undo_takes_back_is_told_as_it_is() -> None:
    test = first_run("what_if.py", study_of(*MARKED), system=RED, query=LINK)
    first = test.session_state["laboratory_bench"].order[0]
    for to in (3, 1):
        test.selectbox(key="laboratory_document").set_value(first).run()
        test.number_input(key="laboratory_to").set_value(to).run()
        test.button(key="laboratory_move").click().run()
    test.button(key="laboratory_undo").click().run()
    assert test.button(key="laboratory_undo").help == literal(f"{first} from rank 1 to 3")
    assert test.button(key="laboratory_redo").help == literal(f"{first} from rank 3 to 1")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs_on_hostile_names(page: str) -> None:
    few = study_of(*HOSTILE[PAGES.index(page) % 4 :: 4])
    test = first_run(page, few, system=few.systems[0], query=few.systems[1], annotator=few.systems[2])
    assert "fv-error" not in html_of(test)
    if page in FRAMED:
        assert test.session_state["current"].study.systems == few.systems


def test_a_study_takes_any_name_in_unicodes_composed_form() -> None:
    assert sorted(study_of(*HOSTILE).systems) == sorted(map(normal_form, HOSTILE))


@pytest.mark.parametrize("name", HALF, ids=ascii)
def test_half_a_character_is_refused_by_column(name: str) -> None:
    documents = pd.DataFrame({"doc_id": ["1"], "text": pd.Series([f"she {name}"], dtype="object")})
    with pytest.raises(FairvizError, match=r"the documents table has half a character .* in the column 'text'"):
        make_study("half", documents=documents)
