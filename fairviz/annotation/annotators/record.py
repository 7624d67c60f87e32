"""What an annotator that labels a study's documents is, and what it works on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairviz.models.asking import CONCURRENCY, PATIENCE, Budget, Spent
from fairviz.models.language_model import LanguageModel, Question
from fairviz.number_texts import shortest

if TYPE_CHECKING:
    from fairviz.study.study import Study

Array = np.ndarray
Values = Mapping[str, Any]
LABELLED, UNPARSED, REFUSED, EMPTY, TOO_LONG, UNANSWERED = (
    "labelled", "unparsed", "refused", "empty", "too long", "unanswered",
)  # fmt: skip
OUTCOMES = (LABELLED, UNPARSED, REFUSED, EMPTY, TOO_LONG, UNANSWERED)


def silent(*_: object) -> None:
    """Hears a message or progress, and keeps it to itself."""


@dataclass(frozen=True)
class Asking:
    """How language models are asked: several at a time, within what may be spent. progress(answered, in all)."""

    concurrency: int = CONCURRENCY
    patience: float = PATIENCE
    spent: Spent = field(default_factory=lambda: Spent(Budget()))
    progress: Callable[[int, int], None] = silent


@dataclass(frozen=True, eq=False)
class Work:
    """The D documents that have text: ids, title and text of each as one, and which of them, (D,), are to be labelled.

    say(sentence) takes what a person should know; encoding(done, in all) hears of texts that an encoder has read.
    """

    study: "Study"
    doc_ids: Array
    texts: Sequence[str]
    wanted: Array
    asking: Asking = field(default_factory=Asking)
    say: Callable[[str], None] = silent
    encoding: Callable[[int, int], None] = silent

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that there are: neutral, then the gender groups."""
        return (self.study.neutral, *self.study.groups)


@dataclass(frozen=True, eq=False)
class Labelled:
    """What came out, a row a document of the work, (D,): codes into the classes (-1 for none), why (OUTCOMES), the
    model's text where it gave one, and its reason where it was asked for one. The rest is what it took."""

    codes: Array
    outcomes: Array
    answers: Sequence[str] = ()
    rationales: Sequence[str] = ()
    asked: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0


def labelled(codes: Array) -> Labelled:
    """The labels of an annotator that has one for every document."""
    return Labelled(codes, np.full(len(codes), LABELLED, dtype=object))


@dataclass(frozen=True)
class Parameter:
    """What an annotator takes: a number in [low, high] (whole ones alone where `whole`), or a text where the default
    is one, of `choices` where there are any. named: whether it shows in the annotator's name."""

    name: str
    default: float | str
    help: str = ""
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    choices: tuple[str, ...] = ()
    required: bool = False
    named: bool = True

    @property
    def is_text(self) -> bool:
        """Whether it takes a text."""
        return isinstance(self.default, str)

    @property
    def shown(self) -> str:
        """The default as it is written on the command line: tau=1, model='smollm2'."""
        usual = self.default
        return f"{self.name}={repr(usual) if isinstance(usual, str) else shortest(usual)}"


@dataclass(frozen=True)
class Method:
    """An annotator from code or from a model.

    label(work, values, others) gives a label a document; others: what the annotators that it takes (`votes`) said.
    kind: `model` for a language model, else `rule`; none is a person. questions(work, values): what a language model
    would be asked, so that the cost can be told before; None where none is asked.
    """

    name: str
    summary: str
    label: Callable[[Work, Values, Sequence[Labelled]], Labelled]
    parameters: tuple[Parameter, ...] = ()
    kind: Literal["rule", "model"] = "rule"
    votes: bool = False
    questions: Callable[[Work, Values], tuple[LanguageModel, list[Question]]] | None = None
