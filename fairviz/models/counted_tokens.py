"""The tokens of language models that each person uses on a server."""

from collections.abc import Mapping
from typing import Any

from fairviz.errors import FairvizError
from fairviz.home.access import visitor
from fairviz.models.owner_budget import prompt_tokens, reserved_tokens
from fairviz.models.protocol import Ask, Reply, letters_to_tokens
from fairviz.models.remote_model import StatusError
from fairviz.models.replies import tokens_of


def counted(ask: Ask) -> Ask:
    """Return a function that sends a request as `ask` does, and counts its tokens for the visitor of this thread.

    Counted are the tokens that the model reports, else characters / 4 of prompt and reply; none where it refuses the
    request. Without a whole reply, the most tokens of the request stay counted. Raises: see `reserved_tokens`.
    """
    person = visitor()  # the threads that send requests have none
    name = person.name if person is not None else ""

    def ask_and_count(body: Mapping[str, Any]) -> Reply:
        with reserved_tokens(name, body) as reserved:
            try:
                reply = ask(body)
            except (StatusError, FairvizError):
                reserved.used = 0
                raise
            estimate = prompt_tokens(body) + min(letters_to_tokens(reply.raw), body["max_tokens"])
            reserved.used = (sum(tokens_of(reply)) or estimate) if reply.status == 200 else 0
            return reply

    return ask_and_count
