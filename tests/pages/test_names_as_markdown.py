"""Names from data stand as they are in all that Streamlit reads as Markdown: labels of buttons, switches and tabs,
tooltips and progress bars. An image in such a label would be fetched from a stranger's server."""

from collections.abc import Iterator

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.kit.html import literal
from tests.pages.test_first_run import PAGES
from tests.pages.test_group_names import shown

STRONG, LINK, RED = "*a*", "[x](http:evil.example)", ":red[x]"
IMAGE = "![x](http:evil.example:y.png)"
NAMES = (STRONG, LINK, RED, IMAGE)
UNREAD = ("selectbox", "multiselect", "arrow_data_frame", "html")  # whose options and cells are plain text


def study_of(*names: str) -> Study:
    """Systems, queries, documents, annotators and groups, all with names that are Markdown."""
    documents = [*(f"{name}{place}" for place in range(2) for name in names)]
    runs = [
        (system, query, document, place + 1, float(-place))
        for turn, system in enumerate(names)
        for query in names
        for place, document in enumerate([*documents[turn:], *documents[:turn]])
    ]
    labels = [(document, who, "female" if place % 2 else "male") for place, document in enumerate(documents)
              for who in names]  # fmt: skip
    return make_study(
        STRONG,
        queries=pd.DataFrame({"query_id": names, "text": [f"nurse {name}" for name in names], "topic": names}),
        documents=pd.DataFrame({"doc_id": documents, "text": [f"she is a nurse {name}" for name in documents]}),
        runs=pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]),
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
    study = study_of(*NAMES)
    test = shown(page, study, system=RED, query=LINK, annotator=IMAGE, document=f"{STRONG}0")
    assert not test.exception
    held = [text for text in markdown_of(test) if any(name in text for name in NAMES)]
    assert held == []


def test_the_parts_of_a_value_on_query_are_named_by_the_systems() -> None:
    test = shown("query.py", study_of(*NAMES), systems=STRONG, query=LINK)
    assert literal(STRONG) in list(markdown_of(test))


def test_what_undo_takes_back_is_told_as_it_is() -> None:
    test = shown("what_if.py", study_of(*NAMES), system=RED, query=LINK)
    first = test.session_state["laboratory_bench"].order[0]
    for to in (3, 1):
        test.selectbox(key="laboratory_document").set_value(first).run()
        test.number_input(key="laboratory_to").set_value(to).run()
        test.button(key="laboratory_move").click().run()
    test.button(key="laboratory_undo").click().run()
    assert test.button(key="laboratory_undo").help == literal(f"{first} from rank 1 to 3")
    assert test.button(key="laboratory_redo").help == literal(f"{first} from rank 3 to 1")
