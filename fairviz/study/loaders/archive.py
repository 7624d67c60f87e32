"""A zipped study folder, unpacked without trusting it."""

import io
import shutil
import stat
import zipfile
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from fairviz.errors import FairvizError
from fairviz.files import check_regular

MOST_BYTES = 2 * 1024**3
MOST_FILES = 10_000
FREE_BYTES = 64 * 1024**2
MOST_RATIO = 200
MOST_FOLDERS = 20  # one inside another; a study has one, runs
MOST_NAME = 255  # bytes of a file's name on common file systems
MOST_SHOWN = 80
_CHUNK = 1 << 20
_IGNORED = ("__MACOSX", ".DS_Store", "Thumbs.db")
AGAIN = "Zip the study folder itself, with study.toml, runs and the other files in it."


def read_zip(source: str | Path | bytes, folder: str | Path, most_bytes: int = MOST_BYTES) -> Path:
    """Unpacks a zipped study below `folder` and returns the study's own folder there.

    The zip may hold the study's files or one folder with them. Raises FairvizError, and leaves nothing, for what is
    no zip, a member that climbs out of the folder or is a link, and more than `most_bytes` (2 GiB) unpacked: bytes
    are counted as they come, not as the zip declares them.
    """
    stem = "study" if isinstance(source, bytes) else Path(source).stem or "study"
    target = Path(folder) / stem
    if target.exists():
        raise FairvizError(f"{target} exists already", "Unpack into another folder.")
    name = _name(source)
    try:
        with _opened(source, name) as archive:
            _unpack(archive, target, most_bytes, name)
    except BaseException as error:  # also where somebody stops it: nothing is left
        shutil.rmtree(target, ignore_errors=True)
        if isinstance(error, OSError):
            raise FairvizError(f"{name} cannot be unpacked ({error.strerror or error})", AGAIN) from error
        raise
    inside = [path for path in target.iterdir() if path.is_dir()]
    single = len(inside) == 1 and len(list(target.iterdir())) == 1 and inside[0].name != "runs"
    return inside[0] if single else target


def read_members(source: str | Path | bytes, most_bytes: int, most_files: int) -> dict[str, bytes]:
    """The files of a zip by their names, read into memory without trusting it; nothing is written.

    Raises FairvizError for what is no zip, a member that would lie outside its folder or is a link, two of one name,
    and more than `most_bytes` unpacked or `most_files` members; OSError for a file that cannot be read.
    """
    name = _name(source)
    held: dict[str, bytes] = {}
    with _opened(source, name) as archive:
        members = [member for member in archive.infolist() if not member.filename.endswith("/")]
        if len(members) > most_files:
            raise FairvizError(f"the zip holds {len(members):,} files", f"There are {most_files:,} at most.")
        for member in members:
            place = _place(member).as_posix()
            if place in held:
                raise FairvizError(f"the zip holds two files called {_shown(member.filename)}", "Keep one of them.")
            content = io.BytesIO()
            _copy(_chunks(archive, member, name), member, content, most_bytes - sum(map(len, held.values())))
            held[place] = content.getvalue()
    return held


def _name(source: str | Path | bytes) -> str:
    return "the upload" if isinstance(source, bytes) else Path(source).name


@contextmanager
def _sound(name: str) -> Iterator[None]:
    """Makes one FairvizError of whatever the unpacker raises over a damaged zip. Only its calls stand inside."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise FairvizError(f"{name} holds a file whose name is not UTF-8: {_shown(error.object)}", AGAIN) from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the system; damaged bzip2 has no number
            raise
        raise FairvizError(f"{name} is not a sound zip file", AGAIN) from error


def _opened(source: str | Path | bytes, name: str) -> zipfile.ZipFile:
    if not isinstance(source, bytes):
        check_regular(source)
    with _sound(name):
        return zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)


def _chunks(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Generator[bytes, None, None]:
    with _sound(name), archive.open(member) as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _shown(member: str | bytes) -> str:
    """A member's name for a message: nobody wants to read thousands of characters."""
    return repr(member if len(member) <= MOST_SHOWN else member[:MOST_SHOWN]) + (
        "…" if len(member) > MOST_SHOWN else ""
    )


def _unpack(archive: zipfile.ZipFile, target: Path, most_bytes: int, name: str) -> None:
    members = [member for member in archive.infolist() if not _ignored(member.filename)]
    files = [member for member in members if not member.filename.endswith("/")]  # is_dir fails for an empty name
    if not files:
        raise FairvizError("the zip is empty", AGAIN)
    if len(files) > MOST_FILES:
        raise FairvizError(f"the zip holds {len(files):,} files", f"A study has {MOST_FILES:,} at most.")
    places = {member: _place(member) for member in members}
    taken: set[Path] = set()
    for member in files:
        if places[member] in taken:
            raise FairvizError(f"the zip holds two files called {_shown(member.filename)}", "Keep one of them.")
        taken.add(places[member])
    target.mkdir(parents=True)
    total = 0
    for member in files:
        path = target / places[member]
        path.parent.mkdir(parents=True, exist_ok=True)
        total += _extract(_chunks(archive, member, name), member, path, most_bytes - total)


def _ignored(name: str) -> bool:
    return bool(set(PurePosixPath(name).parts) & set(_IGNORED))


def _place(member: zipfile.ZipInfo) -> Path:
    """Where the member goes, relative to the folder. Raises FairvizError where that is no place in it."""
    parts = PurePosixPath(member.filename.replace("\\", "/")).parts
    shown = _shown(member.filename)
    if not member.filename:
        raise FairvizError("the zip holds a file without a name", AGAIN)
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        raise FairvizError(f"the zip holds a member outside its folder: {shown}", AGAIN)
    if len(parts) > MOST_FOLDERS:
        raise FairvizError(f"the zip holds more than {MOST_FOLDERS} folders inside one another: {shown}", AGAIN)
    longest = max(len(part.encode()) for part in parts)
    if longest > MOST_NAME:
        raise FairvizError(f"the zip holds a name of {longest} bytes: {shown}", f"Keep names to {MOST_NAME} bytes.")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise FairvizError(f"the zip holds a link: {shown}", "Put the file itself into the zip.")
    if member.flag_bits & 1:
        raise FairvizError(f"the zip is encrypted: {shown}", "Zip it without a password.")
    return Path(*parts)


def _extract(chunks: Generator[bytes, None, None], member: zipfile.ZipInfo, path: Path, room: int) -> int:
    """Writes the member and returns its bytes. Raises FairvizError once there are more than `room`, or a bomb's."""
    with path.open("xb") as out:
        return _copy(chunks, member, out, room)


def _copy(chunks: Generator[bytes, None, None], member: zipfile.ZipInfo, out: BinaryIO, room: int) -> int:
    written = 0
    with closing(chunks):
        for chunk in chunks:
            written += len(chunk)
            if written > room:
                raise FairvizError(
                    "the zip unpacks to more than a study may hold", f"Keep it below {MOST_BYTES / 1024**3:.0f} GiB."
                )
            if written > FREE_BYTES and written > MOST_RATIO * max(member.compress_size, 1):
                raise FairvizError(f"the zip unpacks out of all proportion: {_shown(member.filename)}", AGAIN)
            out.write(chunk)
    return written
