"""All parts of Streamlit that fairviz uses beyond the documented ones; no other file imports or replaces any.

tests/ui/state/test_streamlit_internals.py names the releases for which this file and the scripts of the browser are
written, and checks that each part exists in them.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from threading import Thread
from typing import Any, NamedTuple

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from streamlit import config, net_util, runtime
from streamlit.commands import navigation
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import RuntimeState
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType
from streamlit.runtime.session_manager import SessionInfo
from streamlit.runtime.state.query_params import (
    CLIENT_STATE_QUERY_STRING_MAX_FIELDS,
    CLIENT_STATE_QUERY_STRING_MAX_LENGTH,
    sanitize_query_string,
)
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.web.cli import main
from streamlit.web.server import server
from streamlit.web.server.starlette import starlette_app, starlette_auth_routes
from streamlit.web.server.starlette.starlette_routes import BASE_ROUTE_MEDIA, BASE_ROUTE_UPLOAD_FILE
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

LOGIN_COOKIES = (USER_COOKIE_NAME, f"{USER_COOKIE_NAME}__")  # the name of the first, and the beginning of others
UPLOAD_PATH, DOWNLOAD_PATH = f"/{BASE_ROUTE_UPLOAD_FILE}", f"/{BASE_ROUTE_MEDIA}"
LOGIN_FAILED = "login=failed"  # the query of the entrance after a login that failed
MOST_FIELDS, MOST_CHARACTERS = CLIENT_STATE_QUERY_STRING_MAX_FIELDS, CLIENT_STATE_QUERY_STRING_MAX_LENGTH  # of a query
MESSAGES = frozenset(("rerun_script", "stop_script", "file_urls_request", "app_heartbeat"))  # of a browser
OPERATIONS = frozenset(("deferred_file", "dataframe_chunk"))  # which a browser requests in a message of its own
LATER = 0.1  # seconds after which a session that can no longer be resumed is ended


def is_history_navigation() -> bool:
    """Return whether Back or Forward caused this run."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def is_fragment_run() -> bool:
    """Return whether this run is of fragments alone."""
    context = get_script_run_ctx()
    return context is not None and bool(context.fragment_ids_this_run)


def is_query_too_long() -> bool:
    """Return whether Streamlit ignored the whole address, which it does silently if the address is too long."""
    context = get_script_run_ctx()
    text = context.query_string if context is not None else ""
    return bool(text) and not sanitize_query_string(text)


def pages() -> PagesManager | None:
    """Return the pages of this run: the current one, and the intended one of the address; None outside a run."""
    context = get_script_run_ctx()
    return context.pages_manager if context is not None else None


def page_name() -> str:
    """Return the name of the page that this run opens, as in the address; empty before the first call of
    `st.navigation`."""
    manager = pages()
    if manager is None:
        return ""
    page = manager.get_pages().get(manager.intended_page_script_hash or manager.current_page_script_hash)
    return (page["url_pathname"] or "overview") if page is not None and "url_pathname" in page else ""


def user_claims() -> Mapping[str, Any] | None:
    """Return what is known of the user of this session, from its cookie or a trusted header; None outside a run."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.user_info if context is not None and runtime.exists() else None


def option(name: str):
    """Return an option of the server, such as `server.address`."""
    return config.get_option(name)


def start_server() -> None:
    """Run Streamlit's command line, without its older layout of a folder named pages and without its dialog."""
    PagesManager.uses_pages_directory = False
    read_values_alone()
    ignore_left_pages()
    without_dialog()
    main(prog_name="streamlit")


def put_first(middleware: Callable[[], list[Middleware]]) -> None:
    """Put this middleware before Streamlit's own routes."""
    create = starlette_app.create_streamlit_middleware
    starlette_app.create_streamlit_middleware = lambda: [*middleware(), *create()]


def without_requests() -> None:
    """Prevent Streamlit's network requests for the addresses of this machine."""
    net_util.get_external_ip = net_util.get_internal_ip = lambda: None


def without_dialog() -> None:
    """Keep Streamlit from covering Overview with a dialog if the address names an unknown page."""
    navigation.send_page_not_found = lambda ctx: None


def read_values_alone() -> None:
    """Make each field of a page read its own value of the session. Called once, before the server starts.

    Streamlit copies all values for each field, and makes a class for each script on the page each time.
    """
    SafeSessionState.filtered_state = property(_Values)  # type: ignore[assignment, method-assign]


class _Values(Mapping[str, Any]):
    """The values of a session by the keys of the program, each read where it is asked for."""

    def __init__(self, session: SafeSessionState) -> None:
        self._session = session

    def __getitem__(self, key: str) -> Any:
        with self._session._lock:
            return self._session._state[key]

    def __iter__(self) -> Iterator[str]:
        with self._session._lock:
            return iter(self._session._state.filtered_state)

    def __len__(self) -> int:
        with self._session._lock:
            return len(self._session._state.filtered_state)


def end_lost_sessions() -> None:
    """Make Streamlit store sessions in `Sessions`. Called once, before the server starts."""
    server.MemorySessionStorage = Sessions  # type: ignore[misc]


class Sessions(MemorySessionStorage):
    """Streamlit's store of sessions that can be resumed, which ends those that no longer can.

    Streamlit keeps a session for some minutes after its browser is closed, and then until another browser is closed or
    garbage is collected.
    """

    def __init__(self, maxsize: int = 128, ttl_seconds: int = 120) -> None:
        super().__init__(maxsize, ttl_seconds)
        self._seconds = ttl_seconds
        self._waiting: dict[str, SessionInfo] = {}

    def save(self, session_info: SessionInfo) -> None:
        """Store a session. It is ended when its time is over, or when too many others are stored."""
        super().save(session_info)
        self._waiting[session_info.session.id] = session_info
        loop = asyncio.get_running_loop()
        loop.call_soon(self.end_lost)  # not here, as Streamlit has a lock
        loop.call_later(self._seconds + LATER, self.end_lost)

    def delete(self, session_id: str) -> None:
        """Remove a session that is resumed or closed."""
        self._waiting.pop(session_id, None)
        super().delete(session_id)

    def end_lost(self) -> None:
        """End each session that can no longer be resumed: its files are removed."""
        self._cache.expire()  # type: ignore[attr-defined]
        for name in [name for name in self._waiting if name not in self._cache]:
            self._waiting.pop(name).session.shutdown()


def stored_bytes(session_id: str) -> int:
    """Return the bytes of the uploaded files that are stored for a session."""
    storage = runtime.get_instance().uploaded_file_mgr.file_storage  # type: ignore[attr-defined]
    return sum(len(file.data) for file in list(storage.get(session_id, {}).values()))


def refuse_messages() -> None:
    """Make Streamlit ignore messages of a browser that the pages do not need. Called once, before the server starts.

    Any visitor could empty the caches of all sessions, with the record of their jobs, or make Streamlit write files.
    """
    handle = AppSession.handle_backmsg

    def handle_needed(self: AppSession, msg: BackMsg) -> None:
        operation = msg.backend_operation_request.WhichOneof("payload")
        if msg.WhichOneof("type") in MESSAGES or operation in OPERATIONS:
            handle(self, msg)

    AppSession.handle_backmsg = handle_needed  # type: ignore[method-assign]


def sessions_with_download(name: str) -> list[str]:
    """Return the sessions to which the file of this name below DOWNLOAD_PATH was given."""
    held = runtime.get_instance().media_file_mgr._files_by_session_and_coord
    file_id = name.partition(".")[0]
    return [session_id for session_id, files in list(held.items()) if file_id in list(files.values())]


def name_failed_logins() -> None:
    """Make Streamlit lead to the entrance with LOGIN_FAILED after an answer of the provider that it refuses, which it
    does silently: a wrong secret, or an identity token that is over or dated ahead. Called once, before the server
    starts."""
    answer = starlette_auth_routes._auth_callback

    async def answer_named(request: Request, base_url: str) -> Response:
        response = await answer(request, base_url)
        cookies = [value for key, value in response.headers.items() if key == "set-cookie"]
        is_refused = any(cookie.startswith((f'{USER_COOKIE_NAME}="";', f"{USER_COOKIE_NAME}=;")) for cookie in cookies)
        if "code" in request.query_params and is_refused:
            response.headers["location"] += f"?{LOGIN_FAILED}"
        return response

    starlette_auth_routes._auth_callback = answer_named


def session_count() -> int | None:
    """Return the number of sessions whose browser is connected; None before the server is ready."""
    if not runtime.exists():
        return None
    instance = runtime.get_instance()
    is_ready = instance.state in (RuntimeState.NO_SESSIONS_CONNECTED, RuntimeState.ONE_OR_MORE_SESSIONS_CONNECTED)
    return instance._session_mgr.num_active_sessions() if is_ready else None


class Beginning(NamedTuple):
    """The request that began a session: its headers and cookies, and the claims that Streamlit took from them."""

    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    claims: Mapping[str, Any]


def beginning_of(session_id: str) -> Beginning | None:
    """Return the request that began a session whose browser is connected; None for any other session."""
    info = runtime.get_instance()._session_mgr.get_active_session_info(session_id)
    context = info.client.client_context if info is not None else None
    if info is None or context is None:
        return None
    return Beginning(dict(context.headers), dict(context.cookies), dict(info.session._user_info))


def other_sessions() -> list[Beginning]:
    """Return the requests that began the sessions whose browser is connected, without the one of this thread."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not runtime.exists():
        return []
    sessions = [info.session.id for info in runtime.get_instance()._session_mgr.list_active_sessions()]
    return [found for name in sessions if name != context.session_id and (found := beginning_of(name)) is not None]


def drop_lost_files(session_id: str) -> None:
    """Remove the files of a session that ended during their upload."""
    instance = runtime.get_instance()
    if instance._session_mgr.get_session_info(session_id) is None:
        instance.uploaded_file_mgr.remove_session_files(session_id)


def ignore_left_pages() -> None:
    """Make Streamlit ignore requests of fragments of other pages. Called once, before the server starts.

    A fragment that runs by itself, on a timer or once its page is drawn, can request a run at the moment of a change to
    another page. Streamlit would run the fragment for the page that was left, and so empty the page on screen, or merge
    the request for the new page into that of the fragment and stay on the old page.
    """
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
        if waiting is not None and is_for_fragments(new_data) and not is_for_fragments(waiting):
            pages_named = {new_data.page_script_hash, waiting.page_script_hash}
            if len(pages_named) > 1 and "" not in pages_named:
                return True
        return request(self, new_data)

    return request_unless_left


def _skip_left_pages(run: Callable[[ScriptRunner, RerunData], None]) -> Callable[[ScriptRunner, RerunData], None]:
    """Return `run` with an exception: fragments of another page than the session's current one do not run."""

    def run_unless_left(self: ScriptRunner, rerun_data: RerunData) -> None:
        current_page = self._pages_manager.current_page_script_hash
        if not is_for_fragments(rerun_data) or rerun_data.page_script_hash in ("", current_page):
            run(self, rerun_data)

    return run_unless_left


def unrecorded(draw: Callable[[], object]) -> None:
    """Draw something in a function that Streamlit caches, without its being drawn again on each reading of the cache:
    what another thread draws is not recorded. Nothing is drawn outside of a run of a page."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is not None:
        thread = add_script_run_ctx(Thread(target=draw), context)
        thread.start()
        thread.join()
