"""Packaged results on pages: shown at once, with date and settings, until the page's own run has ended."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

from fairviz.analyses.packaged import PackagedResult, path_of, read_packaged
from fairviz.home import BUILTIN
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kit import html
from fairviz.ui.kit.job_store import key_hash

AGAIN = "Run makes it anew"


def packaged(study: Study, name: str, key: Hashable, **given: Any) -> PackagedResult | None:
    """Return the result of a page that the program was shipped with; None without one of this key.

    key: all that the result depends on, among it the study's fingerprint, and nothing of a session. given: what the
    file names and does not store.
    """
    if study.name not in BUILTIN:
        return None
    path = path_of(study.name, name, key_hash(key))
    return _read(study, path, key_hash(key), given) if path.is_file() else None


@kept(Entries("packaged results", number=12), by={"given": lambda _: ""})
def _read(study: Study, path: Path, key: str, given: dict[str, Any]) -> PackagedResult | None:
    return read_packaged(path, key, {"study": study, **given})


def tell(found: PackagedResult, settings: str, time: str = "") -> None:
    """Draw that a result is packaged: its date, versions and settings. time: of a run, empty for an unknown one."""
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    again = f"{AGAIN}: {time}." if time else f"{AGAIN}."
    html.message("info", f"Packaged result of {found.made} ({versions}).", f"{settings}. {again}")
