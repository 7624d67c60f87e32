"""The record of one choice: everything that the faces of the program read about a field of `Settings`.

Command line, sidebar, chips, pins, exports, capsules and the sensitivity analysis list no field by name: they read
these records. A new choice is a new field, and the code that computes with it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

from fairviz.errors import FairvizError
from fairviz.measures import Question
from fairviz.measures.position_bias import MAX_CUTOFF
from fairviz.study.record import Study

Level = float | int | str
LISTS, LABELS, WORDS, TESTS = "Systems & queries", "Labels", "Word list", "Tests"
TOP, PAGES = "top", "pages"  # above the groups of the sidebar, and on the pages that use the choice
GROUPS = (TOP, LISTS, LABELS, WORDS, TESTS, PAGES)


@dataclass(frozen=True)
class Levels:
    """The levels of a choice in a sensitivity analysis.

    label: the choice in sentences; question: in a few words. offered: levels to select from; usual: those varied
    without a selection, by default all. Each is a tuple, or a function of the study and the settings, without the
    present level. place: the position among the choices.
    """

    label: str
    question: str
    offered: tuple[Level, ...] | Callable[[Study, Any], Sequence[Level]] = ()
    usual: tuple[Level, ...] | Callable[[Study, Any], Sequence[Level]] = ()
    place: int = 99

    def offered_in(self, study: Study, settings: Any) -> Sequence[Level]:
        """Return the levels to select from in this study."""
        return self.offered(study, settings) if callable(self.offered) else self.offered

    def usual_in(self, study: Study, settings: Any) -> Sequence[Level]:
        """Return the levels that are varied without a selection in this study."""
        usual = self.usual or self.offered
        return usual(study, settings) if callable(usual) else usual


class Summaries(Mapping[str, str]):
    """The summaries of the records of a registry, which loads those of other packages when all are read."""

    def __init__(self, registry: Mapping[str, Any]) -> None:
        self._registry = registry

    def __getitem__(self, name: str) -> str:
        return self._registry[name].summary

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry)

    def __len__(self) -> int:
        return len(self._registry)

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class Choice:
    """A field of `Settings` and its metadata.

    help: its meaning and values, for the documentation of `Settings`. label: its name on a chip; empty for no chip.
    reads: what is computed from it: parts of a question (`parts_of`), `lists` for the systems and queries shown,
    `collection` for the documents that are counted, `text` for what the text of a measure contains, `columns` for which
    measures a table has, `tests` for tests; nothing if only pages show it. texts: its values with their meanings, if
    there are few. least: its smallest value, if it is a count. check: raises FairvizError for an invalid value. values:
    its values in a study. part_of: the field of which it is a part. option, metavar, option_help: its option on the
    command line; empty for none. group: of GROUPS; control: the label of its widget in the sidebar, empty for none;
    last: whether it is below other widgets. verbs: those of the command line with the option; empty for all.
    """

    help: str = ""
    label: str = ""
    reads: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    least: int | None = None
    check: Callable[[Any], object] | None = None
    values: Callable[[Study], tuple[str, ...]] | None = None
    part_of: str = ""
    option: str = ""
    metavar: str | None = None
    option_help: str = "default: %(default)s"
    group: str = PAGES
    control: str = ""
    last: bool = False
    verbs: tuple[str, ...] = ()
    levels: Levels | None = None
    name: str = ""
    default: Any = None

    @property
    def shown_only(self) -> bool:
        """Return whether no value of a measure and no test depends on the choice."""
        return not self.reads

    @property
    def range_text(self) -> str:
        """Return the range of a count as a remedy; empty for other choices."""
        return "" if self.least is None else f"Use a whole number from {self.least} to {MAX_CUTOFF:,}."

    def refuse_invalid(self, value: Any) -> None:
        """Raise FairvizError for a value that the choice cannot have."""
        if self.texts and value not in self.texts:
            raise FairvizError(f"{self.name} is {value!r}", f"Use one of {', '.join(self.texts)}.")
        if self.least is not None and not self.least <= value <= MAX_CUTOFF:
            raise FairvizError(f"{self.name} is {value}", self.range_text)
        if self.check is not None:
            self.check(value)

    def is_read_by(self, question: Question) -> bool:
        """Return whether the values of the question depend on the choice otherwise than through its text."""
        return not parts_of(question).isdisjoint(self.reads)

    def named(self, value: str) -> str:
        """Return a value with its meaning: `strict: undefined lists`."""
        meaning = self.texts.get(value, "")
        return f"{value}: {meaning}" if meaning else value


def parts_of(question: Question) -> frozenset[str]:
    """Return what a question is computed from: `rankings`, `effectiveness`, `labels`, `words`, `gsr` or `bias`."""
    measure = question.measure
    family = question.family if measure is None or measure.per_query else "gsr"
    return frozenset(("rankings", family, *(("bias",) if measure is not None and measure.uses_bias else ())))


def choice(default: Any, **metadata: Any) -> Any:
    """Return a field of `Settings` with this default. metadata: fields of `Choice`."""
    return field(default=default, metadata={"choice": Choice(**metadata)})


def choices_of(settings: type) -> dict[str, Choice]:
    """Return the records of all fields by name, in their order."""
    return {one.name: _record(one) for one in fields(settings)}


def _record(one: Field) -> Choice:
    return replace(one.metadata["choice"], name=one.name, default=one.default)
