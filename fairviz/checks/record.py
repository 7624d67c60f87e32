"""The records of a check: its question, what it needs, and what it finds.

May import analyses and the rooms below it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, NamedTuple
from urllib.parse import urlencode

from fairviz.checks.context import NEEDS, Context
from fairviz.declared import SEVERITIES
from fairviz.errors import PackageError, value_text
from fairviz.evaluation.settings import CHOICES, Settings, to_query
from fairviz.installed import Owner, owner_of

Severity = Literal["issue", "tip"]
OWN_CODES = "FV"
MANUAL = "reference/generated/checks"  # the page of the manual, without ending; a code in lower case is its anchor


class Link(NamedTuple):
    """A place in the app where a finding can be seen. page: its name. choices: fields of Settings, and choices of the
    page, that differ there."""

    page: str
    choices: Mapping[str, object] = {}

    def address(self, settings: Settings) -> str:
        """Return `words?study=newswire&tokenizer=word`, from the settings that were checked.

        >>> Link("sensitivity", {"tau": 2, "robustness_choices": ["tau"]}).address(Settings(study="newswire"))
        'sensitivity?study=newswire&tau=2&robustness_choices=tau'
        """
        shared = {name: value for name, value in self.choices.items() if name in CHOICES}
        own = {name: value for name, value in self.choices.items() if name not in CHOICES}
        return f"{self.page}?{urlencode(to_query(settings.changed(**shared)) | own, doseq=True)}"


@dataclass(frozen=True)
class Finding:
    """What a check finds. sentence: what is the case, and what that does to a conclusion. numbers: those that it rests
    on, by name. remedy: what to do. link: where the app shows it. measures: the names of those that it is about, whose
    figures are marked; without any, the first figure of the link's page is."""

    sentence: str
    numbers: Mapping[str, float]
    remedy: str
    link: Link
    measures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Check:
    """A question whose answer can change a conclusion.

    code: stable, `FV101`; of a package other letters. title: what is the case where it finds something, in a few words.
    question: that it answers. needs: names of `fairviz.checks.context.NEEDS`, or functions from the context to the
    reason why the check does not apply, empty where it does. severity: an `issue` can change a conclusion, a `tip`
    makes one firmer. run: from the context to a Finding, or None if there is nothing; FairvizError is the reason why it
    could not run. means, harmless, advice: of the manual, what a finding means, when it is harmless, and what to do.
    slow: whether it takes more than a few hundredths of a second, and runs on request alone. package: that of others
    from which it comes, with its version, set when it is loaded.

    An example:

        def _short(context):
            length = context.rankings.lists.depth
            if length >= context.settings.cutoff:
                return None
            sentence = f"The longest list has {length} documents, and the cutoff is {context.settings.cutoff}."
            return Finding(sentence, {"longest list": length}, "Choose a smaller cutoff.", Link("overview"))

        SHORT = Check(
            "XY001", "lists end before the cutoff", "Do lists reach the cutoff?", ("runs",), "tip", _short,
            means="…", harmless="…", advice="…",
        )
    """

    code: str
    title: str
    question: str
    needs: tuple[str | Callable[[Context], str], ...]
    severity: Severity
    run: Callable[[Context], Finding | None]
    means: str = field(kw_only=True)
    harmless: str = field(kw_only=True)
    advice: str = field(kw_only=True)
    slow: bool = False
    package: str = ""

    @property
    def name(self) -> str:
        """The code."""
        return self.code

    @property
    def manual(self) -> str:
        """The page and the anchor of the manual; empty for a check of a package."""
        return "" if self.package else f"{MANUAL}.html#{self.code.lower()}"

    def missing(self, context: Context) -> str:
        """Return the reason why the check does not apply to a study under its settings; empty where it does."""
        for need in self.needs:
            if reason := (NEEDS[need] if isinstance(need, str) else need)(context):
                return reason
        return ""


def adopt(record: Check) -> Check:
    """Return the record of a package with findings that are checked. Raises ValueError, with the reason, for a record
    that cannot be used."""
    if not re.fullmatch(r"[A-Z]{2,8}[0-9]{3}", record.code) or (record.package and record.code.startswith(OWN_CODES)):
        raise ValueError(f"its code is {record.code!r}, and not capital letters, other than FV, and three digits")
    if record.severity not in SEVERITIES:
        raise ValueError(f"its severity is {record.severity!r}, and not one of {', '.join(SEVERITIES)}")
    if unknown := [need for need in record.needs if isinstance(need, str) and need not in NEEDS]:
        raise ValueError(f"it needs {unknown[0]!r}, and not one of {', '.join(NEEDS)}")
    return replace(record, run=partial(_found, record.run, owner_of(record)))


def _found(run: Callable[[Context], Finding | None], owner: Owner, context: Context) -> Finding | None:
    finding = run(context)
    if not (finding is None or (isinstance(finding, Finding) and isinstance(finding.link, Link))):
        remedy = f"Return a {Finding.__module__}.Finding with a Link, or None."
        raise PackageError(f"{owner} finds {value_text(finding)}", remedy)
    return finding
