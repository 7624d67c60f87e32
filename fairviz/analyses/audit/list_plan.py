"""The plan of an audit of lists: the lists, their first order, and the templates and windows of requests."""

from dataclasses import dataclass
from numbers import Integral

from fairviz.errors import UsageError, expect
from fairviz.rankers.listwise import NEUTRAL, SENSITIVE, STEP, WINDOW, Sliding

PER_LIST, FEWEST, MOST = 20, 4, 1000
WORDING = "{attribute} {query}"  # of a sensitive query to a ranker that takes no prompt


@dataclass(frozen=True)
class ListwisePlan:
    """window and step: of a language model's sliding window. per_list: the longest candidate list. seed: what
    documents are drawn and shuffled by. template: the neutral and the sensitive one, names or paths. attributes: those
    that sensitive queries name; None for every gender group of the study, () for neutral queries alone. windows: other
    (window, step) that neutral lists are sorted with as well. queries: how many of the study's are drawn; None for all.
    annotator: whose labels count; empty for the study's default. most_requests: to language models, all together; 0 for
    no limit. voters: of a consensus, as in `Settings.voters`. Raises UsageError for what cannot be."""

    window: int = WINDOW
    step: int = STEP
    per_list: int = PER_LIST
    seed: int = 0
    template: tuple[str, str] = (NEUTRAL, SENSITIVE)
    attributes: tuple[str, ...] | None = None
    windows: tuple[tuple[int, int], ...] = ()
    queries: int | None = None
    annotator: str = ""
    most_requests: int = 0
    voters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("window", "step", "per_list", "seed", "most_requests"):
            expect(name, getattr(self, name), Integral, "Use a whole number.")
        for sliding in ((self.window, self.step), *self.windows):
            Sliding(*sliding)
        if not FEWEST <= self.per_list <= MOST:
            raise UsageError(f"per_list is {self.per_list}", f"Use a whole number from {FEWEST} to {MOST:,}.")
        for name in ("seed", "most_requests"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is {getattr(self, name)}", "Use a whole number of 0 or more.")
        if self.queries is not None and self.queries < 1:
            raise UsageError(f"queries is {self.queries}", "Use a whole number of 1 or more, or None for all.")
