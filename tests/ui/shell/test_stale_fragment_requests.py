"""What a part of a page asks after its page was left: see tests/browser/test_left.py for the same in a browser."""

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType

from fairviz.ui.shell import stale_fragment_requests


@pytest.fixture
def requests(monkeypatch) -> ScriptRequests:
    monkeypatch.setattr(
        ScriptRequests,
        "_request_rerun_locked",
        stale_fragment_requests.drop_left_requests(ScriptRequests._request_rerun_locked),
    )
    return ScriptRequests()


def waiting(requests: ScriptRequests) -> tuple[str, list[str]]:
    """The page and the parts that are to run next."""
    request = requests.on_scriptrunner_ready()
    assert request.type == ScriptRequestType.RERUN
    return request.rerun_data.page_script_hash, list(request.rerun_data.fragment_id_queue)


def test_a_part_of_the_page_that_is_left_does_not_call_back_who_goes(requests) -> None:
    assert requests.request_rerun(RerunData(page_script_hash="query"))
    assert requests.request_rerun(RerunData(page_script_hash="trade-off", fragment_id="live"))
    assert waiting(requests) == ("query", [])


@pytest.mark.parametrize("page", ["query", ""])
def test_a_part_of_the_page_that_waits_runs_with_it(requests, page) -> None:
    requests.request_rerun(RerunData(page_script_hash=page, query_string="old"))
    requests.request_rerun(RerunData(page_script_hash="query", query_string="new", fragment_id="live"))
    assert requests._rerun_data.query_string == "new"
    assert waiting(requests) == ("query", [])


def test_who_goes_after_a_part_has_asked_goes(requests) -> None:
    requests.request_rerun(RerunData(page_script_hash="trade-off", fragment_id="live"))
    requests.request_rerun(RerunData(page_script_hash="query"))
    assert waiting(requests) == ("query", [])


def test_parts_of_one_page_wait_together(requests) -> None:
    requests.request_rerun(RerunData(page_script_hash="query", fragment_id="live"))
    requests.request_rerun(RerunData(page_script_hash="query", fragment_id="progress"))
    assert waiting(requests) == ("query", ["live", "progress"])
