"""Tokens of language models by person and day, counted on disk over all processes."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fairviz.errors import FairvizError
from fairviz.extensions.server.configuration import server_config
from fairviz.home.permissions import Reserved
from fairviz.models.owner_budget import counts, prompt_tokens, today

_TOKENS_TABLE = (
    "CREATE TABLE IF NOT EXISTS tokens (day TEXT NOT NULL, person TEXT NOT NULL, tokens INTEGER NOT NULL,"
    " PRIMARY KEY (day, person))"
)
_COUNT_TOKENS = (
    "INSERT INTO tokens VALUES (?, ?, ?) ON CONFLICT (day, person) DO UPDATE SET tokens = tokens + excluded.tokens"
)


@contextmanager
def reserved_tokens(person: str, body: Mapping[str, Any]) -> Iterator[Reserved]:
    """Count the most tokens of a request for the person today, while the block sends it; then correct the count.

    The tokens of the prompt are estimated as characters / 4, and those of the reply are at most its
    `max_tokens`. The block sets `used`; where it does not, because no whole reply came, the count stays.

    Raises: FairvizError where the request is over the person's tokens of the day, and where it cannot be counted.
    """
    config, reserved, day = server_config(), Reserved(), today()
    tokens = prompt_tokens(body) + int(body.get("max_tokens", 0))
    with counts(_TOKENS_TABLE) as database:
        row = database.execute("SELECT tokens FROM tokens WHERE day = ? AND person = ?", (day, person)).fetchone()
        _refuse_tokens(person, row[0] if row else 0, tokens, config.limits.tokens)
        database.execute(_COUNT_TOKENS, (day, person, tokens))
    try:
        yield reserved
    finally:
        if reserved.used is not None and reserved.used != tokens:
            with counts(_TOKENS_TABLE) as database:
                database.execute(_COUNT_TOKENS, (day, person, reserved.used - tokens))


def _refuse_tokens(person: str, used: int, tokens: int, most: int) -> None:
    """Raise FairvizError where a request of this many tokens is over the person's limit."""
    if used + tokens > most:
        raise FairvizError(
            f"{person or 'a visitor'} has used {used:,} of {most:,} tokens of language models today, and a question of "
            f"up to {tokens:,} is over the limit",
            "Try again after midnight UTC, or ask whoever runs the server to raise tokens under [limits]. Answers so "
            "far are kept.",
        )
