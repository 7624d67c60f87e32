"""What answers in a process of `fairviz serve` all that `fairviz.home.permissions` asks."""

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from fairviz.extensions.server.access import Access
from fairviz.extensions.server.configuration import server_config
from fairviz.home.permissions import Place, QueuedJob, Reserved, Visitor, visitor


class ServerPermissions(Access):
    """The answers of a server, of which those on jobs, tokens, requests and pages load what they need."""

    def session_visitor(self) -> Visitor | None:
        if "streamlit" not in sys.modules:  # a process without pages
            return None
        from fairviz.extensions.server.ui import login

        return login.visitor()

    def is_open(self) -> bool:
        from fairviz.extensions.server.ui import login

        return self.has_any_role() and not login.has_too_many_sessions()

    def take_place(self, key_hash: str, title: str, *, is_quick: bool) -> Place:
        from fairviz.extensions.server import queue

        person = visitor()
        return queue.take_place(key_hash, title, person.name if person else "", is_quick=is_quick)

    def queued_jobs(self) -> list[QueuedJob]:
        from fairviz.extensions.server import queue

        return queue.queued_jobs()

    def request_end(self, number: int) -> None:
        from fairviz.extensions.server import queue

        queue.request_end(number)

    def state_of(self, key_hash: str) -> str:
        from fairviz.extensions.server import queue

        return queue.state_of(key_hash)

    def reserved_tokens(self, person: str, body: Mapping[str, Any]) -> AbstractContextManager[Reserved]:
        from fairviz.extensions.server.tokens import reserved_tokens

        return reserved_tokens(person, body)

    def headers(self, scope: Mapping[str, Any]) -> list[tuple[bytes, bytes]]:
        """Return the headers of a request without the one that names the visitor, unless a proxy sent it."""
        from fairviz.extensions.server.ui.requests import without_identity

        return without_identity(scope, server_config().login)

    def request_checks(self) -> list[Any]:
        from fairviz.extensions.server.ui.requests import checks

        return checks()

    def signature(self, study: str) -> None:
        from fairviz.extensions.server.ui.entrance import signature

        signature(study)

    def entrance(self) -> None:
        from fairviz.extensions.server.ui.entrance import entrance

        entrance()


SERVER = ServerPermissions()
