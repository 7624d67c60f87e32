"""How a test opens a page, presses its buttons and reads what it shows."""

import functools
import html
import io
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.element_tree import Block

from fairviz.checks import CHECKS
from fairviz.cli.main import main
from fairviz.datasets import studies_folder
from fairviz.evaluation.questions import MAIN
from fairviz.evaluation.settings import Settings
from fairviz.installed import bundled
from fairviz.measures import MEASURES
from fairviz.output.recipes import Recipe
from fairviz.study import study as saving
from fairviz.study.record import Study
from fairviz.study.study import save_study
from fairviz.ui.kit import charts, jobs
from fairviz.ui.state import streamlit_internals
from fairviz.ui.tradeoff import overview
from fairviz.words.genderedness import PAIRS
from tests.checks.cases import only

ROOT = Path(__file__).parents[2]
PATIENCE = 600  # seconds for one run of a page, on a machine however busy
OF_EXTENSIONS = [f"{name}.py" for name in bundled("fairviz.pages")]  # pages without a file in pages/
config.get_config_options()  # those of the repository, before a test works in another folder
# Half of a page's first run under AppTest is a look through every installed package for components: one is enough.
manifest_scanner.scan_component_manifests = functools.cache(manifest_scanner.scan_component_manifests)
streamlit_internals.read_values_alone()  # as on the server
PAGES = sorted([*(path.name for path in (ROOT / "pages").glob("*.py")), *OF_EXTENSIONS])
OVERVIEW = (  # measures of its columns, until the reader chooses others
    *MAIN,
    *(name for name, measure in MEASURES.own.items() if measure.column and name not in MAIN),
    Settings.effectiveness,
)


def _wait(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
    """Wait until a page's run ends. AppTest looks a thousand times a second, which holds the run up."""
    assert runner._script_thread is not None
    runner._script_thread.join(timeout)
    assert runner.script_stopped(), f"the page still runs after {timeout} seconds"


local_script_runner.require_widgets_deltas = _wait


@pytest.fixture(autouse=True)
def no_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that raises fails its test, at whichever of its runs. On the way to another page, which AppTest cannot go,
    a run ends."""
    run = AppTest._run

    def checked(page: AppTest, *given, **named) -> AppTest:
        run(page, *given, **named)
        assert not page.exception, page.exception
        return page

    monkeypatch.setattr(AppTest, "_run", checked)
    monkeypatch.setattr(st, "switch_page", lambda *_, **__: st.stop())


def framed(page, bounded=False):
    """A page inside its frame, as app.py runs it, but for the labelling page, which has none; without st.navigation,
    whose pages AppTest cannot choose between. bounded: errors are told, as app.py tells them."""
    import contextlib
    import functools
    import runpy
    from pathlib import Path

    from fairviz.ui.analyses import page as analysis_page
    from fairviz.ui.kit.boundary import boundary
    from fairviz.ui.shell import frame
    from fairviz.ui.state.registry import PAGES

    with (
        boundary() if bounded else contextlib.nullcontext(),
        contextlib.nullcontext() if page.endswith("label.py") else frame.around(),
    ):
        if Path(page).exists():  # a conditional expression alone on its line would be shown: Streamlit's magic
            runpy.run_path(page)
        else:
            record = PAGES[Path(page).stem]
            drawn = functools.partial(analysis_page.draw, record.analysis) if record.analysis else record.draw
            drawn()


def first_run(
    page: str, own: Study | None = None, *, bounded: bool = False, state: dict | None = None, **query: object
) -> AppTest:
    """The page at this address. own: a study that this session has made of its uploads, which is open. state: what
    else the session holds, such as what a reader has chosen."""
    test = AppTest.from_function(framed, args=(str(ROOT / "pages" / page), bounded), default_timeout=PATIENCE)
    for name, value in (state or {}).items():
        test.session_state[name] = value
    if own is not None:
        test.session_state["own_studies"] = {own.name: own}
        query = {"study": own.name, **query}
    test.query_params.update(query)
    return test.run()


Seen = Callable[..., AppTest]
RANGES = {name: vars(overview)[name] for name in ("range_line", "ties_line")}
EVERY_CHECK = tuple(CHECKS._own.values())


@pytest.fixture(scope="session")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    """The first run of a page at an address, with an empty data folder: one for all tests that read it. Who presses
    something opens a page of her own, by `first_run`."""

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("other tests read this run: open the page by `first_run`")

    @functools.cache
    def opened(page: str, query: tuple[tuple[str, object], ...]) -> AppTest:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("FAIRVIZ_HOME", str(tmp_path_factory.mktemp("seen")))
            for name, line in RANGES.items():
                patch.setattr(overview, name, line)
            with only(*EVERY_CHECK):
                given = {name: [*value] if isinstance(value, tuple) else value for name, value in query}
                test = first_run(page, **given)
        test._run = refuse  # type: ignore[method-assign]
        return test

    def at(page: str, **query: str | Sequence[str]) -> AppTest:
        plain = {name: value if isinstance(value, str) else tuple(value) for name, value in query.items()}
        return opened(page, tuple(sorted(plain.items())))

    return at


@pytest.fixture(autouse=True)
def quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One check, and Overview without its lines on other orders of candidates and of ties, which take half of its
    time under settings that no test has shown before. Not so runs that others have `seen`, and tests that use
    `whole`."""
    if "whole" in request.fixturenames:
        yield
        return
    monkeypatch.setattr(overview, "range_line", lambda *_: "")
    monkeypatch.setattr(overview, "ties_line", lambda *_: None)
    with only(CHECKS["FV101"]):
        yield


@pytest.fixture
def whole() -> None:
    """Every check, and Overview with its lines on other orders of candidates and of ties."""


def drawn_by(function: Callable, *args: object, **query: object) -> AppTest:
    """The page that this function draws at this address."""
    test = AppTest.from_function(function, args=args, default_timeout=PATIENCE)
    test.query_params.update(query)
    return test.run()


def ended() -> None:
    """All jobs have ended."""
    for job in tuple(jobs._jobs().values()):
        job.wait()


def settled(test: AppTest) -> AppTest:
    """The page once all its jobs have ended."""
    ended()
    return test.run()


def press(page: AppTest, label: str) -> AppTest:
    """The page after a click on its one button of this label."""
    (button,) = [one for one in page.button if one.label == label]
    return button.click().run()


def html_of(test: AppTest) -> str:
    """What a page says: its HTML, then what its tooltips say, as HTML."""
    bodies = [element.proto.body for element in test.get("html")]
    return "\n".join([*bodies, html.escape(notes_of(test))])


def notes_of(test: AppTest) -> str:
    """The tooltips of a page, as plain text."""
    protos = [node.proto for node in (*test.main, *test.sidebar)]
    helps = [getattr(getattr(proto, "popover", proto), "help", "") for proto in protos]
    return "\n".join(re.sub(r"\\(.)", r"\1", text.replace("  \n", " ")) for text in helps if text)


def keys_of(elements: Iterable) -> set[str]:
    return {str(one.key) for one in elements}


def table_with(test: AppTest, *columns: str) -> pd.DataFrame:
    """The first table on the page that has these columns."""
    return next(element.value for element in test.dataframe if set(columns) <= set(element.value))


def grid_of(test: AppTest, key: str) -> pd.DataFrame:
    """The values of the grid of this key, as the page shows them."""
    (found,) = [element.value for element in test.dataframe if element.key == key]
    return found


def numbers_of(test: AppTest, key: str) -> pd.DataFrame:
    """The numbers behind the button *Export* of the panel of this key."""
    (sheet,) = [block for block in test.main if isinstance(block, Block) and block.key == f"{key}_sheet"]
    (found,) = sheet.dataframe
    return found.value


def put(name: str, **files: str) -> str:
    """Write a study of these CSV files into the data folder; return its name."""
    folder = studies_folder() / name
    folder.mkdir(parents=True)
    for file, content in files.items():
        (folder / f"{file}.csv").write_text(content)
    return name


def kept(study: Study, name: str = "") -> str:
    """Save the study in the data folder, under this name or its own; return the name. Its files are not read again,
    which takes most of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saving, "check_reads_back", lambda *_: None)
        save_study(study, studies_folder() / (name or study.name))
    return name or study.name


def small_vectors(path: Path) -> Path:
    """Write word vectors of two numbers for the words of the gender pairs; return the path."""
    lines = [f"{word} {place + 1} {side}\n" for place, pair in enumerate(PAIRS) for side, word in enumerate(pair)]
    path.write_text("".join(lines))
    return path


Panels = dict[str, tuple[pd.DataFrame, Recipe]]


@pytest.fixture
def panels(monkeypatch: pytest.MonkeyPatch) -> Panels:
    """The table and the recipe of each panel that a page draws, by its key."""
    by_key: Panels = {}
    real = charts.table

    def noted(frame: pd.DataFrame, alt: str, key: str, recipe: Recipe = charts.NOTHING, *more, **others) -> None:
        by_key[key] = (frame, recipe)
        real(frame, alt, key, recipe, *more, **others)

    monkeypatch.setattr(charts, "table", noted)
    return by_key


def made_by(recipe: Recipe) -> pd.DataFrame:
    """The table that the Python of a panel makes, as a person would paste it."""
    names: dict = {}
    exec(compile(recipe.python, "a panel", "exec"), names)
    return names["table"]


def run_as_printed(panels: Panels) -> None:
    """The Python of each panel makes the very table that it stands under. What several begin with runs once."""
    begun: dict[str, dict] = {}
    for key, (frame, recipe) in panels.items():
        beginning, table, rest = recipe.python.partition("\ntable = ")
        if beginning not in begun:
            exec(compile(beginning, "a panel", "exec"), begun.setdefault(beginning, {}))
        names = dict(begun[beginning])
        exec(compile(table + rest, "a panel", "exec"), names)
        made = names["table"].reset_index(drop=True)
        pd.testing.assert_frame_equal(made, frame.reset_index(drop=True), rtol=1e-9, obj=key)


@pytest.fixture
def printed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., pd.DataFrame]:
    """The function from a command, and further arguments as they are, to the table that it prints in a shell or writes
    to its file; what the command notes beside it is the table's attribute `note`."""
    monkeypatch.chdir(tmp_path)

    def table_of(command: str, *more: str) -> pd.DataFrame:
        program, *words = (*shlex.split(command), *more)
        assert program == "fairviz"
        capsys.readouterr()
        form = [] if "--output" in words else ["--format", "csv"]
        assert main([*words, *form]) == 0
        streams = capsys.readouterr()
        source = io.StringIO(streams.out) if form else Path(words[words.index("--output") + 1])
        table = pd.read_csv(source, dtype={"query_id": str, "doc_id": str}, keep_default_na=False, na_values=[""])
        table.attrs["note"] = streams.err
        return table

    return table_of
