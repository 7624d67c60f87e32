"""What a part of a page asks after its page was left is not answered.

A part of a page that runs by itself, on a timer or once the page stands, can ask in the very moment in which somebody
goes to another page: its browser has not heard yet of the other. Streamlit would run the part as of the page that was
left, and so empty the page on screen, or take the request for the page into that for the part and not go at all.
"""

from collections.abc import Callable

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType


def let_be() -> None:
    """Has Streamlit let such requests be. Called once, before the server starts."""
    requests, runner = ScriptRequests, ScriptRunner
    requests._request_rerun_locked = asked(requests._request_rerun_locked)  # type: ignore[assignment, method-assign]
    runner._run_script = _run(runner._run_script)  # type: ignore[assignment, method-assign]


def is_of_a_part(asked: RerunData) -> bool:
    """Whether parts of a page alone are to run."""
    return bool(asked.fragment_id or asked.fragment_id_queue)


def asked(request: Callable[[ScriptRequests, RerunData], bool]) -> Callable[[ScriptRequests, RerunData], bool]:
    """The same, where a run of another page waits already: that one goes before, and the part goes with its page."""

    def request_unless_left(self: ScriptRequests, new_data: RerunData) -> bool:
        waits = self._rerun_data if self._state == ScriptRequestType.RERUN else None
        if waits is not None and is_of_a_part(new_data) and not is_of_a_part(waits) and _apart(new_data, waits):
            return True
        return request(self, new_data)

    return request_unless_left


def _apart(one: RerunData, other: RerunData) -> bool:
    """Whether they are of two pages; a request may name none."""
    pages = {one.page_script_hash, other.page_script_hash}
    return len(pages) > 1 and "" not in pages


def _run(run: Callable[[ScriptRunner, RerunData], None]) -> Callable[[ScriptRunner, RerunData], None]:
    """The same, but not for parts of another page than the one that this session shows by now."""

    def run_unless_left(self: ScriptRunner, rerun_data: RerunData) -> None:
        shown = self._pages_manager.current_page_script_hash
        if not is_of_a_part(rerun_data) or rerun_data.page_script_hash in ("", shown):
            run(self, rerun_data)

    return run_unless_left
