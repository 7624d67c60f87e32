"""Records of annotators that label a study's documents, and of their work."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fairviz.errors import PackageError, UsageError
from fairviz.installed import Owner, contained, owner_of, read_only
from fairviz.models.asking import CONCURRENCY, PATIENCE, Budget, Spent
from fairviz.models.language_model import LanguageModel
from fairviz.models.protocol import Question
from fairviz.models.replies import LABELLED
from fairviz.parameters import Call, Parameter, check_record, name_changes, parse_calls, values_of

if TYPE_CHECKING:
    from fairviz.study.record import Study
Array = np.ndarray
Values = Mapping[str, Any]
_REMEDY = "Write it as classifier,lexicon(tau=0),llm(model='smollm2',prompt='zero-shot')."


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


@dataclass(frozen=True)
class MethodChoice:
    """An annotator with all its parameters, and the annotators in its brackets."""

    method: Method
    values: Mapping[str, Any]
    others: tuple["MethodChoice", ...] = ()

    @property
    def name(self) -> str:
        """The annotator's name in the study: the method's, those of voters, and the parameters that are not at their
        default, `lexicon-tau=0`."""
        voters = "".join(f"+{other.name}" for other in self.others)
        return self.method.name + voters + name_changes(self.method.parameters, self.values)

    @property
    def kind(self) -> str:
        """`model` where a language model has a part in it, else `rule`."""
        return "model" if "model" in (self.method.kind, *(other.kind for other in self.others)) else "rule"

    def with_values(self, **values: Any) -> "MethodChoice":
        """Return the annotator with these values, and those in its brackets, each where it has the parameter."""
        own = {name: value for name, value in values.items() if name in self.values}
        others = tuple(other.with_values(**values) for other in self.others)
        return replace(self, values={**self.values, **own}, others=others)

    def walk(self) -> Iterator["MethodChoice"]:
        """Yield the annotators in its brackets, to any depth, then itself."""
        for other in self.others:
            yield from other.walk()
        yield self


def parse_annotators(text: str, methods: Mapping[str, Method]) -> tuple[MethodChoice, ...]:
    """Return the annotators of the text, in its order. Raises UsageError for an unknown, wrong or repeated one."""
    try:
        choices = tuple(_choice(call, methods) for call in parse_calls(text))
    except ValueError as error:
        raise UsageError(f"cannot read {text[:120]!r} as annotators", _REMEDY) from error
    if not choices:
        raise UsageError("no annotator is named", f"Use one or more of {', '.join(methods)}.")
    names = [choice.name for choice in choices]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise UsageError(f"{repeated[0]} is named twice", "Name it once.")
    return choices


def _choice(call: Call, methods: Mapping[str, Method]) -> MethodChoice:
    if call.name not in methods:
        raise UsageError(f"there is no annotator {call.name!r}", f"Use one or more of {', '.join(methods)}.")
    method = methods[call.name]
    if not method.votes:
        return MethodChoice(method, values_of(call, method.parameters))
    others = tuple(_choice(other, methods) for other in call.others)
    if len(others) < 2:
        raise UsageError(f"{call.name} takes two annotators or more", "Write it as vote(lexicon(tau=0),classifier).")
    return MethodChoice(method, values_of(replace(call, others=()), method.parameters), others)


def adopt(record: Method) -> Method:
    """Return the record with a `label` whose codes are checked.

    Raises ValueError, with the reason, for a record that cannot be used.
    """
    check_record(record)
    if record.kind not in ("rule", "model"):
        raise ValueError(f"its kind is {record.kind!r}, and not rule or model")
    label = partial(_checked_labels, record.label, owner_of(record))
    return replace(record, summary=f"{record.summary} (package {record.package})", label=label)


def _checked_labels(
    label: Callable[[Work, Values, Sequence[Labelled]], Labelled],
    owner: Owner,
    work: Work,
    values: Values,
    others: Sequence[Labelled],
) -> Labelled:
    """Return the labels. Raises PackageError for codes that are no labels of these documents."""
    result = label(work, values, others)
    codes = contained(np.asarray, owner, getattr(result, "codes", None))
    shape, most = (len(work.texts),), len(work.classes) - 1
    is_labelled = isinstance(result, Labelled) and len(result.outcomes) == len(work.texts)
    if (
        not is_labelled or codes.shape != shape or codes.dtype.kind not in "iu"
        or codes.min(initial=0) < -1 or codes.max(initial=0) > most
    ):  # fmt: skip
        raise PackageError(
            f"{owner} gives no labels of the documents", f"Give {shape[0]:,} whole numbers from -1 (none) to {most}."
        )
    return result
