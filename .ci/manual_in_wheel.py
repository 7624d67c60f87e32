"""Puts the built manual into the wheel as fairviz/_manual, if it exists."""

import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT, CARRIED = "docs/_build/html", "fairviz/_manual"
MOST_BYTES = 8 * 1024**2  # compressed
LEFT_OUT = (".map", ".buildinfo", ".bak", ".inv")  # endings of files that no page loads


class ManualInWheel(BuildHookInterface):
    """Adds the files of the manual to a wheel, and none to an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name every file of the manual. Raises ValueError if they take 8 MB or more, compressed."""
        folder = Path(self.root) / BUILT
        if version == "editable" or not (folder / "index.html").is_file():
            return
        files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(LEFT_OUT))
        size = sum(len(zlib.compress(path.read_bytes())) for path in files)
        if size >= MOST_BYTES:
            raise ValueError(f"the manual takes {size:,} bytes of the wheel, and may take {MOST_BYTES:,}")
        for path in files:
            build_data["force_include"][str(path)] = f"{CARRIED}/{path.relative_to(folder).as_posix()}"
