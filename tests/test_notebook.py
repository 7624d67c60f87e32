"""The session that docs/notebook.md shows, run."""

import doctest
import re
from pathlib import Path

NOTEBOOK = Path(__file__).parent.parent / "docs" / "notebook.md"


def test_the_session_runs_as_it_is_shown() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    session = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(session, {}, "notebook", str(NOTEBOOK), 0)
    assert len(test.examples) > 15
    told: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test, out=told.append)
    assert not told, "".join(told)
