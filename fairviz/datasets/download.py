"""Download or local copy of published files, checked by SHA-256."""

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from fairviz.datasets.record import Dataset, Progress, RemoteFile
from fairviz.errors import FairvizError

ATTEMPTS = 3
PAUSE = 1.0
TIMEOUT = 30.0
MOST_UNSEEN = 1 << 28  # bytes of a file whose size this project does not know
MOST_LOCAL = 100_000  # files searched at most in a local copy
_CHUNK = 1 << 16


class _DownloadError(Exception):
    """A failed attempt to download a file; `retry` is True if another attempt may succeed."""

    def __init__(self, reason: str, retry: bool = True) -> None:
        super().__init__(reason)
        self.retry = retry


def download(dataset: Dataset, folder: Path, progress: Progress, address: str | None = None) -> None:
    """Download every file of the data set that is not complete in `folder`.

    A file gets its name after its hash was checked, so a later call resumes after an interruption. progress is called
    with the bytes done and the bytes in all. Raises FairvizError if a file cannot be downloaded in three attempts.
    """
    bytes_done = 0
    for file in dataset.files:
        if not is_whole(folder / file.name, file):
            report = partial(_report_progress, progress, bytes_done, dataset.size)
            _download_file(dataset, file, folder, report, address)
        bytes_done += file.size
        progress(bytes_done, dataset.size)


def _report_progress(progress: Progress, bytes_before: int, total: int, file_bytes: int) -> None:
    progress(bytes_before + file_bytes, total)


def _download_file(
    dataset: Dataset, file: RemoteFile, folder: Path, progress: Callable[[int], None], address: str | None
) -> None:
    unfinished = folder / f"{file.name}.part"
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    try:
        _attempt_all(dataset.addresses(file, address), file, unfinished, progress)
        unfinished.replace(folder / file.name)
    except _DownloadError as error:
        raise not_downloaded(dataset, file.name, str(error)) from error
    finally:
        unfinished.unlink(missing_ok=True)


def not_downloaded(dataset: Dataset, name: str, reason: str) -> FairvizError:
    """Return the error for a file that could not be downloaded."""
    return FairvizError(
        f"could not download {name} of {dataset.name}: {reason}",
        f"Run it again: fairviz fetch {dataset.name} (files that came whole are kept). Without a "
        f"network, take the files from {dataset.homepage} and run: fairviz fetch {dataset.name} "
        "--from DIR",
    )


def _attempt_all(addresses: list[str], file: RemoteFile, unfinished: Path, progress: Callable[[int], None]) -> None:
    """Try up to three times, while another attempt may succeed. Raises the last _DownloadError."""
    for attempt in range(ATTEMPTS):
        failure = _attempt_each(addresses, file, unfinished, progress)
        if failure is None:
            return
        if not failure.retry or attempt + 1 == ATTEMPTS:
            raise failure
        time.sleep(PAUSE * 2**attempt)


def _attempt_each(
    addresses: list[str], file: RemoteFile, unfinished: Path, progress: Callable[[int], None]
) -> _DownloadError | None:
    """Try each address, the next one only if the file is missing at the one before; return the last error, or None."""
    failure = None
    for url in addresses:
        try:
            _attempt(url, file, unfinished, progress)
            return None
        except _DownloadError as error:
            failure = error
            if error.retry:
                break
    return failure


def _attempt(url: str, file: RemoteFile, unfinished: Path, progress: Callable[[int], None]) -> None:
    """Write the content at an address, and check its size and hash."""
    bytes_done, size, digest = 0, file.size, hashlib.sha256()
    with unfinished.open("wb") as stream:
        for chunk, length in _chunks(url):
            bytes_done += len(chunk)
            size = file.size if file.sha256 else length
            if bytes_done > size:
                raise _DownloadError(f"it is longer than the {size:,} bytes published")
            stream.write(chunk)
            digest.update(chunk)
            progress(min(bytes_done, file.size))
    if bytes_done < size:
        raise _DownloadError(f"it broke off after {bytes_done:,} of {size:,} bytes")
    if file.sha256 and digest.hexdigest() != file.sha256:
        raise _DownloadError(f"its SHA-256 is {digest.hexdigest()}, expected {file.sha256}")


def _chunks(url: str) -> Iterator[tuple[bytes, int]]:
    """Yield the bytes at the address in pieces, with the length that its server states, MOST_UNSEEN where it states
    none. Network errors become _DownloadError."""
    try:
        with urlopen(url, timeout=TIMEOUT) as response:
            length = int(response.headers.get("Content-Length", MOST_UNSEEN))
            while chunk := response.read(_CHUNK):
                yield chunk, min(length, MOST_UNSEEN)
    except HTTPError as error:
        with error:
            raise _DownloadError(f"{url} answers {error.code} {error.reason}", retry=error.code >= 500) from error
    except URLError as error:
        raise _DownloadError(f"no connection to {url} ({error.reason})") from error
    except IncompleteRead:
        return  # the caller counts the bytes and reports how many are missing
    except HTTPException as error:
        raise _DownloadError(f"{url} gives no proper answer ({error})") from error
    except (TimeoutError, ConnectionError) as error:
        raise _DownloadError(f"the connection to {url} broke ({error})") from error


def copy_local(dataset: Dataset, source: Path, folder: Path, progress: Progress) -> None:
    """Copy every file of the data set from `source` or a folder below it, such as a clone of the repository.

    Of several files with the same name, the one with the published content is copied. Raises FairvizError naming the
    files that are missing or differ from the published ones.
    """
    places = _search_folders(dataset, source)
    if not places:
        raise FairvizError(f"there is no folder {source}", f"Give the folder that holds {dataset.files[0].name}.")
    paths_by_name = _paths_by_name(source)
    paths = {file: path for file in dataset.files if (path := _find_file(places, paths_by_name, file)) is not None}
    if missing := [file.name for file in dataset.files if file not in paths]:
        raise FairvizError(
            f"{places[0]} lacks {len(missing)} of the {len(dataset.files)} files of {dataset.name}: "
            f"{', '.join(missing)}",
            f"Take all of them from {dataset.homepage}.",
        )
    bytes_done = 0
    for file, path in paths.items():
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / file.name)
        digest = sha256(folder / file.name)
        if file.sha256 and digest != file.sha256:
            raise FairvizError(
                f"{path} is not the published file: its SHA-256 is {digest}, expected {file.sha256}",
                f"Take it again from {dataset.homepage}.",
            )
        bytes_done += file.size
        progress(bytes_done, dataset.size)


def _search_folders(dataset: Dataset, source: Path) -> list[Path]:
    """Return the folders to search, the one with the most files first; for files with origins, `source` first."""
    origins = [source / origin for origin in dict.fromkeys(file.origin for file in dataset.files) if origin]
    places = [place for place in (source, source / dataset.name, *origins) if os.path.isdir(place)]
    if origins:
        return places
    return sorted(places, key=lambda place: -sum((place / file.name).is_file() for file in dataset.files))


def _paths_by_name(source: Path) -> dict[str, list[Path]]:
    """Return up to MOST_LOCAL files below the folder by their names, without hidden folders."""
    paths: dict[str, list[Path]] = {}
    remaining = MOST_LOCAL
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names)[:remaining]:
            paths.setdefault(name, []).append(Path(folder, name))
        remaining -= len(names)
        if remaining <= 0:
            break
    return paths


def _find_file(places: list[Path], paths_by_name: dict[str, list[Path]], file: RemoteFile) -> Path | None:
    """Return the path of the published file, or of another file with its name, or None."""
    base_name = Path(file.name).name
    candidates = [path for place in places for path in (place / file.name, place / base_name) if path.is_file()]
    candidates += paths_by_name.get(base_name, [])
    for path in candidates:
        if is_whole(path, file):
            return path
    return candidates[0] if candidates else None


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def is_whole(path: Path, file: RemoteFile) -> bool:
    """Return whether `path` holds exactly the published content, as far as that is known."""
    if not file.sha256:
        return path.is_file()
    return path.is_file() and path.stat().st_size == file.size and sha256(path) == file.sha256
