"""Rights on a server: each role at each change, the private additions of a person, and the log."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st

import fairviz
from fairviz.annotation import adjudications
from fairviz.annotation.forms.drawing import SamplePlan
from fairviz.annotation.forms.forms import close, make_form
from fairviz.datasets import save_labels, save_runs, stored_names
from fairviz.datasets.additions import delete_run
from fairviz.datasets.offers import decline, offer, offers, take
from fairviz.datasets.registry import fetch
from fairviz.errors import FairvizError
from fairviz.extensions.server.access import changes, person_folder
from fairviz.extensions.server.configuration import Login, ServerConfig
from fairviz.home import data_home, studies_folder, write_whole
from fairviz.home.permissions import Limits, Visitor, additions_folder, permissions, visiting
from fairviz.study.record import Annotator, Study
from fairviz.study.study import save_study
from fairviz.ui.kept.tables import study_named
from fairviz.ui.state import library

ADA, BOB, CARL, EVE = (Visitor(f"{name}@x.org") for name in ("ada", "bob", "carl", "eve"))
CONFIG = ServerConfig(
    login=Login(header="X-User"),
    roles={"owner": ("ada@x.org",), "viewer": ("bob@x.org",)},
    studies={"mine": {"annotator": ("carl@x.org",)}, "football": {"annotator": ("carl@x.org",)}},
)
STUDIES = pytest.mark.parametrize("name", ["mine", "football"])  # the server's own, and a built-in one
HELD = {EVE: "", BOB: "viewer", CARL: "annotator", ADA: "owner"}
ORDER = ("", "viewer", "annotator", "owner")


@pytest.fixture(autouse=True)
def _served(serve: Callable, studies: Path) -> None:
    serve(CONFIG)


def run(name: str) -> pd.DataFrame:
    runs = fairviz.open_study("football").runs
    one = runs[runs["system"] == runs["system"].iloc[0]]
    return one.assign(system=pd.Categorical([name] * len(one)))


def add_labels(study: Study, name: str) -> None:
    rows = study.labels.drop_duplicates("doc_id").head(3)
    labels = rows.assign(annotator=pd.Series([name] * 3, dtype="str", index=rows.index)).reset_index(drop=True)
    save_labels(study, labels, {name: Annotator(name, "rule")})


def refused(part: str) -> AbstractContextManager:
    return pytest.raises(FairvizError, match=re.escape(part))


def test_the_roles_of_the_configuration_decide_who_sees_a_study(studies: Path) -> None:
    for person, roles in (
        (ADA, ("owner", "owner")), (BOB, ("viewer", "viewer")), (CARL, ("annotator", "")), (EVE, ("", "")),
        (None, ("", "")),
    ):  # fmt: skip
        with visiting(person):
            assert (permissions().role("mine"), permissions().role("newswire")) == roles
            assert permissions().is_server_owner() == (person == ADA)
            assert ("mine" in stored_names()) == bool(roles[0])
            for name, role in zip(("mine", "newswire"), roles, strict=True):
                if not role:
                    with refused(f"there is no study {name!r}"):
                        fairviz.open_study(name)
            with refused("there is no study"):  # nobody opens a path
                fairviz.open_study(str(studies / "mine"))
    person_folder(EVE).mkdir(parents=True)
    with visiting(EVE):  # no name gives rights to a place
        names = ("..", "../mine", ".hidden", "a/b", "mine\0", "", "newswire")
        assert [permissions().role(name) for name in names] == [""] * len(names)


def first(study: Study) -> str:
    return str(study.documents["doc_id"].iloc[0])


def undo(study: Study) -> None:
    adjudications.decide(study, first(study), "male")
    adjudications.undo(study, first(study))


FORM = SamplePlan(documents=4, per_document=1, test_every=0)
CHANGES: dict[str, Callable[[Study], object]] = {
    "decide": lambda study: adjudications.decide(study, first(study), "female", author="somebody else"),
    "undo": undo,
    "form": lambda study: make_form(study, FORM, "Read."),
    "close": close,
    "import": lambda study: adjudications.add_rows(study, []),
}


@STUDIES
def test_each_change_needs_its_role_and_is_logged_under_the_login(name: str) -> None:
    for person, allowed in ((BOB, ()), (CARL, ("decide", "undo")), (ADA, CHANGES)):
        with visiting(person):
            study = fairviz.open_study(name)
            for change, make in CHANGES.items():
                before = len(changes())
                with nullcontext() if change in allowed else refused("may look at"):
                    make(study)
                new = {(row["who"], row["study"]) for row in changes()[before:]}
                assert new == ({(person.name, name)} if change in allowed else set()), change
    with visiting(BOB):  # decisions are for all
        authors = adjudications.history(fairviz.open_study(name))["author"]
    assert list(dict.fromkeys(authors)) == [CARL.name, ADA.name]


@STUDIES
def test_additions_are_private_without_the_role_and_an_owners_are_for_all(name: str) -> None:
    with visiting(BOB):
        study = fairviz.open_study(name)
        assert study.read_only
        save_runs(study, run("bobs"))
        add_labels(study, "bobs")
        own = fairviz.open_study(name)
        assert "bobs" in own.systems
        assert "bobs" in set(own.labels["annotator"])
        assert additions_folder(name).is_relative_to(person_folder(BOB))
    for person in (ADA, CARL):
        with visiting(person):
            other = fairviz.open_study(name)
            assert "bobs" not in other.systems
            assert other.fingerprint != own.fingerprint
    assert not changes()
    with visiting(ADA):
        save_runs(fairviz.open_study(name), run("adas"))
        add_labels(fairviz.open_study(name), "adas")
    with visiting(BOB):
        delete_run(own, "bobs")
        study = fairviz.open_study(name)
        assert "bobs" not in study.systems
        assert "adas" in study.systems
        assert "adas" in set(study.labels["annotator"])
        with refused("the run adas is part of"):
            save_runs(study, run("adas"), replace=True)
    assert [row["deed"] for row in changes()] == ["add runs", "add labels"]


def test_a_new_study_is_of_the_person_who_saves_it(studies: Path) -> None:
    with visiting(BOB):
        study = fairviz.open_study("football")
        save_study(replace(study, name="small"), permissions().folder_to_save("small"))
        assert "small" in stored_names()
        assert permissions().allows("small", "owner")
        assert not fairviz.open_study("small").read_only
        with refused("may not change"):
            save_study(replace(study, name="forced"), studies / "forced")
    with visiting(CARL):
        assert "small" not in stored_names()
        with refused("there is no study"):
            fairviz.open_study("small")
    with visiting(ADA):
        assert permissions().folder_to_save("new") == studies / "new"


def test_each_person_has_a_folder_of_her_own_among_the_people() -> None:
    names = ["a", "A", "a.", ".a", "a/b", "a%2Fb", "%2Ea", ".", "..", "%", "", "a" * 200, "a" * 199 + "b",
             "a/../../b", "/etc/x", "%2E%2E", "x\\y"]  # fmt: skip
    folders = [person_folder(Visitor(name)) for name in names]
    assert {folder.parent for folder in folders} == {data_home() / "people"}
    assert {"..", ".", ""}.isdisjoint(folder.name for folder in folders)
    assert len(set(folders)) == len(names)


def test_a_write_is_checked_by_its_path(tmp_path: Path, studies: Path) -> None:
    """A change that forgets to name its role is refused beneath."""
    for place, least in (
        ("prompts/x.txt", "owner"), ("vectors/x", "owner"), ("adapters/x", "owner"), ("unheard-of", "owner"),
        ("additions/football/runs/x", "owner"), ("additions/football/adjudications.sqlite", "annotator"),
        ("people/ada@x.org/x", "owner"), ("cache/x", ""), ("answers.sqlite", ""), ("asking/x", ""),
    ):  # fmt: skip
        for person, held in HELD.items():
            may = ORDER.index(held) >= ORDER.index(least)
            with visiting(person), nullcontext() if may else refused("may not change"):
                permissions().check_write(data_home() / place)
    file = studies / "mine" / "study.toml"
    before = file.read_bytes()
    with visiting(CARL):
        with refused("may not change mine"):
            write_whole(file, "")
        with refused("may not fetch data sets"):
            fetch("grep-biasir")
    assert file.read_bytes() == before
    write_whole(tmp_path / "elsewhere.txt", "x")  # neither data folder nor studies
    with visiting(ADA):
        write_whole(file, before)


@pytest.mark.parametrize("change", [{"read_only": True}, {"demo": True}], ids=str)
def test_a_read_only_server_and_a_demo_store_nothing_of_anybody(serve: Callable, change: dict) -> None:
    serve(replace(CONFIG, **change))
    for person in (ADA, BOB, CARL):
        with visiting(person):
            study = fairviz.open_study("mine")
            with refused("may look at mine"):
                save_runs(study, run("x"))
            with refused("may look at mine"):
                adjudications.decide(study, first(study), "female")
            own = data_home() / "people" / person.name
            places = [own, own / "studies" / "copy", data_home() / "offers" / "mine", data_home() / "labelling" / "f"]
            places += [data_home() / name for name in ("answers.sqlite", "requests.sqlite", "changes.jsonl", "new")]
            for place in places:
                with refused("this server is read-only"):
                    permissions().check_write(place)
            with refused("this server is read-only"):
                permissions().folder_to_save("copy")
            permissions().log("mine", "decide")
            permissions().check_write(data_home() / "cache" / "x")
    with refused("this server is read-only"):
        permissions().check_write(data_home() / "labelling" / "forms.sqlite")
    assert not (data_home() / "people").exists()
    assert not (data_home() / "changes.jsonl").exists()


def test_without_a_login_the_machines_user_owns_all(serve: Callable) -> None:
    serve(ServerConfig(builtin=False))
    with visiting(Visitor("root")):
        assert (permissions().role("mine"), permissions().role("newswire")) == ("owner", "")
    with visiting(None):
        assert permissions().role("mine") == ""


def test_what_is_handed_in_is_taken_or_declined_by_an_owner() -> None:
    with visiting(BOB):
        save_runs(fairviz.open_study("mine"), run("bobs"))
        add_labels(fairviz.open_study("mine"), "bobs labels")
        study = fairviz.open_study("mine")
        offer(study, "runs", "bobs")
        offer(study, "labels", "bobs labels")
        with refused("may look at mine"):
            offers(study)
        with refused("has no runs 'none'"):
            offer(study, "runs", "none")
    with visiting(ADA):
        study = fairviz.open_study("mine")
        waiting = offers(study)
        assert [(one.person, one.part, one.name) for one in waiting] == [
            (BOB.name, "runs", "bobs"),
            (BOB.name, "labels", "bobs labels"),
        ]
        take(study, waiting[0])
        decline(study, waiting[1])
        assert offers(study) == ()
        study = fairviz.open_study("mine")
        assert "bobs" in study.systems
        assert "bobs labels" not in set(study.labels["annotator"])
    with visiting(BOB):  # whose own run of that name gives way to the study's
        study = fairviz.open_study("mine")
        assert list(study.systems).count("bobs") == 1
        assert "bobs: the study has one of that name now; your own is left out." in study.warnings
        assert "bobs labels" in set(study.labels["annotator"])
    assert [(row["who"], row["deed"]) for row in changes()] == [
        (BOB.name, "hand in"), (BOB.name, "hand in"), (ADA.name, "add runs"), (ADA.name, "take over"),
        (ADA.name, "decline"),
    ]  # fmt: skip


def test_what_a_person_stores_is_bounded(serve: Callable) -> None:
    def stored() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in person_folder(BOB).rglob("*") if path.is_file()}

    serve(replace(CONFIG, limits=Limits(person_megabytes=1, person_studies=2, person_offers=2)))
    with visiting(BOB):
        study = fairviz.open_study("football")
        (folder := permissions().folder_to_save("one")).parent.mkdir(parents=True, exist_ok=True)
        save_study(replace(study, name="one", read_only=False), folder)
        documents = pd.DataFrame({"doc_id": ["d"], "text": ["x" * 1_100_000]})
        queries = pd.DataFrame({"query_id": ["q"], "text": ["q"]})
        large = fairviz.make_study("large", documents=documents, queries=queries)
        before = stored()
        with refused("you may store 1 MB"):
            save_study(large, person_folder(BOB) / "studies" / "large")
        assert stored() == before
        save_study(replace(study, name="two", read_only=False), permissions().folder_to_save("two"))
        with refused("you have 2 studies of your own"):
            permissions().folder_to_save("three")
        assert permissions().folder_to_save("two").is_dir()
        for name in ("a", "b", "c"):
            save_runs(fairviz.open_study("mine"), run(name))
        bob = fairviz.open_study("mine")
        for name in ("a", "b"):
            offer(bob, "runs", name)
        with refused("2 parts of yours wait for owners"):
            offer(bob, "runs", "c")
    with visiting(CARL):
        save_runs(fairviz.open_study("mine"), run("c"))
        offer(fairviz.open_study("mine"), "runs", "c")


def test_messages_name_no_folder_of_the_machine_but_to_its_owner() -> None:
    home, studies = data_home(), studies_folder()
    text = f"could not write {home}/people/bob@x.org/x.run: No space; {studies / 'mine'} and '{Path.home() / 'a/b'}'."
    with visiting(BOB):
        assert permissions().without_paths(text) == "could not write x.run: No space; mine and 'b'."
        assert permissions().without_paths("NFaiRR/TED of 3/4, see /audit") == "NFaiRR/TED of 3/4, see /audit"
    with visiting(ADA):
        assert permissions().without_paths(text) == text


def test_sessions_share_what_was_computed_and_not_what_a_person_may_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A study without decisions, and one with: whoever opened it before."""
    monkeypatch.setattr(st, "session_state", {})
    stamps, owners = {}, {}
    for decides in (False, True):
        for person, read_only in ((BOB, True), (ADA, False), (CARL, True), (ADA, False), (BOB, True)):
            with visiting(person):
                study = study_named("mine")
                assert study.read_only == read_only
                stamps[person], owners[person] = library.stamp("mine"), library.owner(study)
                if person == CARL and not decides:
                    adjudications.decide(study, first(study), study.neutral)
        assert stamps[BOB] != stamps[ADA]
    assert owners == {ADA: "", BOB: BOB.name, CARL: CARL.name}, "work on private parts is shared with nobody"
    with visiting(BOB):
        assert library.names()[0] == "mine"
    with visiting(None):
        assert library.names() == ()
        with refused("there is no study"):
            library.stamp("mine")
