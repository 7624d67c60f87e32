"""Inputs of answers: hashes of a study's files and tables, and changes of them."""

import hashlib
from collections.abc import Mapping

from fairviz.errors import FairvizError
from fairviz.study.loaders.finding import find_files
from fairviz.study.record import PARTS, Study, table_hash

METADATA = "metadata"


def files_of(study: Study) -> dict[str, dict]:
    """Return the size in bytes and the SHA-256 of every file of the study's folder; {} for a study without a folder.

    Raises FairvizError for a file that cannot be read.
    """
    if study.folder is None:
        return {}
    folder = study.folder.resolve()
    files = {}
    for path in find_files(folder).all:
        try:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            files[path.relative_to(folder).as_posix()] = {"bytes": path.stat().st_size, "sha256": digest}
        except OSError as error:
            raise FairvizError(
                f"{path.name} cannot be read ({error.strerror or error})", "Make the study's files readable."
            ) from error
    return dict(sorted(files.items()))


def tables_of(study: Study) -> dict[str, dict]:
    """Return the rows and the SHA-256 of every table of the study, and of its other inputs to figures as `metadata`."""
    tables = {part: {"rows": len(getattr(study, part)), "sha256": table_hash(getattr(study, part))} for part in PARTS}
    attributes = (study.groups, study.neutral, study.protected, sorted(study.targets.items()), study.lexicon)
    text = repr(
        (
            *attributes,
            study.label_kind,
            study.annotator,
            sorted(study.annotators.items()),
            *_scale(study),
            *sorted(study.attributes.items()),
            *_counts(study),
        )
    )
    return {**tables, METADATA: {"rows": 0, "sha256": hashlib.sha256(text.encode()).hexdigest()}}


def _scale(study: Study) -> list[str]:
    return [] if study.scale == "nominal" else [study.scale]


def _counts(study: Study) -> list[str]:
    return [study.word_counts.fingerprint] if study.word_counts else []


def changes(before: Mapping[str, Mapping], after: Mapping[str, Mapping], unit: str) -> list[str]:
    """Return a line for each input that was changed, removed or added. unit: `bytes` or `rows`."""
    lines = []
    for name in sorted({*before, *after}):
        if name not in after:
            lines.append(f"{name} is gone")
        elif name not in before:
            lines.append(f"{name} is new")
        elif before[name].get("sha256") != after[name].get("sha256"):
            sizes = [each.get(unit) for each in (before[name], after[name])]
            note = f"{sizes[0]:,} {unit} then, {sizes[1]:,} now" if all(isinstance(size, int) for size in sizes) else ""
            lines.append(f"{name} has changed{f' ({note})' if any(sizes) and note else ''}")
    return lines
