"""What a language model says that orders the passages of a prompt, for the server of the tests."""

import re
from collections.abc import Callable

PASSAGE = re.compile(r"^\[([0-9]+)\] <passage>(.*)</passage>$", re.MULTILINE)


def passages(prompt: str) -> list[str]:
    """The passages of a prompt, in the order in which it shows them."""
    found = PASSAGE.findall(prompt)
    assert [int(number) for number, _ in found] == list(range(1, len(found) + 1))
    return [text for _, text in found]


def ordering(key: Callable[[str], float]) -> Callable[[str], str]:
    """A model that puts the passages with the largest key first."""

    def answer(prompt: str) -> str:
        shown = passages(prompt)
        order = sorted(range(len(shown)), key=lambda place: -key(shown[place]))
        return " > ".join(f"[{place + 1}]" for place in order)

    return answer
