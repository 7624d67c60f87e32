"""A zipped study folder, unpacked without trusting it."""

import io
import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from fairviz.errors import FairvizError

MOST_BYTES = 2 * 1024**3
MOST_FILES = 10_000
FREE_BYTES = 64 * 1024**2
MOST_RATIO = 200
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
    try:
        with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
            _unpack(archive, target, most_bytes)
    except FairvizError:
        shutil.rmtree(target, ignore_errors=True)
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        shutil.rmtree(target, ignore_errors=True)
        raise FairvizError(f"{_name(source)} is not a sound zip file", AGAIN) from error
    except OSError as error:
        shutil.rmtree(target, ignore_errors=True)
        raise FairvizError(f"{_name(source)} cannot be unpacked ({error.strerror or error})", AGAIN) from error
    inside = [path for path in target.iterdir() if path.is_dir()]
    single = len(inside) == 1 and len(list(target.iterdir())) == 1 and inside[0].name != "runs"
    return inside[0] if single else target


def _name(source: str | Path | bytes) -> str:
    return "the upload" if isinstance(source, bytes) else Path(source).name


def _unpack(archive: zipfile.ZipFile, target: Path, most_bytes: int) -> None:
    members = [member for member in archive.infolist() if not _ignored(member.filename)]
    files = [member for member in members if not member.is_dir()]
    if not files:
        raise FairvizError("the zip is empty", AGAIN)
    if len(files) > MOST_FILES:
        raise FairvizError(f"the zip holds {len(files):,} files", f"A study has {MOST_FILES:,} at most.")
    places = {member: _place(member) for member in members}
    target.mkdir(parents=True)
    total = 0
    for member in files:
        path = target / places[member]
        path.parent.mkdir(parents=True, exist_ok=True)
        total += _extract(archive, member, path, most_bytes - total)


def _ignored(name: str) -> bool:
    return bool(set(PurePosixPath(name).parts) & set(_IGNORED))


def _place(member: zipfile.ZipInfo) -> Path:
    """Where the member goes, relative to the folder. Raises FairvizError where that is no place in it."""
    parts = PurePosixPath(member.filename.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        raise FairvizError(f"the zip holds a member outside its folder: {member.filename!r}", AGAIN)
    if stat.S_ISLNK(member.external_attr >> 16):
        raise FairvizError(f"the zip holds a link: {member.filename!r}", "Put the file itself into the zip.")
    if member.flag_bits & 1:
        raise FairvizError(f"the zip is encrypted: {member.filename!r}", "Zip it without a password.")
    return Path(*parts)


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path, room: int) -> int:
    """Writes the member and returns its bytes. Raises FairvizError once there are more than `room`, or a bomb's."""
    written = 0
    with archive.open(member) as stream, path.open("xb") as out:
        while chunk := stream.read(_CHUNK):
            written += len(chunk)
            if written > room:
                raise FairvizError(
                    "the zip unpacks to more than a study may hold", f"Keep it below {MOST_BYTES / 1024**3:.0f} GiB."
                )
            if written > FREE_BYTES and written > MOST_RATIO * max(member.compress_size, 1):
                raise FairvizError(f"the zip unpacks out of all proportion: {member.filename!r}", AGAIN)
            out.write(chunk)
    return written
