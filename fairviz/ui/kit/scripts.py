"""Scripts of this project in compact form for the browser."""

import re

QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|(?<=[(,])/(?:\\.|[^/\\])+/)""")
SPACED = re.compile(r" *([=<>?:,;{}()|&*%]) *")


def compact(script: str) -> str:
    """Return a script without comments, indentation and spaces around operators; quoted parts stay unchanged."""
    lines = (line.strip().partition(" // ")[0] for line in script.splitlines())
    code = (line for line in lines if line and not line.startswith(("//", "/**")))
    return "\n".join("".join(_tight(part) for part in QUOTED.split(line)) for line in code)


def _tight(part: str) -> str:
    return part if QUOTED.fullmatch(part) else SPACED.sub(r"\1", part)
