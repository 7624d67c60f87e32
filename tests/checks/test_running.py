"""Checks as they are run: muted, on request, of packages, and by the command line and Python."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import fairviz
from fairviz import installed
from fairviz.checks import CHECKS, Check, Finding, Link
from fairviz.checks.context import Context
from fairviz.checks.running import graver, outcomes
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from tests.checks.cases import only, sound
from tests.conftest import ROOT, Call, refused

FOUND = Finding("There is one.", {"one": 1}, "Take it out.", Link("overview"))


@pytest.fixture(autouse=True)
def three() -> Iterator[None]:
    """The program has the first three checks alone."""
    with only():
        yield


@pytest.fixture
def lay(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """A function that lays checks into packages beside those that are installed."""

    def forget() -> None:
        installed.added.cache_clear()
        installed._FAULTS.clear()
        vars(CHECKS).pop("_records", None)

    def laid(*records: Any) -> None:
        space = SimpleNamespace(**{f"R{place}": record for place, record in enumerate(records)})
        monkeypatch.setitem(__import__("sys").modules, "theirs", space)
        entries = [EntryPoint(name, f"theirs:{name}", "fairviz.checks") for name in vars(space)]
        monkeypatch.setattr(installed, "_all_entries", lambda: EntryPoints(entries))
        forget()

    yield laid
    monkeypatch.undo()
    forget()


def theirs(run: Callable[..., Any] = lambda context: FOUND, **fields: Any) -> Check:
    values = {"code": "XY001", "title": "a title", "question": "Why?", "needs": ("runs",), "severity": "tip"}
    texts = dict.fromkeys(("means", "harmless", "advice"), "Nothing.")
    return Check(**{**values, "run": run, **texts, **fields})


def states(study: fairviz.study.record.Study, **options: Any) -> dict[str, str]:
    return {one.check.code: one.state for one in outcomes(Context(study, Settings()), **options)}


def test_a_muted_finding_is_shown_with_its_reason_and_does_not_count(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    fairviz.save_study(fairviz.open_study("football"), folder)
    assert call("check", folder, "--claims --fail-on issue --format json", status=3).json[0]["state"] == "issue"
    with open(folder / "study.toml", "a", encoding="utf-8") as file:
        file.write('\n[checks.muted]\nFV103 = "One query, as in the paper."\n')
    rows = call("check", folder, "--claims --fail-on tip --format json").json
    row = next(row for row in rows if row["code"] == "FV103")
    assert (row["state"], row["muted"]) == ("muted", "One query, as in the paper.")
    assert row["finding"].startswith("There is 1 query")
    fairviz.save_study(sound(muted={"FV103": 'Few "queries".'}), tmp_path / "saved")
    assert fairviz.open_study(tmp_path / "saved").muted == {"FV103": 'Few "queries".'}
    assert states(sound(muted={"FV103": "Known."}))["FV103"] == "passed", "what finds nothing is not muted"


def test_what_cannot_be_muted(tmp_path: Path) -> None:
    fairviz.save_study(sound(), tmp_path / "own")
    file = tmp_path / "own" / "study.toml"
    written = file.read_text()
    for text, problem in (
        ("[checks.muted]\nFV103 = 3", "checks.muted gives no reason for FV103: '3'"),
        ('[checks.muted]\nFV103 = " "', "checks.muted gives no reason for FV103: ' '"),
        ("[checks]\nmuted = ['FV103']", "checks.muted is not a table of codes with reasons: \"['FV103']\""),
        ("[checks]\nmute = 3", "checks has an unknown key 'mute'; it has muted alone"),
    ):
        file.write_text(f"{written}\n{text}\n")
        with pytest.raises(FairvizError) as caught:
            fairviz.open_study(tmp_path / "own")
        assert problem in str(caught.value)
    unknown = "study.toml mutes 'XX999', which no check has as its code\n"
    with refused(f"{unknown}Use one of {', '.join(CHECKS)}."):
        fairviz.check_claims(sound(muted={"XX999": "Known."}))


def test_a_check_of_a_package_is_one_of_them(lay: Callable[..., None]) -> None:
    lay(theirs())
    row = fairviz.check_claims(sound()).set_index("code").loc["XY001"]
    assert (row["state"], row["link"]) == ("tip", "overview?study=made")
    lay(theirs(slow=True))
    assert states(sound())["XY001"] == "not run", "a slow check runs on request"
    assert states(sound(), slow=True)["XY001"] == "tip"
    assert states(sound(runs=None))["XY001"] == "not applicable"


@pytest.mark.parametrize("end", [ValueError("wrong"), SystemExit(0)], ids=repr)
def test_a_fault_of_a_package_is_a_check_that_could_not_run(lay: Callable[..., None], end: BaseException) -> None:
    def run(context: Context) -> None:
        raise end

    lay(theirs(run), theirs(lambda context: "text", code="XY002"), theirs(needs=(run,), code="XY003"))
    found = {one.check.code: one for one in outcomes(Context(sound(), Settings()))}
    assert {found[f"XY00{place}"].state for place in (1, 2, 3)} == {"could not run"}
    assert found["XY001"].text.startswith("XY001 (package theirs:R0) fails: ")
    assert found["XY002"].text.startswith("XY002 (package theirs:R1) finds 'text'.")
    assert found["FV103"].state == "passed"


def test_what_a_package_changes_stays_with_it(lay: Callable[..., None]) -> None:
    def run(context: Context) -> None:
        context.study.labels["label"] = "female"
        context.summary["value"] = 0.0

    lay(theirs(run))
    context = Context(sound(), Settings())
    before = context.summary["value"].tolist()
    outcomes(context)
    assert context.summary["value"].tolist() == before
    assert context.study.labels["label"].nunique() == 3


def test_a_record_that_cannot_be_used_is_left_out(lay: Callable[..., None]) -> None:
    for fields, reason in (
        ({"code": "FV777"}, "its code is 'FV777'"),
        ({"code": "own"}, "its code is 'own'"),
        ({"severity": "grave"}, "its severity is 'grave', and not one of issue, tip"),
        ({"needs": ("money",)}, "it needs 'money', and not one of runs"),
    ):
        lay(theirs(**fields))
        assert list(CHECKS) == list(CHECKS.own)
        assert reason in installed.faults("fairviz.checks")[0]


def test_command_line_and_python_give_the_same_table(call: Call) -> None:
    said = call("check newswire --claims --annotator lexicon --k 5 --format json").json
    table = fairviz.check_claims(fairviz.open_study("newswire"), annotator="lexicon", cutoff=5)
    assert said == table.to_dict("records")
    assert list(table["code"]) == list(dict.fromkeys(table["code"]))
    assert set(table["code"]) == set(CHECKS)
    for options in ("--fail-on issue", "--slow", "--k 5"):
        assert "Add --claims" in call(f"check football {options}", status=2).err


def test_the_status_follows_the_gravest_finding(lay: Callable[..., None]) -> None:
    context = Context(sound(), Settings(background="collection"))
    for severity, issues in (("tip", []), ("issue", ["XY001"])):
        lay(replace(theirs(), severity=severity))
        found = outcomes(context)
        assert (graver(found, "issue"), graver(found, "tip")) == (issues, ["XY001"])


def test_the_manual_has_an_anchor_for_each_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs" / "extensions")
    (page,) = __import__("check_pages").pages().values()
    for code, check in CHECKS.own.items():
        assert f"({code.lower()})=" in page
        assert check.manual == f"reference/generated/checks.html#{code.lower()}"
