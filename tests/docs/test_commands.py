"""Every command of the README and docs runs here, with the status and the output printed beside it.

A page is one session in one folder. `$ echo $?` after a command has its status on the next line; without it the status
is 0. Other lines of a `console` block are output: each is part of a printed line, but for white space; `…` stands for
anything. What cannot run here is listed below with the reason, what takes long is `lengthy`.
"""

import contextlib
import gzip
import io
import re
import shlex
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import fairviz
from fairviz.cli.main import main, parser
from fairviz.installed import absent, bundled
from tests.conftest import ROOT, published_files

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
PAGES = [page for page in PAGES if page.name != "decisions.md" and "_build" not in page.parts]
FENCE = re.compile(r"^ *```(\S*)[^\n]*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
SHELL = ("", "text", "console", "{code-cell}")  # the languages of blocks with commands
SERVES = "serves until it is stopped"
NOT_RUN = {  # the beginning of a command, and the reason
    "fairviz app": SERVES,
    "fairviz serve studies": SERVES,
    "fairviz score /data/collection": "needs several machines; tests/extensions/collections has parts and Dask",
    "fairviz study-form my-study --collect": "needs people's answers; tests/annotation has them",
    "fairviz study-form studies/mine --collect": "needs people's answers; tests/serving has them",
    "fairviz study-form newswire --collect": "needs people's answers; tests/annotation has them",
    "fairviz compare my-study CWEx --corrected-by": "needs people's answers; tests/cli/test_study_form.py has them",
    "fairviz fairweb researchers": "needs the files of the task; tests of the extension have small ones",
    "fairviz check predictions": "needs the predictions of MTEB; tests/integrations makes them",
    "fairviz compare predictions": "needs the predictions of MTEB; tests/integrations makes them",
    "fairviz evaluate newswire Presence": "needs an installed package; tests/integrations installs it",
    "fairviz answers made-answers": "needs the answers that the page makes; tests/extensions/answers makes others",
    "fairviz gate made-answers": "needs the answers that the page makes; tests/extensions/answers makes others",
    "fairviz backup /backups": "writes outside the folder of the test; tests/extensions/server has backups",
}
LENGTHY = (  # parts of commands
    "grep-biasir", "fairviz bench", "fairviz gender-swap", "--kind attribution", "fairviz report", "capsule",
    "'DPFR(nDCG,CWEx)' --baseline", "DPFR rises", "--chance run",
)  # fmt: skip
OF_COMMANDS = ("verbs", "analyses", "rankers", "measures")  # groups of entry points whose names are typed
DATASET = "grep-biasir"
FETCH, RANK = f"fairviz fetch {DATASET}", f"fairviz rank {DATASET} --with bm25,tfidf,qlm,w2v_add,w2v_si"
PLACES = {  # what readers or their shells replace
    r"\bSTUDY\b": "my-study", r"\$SLURM_ARRAY_TASK_ID": "3", r"\$SLURM_CPUS_PER_TASK": "4",
    r"\$\(date \S+\)": "2026-11-26",
}  # fmt: skip


@dataclass
class Command:
    """A command of a page. output: the lines printed beside it."""

    text: str
    status: int = 0
    output: list[str] = field(default_factory=list)

    @property
    def reason(self) -> str:
        """Why it is not run; empty if it is."""
        if self.is_of_removed:
            return "its extension was removed"
        return next((why for start, why in NOT_RUN.items() if self.text.startswith(start)), "")

    @property
    def is_of_removed(self) -> bool:
        """True if it names a verb, a ranker or a measure of an extension that is not here."""
        return any(absent(f"fairviz.{group}", word, "it is") for group in OF_COMMANDS for word in self.words)

    @property
    def words(self) -> list[str]:
        return re.findall(r"[\w-]+", self.text)

    @property
    def is_lengthy(self) -> bool:
        return any(part in self.text for part in LENGTHY)


def commands_of(page: Path) -> list[Command]:
    """Return the commands of fairviz on a page."""
    commands: list[Command] = []
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        language, body = match.groups()
        if language not in SHELL:
            continue
        of_block: list[Command] = []
        lines = iter(re.sub(r"\\\n\s*", "", body).splitlines())
        for line in map(str.strip, lines):
            if line == "$ echo $?":
                of_block[-1].status = int(next(lines))
            elif (written := re.sub(r"^[$!] ?", "", line)).startswith("fairviz "):
                of_block += [Command(_as_typed(part)) for part in written.split(" && ")]
            elif language == "console" and line and not line.startswith("$ ") and of_block:
                of_block[-1].output.append(line)
        if language == "{code-cell}" and of_block:
            of_block[-1].status = int(re.search(r"^Status (\d)", text[match.end() :], re.MULTILINE)[1])  # type: ignore[index]
        commands += of_block
    return commands


def _as_typed(text: str) -> str:
    """Return a command without its comment, on a study."""
    words = re.sub(r"\s+# .*", "", text)
    for name, place in PLACES.items():
        words = re.sub(name, place, words)
    return words


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the pages take for granted, made of newswire."""
    folder, source = tmp_path_factory.mktemp("files"), ROOT / "data" / "newswire"
    study = folder / "my-study"
    shutil.copytree(source / "runs", study / "runs")
    for name in ("labels.csv", "qrels.txt", "queries.csv"):
        shutil.copy(source / name, study)
    documents = fairviz.open_study("newswire").documents[["doc_id", "text"]]
    documents.to_csv(folder / "collection.tsv", sep="\t", index=False)
    topics = ["arts", "sport"] * len(documents)
    documents.assign(topic=topics[: len(documents)]).to_csv(study / "documents.csv", index=False)
    shutil.copy(source / "queries.csv", folder / "queries.csv")
    (folder / "queries.tsv").write_text("q1\ta strike of union leaders\n")
    (folder / "words.csv").write_text("word,group\nshe,female\nher,female\nhe,male\nhis,male\n")
    for name, system in (("old", "bm25"), ("new", "rrf")):
        lines = gzip.decompress((source / "runs" / f"{system}.run.gz").read_bytes())
        (folder / f"{name}.run").write_bytes(lines)
    shutil.copy(folder / "old.run", study / "runs")
    shutil.copytree(ROOT / "data" / "football", folder / "studies" / "mine")
    return folder


@pytest.fixture
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with these files, which commands run in."""
    shutil.copytree(files, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def run(text: str) -> tuple[int, str]:
    """Return the status of a command and what it prints."""
    shown = io.StringIO()
    words = shlex.split(text.partition(" > ")[0])[1:]
    if words[0] == "attach":  # texts for a study without any
        Path(words[1], "documents.csv").unlink()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        try:
            status = main(words)
        except SystemExit as end:
            status = int(end.code or 0)
    return status, shown.getvalue()


def assert_as_printed(command: Command) -> None:
    """Run a command and compare its status and output with the page's."""
    status, shown = run(command.text)
    assert status == command.status, f"{command.text}\n{shown}"
    printed = [" ".join(line.split()) for line in shown.splitlines()]
    for line in command.output:
        pattern = re.compile(r".*".join(re.escape(" ".join(part.split())) for part in line.split("…")))
        assert any(map(pattern.search, printed)), f"{command.text}\nprints no {line!r}:\n{shown}"


def marks_of(page: Path) -> tuple[pytest.MarkDecorator, ...]:
    """`whole` for a page with a command of an extension, of which the core's tests run the others alone."""
    words = {word for command in commands_of(page) for word in command.words}
    named = any(words & set(bundled(f"fairviz.{group}")) for group in OF_COMMANDS)
    return (pytest.mark.whole,) if named else ()


with_commands = pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=marks_of(page)) for page in PAGES if commands_of(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)


@with_commands
@pytest.mark.usefixtures("folder")
def test_the_commands_of_a_page_run(page: Path) -> None:
    for command in commands_of(page):
        if not command.reason and not command.is_lengthy:
            assert_as_printed(command)


@pytest.mark.lengthy
@with_commands
@pytest.mark.usefixtures("folder")
def test_the_lengthy_commands_of_a_page_run(page: Path) -> None:
    """Data sets come from the files of publications, not from their hosts, and before what reads them."""
    commands = [command for command in commands_of(page) if not command.reason]
    if not any(command.is_lengthy for command in commands):
        pytest.skip("no command of this page is lengthy")
    place = published_files()
    texts = [command.text for command in commands]
    if any(DATASET in text for text in texts):
        if place is None:
            pytest.skip("no files of publications here: `fairviz fetch` would need the network")
        commands = [
            Command(text) for text in (FETCH, RANK) if not any(each.startswith(text.split(" --")[0]) for each in texts)
        ] + commands
    for command in sorted(commands, key=lambda each: not each.text.startswith((FETCH, f"fairviz rank {DATASET}"))):
        assert_as_printed(replace(command, text=re.sub(r"(fetch (\w\S*))", rf"\1 --from {place}/\2", command.text)))


@pytest.mark.whole
def test_what_is_not_run_is_read_by_the_parser_and_every_reason_is_that_of_a_command() -> None:
    commands = [command for page in PAGES for command in commands_of(page)]
    assert len(commands) > 60
    for command in commands:
        if command.reason and not command.is_of_removed:
            parser().parse_args(shlex.split(command.text)[1:])
    assert [start for start in NOT_RUN if not any(each.text.startswith(start) for each in commands)] == []
