"""A zipped study folder, and archives of runs, unpacked as untrusted input."""

import bz2
import gzip
import io
import lzma
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO

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


PIECE = 1 << 20  # bytes unpacked at a time
_PACKED = 1 << 16  # bytes read at a time
_MOST_MEMORY = 1 << 30  # of the window that an xz file may request; `xz -9` requests 65 MB
_STARTS = {b"\x1f\x8b\x08": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
_PADDING = b"\0"  # between the streams of an xz file and after the last


def read_zip(source: str | Path | bytes, folder: str | Path, most_bytes: int = MOST_BYTES) -> Path:
    """Unpack a zipped study below `folder` and return the study's own folder there.

    The zip may contain the study's files or one folder with them. Raises FairvizError, and leaves no files, for an
    invalid zip, a member outside the folder or a link, and more than `most_bytes` (2 GiB) unpacked: bytes are counted
    while unpacking, not as declared.
    """
    stem = "study" if isinstance(source, bytes) else Path(source).stem or "study"
    target = Path(folder) / stem
    if target.exists():
        raise FairvizError(f"{target} exists already", "Unpack into another folder.")
    name = _source_name(source)
    try:
        with _open_zip(source, name) as archive:
            _unpack(archive, target, most_bytes, name)
    except BaseException as error:  # also on an interrupt: no file is left
        shutil.rmtree(target, ignore_errors=True)
        if isinstance(error, OSError):
            raise FairvizError(f"{name} cannot be unpacked ({error.strerror or error})", AGAIN) from error
        raise
    folders = [path for path in target.iterdir() if path.is_dir()]
    has_single_folder = len(folders) == 1 and len(list(target.iterdir())) == 1 and folders[0].name != "runs"
    return folders[0] if has_single_folder else target


def _unpack(archive: zipfile.ZipFile, target: Path, most_bytes: int, name: str) -> None:
    members = [member for member in archive.infolist() if not set(PurePosixPath(member.filename).parts) & set(_IGNORED)]
    files = [member for member in members if not member.filename.endswith("/")]  # is_dir fails for an empty name
    if not files:
        raise FairvizError("the zip is empty", AGAIN)
    if len(files) > MOST_FILES:
        raise FairvizError(f"the zip holds {len(files):,} files", f"A study has {MOST_FILES:,} at most.")
    places = {member: _place(member) for member in members}
    used_places: set[Path] = set()
    for member in files:
        if places[member] in used_places:
            raise FairvizError(f"the zip holds two files called {_name_text(member.filename)}", "Keep one of them.")
        used_places.add(places[member])
    target.mkdir(parents=True)
    total = 0
    for member in files:
        path = target / places[member]
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            total += _copy(_read_chunks(archive, member, name), member, stream, most_bytes - total)


def read_members(source: str | Path | bytes, most_bytes: int, most_files: int) -> dict[str, bytes]:
    """Return the files of an untrusted zip by name, read into memory; no file is written.

    Raises FairvizError for an invalid zip, a member outside its folder or a link, two of one name, and more than
    `most_bytes` unpacked or `most_files` members; OSError for an unreadable file.
    """
    name = _source_name(source)
    contents: dict[str, bytes] = {}
    with _open_zip(source, name) as archive:
        members = [member for member in archive.infolist() if not member.filename.endswith("/")]
        if len(members) > most_files:
            raise FairvizError(f"the zip holds {len(members):,} files", f"There are {most_files:,} at most.")
        for member in members:
            place = _place(member).as_posix()
            if place in contents:
                raise FairvizError(f"the zip holds two files called {_name_text(member.filename)}", "Keep one of them.")
            content = io.BytesIO()
            room = most_bytes - sum(map(len, contents.values()))
            _copy(_read_chunks(archive, member, name), member, content, room)
            contents[place] = content.getvalue()
    return contents


def read_archive(path: Path, most_bytes: int, most_files: int) -> dict[str, bytes]:
    """Return the files of an untrusted zip or (packed) tar by name, read into memory; see `read_members`."""
    check_regular(path)
    if zipfile.is_zipfile(path) or path.suffix.lower() == ".zip":
        return read_members(path, most_bytes, most_files)
    contents: dict[str, bytes] = {}
    with path.open("rb") as stream:
        _, pieces = pieces_of(stream, path)
        content = io.BytesIO()
        with _checking(path.name, "tar"):
            for piece in pieces:
                if content.tell() + len(piece) > most_bytes:
                    raise FairvizError(f"{path.name} unpacks out of all proportion", AGAIN)
                content.write(piece)
            content.seek(0)
            archive = tarfile.open(fileobj=content, mode="r:")  # noqa: SIM115 (in memory)
            for member in archive:
                if member.isdir():
                    continue
                if not member.isreg() or member.issparse():
                    raise FairvizError(f"{path.name} holds a link or a device: {_name_text(member.name)}", AGAIN)
                if len(contents) >= most_files or member.name in contents:
                    raise FairvizError(f"{path.name} holds too many files, or two of one name", AGAIN)
                contents[member.name] = archive.extractfile(member).read()  # type: ignore[union-attr]
    return contents


def _source_name(source: str | Path | bytes) -> str:
    return "the upload" if isinstance(source, bytes) else Path(source).name


@contextmanager
def _checking(name: str, kind: str = "zip") -> Iterator[None]:
    """Convert any error of the unpacker on a damaged archive into one FairvizError. Only its calls belong inside."""
    try:
        yield
    except FairvizError:
        raise
    except UnicodeDecodeError as error:
        raise FairvizError(f"{name} holds a file whose name is not UTF-8: {_name_text(error.object)}", AGAIN) from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # the system's; damaged bzip2 has no number
            raise
        raise FairvizError(f"{name} is not a sound {kind} file", AGAIN) from error


def _open_zip(source: str | Path | bytes, name: str) -> zipfile.ZipFile:
    if not isinstance(source, bytes):
        check_regular(source)
    with _checking(name):
        return zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)


def _name_text(member: str | bytes) -> str:
    """Return a member's name for a message, cut after 80 characters."""
    return repr(member if len(member) <= MOST_SHOWN else member[:MOST_SHOWN]) + (
        "…" if len(member) > MOST_SHOWN else ""
    )


def _place(member: zipfile.ZipInfo) -> Path:
    """Return the member's path relative to the folder. Raises FairvizError for a path outside it or an invalid name."""
    parts = PurePosixPath(member.filename.replace("\\", "/")).parts
    name_text = _name_text(member.filename)
    if not member.filename:
        raise FairvizError("the zip holds a file without a name", AGAIN)
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        raise FairvizError(f"the zip holds a member outside its folder: {name_text}", AGAIN)
    if len(parts) > MOST_FOLDERS:
        raise FairvizError(f"the zip holds more than {MOST_FOLDERS} folders inside one another: {name_text}", AGAIN)
    longest = max(len(part.encode()) for part in parts)
    if longest > MOST_NAME:
        raise FairvizError(f"the zip holds a name of {longest} bytes: {name_text}", f"Keep names to {MOST_NAME} bytes.")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise FairvizError(f"the zip holds a link: {name_text}", "Put the file itself into the zip.")
    if member.flag_bits & 1:
        raise FairvizError(f"the zip is encrypted: {name_text}", "Zip it without a password.")
    return Path(*parts)


def _read_chunks(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Generator[bytes, None, None]:
    with _checking(name), archive.open(member) as packed:
        while chunk := packed.read(_CHUNK):
            yield chunk


def _copy(chunks: Generator[bytes, None, None], member: zipfile.ZipInfo, stream: BinaryIO, room: int) -> int:
    """Write the member and return its bytes. Raises FairvizError for more than `room`, or for a bomb."""
    byte_count = 0
    with closing(chunks):
        for chunk in chunks:
            byte_count += len(chunk)
            if byte_count > room:
                raise FairvizError(
                    "the zip unpacks to more than a study may hold", f"Keep it below {MOST_BYTES / 1024**3:.0f} GiB."
                )
            if byte_count > FREE_BYTES and byte_count > MOST_RATIO * max(member.compress_size, 1):
                raise FairvizError(f"the zip unpacks out of all proportion: {_name_text(member.filename)}", AGAIN)
            stream.write(chunk)
    return byte_count


# --- Compressed files: their endings, and their content, piece by piece. This module has only the formats; `source`
# checks the limits and words the errors.


def packing_of(path: str | Path, data: bytes = b"") -> str:
    """Return the file's ending of compression, such as `.gz`; without one, that in which its data begins; or empty."""
    ending = Path(path).suffix.lower()
    if ending in UNPACKERS:
        return ending
    return next((packed for start, packed in _STARTS.items() if data.startswith(start)), "")


def plain_name(path: str | Path) -> str:
    """Return the file's name without its ending of compression."""
    name = Path(path).name
    return name[: len(name) - len(packing_of(name))]


def packed_names(*endings: str) -> tuple[str, ...]:
    """Return these endings, each plain and with every ending of compression: .run, .run.gz, .run.bz2, …"""
    return tuple(ending + packed for ending in endings for packed in ("", *UNPACKERS))


def unpack(stream: IO[bytes], ending: str, size: int = PIECE) -> Iterator[bytes]:
    """Yield the content of the stream unpacked, in pieces of at most this size.

    Raises EOFError for a truncated stream, and the library's error for a damaged one.
    """
    return UNPACKERS[ending](stream, size)


def pieces_of(stream: IO[bytes], path: str | Path, size: int = PIECE) -> tuple[str, Iterator[bytes]]:
    """Return the compression of an open file (see `packing_of`), and its content, unpacked, in pieces."""
    packing = packing_of(path, stream.read(8))
    stream.seek(0)
    return packing, unpack(stream, packing, size) if packing else iter(lambda: stream.read(size), b"")


def _gzip(stream: IO[bytes], size: int) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=stream) as unpacking:
        while piece := unpacking.read(size):
            yield piece


def _zstandard(stream: IO[bytes], size: int) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd") as unpacking:
        while piece := _zstandard_piece(unpacking, size):
            yield piece


def _zstandard_piece(unpacking: Any, size: int) -> bytes:
    """Return the next piece, empty at the end. Raises EOFError for a truncated stream, OSError for a damaged one."""
    try:
        return unpacking.read(size)
    except OSError as error:
        if "Truncated" in str(error):
            raise EOFError(str(error)) from error
        raise


def _members(stream: IO[bytes], size: int, unpacker: Callable[[], Any], padding: bytes) -> Iterator[bytes]:
    """Yield the content of concatenated compressed streams."""
    packed = stream.read(_PACKED)
    while packed:
        unpacking = unpacker()
        while not unpacking.eof:
            yield unpacking.decompress(packed, size)
            packed = b""
            if not unpacking.eof and unpacking.needs_input:
                packed = stream.read(_PACKED)
                if not packed:
                    raise EOFError("cut off")
        packed = unpacking.unused_data
        while not packed.strip(padding) and (next_bytes := stream.read(_PACKED)):
            packed += next_bytes
        packed = packed.lstrip(padding) if padding else packed


UNPACKERS: dict[str, Callable[[IO[bytes], int], Iterator[bytes]]] = {
    ".gz": _gzip,
    ".bz2": lambda stream, size: _members(stream, size, bz2.BZ2Decompressor, padding=b""),
    ".xz": lambda stream, size: _members(
        stream, size, lambda: lzma.LZMADecompressor(memlimit=_MOST_MEMORY), padding=_PADDING
    ),
    ".zst": _zstandard,
}
