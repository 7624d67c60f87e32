"""How many calls of the app draw a notice: a box, a caption or small print on a page, and how many tell of an error.

python -m benchmarks.notices [FOLDER]
"""

import ast
import sys
from collections import Counter
from pathlib import Path

NOTICES = ("quiet", "message", "note", "findings", "caption", "info", "warning", "success")  # of `kit.html` and st
ERRORS = ("problem", "explained", "leave")  # an error, an undefined value, a page with nothing to show
DRAWN_BY = ("html", "st", "boundary", "frame")


def calls(root: Path) -> Counter[str]:
    """Return the number of calls by function, in the files that draw the app."""
    found: Counter[str] = Counter()
    files = [*root.glob("fairviz/ui/**/*.py"), *root.glob("fairviz/extensions/**/*.py"), *root.glob("pages/*.py")]
    for file in [*files, root / "app.py"]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            function = node.func
            if isinstance(function, ast.Name) and function.id in ERRORS:
                found[function.id] += 1
            elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                of_kit = function.value.id in DRAWN_BY and function.attr in (*NOTICES, *ERRORS)
                found[function.attr] += of_kit
    return found


if __name__ == "__main__":
    counted = calls(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
    for names, what in ((NOTICES, "notices"), (ERRORS, "errors and undefined values")):
        each = ", ".join(f"{name} {counted[name]}" for name in names if counted[name])
        print(f"{sum(counted[name] for name in names)} calls draw {what}: {each}")
