"""Download or local copy of published files, checked by SHA-256."""

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from fairviz.datasets.record import Dataset, Progress, RemoteFile
from fairviz.errors import FairvizError

ATTEMPTS = 3
PAUSE = 1.0
TIMEOUT = 30.0
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
    bytes_before = 0
    for file in dataset.files:
        unfinished = folder / f"{file.name}.part"
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        addresses = dataset.addresses(file, address)

        def report(file_bytes: int, before: int = bytes_before) -> None:
            progress(before + file_bytes, dataset.size)

        try:
            if not is_whole(folder / file.name, file):
                _download_file(addresses, file, unfinished, report)
                unfinished.replace(folder / file.name)
        except _DownloadError as error:
            raise not_downloaded(dataset, file.name, str(error)) from error
        finally:
            unfinished.unlink(missing_ok=True)
        bytes_before += file.size
        progress(bytes_before, dataset.size)


def not_downloaded(dataset: Dataset, name: str, reason: str) -> FairvizError:
    """Return the error for a file that could not be downloaded."""
    return FairvizError(
        f"could not download {name} of {dataset.name}: {reason}",
        f"Run it again: fairviz fetch {dataset.name} (files that came whole are kept). Without a "
        f"network, take the files from {dataset.homepage} and run: fairviz fetch {dataset.name} "
        "--from DIR",
    )


def _download_file(addresses: list[str], file: RemoteFile, target: Path, progress: Callable[[int], None]) -> None:
    """Write the file's published content: from the first address that has it, in up to three attempts while another one
    may succeed. Raises the last _DownloadError."""
    for attempt in range(1, ATTEMPTS + 1):
        for place, url in enumerate(addresses, start=1):
            try:
                _attempt(url, file, target, progress)
                return
            except _DownloadError as error:
                if not error.retry and place < len(addresses):
                    continue
                if not error.retry or attempt == ATTEMPTS:
                    raise
                break
        time.sleep(PAUSE * 2 ** (attempt - 1))


def _attempt(url: str, file: RemoteFile, target: Path, progress: Callable[[int], None]) -> None:
    """Write the content at an address, and check its size and hash. Network errors become _DownloadError."""
    bytes_done, digest = 0, hashlib.sha256()
    try:
        with target.open("wb") as stream, urlopen(url, timeout=TIMEOUT) as response:
            while chunk := response.read(_CHUNK):
                bytes_done += len(chunk)
                if bytes_done > file.size:
                    raise _DownloadError(f"it is longer than the {file.size:,} bytes published")
                stream.write(chunk)
                digest.update(chunk)
                progress(bytes_done)
    except HTTPError as error:
        with error:
            raise _DownloadError(f"{url} answers {error.code} {error.reason}", retry=error.code >= 500) from error
    except URLError as error:
        raise _DownloadError(f"no connection to {url} ({error.reason})") from error
    except IncompleteRead:
        pass  # the bytes that are missing are counted below
    except HTTPException as error:
        raise _DownloadError(f"{url} gives no proper answer ({error})") from error
    except (TimeoutError, ConnectionError) as error:
        raise _DownloadError(f"the connection to {url} broke ({error})") from error
    if bytes_done < file.size:
        raise _DownloadError(f"it broke off after {bytes_done:,} of {file.size:,} bytes")
    if digest.hexdigest() != file.sha256:
        raise _DownloadError(f"its SHA-256 is {digest.hexdigest()}, expected {file.sha256}")


def copy_local(dataset: Dataset, source: Path, folder: Path, progress: Progress) -> None:
    """Copy every file of the data set from `source` or a folder below it, such as a clone of the repository.

    Of several files with the same name, the one with the published content is copied. Raises FairvizError naming the
    files that are missing or differ from the published ones.
    """
    places = _search_folders(dataset, source)
    if not places:
        raise FairvizError(f"there is no folder {source}", f"Give the folder that holds {dataset.files[0].name}.")
    paths_by_name = _paths_by_name(source)
    paths: dict[RemoteFile, Path] = {}
    for file in dataset.files:
        base_name = Path(file.name).name
        candidates = [path for place in places for path in (place / file.name, place / base_name) if path.is_file()]
        candidates += paths_by_name.get(base_name, [])
        if candidates:
            paths[file] = next((path for path in candidates if is_whole(path, file)), candidates[0])
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
        if digest != file.sha256:
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


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def is_whole(path: Path, file: RemoteFile) -> bool:
    """Return whether `path` holds exactly the published content."""
    return path.is_file() and path.stat().st_size == file.size and sha256(path) == file.sha256
