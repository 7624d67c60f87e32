"""The page of the checks: what each finding means, when it is harmless, and what to do."""

from markdown import code, definitions, plain, table

from fairviz.checks import CHECKS

INTRODUCTION = """# Checks of claims

What would change a conclusion from a study. *Checks* on *Overview*, the report, ``fairviz check STUDY --claims`` and
``fairviz.check_claims`` run them under the settings at hand.

- An issue can change a conclusion; a tip makes one firmer.
- A check that does not apply, or could not run, is listed with its reason: silence is not a pass.
- In the app, a figure whose measures a finding is about has a mark beside *Export*, with the finding as tooltip; a
  click opens *Checks*. Under settings that were not checked yet, the mark has what was found under the last ones.
- ``--fail-on issue`` ends with status 3 where there is one, for continuous integration.

A finding that is known to be harmless is muted by its code in ``study.toml``, with a reason that is shown:

```toml
[checks.muted]
FV103 = "An example with one query; nothing is said about systems."
```

Packages add checks by the entry point ``fairviz.checks``.

"""


def pages() -> dict[str, str]:
    """Return the pages of this kind by file."""
    checks = CHECKS.own.values()
    rows = [
        {
            "code": f"[{check.code}](#{check.code.lower()})",
            "finding": plain(check.title),
            "severity": code(check.severity),
        }
        for check in checks
    ]
    return {"checks.md": INTRODUCTION + table(rows) + "".join(map(_section, CHECKS.own))}


def _section(name: str) -> str:
    """Return the section of one check, whose anchor is its code."""
    check = CHECKS[name]
    texts = {"It means": check.means, "Harmless where": check.harmless, "What to do": check.advice}
    head = f"({name.lower()})=\n## {name}: {plain(check.title)}\n\n*{plain(check.question)}*\n\n"
    return head + definitions(texts.items())
