"""Every page shows a study whose gender groups are crossed with a column of its documents."""

import pandas as pd
import pytest

from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.pages.test_first_run import PAGES
from tests.pages.test_group_names import hard_study, shown


def crossed_study() -> Study:
    plain = hard_study(("female", "male"))
    documents = plain.documents.assign(topic=["arts", "sport", "arts"])
    tables = {part: getattr(plain, part) for part in ("queries", "runs", "qrels", "labels")}
    return make_study("crossed", documents=documents, **tables)


@pytest.mark.parametrize("page", [page for page in PAGES if page != "label.py"])  # which has no frame, so no study
def test_every_page_shows_crossed_groups(page: str) -> None:
    test = shown(page, crossed_study(), crossed_with="topic")
    assert not test.exception
    assert not [error.value for error in test.error]


def soft_study() -> Study:
    plain = crossed_study()
    rows = [
        ("d0", "female", 0.7),
        ("d0", "male", 0.3),
        ("d1", "neutral", 0.5),
        ("d1", "male", 0.5),
        ("d2", "male", 1.0),
    ]
    labels = pd.DataFrame(rows, columns=["doc_id", "label", "share"])
    tables = {part: getattr(plain, part) for part in ("queries", "documents", "runs", "qrels")}
    return make_study("soft", labels=labels, **tables)


@pytest.mark.parametrize("page", [page for page in PAGES if page != "label.py"])
def test_every_page_shows_documents_with_shares_of_several_groups(page: str) -> None:
    test = shown(page, soft_study())
    assert not test.exception
    assert not [error.value for error in test.error]


def test_the_control_offers_the_columns_of_the_documents() -> None:
    test = shown("tradeoff.py", crossed_study())
    control = next(box for box in test.selectbox if box.key == "crossed_with")
    assert control.label == "Groups crossed with"
    assert control.options == ["nothing: genders alone", "topic"]
    plain = shown("tradeoff.py", hard_study(("female", "male")))
    assert "crossed_with" not in [box.key for box in plain.selectbox]
