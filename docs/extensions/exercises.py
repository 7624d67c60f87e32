"""Exercises as notebooks: cells tagged `yours` are for students; with ANSWERS=1 also pages with the answers, and the
instructor's page.

An exercise is `exercises/NAME.md`. Its answers are `exercises/answers/NAME.md`: notes for the instructor, and a cell
for each one tagged `yours`, in their order.
"""

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

CELL = re.compile(r"^```\{code-cell\}\n(?P<tag>:tags: \[yours\]\n)?(?P<code>.*?)^```\n", re.DOTALL | re.MULTILINE)
HEAD = re.compile(r"\A---\n.*?^---\n+", re.DOTALL | re.MULTILINE)
OFF, ON = 'execution_mode: "off"', 'execution_mode: "cache"'
INSTRUCTOR = """\
---
orphan: true
---

# For instructors

Each exercise with its aim, its minutes, what goes wrong, and a page with the answers, which ran when this manual was \
built. Without `ANSWERS=1` neither is in it.

```{{toctree}}
:hidden:

{names}
```

{notes}"""


def exercises(folder: Path) -> dict[str, tuple[str, str]]:
    """Return the texts of each exercise and its answers by name, in the order of the page on exercises."""
    listed = re.search(r"```\{toctree\}\n(.*?)```", (folder / "index.md").read_text(encoding="utf-8"), re.DOTALL)
    names = [line for line in listed[1].split("\n") if line and not line.startswith(":")] if listed else []
    texts = {}
    for name in names:
        paths = folder / f"{name}.md", folder / "answers" / f"{name}.md"
        texts[name] = tuple(path.read_text(encoding="utf-8") for path in paths)
    return texts  # type: ignore[return-value]


def cells(text: str) -> list[tuple[str, bool]]:
    """Return the code of each cell, and whether it is the student's."""
    return [(match["code"], bool(match["tag"])) for match in CELL.finditer(text)]


def filled(text: str, answers: str) -> str:
    """Return the exercise with its answers, which a build runs. Raises ValueError for another number of answers."""
    codes = [code for code, _ in cells(answers)]
    count = sum(yours for _, yours in cells(text))
    if len(codes) != count:
        raise ValueError(f"{count} cells are the student's, and there are {len(codes)} answers")
    remaining = iter(codes)
    replaced = CELL.sub(lambda match: f"```{{code-cell}}\n{next(remaining)}```\n" if match["tag"] else match[0], text)
    return replaced.replace(OFF, ON, 1).replace("(../", "(../../")


def notebook(text: str) -> dict[str, Any]:
    """Return the exercise as a Jupyter notebook, without outputs."""
    body = HEAD.sub("", text)
    found: list[dict[str, Any]] = []

    def add(kind: str, source: str, **more: Any) -> None:
        if source.strip():
            lines = source.strip().splitlines(keepends=True)
            found.append({"cell_type": kind, "id": f"cell-{len(found)}", "metadata": {}, "source": lines, **more})

    end = 0
    for match in CELL.finditer(body):
        add("markdown", body[end : match.start()])
        add("code", match["code"], execution_count=None, outputs=[])
        end = match.end()
    add("markdown", body[end:])
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": found, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def generated(folder: Path) -> dict[str, str]:
    """Return the pages of instructors by their paths."""
    pages, notes = {}, []
    for name, (text, answers) in exercises(folder).items():
        title = re.search(r"^# (.*)$", text, re.MULTILINE)
        pages[f"answered/{name}.md"] = filled(text, answers)
        about = CELL.sub("", answers).strip()
        notes.append(f"## {title[1] if title else name}\n\n[The answers](answered/{name}.md)\n\n{about}\n")
    names = "\n".join(f"answered/{name}" for name in exercises(folder))
    pages["instructor.md"] = INSTRUCTOR.format(names=names, notes="\n".join(notes))
    return pages


def write_pages(app: "Sphinx") -> None:
    """Write the pages of instructors if ANSWERS is 1, else remove those of an earlier build."""
    folder = Path(app.srcdir) / "exercises"
    pages = generated(folder) if os.environ.get("ANSWERS") == "1" else {}
    for path in [*folder.glob("answered/*.md"), folder / "instructor.md"]:
        if path.relative_to(folder).as_posix() not in pages:
            path.unlink(missing_ok=True)
            (Path(app.outdir) / path.relative_to(app.srcdir)).with_suffix(".html").unlink(missing_ok=True)
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def write_notebooks(app: "Sphinx", error: Exception | None) -> None:
    """Write a notebook beside the page of each exercise."""
    if error is not None or app.builder.format != "html":
        return
    for name, (text, _) in exercises(Path(app.srcdir) / "exercises").items():
        path = Path(app.outdir) / "exercises" / f"{name}.ipynb"
        path.write_text(json.dumps(notebook(text), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def setup(app: "Sphinx") -> dict[str, bool]:
    """Register both with Sphinx."""
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("build-finished", write_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
