"""RankGPT's sliding window: from the end of a list to its beginning, so that relevant documents rise to the top.

Sun et al. 2023, Is ChatGPT Good at Search? Their code stops where a whole window no longer fits, and skips the top of
some lists; here the last window starts at the beginning of the list, so that every document is shown.
"""

from dataclasses import dataclass

from fairviz.errors import UsageError
from fairviz.words.sentences import out_of

WINDOW, STEP = 20, 10


@dataclass(frozen=True)
class Sliding:
    """The number of passages in a window, and the step to the next window. Raises UsageError for a window of fewer than
    two, and for a step below 1 or one that would leave documents out."""

    window: int = WINDOW
    step: int = STEP

    def __post_init__(self) -> None:
        if self.window < 2:
            raise UsageError(f"the window is {self.window}", "Use a window of 2 or more.")
        if self.step < 1:
            raise UsageError(f"the step is {self.step}", "Use a step of 1 or more.")
        if self.step > self.window:
            raise UsageError(
                f"the step of {self.step} is larger than the window of {self.window}: documents between two windows "
                "would never be shown",
                f"Use a step of {self.window} or less.",
            )

    def spans(self, length: int) -> list[tuple[int, int]]:
        """Return the windows of a list of this length, the last places first; none for a list of one document.

        >>> Sliding(4, 2).spans(9)
        [(5, 9), (3, 7), (1, 5), (0, 4)]
        """
        spans: list[tuple[int, int]] = []
        size = min(self.window, length)
        start = length - size
        while length > 1 and (not spans or spans[-1][0] > 0):
            spans.append((max(start, 0), max(start, 0) + size))
            start -= self.step
        return spans


def cut_windows(sliding: Sliding, lengths: list[int]) -> str:
    """Return a note where the window is larger than a list; else empty."""
    shorter = [length for length in lengths if length < sliding.window]
    if not shorter:
        return ""
    return (
        f"the window of {sliding.window} is larger than {out_of(len(shorter), len(lengths), 'list')} (the shortest "
        f"holds {min(shorter)}), and is cut to them."
    )
