"""Published files, checked by SHA-256, into a folder: from the network or from local copies."""

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import urlopen

from fairviz.datasets.record import Dataset, Progress, RemoteFile
from fairviz.errors import FairvizError

ATTEMPTS = 3
PAUSE = 1.0
TIMEOUT = 30.0
MOST_LOCAL = 100_000  # files of a local copy among which those of a data set are looked for
_CHUNK = 1 << 16


class _DownloadError(Exception):
    """One attempt at one file came to nothing; `again` says whether another attempt may help."""

    def __init__(self, reason: str, again: bool = True) -> None:
        super().__init__(reason)
        self.again = again


def download(dataset: Dataset, folder: Path, progress: Progress, address: str | None = None) -> None:
    """Downloads every file of the data set that `folder` does not hold whole already.

    Each file gets its name only when its hash is right, so a later call goes on where this one stopped. progress
    hears of the bytes done and of all bytes. Raises FairvizError where a file cannot be had after three attempts.
    """
    done = 0
    for file in dataset.files:
        if not is_whole(folder / file.name, file):
            _download_file(dataset, file, folder, partial(_tell, progress, done, dataset.size), address)
        done += file.size
        progress(done, dataset.size)


def _tell(progress: Progress, before: int, total: int, part: int) -> None:
    progress(before + part, total)


def copy_local(dataset: Dataset, source: Path, folder: Path, progress: Progress) -> None:
    """Copies every file of the data set from `source`, or from wherever it lies below: a clone of the repository.

    Of several files of one name it is the one with the published content.

    Raises FairvizError naming the files that are absent or are not the published ones.
    """
    places = _places(dataset, source)
    if not places:
        raise FairvizError(f"there is no folder {source}", f"Give the folder that holds {dataset.files[0].name}.")
    below = _below(source)
    held = {file: path for file in dataset.files if (path := _held(places, below, file)) is not None}
    absent = [file.name for file in dataset.files if file not in held]
    if absent:
        raise FairvizError(
            f"{places[0]} lacks {len(absent)} of the {len(dataset.files)} files of {dataset.name}: {', '.join(absent)}",
            f"Take all of them from {dataset.homepage}.",
        )
    done = 0
    for file, path in held.items():
        (folder / file.name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / file.name)
        found = sha256(folder / file.name)
        if found != file.sha256:
            raise FairvizError(
                f"{path} is not the published file: its SHA-256 is {found}, expected {file.sha256}",
                f"Take it again from {dataset.homepage}.",
            )
        done += file.size
        progress(done, dataset.size)


def _places(dataset: Dataset, source: Path) -> list[Path]:
    """Folders to look in, the one that holds the most files first; where there are origins, the source itself."""
    origins = [source / origin for origin in dict.fromkeys(file.origin for file in dataset.files) if origin]
    places = [place for place in (source, source / dataset.name, *origins) if os.path.isdir(place)]
    if origins:
        return places
    return sorted(places, key=lambda place: -sum((place / file.name).is_file() for file in dataset.files))


def _below(source: Path) -> dict[str, list[Path]]:
    """The files below the folder by their names, as long as they are not too many; hidden folders are left out."""
    found: dict[str, list[Path]] = {}
    left = MOST_LOCAL
    for folder, folders, files in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files)[:left]:
            found.setdefault(name, []).append(Path(folder, name))
        left -= len(files)
        if left <= 0:
            break
    return found


def _held(places: list[Path], below: dict[str, list[Path]], file: RemoteFile) -> Path | None:
    """The published file, else one of its name, which is said to be another."""
    plain = Path(file.name).name
    near = [name for place in places for name in (place / file.name, place / plain)]
    paths = [path for path in near if path.is_file()] + below.get(plain, [])
    return next((path for path in paths if is_whole(path, file)), paths[0] if paths else None)


def sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def is_whole(path: Path, file: RemoteFile) -> bool:
    """Whether `path` holds exactly the published content."""
    return path.is_file() and path.stat().st_size == file.size and sha256(path) == file.sha256


def _download_file(
    dataset: Dataset, file: RemoteFile, folder: Path, progress: Callable[[int], None], address: str | None
) -> None:
    unfinished = folder / f"{file.name}.part"
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    try:
        _attempt_all(_addresses(dataset, file, address), file, unfinished, progress)
        unfinished.replace(folder / file.name)
    except _DownloadError as error:
        raise not_downloaded(dataset, file.name, str(error)) from error
    finally:
        unfinished.unlink(missing_ok=True)


def not_downloaded(dataset: Dataset, name: str, reason: str) -> FairvizError:
    """The error of a file that could not be had."""
    return FairvizError(
        f"could not download {name} of {dataset.name}: {reason}",
        f"Run it again: fairviz fetch {dataset.name} (files that came whole are kept). Without a "
        f"network, take the files from {dataset.homepage} and run: fairviz fetch {dataset.name} "
        "--from DIR",
    )


def _addresses(dataset: Dataset, file: RemoteFile, address: str | None) -> list[str]:
    if file.addresses and address is None:
        return [*file.addresses]
    base = dataset.address if address is None else address
    return [f"{base}{quote(place + file.name)}" for place in dataset.folders]


def _attempt_all(addresses: list[str], file: RemoteFile, unfinished: Path, progress: Callable[[int], None]) -> None:
    """Up to three attempts while another may help. Raises the last one's _DownloadError."""
    for attempt in range(ATTEMPTS):
        failure = _attempt_each(addresses, file, unfinished, progress)
        if failure is None:
            return
        if not failure.again or attempt + 1 == ATTEMPTS:
            raise failure
        time.sleep(PAUSE * 2**attempt)


def _attempt_each(
    addresses: list[str], file: RemoteFile, unfinished: Path, progress: Callable[[int], None]
) -> _DownloadError | None:
    """One attempt: the next address only where the one before says that there is no such file."""
    failure = None
    for url in addresses:
        try:
            _attempt(url, file, unfinished, progress)
            return None
        except _DownloadError as error:
            failure = error
            if error.again:
                break
    return failure


def _attempt(url: str, file: RemoteFile, unfinished: Path, progress: Callable[[int], None]) -> None:
    done, digest = 0, hashlib.sha256()
    with unfinished.open("wb") as stream:
        for chunk in _chunks(url):
            done += len(chunk)
            if done > file.size:
                raise _DownloadError(f"it is longer than the {file.size:,} bytes published")
            stream.write(chunk)
            digest.update(chunk)
            progress(done)
    if done < file.size:
        raise _DownloadError(f"it broke off after {done:,} of {file.size:,} bytes")
    if digest.hexdigest() != file.sha256:
        raise _DownloadError(f"its SHA-256 is {digest.hexdigest()}, expected {file.sha256}")


def _chunks(url: str) -> Iterator[bytes]:
    """The bytes behind the address, in pieces. What is wrong with the network becomes _DownloadError."""
    try:
        with urlopen(url, timeout=TIMEOUT) as response:
            while chunk := response.read(_CHUNK):
                yield chunk
    except HTTPError as error:
        with error:
            raise _DownloadError(f"{url} answers {error.code} {error.reason}", again=error.code >= 500) from error
    except URLError as error:
        raise _DownloadError(f"no connection to {url} ({error.reason})") from error
    except IncompleteRead:
        return  # the caller counts the bytes, and says how many are lacking
    except HTTPException as error:
        raise _DownloadError(f"{url} gives no proper answer ({error})") from error
    except (TimeoutError, ConnectionError) as error:
        raise _DownloadError(f"the connection to {url} broke ({error})") from error
