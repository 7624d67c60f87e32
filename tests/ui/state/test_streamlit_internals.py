"""The undocumented parts of Streamlit and Plotly exist in the installed releases; requests of left pages are dropped.

See tests/browser/test_going.py for the requests of left pages in a browser.
"""

import asyncio
import inspect
import re
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit
from starlette.requests import Request
from starlette.responses import Response
from streamlit import net_util
from streamlit.commands import navigation
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import Runtime, RuntimeState
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.session_manager import ActiveSessionInfo, ClientContext
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.server import server
from streamlit.web.server.starlette import starlette_app, starlette_auth_routes, starlette_server_config

from fairviz.ui.state import streamlit_internals

RELEASES = {"streamlit": "1.67.0", "plotly": "7.1.0"}
FIGURE_PARTS = {  # private attributes of a drawn figure that scripts read, by the script's file
    "export.js": {"_context"},
    "live.js": {"_fullLayout", "_size", "_subplot", "_categories", "_offset", "_length"},
}
UI = Path(streamlit_internals.__file__).parent.parent
PARTS = {  # what the file uses, by the object whose attribute it is; of classes also what their source sets on self
    net_util: ("get_external_ip", "get_internal_ip"),
    navigation: ("send_page_not_found",),
    server: ("MemorySessionStorage",),
    starlette_app: ("create_streamlit_middleware",),
    PagesManager: (
        *("uses_pages_directory", "current_page_script_hash"),
        *("intended_page_script_hash", "intended_page_name"),
    ),
    ScriptRunContext: ("is_history_navigation", "fragment_ids_this_run", "query_string", "pages_manager"),
    ScriptRequests: ("_request_rerun_locked", "_rerun_data", "_state"),
    ScriptRunner: ("_run_script", "_pages_manager"),
    RerunData: ("fragment_id", "fragment_id_queue", "page_script_hash"),
    MemorySessionStorage: ("_cache",),
    MemoryUploadedFileManager: ("file_storage", "remove_session_files"),
    Runtime: ("_session_mgr", "state", "uploaded_file_mgr", "media_file_mgr"),
    MediaFileManager: ("_files_by_session_and_coord",),
    starlette_auth_routes: ("_auth_callback",),
    RuntimeState: ("NO_SESSIONS_CONNECTED", "ONE_OR_MORE_SESSIONS_CONNECTED"),
    WebsocketSessionManager: ("get_active_session_info", "num_active_sessions"),
    AppSession: ("_user_info", "handle_backmsg"),
    ActiveSessionInfo: ("client", "session"),
    ClientContext: ("headers", "cookies"),
    starlette_server_config: ("USER_COOKIE_NAME",),
    SafeSessionState: ("filtered_state", "_state", "_lock"),
    SessionState: ("filtered_state",),
}


@pytest.mark.parametrize(("name", "release"), RELEASES.items())
def test_the_installed_release_is_the_one_whose_parts_are_used(name: str, release: str) -> None:
    assert version(name) == release, (
        f"{name} {version(name)} is installed, and {streamlit_internals.__file__} is written for {release}: check each "
        f"of its parts in the new release, with the tests of tests/browser, then write the new release into RELEASES."
    )


def test_the_parts_that_are_used_exist() -> None:
    for owner, names in PARTS.items():
        source = inspect.getsource(owner) if inspect.isclass(owner) else ""
        for name in names:
            assert hasattr(owner, name) or re.search(rf"\bself\.{name}\b|^    {name}:", source, re.MULTILINE), (
                f"streamlit {version('streamlit')} has no {name} in {owner}, which {streamlit_internals.__file__} uses"
            )


def test_scripts_read_the_parts_of_figures_that_are_listed_and_exist_in_the_browser() -> None:
    used = {}
    for file in (*UI.rglob("*.js"), *(UI / "kit").glob("*.py")):
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".py":
            text = "".join(re.findall(r'^JAVASCRIPT = """(.*?)^"""', text, re.DOTALL | re.M))
        used[file.name] = set(re.findall(r"\.(_\w+)", text))
    assert {name: parts for name, parts in used.items() if parts} == FIGURE_PARTS
    (script,) = (Path(streamlit.__file__).parent / "static" / "static" / "js").glob("PlotlyChart.*.js")
    text = script.read_text(encoding="utf-8")
    for part in set().union(*FIGURE_PARTS.values()):
        assert f".{part}" in text, f"the Plotly in streamlit {version('streamlit')} has no {part}"


def test_a_run_of_fragments_is_known_and_outside_a_run_there_are_neither_pages_nor_a_query(monkeypatch) -> None:
    for fragments in ([], ["a card"]):
        context = SimpleNamespace(fragment_ids_this_run=fragments)
        monkeypatch.setattr(streamlit_internals, "get_script_run_ctx", lambda context=context: context)
        assert streamlit_internals.is_fragment_run() is bool(fragments)
    monkeypatch.setattr(streamlit_internals, "get_script_run_ctx", lambda: None)
    assert streamlit_internals.pages() is None
    assert not streamlit_internals.is_fragment_run()
    assert not streamlit_internals.is_history_navigation()
    assert not streamlit_internals.is_query_too_long()


GO, PART, OTHER = {"page_script_hash": "query"}, {"fragment_id": "live"}, {"fragment_id": "progress"}
LEFT = {"page_script_hash": "trade-off"}


@pytest.mark.parametrize(
    ("requests", "parts"),
    [
        ([GO, LEFT | PART], []),
        ([LEFT | PART, GO], []),
        ([GO | {"query_string": "old"}, GO | PART | {"query_string": "new"}], []),
        ([{"query_string": "old"}, GO | PART | {"query_string": "new"}], []),
        ([GO | PART, GO | OTHER], ["live", "progress"]),
    ],
    ids=["the page is left", "who goes goes", "the page waits", "the first page waits", "two parts wait"],
)
def test_a_part_of_a_page_runs_with_it_and_does_not_call_back_who_goes(requests, parts, monkeypatch) -> None:
    dropping = streamlit_internals.drop_left_requests(ScriptRequests._request_rerun_locked)
    monkeypatch.setattr(ScriptRequests, "_request_rerun_locked", dropping)
    waiting = ScriptRequests()
    assert all(waiting.request_rerun(RerunData(**each)) for each in requests)
    request = waiting.on_scriptrunner_ready()
    assert request.type == ScriptRequestType.RERUN
    assert (request.rerun_data.page_script_hash, list(request.rerun_data.fragment_id_queue)) == ("query", parts)
    assert request.rerun_data.query_string in ("", "new")


def test_a_browser_sends_only_messages_that_pages_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new message of a new Streamlit is refused until it is listed."""
    handled: list[str] = []
    monkeypatch.setattr(AppSession, "handle_backmsg", lambda self, msg: handled.append(msg.WhichOneof("type")))
    streamlit_internals.refuse_messages()
    for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields:
        message = BackMsg()
        if field.message_type is not None:
            getattr(message, field.name).SetInParent()
        else:
            setattr(message, field.name, True if field.cpp_type == field.CPPTYPE_BOOL else "x")
        AppSession.handle_backmsg(object(), message)  # type: ignore[arg-type]
    for payload in ("deferred_file", "dataframe_chunk", "install_skills", "dismiss_skills_nudge"):
        message = BackMsg()
        getattr(message.backend_operation_request, payload).SetInParent()
        AppSession.handle_backmsg(object(), message)  # type: ignore[arg-type]
    assert sorted(handled) == sorted([*streamlit_internals.MESSAGES, *["backend_operation_request"] * 2])


@pytest.mark.parametrize(
    ("query", "cookie", "location"),
    [
        ("code=1&state=x", '_streamlit_user=""; Max-Age=0', "/?login=failed"),
        ("code=1&state=x", "_streamlit_user=signed", "/"),
        ("", '_streamlit_user=""; Max-Age=0', "/"),
    ],
)
def test_a_failed_login_leads_to_its_message(monkeypatch, query: str, cookie: str, location: str) -> None:
    async def answer(request, base_url):
        return Response(status_code=302, headers={"location": "/", "set-cookie": cookie})

    monkeypatch.setattr(starlette_auth_routes, "_auth_callback", answer)
    streamlit_internals.name_failed_logins()
    request = Request({"type": "http", "query_string": query.encode(), "headers": []})
    response = asyncio.run(starlette_auth_routes._auth_callback(request, ""))
    assert response.headers["location"] == location
