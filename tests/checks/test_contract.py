"""Checks: what each promises, and how they are run."""

import re
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import fairviz
from fairviz import installed
from fairviz.checks import CHECKS, Check, Finding, Link
from fairviz.checks.context import NEEDS, Context
from fairviz.checks.running import graver, outcome, outcomes
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.state.registry import PAGES, keys_of
from tests.checks.cases import CASES, LABELS, RULE, only, read_by, relabelled, sound
from tests.conftest import ROOT, Call, refused

KINDS = ("triggers", "passes", "does not apply")
OWN = {check.run.__module__.rpartition(".")[2]: check for check in CHECKS.own.values()}


def test_each_check_is_described_in_the_manual_and_has_its_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs" / "extensions")
    (page,) = __import__("check_pages").pages().values()
    assert set(CASES) == set(OWN)
    assert list(CHECKS.own) == sorted(CHECKS.own)
    for module, check in OWN.items():
        assert set(CASES[module]) >= {"triggers"}, module
        assert any(name.startswith("passes") for name in CASES[module]), module
        assert re.fullmatch(r"FV\d{3}", check.code)
        assert f"({check.code.lower()})=" in page
        assert check.manual == f"reference/generated/checks.html#{check.code.lower()}"
        assert check.question.endswith("?")
        assert not check.title.endswith(".")
        assert all(text.endswith(".") for text in (check.means, check.harmless, check.advice))


LACKS: dict[str, tuple[Callable[[], Study], Settings, str]] = {  # to each need a study that lacks it
    "runs": (lambda: sound(runs=None), Settings(), "the study has no runs"),
    "two systems": (sound, Settings(systems=("left",)), "fewer than two systems are tested"),
    "measures": (
        lambda: sound(labels=None, documents=None, qrels=None), Settings(), "no measure has its data in this study"
    ),
    "measures of labels": (
        lambda: read_by(RULE), Settings(columns=("NFaiRR",)), "no measure of labels has its data in this study"
    ),
    "texts": (lambda: sound(documents=None), Settings(), "the study has no text of documents"),
    "labels": (lambda: sound(labels=None), Settings(), "the study has no gender labels"),
    "machine labels": (sound, Settings(), "no machine's labels count"),
    "several annotators": (lambda: relabelled(ann=LABELS), Settings(), "fewer than two annotators vote"),
}  # fmt: skip


@pytest.mark.parametrize("need", LACKS)
def test_a_check_does_not_apply_where_what_it_needs_is_not_there(need: str) -> None:
    study, settings, _ = LACKS[need]
    context = Context(study(), settings)
    checks = [check for check in CHECKS.own.values() if need in check.needs]
    assert checks
    for check in checks:
        found = outcome(check, context, slow=True)
        before = check.needs[: check.needs.index(need) + 1]  # the first that is lacking is named
        assert found.state == "not applicable", found
        assert any(LACKS[one][2][1:] in found.text for one in before), found


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, cases in CASES.items() for name in cases])
def test_a_check_does_what_its_case_is_for(module: str, name: str) -> None:
    """A finding has a sentence, numbers, a remedy and a place in the app."""
    case, check = CASES[module][name](), OWN[module]
    found = outcome(check, Context(case.study, case.settings, case.looked), slow=True)
    (kind,) = [kind for kind in KINDS if name.startswith(kind)]
    assert found.state == {"triggers": check.severity, "passes": "passed"}.get(kind, "not applicable"), found
    assert case.says in found.text
    finding = found.finding
    assert (finding is not None) == (kind == "triggers")
    if finding is None:
        return
    assert finding.sentence.endswith(".")
    assert finding.remedy.endswith(".")
    assert finding.numbers
    assert all(number == number for number in finding.numbers.values())
    page, choices = finding.link
    assert page in PAGES
    assert (ROOT / "pages" / f"{page}.py").is_file()
    assert set(choices) <= {*CHOICES, *keys_of(page)}
    assert finding.link.address(case.settings).startswith(f"{page}?")
    assert {*MEASURES, case.settings.effectiveness}.issuperset(finding.measures), "by which figures are marked"


def test_what_a_study_has_leaves_no_check_out_and_what_it_lacks_is_named(newswire: Study) -> None:
    """Packages' checks may need what no check of ours does."""
    whole = Context(newswire, Settings(annotator="lexicon", voters=("lexicon", "mentions")))
    bare = Context(make_study("bare"), Settings())
    assert [NEEDS[name](whole) for name in NEEDS] == [""] * len(NEEDS)
    assert all(NEEDS[name](bare) for name in NEEDS)
    assert NEEDS["qrels"](bare) == "the study has no relevance judgements"


def test_newswire_has_a_background_of_its_runs_and_one_reader_and_no_other_flaw(newswire: Study) -> None:
    context = Context(newswire, Settings())
    codes = [f"FV{number}" for number in (*range(101, 111), 113, 115, 119)]
    assert [code for code in codes if outcome(CHECKS[code], context, slow=True).finding] == ["FV110", "FV113"]


# --- as they are run: muted, of packages, and by the command line and Python

FOUND = Finding("There is one.", {"one": 1}, "Take it out.", Link("overview"))
Lay = Callable[..., None]


@pytest.fixture
def three() -> Iterator[None]:
    """The program has the first three checks alone."""
    with only():
        yield


@pytest.fixture
def lay(three: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lay]:
    """A function that lays checks into packages beside the first three."""

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


def states(study: Study, **options: Any) -> dict[str, str]:
    return {one.check.code: one.state for one in outcomes(Context(study, Settings()), **options)}


def test_a_muted_finding_is_shown_with_its_reason_and_does_not_count(three: None, call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    fairviz.save_study(fairviz.open_study("football"), folder)
    assert call("check", folder, "--claims --fail-on issue --format json", status=3).json[0]["state"] == "issue"
    with open(folder / "study.toml", "a", encoding="utf-8") as file:
        file.write('\n[checks.muted]\nFV103 = "One query, as in the paper."\n')
    (row,) = [row for row in call("check", folder, "--claims --fail-on tip --format json").json if row["muted"]]
    assert (row["code"], row["state"], row["muted"]) == ("FV103", "muted", "One query, as in the paper.")
    assert row["finding"].startswith("There is 1 query")
    fairviz.save_study(sound(muted={"FV103": 'Few "queries".'}), tmp_path / "saved")
    assert fairviz.open_study(tmp_path / "saved").muted == {"FV103": 'Few "queries".'}
    assert states(sound(muted={"FV103": "Known."}))["FV103"] == "passed", "what finds nothing is not muted"


def test_what_cannot_be_muted(three: None, tmp_path: Path) -> None:
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


def test_a_check_of_a_package_is_one_of_them_and_the_status_follows_the_gravest_finding(lay: Lay) -> None:
    for severity, issues in (("tip", []), ("issue", ["XY001"])):
        lay(theirs(severity=severity))
        row = fairviz.check_claims(sound()).set_index("code").loc["XY001"]
        assert (row["state"], row["link"]) == (severity, "overview?study=made")
        found = outcomes(Context(sound(), Settings(background="collection")))
        assert (graver(found, "issue"), graver(found, "tip")) == (issues, ["XY001"])
    lay(theirs(slow=True))
    assert states(sound())["XY001"] == "not run", "a slow check runs on request"
    assert states(sound(), slow=True)["XY001"] == "tip"
    assert states(sound(runs=None))["XY001"] == "not applicable"


@pytest.mark.parametrize("end", [ValueError("wrong"), SystemExit(0)], ids=repr)
def test_a_fault_of_a_package_is_a_check_that_could_not_run(lay: Lay, end: BaseException) -> None:
    def run(context: Context) -> None:
        raise end

    lay(theirs(run), theirs(lambda context: "text", code="XY002"), theirs(needs=(run,), code="XY003"))
    found = {one.check.code: one for one in outcomes(Context(sound(), Settings()))}
    assert {found[f"XY00{place}"].state for place in (1, 2, 3)} == {"could not run"}
    assert found["XY001"].text.startswith("XY001 (package theirs:R0) fails: ")
    assert found["XY002"].text.startswith("XY002 (package theirs:R1) finds 'text'.")
    assert found["FV103"].state == "passed"


def test_what_a_package_changes_stays_with_it_and_a_record_that_cannot_be_used_is_left_out(lay: Lay) -> None:
    def run(context: Context) -> None:
        context.study.labels["label"] = "female"
        context.summary["value"] = 0.0

    lay(theirs(run))
    context = Context(sound(), Settings())
    before = context.summary["value"].tolist()
    outcomes(context)
    assert context.summary["value"].tolist() == before
    assert context.study.labels["label"].nunique() == 3
    for fields, reason in (
        ({"code": "FV777"}, "its code is 'FV777'"),
        ({"code": "own"}, "its code is 'own'"),
        ({"severity": "grave"}, "its severity is 'grave', and not one of issue, tip"),
        ({"needs": ("money",)}, "it needs 'money', and not one of runs"),
    ):
        lay(theirs(**fields))
        assert list(CHECKS) == list(CHECKS.own)
        assert reason in installed.faults("fairviz.checks")[0]


def test_command_line_and_python_give_the_same_table(three: None, call: Call) -> None:
    said = call("check newswire --claims --annotator lexicon --k 5 --format json").json
    table = fairviz.check_claims(fairviz.open_study("newswire"), annotator="lexicon", cutoff=5)
    assert said == table.to_dict("records")
    assert list(table["code"]) == list(dict.fromkeys(table["code"]))
    assert set(table["code"]) == set(CHECKS)
    for options in ("--fail-on issue", "--slow", "--k 5"):
        assert "Add --claims" in call(f"check football {options}", status=2).err
