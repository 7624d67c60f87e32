"""A page opened by a program: raw messages of Streamlit's websocket, in place of a browser."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from socket import create_connection
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

from tests.serving.proxy import SURELY


@dataclass
class RawPage:
    """A session. received: every message of its last run. session: its name. texts: all that was ever received."""

    socket: ClientConnection
    query: str = ""
    page: str = ""
    session: str = ""
    received: list[ForwardMsg] = field(default_factory=list)
    cached: dict[str, ForwardMsg] = field(default_factory=dict)
    everything: list[bytes] = field(default_factory=list)

    def open(self, page: str = "", query: str = "") -> "RawPage":
        """Open the page of this name, with this query in its address."""
        self.page, self.query = page, query
        return self.run()

    def run(self, *widgets: WidgetState, fragment: str = "") -> "RawPage":
        """Run the page with these values of widgets, and read what it sends until its end."""
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.page_name = self.page
        message.rerun_script.fragment_id = fragment
        message.rerun_script.cached_message_hashes.extend(self.cached)
        message.rerun_script.widget_states.widgets.extend(widgets)
        self.send(message)
        self.received = list(self._answer())
        return self

    def send(self, message: BackMsg) -> None:
        self.socket.send(message.SerializeToString())

    def _answer(self) -> Iterator[ForwardMsg]:
        while True:
            data = self.socket.recv(timeout=SURELY)
            assert isinstance(data, bytes)
            self.everything.append(data)
            message = ForwardMsg.FromString(data)
            if message.WhichOneof("type") == "ref_hash":
                message = self.cached[message.ref_hash]
            elif message.metadata.cacheable:
                self.cached[message.hash] = message
            kind = message.WhichOneof("type")
            if kind == "new_session" and message.new_session.initialize.session_id:
                self.session = message.new_session.initialize.session_id
            yield message
            if kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return

    def elements(self) -> Iterator[tuple[str, Any]]:
        """Each element of the last run, with its kind."""
        for message in self.received:
            if message.WhichOneof("type") == "delta" and message.delta.WhichOneof("type") == "new_element":
                kind = message.delta.new_element.WhichOneof("type")
                yield kind, getattr(message.delta.new_element, kind)

    def widgets(self) -> dict[str, tuple[str, Any]]:
        """The elements of the last run that can send a value, by their id."""
        found = ((kind, element) for kind, element in self.elements() if hasattr(element, "id"))
        return {element.id: (kind, element) for kind, element in found if element.id}

    def buttons(self) -> dict[str, str]:
        """The labels of the buttons of the last run that can be pressed, by id."""
        return {
            name: element.label
            for name, (kind, element) in self.widgets().items()
            if kind == "button" and not element.disabled
        }

    def html(self) -> str:
        """All that the last run draws as HTML, and its titles and lines of Markdown."""
        return "\n".join(element.body for kind, element in self.elements() if kind in ("html", "markdown", "heading"))


def pressed(name: str) -> WidgetState:
    """The message that a button was pressed."""
    return WidgetState(id=name, trigger_value=True)


@contextmanager
def raw_page(port: int, base: str = "", headers: Iterable[tuple[str, str]] = ()) -> Iterator[RawPage]:
    """A new session of the server at this port, which lasts as long as the block. A header `Host` is the name under
    which the server is opened."""
    host = dict(headers).get("Host", f"127.0.0.1:{port}")
    sent = [(name, value) for name, value in headers if name != "Host"]
    with connect(
        f"ws://{host}{base}/_stcore/stream",
        sock=create_connection(("127.0.0.1", port)),
        subprotocols=["streamlit"],  # type: ignore[list-item]
        additional_headers=sent,
        max_size=None,
        max_queue=None,
        ping_interval=None,
        open_timeout=SURELY,
        proxy=None,
    ) as socket:
        yield RawPage(socket)
