"""Requests of fragments after their page was left, which are ignored.

A fragment that runs by itself, on a timer or once its page is drawn, can request a run at the moment of a change to
another page. Streamlit would run the fragment for the page that was left, and so empty the page on screen, or merge the
request for the new page into that of the fragment and stay on the old page.
"""

from collections.abc import Callable

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType


def ignore_left_pages() -> None:
    """Make Streamlit ignore requests of fragments of other pages. Called once, before the server starts."""
    requests, runner = ScriptRequests, ScriptRunner
    requests._request_rerun_locked = drop_left_requests(requests._request_rerun_locked)  # type: ignore[assignment, method-assign]
    runner._run_script = _skip_left_pages(runner._run_script)  # type: ignore[assignment, method-assign]


def is_for_fragments(request: RerunData) -> bool:
    """Return whether the request is for fragments alone."""
    return bool(request.fragment_id or request.fragment_id_queue)


def drop_left_requests(
    request: Callable[[ScriptRequests, RerunData], bool],
) -> Callable[[ScriptRequests, RerunData], bool]:
    """Return `request` with an exception: a request for a fragment is dropped if a run of another page is waiting."""

    def request_unless_left(self: ScriptRequests, new_data: RerunData) -> bool:
        waiting = self._rerun_data if self._state == ScriptRequestType.RERUN else None
        if (
            waiting is not None
            and is_for_fragments(new_data)
            and not is_for_fragments(waiting)
            and _are_of_two_pages(new_data, waiting)
        ):
            return True
        return request(self, new_data)

    return request_unless_left


def _are_of_two_pages(first: RerunData, second: RerunData) -> bool:
    """Return whether two requests are of different pages; False if one names no page."""
    pages = {first.page_script_hash, second.page_script_hash}
    return len(pages) > 1 and "" not in pages


def _skip_left_pages(run: Callable[[ScriptRunner, RerunData], None]) -> Callable[[ScriptRunner, RerunData], None]:
    """Return `run` with an exception: fragments of another page than the session's current one do not run."""

    def run_unless_left(self: ScriptRunner, rerun_data: RerunData) -> None:
        current_page = self._pages_manager.current_page_script_hash
        if not is_for_fragments(rerun_data) or rerun_data.page_script_hash in ("", current_page):
            run(self, rerun_data)

    return run_unless_left
