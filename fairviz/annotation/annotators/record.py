"""Records of annotators that label a study's documents, and of their work."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairviz.installed import Owner, read_only
from fairviz.models.asking import CONCURRENCY, PATIENCE, Budget, Spent
from fairviz.models.language_model import LanguageModel
from fairviz.models.protocol import Question
from fairviz.models.replies import LABELLED
from fairviz.parameters import Parameter

if TYPE_CHECKING:
    from fairviz.study.record import Study

Array = np.ndarray
Values = Mapping[str, Any]


def silent(*_: object) -> None:
    """Ignore a message or progress."""


@dataclass(frozen=True)
class Asking:
    """Limits of requests to language models, and progress(answered, in all). in_batches: whether questions go as batch
    files, answered within a day."""

    concurrency: int = CONCURRENCY
    patience: float = PATIENCE
    spent: Spent = field(default_factory=lambda: Spent(Budget()))
    progress: Callable[[int, int], None] = silent
    in_batches: bool = False


@dataclass(frozen=True, eq=False)
class Work:
    """The D documents that have text: ids, title and text of each as one, and a mask (D,) of the requested ones.

    say(sentence) receives messages for the user; encoding(done, in all) the number of texts read by an encoder.
    """

    study: "Study"
    doc_ids: Array
    texts: Sequence[str]
    wanted: Array
    asking: Asking = field(default_factory=Asking)
    say: Callable[[str], None] = silent
    encoding: Callable[[int, int], None] = silent

    def lent(self, owner: Owner) -> "Work":
        """Return the work for an annotator of others, which can change nothing of it for anybody else."""
        doc_ids, wanted = read_only(self.doc_ids), read_only(self.wanted)
        return replace(self, study=self.study.lent(owner), doc_ids=doc_ids, texts=tuple(self.texts), wanted=wanted)

    @property
    def classes(self) -> tuple[str, ...]:
        """The study's labels: neutral, then the gender groups."""
        return (self.study.neutral, *self.study.groups)


@dataclass(frozen=True, eq=False)
class Labelled:
    """The result of an annotator, with a row for each document of the work, (D,): codes into the classes (-1 for none),
    OUTCOMES, the model's texts if any, its reasons if the prompt requests them, and its confidences in the labels, 0 to
    1, if it has any; then the cost."""

    codes: Array
    outcomes: Array
    answers: Sequence[str] = ()
    rationales: Sequence[str] = ()
    confidences: Sequence[float] = ()
    asked: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    def lent(self, owner: Owner) -> "Labelled":
        """Return the result for an annotator of others, which cannot change its arrays."""
        return replace(self, codes=read_only(self.codes), outcomes=read_only(self.outcomes))


def labelled(codes: Array) -> Labelled:
    """Return the result of an annotator with a label for every document."""
    return Labelled(codes, np.full(len(codes), LABELLED, dtype=object))


@dataclass(frozen=True)
class Method:
    """An annotator from code or from a model.

    label(work, values, others) labels the documents; others: the results of the annotators in its brackets (`votes`).
    kind: `model` for a language model, else `rule`. questions(work, values): the questions to a language model, to
    estimate the cost; None without a language model.
    by_words: whether it reads counts of gender words alone. package: that of others from which it comes, with its
    version, set when it is loaded.
    """

    name: str
    summary: str
    label: Callable[[Work, Values, Sequence[Labelled]], Labelled]
    parameters: tuple[Parameter, ...] = ()
    kind: Literal["rule", "model"] = "rule"
    votes: bool = False
    by_words: bool = False
    questions: Callable[[Work, Values], tuple[LanguageModel, list[Question]]] | None = None
    package: str = ""
