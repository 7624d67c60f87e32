"""RankGPT's sliding window: from the end of a list to its beginning, so that what is good rises to the top.

Sun et al. 2023, Is ChatGPT Good at Search? Their code stops where a whole window no longer fits, and leaves the top of
some lists unseen; here the last window stands at the beginning of the list, so that every document is shown.
"""

from dataclasses import dataclass

from fairviz.errors import UsageError

WINDOW, STEP = 20, 10


@dataclass(frozen=True)
class Sliding:
    """How many passages are shown at a time, and by how many the window moves up. Raises UsageError for a window of
    fewer than two, and for a step that is none or would leave documents out."""

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
        """The windows of a list of so many documents, as asked: the last places first. A list of one document needs
        none.

        >>> Sliding(4, 2).spans(9)
        [(5, 9), (3, 7), (1, 5), (0, 4)]
        """
        found: list[tuple[int, int]] = []
        size = min(self.window, length)
        start = length - size
        while length > 1 and (not found or found[-1][0] > 0):
            found.append((max(start, 0), max(start, 0) + size))
            start -= self.step
        return found


def cut_windows(sliding: Sliding, lengths: list[int]) -> str:
    """What a person should know where the window is larger than a list; empty where it is larger than none."""
    shorter = [length for length in lengths if length < sliding.window]
    if not shorter:
        return ""
    return (
        f"the window of {sliding.window} is larger than {len(shorter):,} of {len(lengths):,} lists (the shortest holds "
        f"{min(shorter)}), and is cut to them."
    )
