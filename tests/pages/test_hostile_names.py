"""The first run of every page on a study whose systems, queries, documents and annotators have hostile names."""

import pandas as pd
import pytest

from fairviz.errors import FairvizError
from fairviz.normal_form import normal_form
from fairviz.study.study import make_study
from tests.fuzz.commands import IN_JSON, NAMES
from tests.pages.test_first_run import PAGES, html_of
from tests.pages.test_group_names import shown
from tests.pages.test_names_as_markdown import study_of

HALF = ("\udcff", "\ud800", "a\udfffb")
HOSTILE = [name for name in (*NAMES, *IN_JSON) if name not in HALF]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs_on_hostile_names(page: str) -> None:
    few = study_of(*HOSTILE[PAGES.index(page) % 4 :: 4])
    test = shown(page, few, system=few.systems[0], query=few.systems[1], annotator=few.systems[2])
    assert not test.exception
    assert "fv-error" not in html_of(test)
    if page != "label.py":  # which has no frame, so no study
        assert test.session_state["current"].study.systems == few.systems


def test_a_study_takes_any_name() -> None:
    """In Unicode's composed form."""
    assert sorted(study_of(*HOSTILE).systems) == sorted(map(normal_form, HOSTILE))


@pytest.mark.parametrize("name", HALF, ids=ascii)
def test_half_a_character_is_refused_by_column(name: str) -> None:
    documents = pd.DataFrame({"doc_id": ["1"], "text": pd.Series([f"she {name}"], dtype="object")})
    with pytest.raises(FairvizError, match=r"the documents table has half a character .* in the column 'text'"):
        make_study("half", documents=documents)
