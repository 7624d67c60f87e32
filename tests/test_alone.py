"""What a copy of the program compiled is there for the next one."""

import os
from pathlib import Path

import pytest

from tests import alone


def test_what_is_compiled_in_a_copy_is_kept_where_it_is_newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, copy = tmp_path / "root", tmp_path / "copy"
    monkeypatch.setattr(alone, "ROOT", root)
    for folder, module, time in ((copy, "new", 2), (copy, "changed", 2), (root, "changed", 1), (copy, "made", 1),
                                 (root, "made", 2)):  # fmt: skip
        file = folder / "tests" / "__pycache__" / f"test_{module}.cpython-311-pytest-9.pyc"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(folder.name)
        os.utime(file, (time, time))
    alone.keep_compiled(copy)
    kept = {file.name.partition(".")[0]: file.read_text() for file in root.rglob("*.*")}
    assert kept == {"test_new": "copy", "test_changed": "copy", "test_made": "root"}
