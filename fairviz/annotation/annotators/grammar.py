"""`classifier,vote(lexicon(tau=0),prototypes),llm(model='gpt-4o')`: annotators with their parameters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fairviz.annotation.annotators.record import Method
from fairviz.errors import UsageError
from fairviz.parameters import Call, name_changes, parse_calls, values_of

_REMEDY = "Write it as classifier,lexicon(tau=0),llm(model='smollm2',prompt='zero-shot')."


@dataclass(frozen=True)
class Choice:
    """An annotator with all its parameters, and the annotators in its brackets."""

    method: Method
    values: Mapping[str, Any]
    others: tuple["Choice", ...] = ()

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

    def walk(self) -> Iterator["Choice"]:
        """Yield the annotators in its brackets, to any depth, then itself."""
        for other in self.others:
            yield from other.walk()
        yield self


def parse_annotators(text: str, methods: Mapping[str, Method]) -> tuple[Choice, ...]:
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


def _choice(call: Call, methods: Mapping[str, Method]) -> Choice:
    if call.name not in methods:
        raise UsageError(f"there is no annotator {call.name!r}", f"Use one or more of {', '.join(methods)}.")
    method = methods[call.name]
    if not method.votes:
        return Choice(method, values_of(call, method.parameters))
    others = tuple(_choice(other, methods) for other in call.others)
    if len(others) < 2:
        raise UsageError(f"{call.name} takes two annotators or more", "Write it as vote(lexicon(tau=0),classifier).")
    return Choice(method, values_of(replace(call, others=()), method.parameters), others)
