"""What answers were made from: the files of a study and its tables by their hashes, and what changed in them."""

import hashlib
from collections.abc import Mapping

from fairviz.errors import FairvizError
from fairviz.study.fingerprint import PARTS, table_hash
from fairviz.study.loaders.finding import find_files
from fairviz.study.study import Study

METADATA = "metadata"


def files_of(study: Study) -> dict[str, dict]:
    """Every file of the study's folder by its name there: bytes and sha256. None for a study that has no folder.

    Raises FairvizError for a file that cannot be read.
    """
    if study.folder is None:
        return {}
    folder = study.folder.resolve()
    found = {}
    for path in find_files(folder).all:
        try:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            found[path.relative_to(folder).as_posix()] = {"bytes": path.stat().st_size, "sha256": digest}
        except OSError as error:
            raise FairvizError(
                f"{path.name} cannot be read ({error.strerror or error})", "Make the study's files readable."
            ) from error
    return dict(sorted(found.items()))


def tables_of(study: Study) -> dict[str, dict]:
    """Every table of the study by its name: rows and sha256; and what else its figures depend on, as `metadata`."""
    tables = {part: {"rows": len(getattr(study, part)), "sha256": table_hash(getattr(study, part))} for part in PARTS}
    told = (study.groups, study.neutral, study.protected, sorted(study.targets.items()), study.lexicon)
    text = repr((*told, study.label_kind, study.annotator, sorted(study.annotators.items())))
    return {**tables, METADATA: {"rows": 0, "sha256": hashlib.sha256(text.encode()).hexdigest()}}


def changes(then: Mapping[str, Mapping], now: Mapping[str, Mapping], unit: str) -> list[str]:
    """A line for each input that is another, gone or new. unit: `bytes` or `rows`."""
    lines = []
    for name in sorted({*then, *now}):
        if name not in now:
            lines.append(f"{name} is gone")
        elif name not in then:
            lines.append(f"{name} is new")
        elif then[name].get("sha256") != now[name].get("sha256"):
            sizes = [each.get(unit) for each in (then[name], now[name])]
            told = f"{sizes[0]:,} {unit} then, {sizes[1]:,} now" if all(isinstance(size, int) for size in sizes) else ""
            lines.append(f"{name} has changed{f' ({told})' if any(sizes) and told else ''}")
    return lines
