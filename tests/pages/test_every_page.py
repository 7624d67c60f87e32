"""The first run of every page: on built-in studies, and on studies whose names, groups and labels are hard to show."""

from collections.abc import Iterator
from functools import cache

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from fairviz import Settings
from fairviz.errors import FairvizError
from fairviz.measures import MEASURES, parse
from fairviz.normal_form import normal_form
from fairviz.output.recipes import recipe, summarised
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.kit import jobs
from fairviz.ui.kit.html import literal
from fairviz.ui.read.effects import measures
from fairviz.ui.state import choices
from fairviz.ui.state.registry import keys_of as choices_of
from fairviz.words.counting import Lexicon, format_lexicon
from tests.evaluation.test_draws import drawn_study
from tests.fuzz.commands import IN_JSON, NAMES
from tests.made import runs_of
from tests.pages.conftest import OF_EXTENSIONS, PAGES, PATIENCE, ROOT, Seen, first_run, html_of, keys_of
from tests.ui.shell.test_menus import FILES, files_of

OF_ONE_QUERY = [f"{page}.py" for page in ("annotate", "board", "gsr", "mitigations", "read", "sensitivity")]
FRAMED = [page for page in PAGES if page != "label.py"]  # which has no frame, so no study


@pytest.mark.parametrize(
    ("page", "study"),
    [*((page, "newswire") for page in PAGES), *((page, "football") for page in OF_ONE_QUERY)],
)
def test_every_page_runs(page: str, study: str, seen: Seen) -> None:
    """And has the files of its menu, and reads no choice that its address may not contain."""
    test, name = seen(page, study=study), page.removesuffix(".py")
    assert len(test.title) == 1
    assert "fv-error" not in html_of(test)
    assert "There is no page" not in html_of(test)
    if page in FRAMED:
        assert files_of(test) == FILES
    if (ROOT / "pages" / page).exists() and name not in ("label", "status", "studies"):
        assert set(test.session_state[choices.PAGE_KEYS]) <= choices_of(name)


def test_the_app_opens_on_its_overview() -> None:
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()
    assert test.title[0].value == "Newswire 2000\\-2001"
    assert "Do measures agree?" in test.markdown[0].value.replace("\\", "")
    assert test.selectbox(key="study").value == "newswire"


GROUPS = ("women's", 'a"b', "both \"and' x", "%7C|;:,", "back\\slash", "x)y(z", "<b>bold</b>", "{}", "größe 女")
WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota")
# Names from data stand as they are in all that Streamlit reads as Markdown: labels of buttons, switches and tabs,
# tooltips and progress bars. An image in such a label would be fetched from a stranger's server.
STRONG, LINK, RED = "*a*", "[x](http:evil.example)", ":red[x]"
IMAGE = "![x](http:evil.example:y.png)"
MARKED = (STRONG, LINK, RED, IMAGE)
SCRIPT = "<script>x</script>"
HALF = ("\udcff", "\ud800", "a\udfffb")
HOSTILE = [name for name in (*NAMES, *IN_JSON) if name not in HALF]


@cache
def hard_study(
    *names: str, groups: tuple[str, ...] = ("female", "male"), documents: int = 0, **columns: object
) -> Study:
    """Systems, queries and annotators with these names, and documents whose names begin with them, labelled with these
    groups in turn: the annotators part on the last. documents: how many, else twice the names; columns: of theirs."""
    count = documents or 2 * len(names)
    doc_ids = [f"{names[place % len(names)]}{place // len(names)}" for place in range(count)]
    words = [WORDS[place % len(groups)] for place in range(count)]
    said = [("neutral", *groups)[place % (len(groups) + 1)] for place in range(count)]
    labels = [(document, who, label) for who in names for document, label in zip(doc_ids, said, strict=True)]
    labels[-1] = (doc_ids[-1], names[-1], groups[0] if said[-1] == "neutral" else "neutral")
    table = pd.DataFrame(
        {"doc_id": doc_ids, "text": [f"{word} and she nurse {name}" for word, name in zip(words, doc_ids, strict=True)]}
    )
    return make_study(
        STRONG,
        groups=groups,
        queries=pd.DataFrame({"query_id": names, "text": [f"nurse {name}" for name in names], "topic": names}),
        documents=table.assign(**columns),
        runs=runs_of({(system, query): [*doc_ids[turn:], *doc_ids[:turn]]
                      for turn, system in enumerate(names) for query in names}),
        qrels=pd.DataFrame({"query_id": names, "doc_id": doc_ids[: len(names)], "relevance": 1}),
        labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]),
        lexicon=Lexicon("own", tuple(zip(WORDS[: len(groups)], groups, strict=True))),
    )  # fmt: skip


@cache
def crossed_study() -> Study:
    """Documents of two topics with shares of several groups."""
    plain = hard_study("A", "B", topic=("arts", "sport", "arts", "arts"))
    shares = {"doc_id": ["A0", "A0", "B0", "B0", "A1"], "label": ["female", "male", "neutral", "male", "male"]}
    labels = pd.DataFrame(shares).assign(share=[0.7, 0.3, 0.5, 0.5, 1.0])
    return make_study(
        "soft", queries=plain.queries, documents=plain.documents, runs=plain.runs, qrels=plain.qrels, labels=labels
    )


HARD_WORDS = Lexicon("", tuple((f"{word}|x", group) for word, group in zip(WORDS, GROUPS, strict=True)))


WITHOUT_LABELS = {f"{page}.py" for page in ("gender_swap", "gsr", "methods", "words")}  # they read none


@pytest.mark.parametrize("page", sorted({*FRAMED} - {*OF_EXTENSIONS} - WITHOUT_LABELS))
def test_every_page_shows_crossed_groups_and_shares(page: str) -> None:
    study = crossed_study()
    test = first_run(page, study, crossed_with="topic")
    shows(test, study)
    control = test.selectbox(key="crossed_with")
    assert (control.label, control.options) == ("Groups crossed with", ["nothing: genders alone", "topic"])


STOCHASTIC = {page: {} for page in ("compare.py", "measures.py", "query.py", "what_if.py", "read.py",
                                    "gsr.py", "sensitivity.py")} | {
    f"tradeoff.py {tab}": {"tradeoff_tab": tab} for tab in ("Over α or k", "Ranks", "Chance and range", "Differences")
}  # fmt: skip


@pytest.mark.parametrize("page", STOCHASTIC)
def test_a_page_of_rankings_shows_a_stochastic_system(page: str, drawn: Study) -> None:
    shows(first_run(page.split()[0], drawn, system="pl", **STOCHASTIC[page]), drawn)


@pytest.mark.usefixtures("whole")
def test_overview_with_all_its_lines_shows_a_stochastic_system(drawn: Study) -> None:
    shows(first_run("overview.py", drawn, system="pl"), drawn)


@pytest.fixture(scope="module")
def drawn() -> Study:
    return drawn_study(queries=12)


def shows(test: AppTest, study: Study) -> None:
    """The page shows this study without an error, and no name in it has become an element."""
    text = html_of(test)
    assert [error.value for error in test.error] == []
    for wrong in ("fv-error", "The address", "<b>bold</b>", SCRIPT):
        assert wrong not in text
    current = test.session_state["current"].study
    assert (current.groups, current.systems) == (study.groups, study.systems)


OF_RANKINGS = ("compare", "gsr", "measures", "overview", "query", "sensitivity", "tradeoff", "what_if")


@pytest.mark.parametrize("page", OF_RANKINGS)
def test_without_runs_a_page_of_rankings_shows_one_message_and_its_remedy(page: str) -> None:
    plain = hard_study("A", "B")
    study = make_study("unranked", queries=plain.queries, documents=plain.documents, labels=plain.labels)
    text = html_of(first_run(f"{page}.py", study))
    assert text.count('class="fv-box fv-info"') == 1
    assert "unranked holds no ranked runs, so there is nothing to measure yet." in text
    assert "Upload a TREC run on Data, or rank the documents: fairviz rank unranked --with bm25" in text


@pytest.mark.parametrize("page", ["compare.py", "measures.py", "overview.py", "tradeoff.py"])
def test_with_one_system_a_page_that_compares_shows_one_sentence_and_no_comparison(page: str) -> None:
    test = first_run(page, study="football", systems=["right"])
    text = html_of(test).replace("<b>", "").replace("</b>", "")
    assert "Only right is shown: a second system is needed to " in text
    if page in ("compare.py", "measures.py"):
        assert not test.main.get("plotly_chart")
        assert not test.main.dataframe


def markdown_of(test: AppTest) -> Iterator[str]:
    """Every text of the page that the browser reads as Markdown."""
    unread = ("selectbox", "multiselect", "arrow_data_frame", "html")  # whose options and cells are plain text

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
            if element.type not in unread:
                yield from (str(getattr(option, "content", option)) for option in getattr(proto, "options", ()))

    for root in (test.main, test.sidebar):
        yield from walk(root)


@pytest.mark.usefixtures("whole")
def test_overview_with_all_its_lines_breaks_on_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    test_no_page_breaks_on_a_name_or_gives_it_as_markdown("overview.py", monkeypatch)


@pytest.mark.parametrize("page", [page for page in FRAMED if page != "overview.py"])
def test_no_page_breaks_on_a_name_or_gives_it_as_markdown(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a system, query, document or annotator, or of one of many groups."""
    monkeypatch.setattr(jobs, "starts_alone", lambda: False)
    hostile = HOSTILE[FRAMED.index(page) % 8 :: 8]
    study = hard_study(*MARKED, SCRIPT, *hostile, groups=GROUPS)
    test = first_run(
        page, study, system=RED, query=LINK, annotator=IMAGE, document=f"{STRONG}0", baseline=study.systems[-1],
        lexicon=format_lexicon(HARD_WORDS), tau="0",
    )  # fmt: skip
    shows(test, study)
    texts = list(markdown_of(test))
    assert [text for text in texts if any(name in text for name in MARKED)] == []
    assert page != "query.py" or literal(RED) in texts, "the parts of a value are named by the systems"
    assert "crossed_with" not in keys_of(test.selectbox), "no column of these documents"


def test_the_python_beside_the_overview_has_the_noise_of_the_ranker(drawn: Study, newswire: Study) -> None:
    for study, noise in ((drawn, True), (newswire, False)):
        assert ("by_draw=True" in recipe(summarised(study, Settings(), ["CWEx@10"])).python) == noise


def test_data_and_the_panel_of_the_list_count_the_words_that_match_nothing() -> None:
    words = "female:alpha|*woman|stay-at-home mum;male:beta|gamm*"
    text = html_of(first_run("data.py", hard_study("A", "B"), lexicon=words))
    for sentence in (
        "1 phrase matches as sequences of words, the longest first.",
        "1 entry with * matches every word that begins so.",
        "1 of 5 entries can never match with the tokenizer word: *woman.",
        "2 of 5 entries occur in no document: stay-at-home mum, gamm*.",
    ):
        assert text.count(sentence) == 2, sentence


def test_the_exposure_of_a_group_of_any_name_is_read_back_and_measured_on_read() -> None:
    _, *found = [text for text in measures(hard_study("A", "B", groups=GROUPS)) if text.startswith("Exposure(group=")]
    questions = [parse(text, 10) for text in found]
    assert [question.parameters["group"] for question in questions] == list(GROUPS)
    assert [parse(question.text).parameters["group"] for question in questions] == list(GROUPS)
    test = first_run("read.py", hard_study("A", "B", groups=GROUPS[1:4]))
    for text in found[1:3]:
        test.selectbox(key="measure").set_value(text).run()
        assert "fv-error" not in html_of(test)
        assert test.selectbox(key="measure").value == text


def test_a_study_takes_any_name_in_unicodes_composed_form_and_refuses_half_a_character_by_column() -> None:
    assert sorted(hard_study(*HOSTILE).systems) == sorted(map(normal_form, HOSTILE))
    for name in HALF:
        documents = pd.DataFrame({"doc_id": ["1"], "text": pd.Series([f"she {name}"], dtype="object")})
        with pytest.raises(FairvizError, match=r"the documents table has half a character .* in the column 'text'"):
            make_study("half", documents=documents)


def test_methods_defines_every_measure_tells_how_systems_are_compared_and_opens_the_measure_of_a_link(
    seen: Seen,
) -> None:
    table = seen("methods.py", study="newswire").dataframe[0].value
    assert table["measure"].tolist() == list(MEASURES)
    assert table["definition"].tolist() == [record.summary for record in MEASURES.values()]
    for linked, expected in (("GSR", ["GSR"]), ("nobody", []), ("", [])):
        page = first_run("methods.py", study="football", methods_measure=linked)
        assert [one.label for one in page.expander if one.proto.expanded and one.label in MEASURES] == expected
        assert ("scrollIntoView" in html_of(page)) == bool(expected)
    for told in (
        "All pairs of the systems shown, within a measure.",
        "Name a baseline before looking at the results.",
        "A verdict needs 10 common queries and half of all queries.",
    ):
        assert told in html_of(page)
