"""The sessions that docs/how-to/notebook.md and docs/how-to/integrations.md show, run."""

import doctest
import re
from pathlib import Path

import pytest

from fairviz.installed import absent

DOCS = Path(__file__).parent.parent / "docs"
NOTEBOOK = DOCS / "how-to" / "notebook.md"
ELSEWHERE = {"PyTerrier", "ranx", "LensKit"}  # run in tests/integrations
HERE = {"ir_measures", "Frames, Hugging Face datasets, BEIR, Pyserini", "A function is enough"}


def blocks() -> dict[str, str]:
    """The Python of docs/how-to/integrations.md, by heading."""
    text = (DOCS / "how-to" / "integrations.md").read_text(encoding="utf-8")
    sections = (section.partition("\n") for section in text.split("\n## ")[1:])
    found = {name: re.findall(r"^```python\n(.*?)^```$", body, flags=re.DOTALL | re.M) for name, _, body in sections}
    return {name: "".join(code) for name, code in found.items() if code}


def test_every_block_of_the_manual_runs_somewhere() -> None:
    assert set(blocks()) == HERE | ELSEWHERE


@pytest.mark.parametrize("heading", sorted(HERE))
def test_a_block_of_the_manual_runs(heading: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = blocks()[heading]
    if missing := [name for name in re.findall(r"fairviz\.(\w+)", code) if absent("fairviz.names", name, name)]:
        pytest.skip(f"{missing[0]} is of an extension that is not here")
    values: dict = {}
    exec(compile(code, heading, "exec"), values)
    results = [name for name in ("table", "folder", "scores", "audited") if name in values]
    assert results, "the block has a result"


def test_the_session_runs_as_it_is_shown() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    session = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(session, {}, "notebook", str(NOTEBOOK), 0)
    assert len(test.examples) > 15
    told: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(verbose=False, optionflags=flags).run(test, out=told.append)
    assert not told, "".join(told)
