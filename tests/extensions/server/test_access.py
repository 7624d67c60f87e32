"""Rights on a server: each role at each change, the private additions of a person, and the log."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

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
from tests.extensions.server.configured import configure

ADA, BOB, CARL, EVE = (Visitor(f"{name}@x.org") for name in ("ada", "bob", "carl", "eve"))
CONFIG = ServerConfig(
    login=Login(header="X-User"),
    roles={"owner": ("ada@x.org",), "viewer": ("bob@x.org",)},
    studies={"mine": {"annotator": ("carl@x.org",)}, "football": {"annotator": ("carl@x.org",)}},
)


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[ServerConfig], None]:
    """Makes this process that of a server, whose folder has the study `mine`."""
    start = partial(configure, tmp_path, patch=monkeypatch)
    start(CONFIG)
    return start


def run(name: str) -> pd.DataFrame:
    runs = fairviz.open_study("football").runs
    one = runs[runs["system"] == runs["system"].iloc[0]]
    return one.assign(system=pd.Categorical([name] * len(one)))


def labels(study: Study, name: str) -> pd.DataFrame:
    rows = study.labels.drop_duplicates("doc_id").head(3)
    return rows.assign(annotator=pd.Series([name] * 3, dtype="str", index=rows.index)).reset_index(drop=True)


@contextmanager
def refused(part: str) -> Iterator[None]:
    with pytest.raises(FairvizError) as told:
        yield
    assert part in str(told.value)


@pytest.mark.usefixtures("serve")
@pytest.mark.parametrize(
    ("person", "roles"),
    [(ADA, ("owner", "owner")), (BOB, ("viewer", "viewer")), (CARL, ("annotator", "")), (EVE, ("", "")),
     (None, ("", ""))],
)  # fmt: skip
def test_a_person_has_the_roles_of_the_configuration(person: Visitor | None, roles: tuple[str, str]) -> None:
    with visiting(person):
        assert (permissions().role("mine"), permissions().role("newswire")) == roles
        assert permissions().is_server_owner() == (person == ADA)
        assert ("mine" in stored_names()) == bool(roles[0])


def test_a_study_without_a_role_is_not_opened(serve: Callable) -> None:
    for person in (EVE, None):
        with visiting(person), refused("there is no study 'mine'"):
            fairviz.open_study("mine")
    with visiting(CARL), refused("there is no study 'newswire'"):
        fairviz.open_study("newswire")


def test_nobody_opens_a_path(serve: Callable, tmp_path: Path) -> None:
    with visiting(ADA), refused("there is no study"):
        fairviz.open_study(str(tmp_path / "studies" / "mine"))


def changes_by_role() -> dict[str, tuple[str, Callable[[Study], object]]]:
    """Every change of a study: the role that it needs, and the change."""
    form = SamplePlan(documents=4, per_document=1, test_every=0)
    return {
        "decide": ("annotator", lambda s: adjudications.decide(s, first(s), "female", author="someone")),
        "undo": ("annotator", lambda s: undo(s)),
        "form": ("owner", lambda s: make_form(s, form, "Read.")),
        "close": ("owner", lambda s: close(s)),
        "import": ("owner", lambda s: adjudications.add_rows(s, [])),
    }


def first(study: Study) -> str:
    return str(study.documents["doc_id"].iloc[0])


def undo(study: Study) -> None:
    adjudications.decide(study, first(study), "male")
    adjudications.undo(study, first(study))


@pytest.mark.parametrize("name", ["mine", "football"])
@pytest.mark.parametrize("change", ["decide", "undo", "form", "close", "import"])
@pytest.mark.parametrize(("person", "held"), [(ADA, "owner"), (CARL, "annotator"), (BOB, "viewer")])
def test_a_change_needs_its_role(serve: Callable, name: str, change: str, person: Visitor, held: str) -> None:
    needed, make = changes_by_role()[change]
    order = ("viewer", "annotator", "owner")
    with visiting(person):
        study = fairviz.open_study(name)
        if order.index(held) >= order.index(needed):
            make(study)
            assert [(row["who"], row["study"]) for row in changes()] == [(person.name, name)] * len(changes())
            assert changes()
        else:
            with refused("may look at"):
                make(study)
            assert not changes()


def test_the_login_is_the_author(serve: Callable) -> None:
    with visiting(CARL):
        study = fairviz.open_study("mine")
        adjudications.decide(study, first(study), "female", author="somebody else")
        history = adjudications.history(fairviz.open_study("mine"))
    assert list(history["author"]) == [CARL.name]
    with visiting(BOB):  # decisions are for all
        assert list(adjudications.history(fairviz.open_study("mine"))["author"]) == [CARL.name]


@pytest.mark.parametrize("name", ["mine", "football"])
def test_additions_without_the_role_are_private(serve: Callable, name: str) -> None:
    with visiting(BOB):
        study = fairviz.open_study(name)
        assert study.read_only
        save_runs(study, run("bobs"))
        save_labels(study, labels(study, "bobs"), {"bobs": Annotator("bobs", "rule")})
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
    with visiting(BOB):
        delete_run(own, "bobs")
        assert "bobs" not in fairviz.open_study(name).systems


@pytest.mark.parametrize("name", ["mine", "football"])
def test_what_an_owner_adds_is_for_all(serve: Callable, name: str) -> None:
    with visiting(ADA):
        save_runs(fairviz.open_study(name), run("adas"))
    with visiting(BOB):
        study = fairviz.open_study(name)
        assert "adas" in study.systems
        with refused("the run adas is part of"):
            save_runs(study, run("adas"), replace=True)
    assert [row["deed"] for row in changes()] == ["add runs"]


def test_a_new_study_is_of_the_person_who_saves_it(serve: Callable, tmp_path: Path) -> None:
    with visiting(BOB):
        study = fairviz.open_study("football")
        save_study(replace(study, name="small"), permissions().folder_to_save("small"))
        assert "small" in stored_names()
        assert permissions().allows("small", "owner")
        assert not fairviz.open_study("small").read_only
        with refused("may not change"):
            save_study(replace(study, name="forced"), tmp_path / "studies" / "forced")
    with visiting(CARL):
        assert "small" not in stored_names()
        with refused("there is no study"):
            fairviz.open_study("small")
    with visiting(ADA):
        assert permissions().folder_to_save("new") == tmp_path / "studies" / "new"


@pytest.mark.parametrize("name", ["..", "../mine", ".hidden", "a/b", "mine\0", "", "newswire"])
def test_a_name_gives_no_rights_to_a_place(serve: Callable, name: str) -> None:
    person_folder(EVE).mkdir(parents=True)
    with visiting(EVE):
        assert permissions().role(name) == ""


@pytest.mark.parametrize("name", ["..", ".", "a/../../b", "/etc/x", "%2E%2E", "x\\y"])
def test_a_persons_folder_lies_among_the_people(name: str) -> None:
    folder = person_folder(Visitor(name))
    assert folder.parent == data_home() / "people"
    assert folder.name not in ("..", ".", "")
    assert person_folder(Visitor(name)) == folder


def test_two_people_have_two_folders() -> None:
    names = ["a", "A", "a.", ".a", "a/b", "a%2Fb", "%2Ea", ".", "..", "%", "", "a" * 200, "a" * 199 + "b"]
    assert len({person_folder(Visitor(name)) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("parts", "least"),
    [
        (("prompts", "x.txt"), "owner"),
        (("vectors", "x"), "owner"),
        (("adapters", "x"), "owner"),
        (("unheard-of",), "owner"),
        (("additions", "football", "runs", "x"), "owner"),
        (("additions", "football", "adjudications.sqlite"), "annotator"),
        (("people", "ada@x.org", "x"), "owner"),
        (("cache", "x"), ""),
        (("answers.sqlite",), ""),
        (("asking", "x"), ""),
    ],
)
def test_a_write_is_checked_by_its_path(serve: Callable, parts: tuple[str, ...], least: str) -> None:
    """A change that forgets to name its role is refused beneath."""
    order = ("", "viewer", "annotator", "owner")
    for person, held in ((EVE, ""), (BOB, "viewer"), (CARL, "annotator"), (ADA, "owner")):
        with visiting(person):
            if order.index(held) >= order.index(least):
                permissions().check_write(data_home().joinpath(*parts))
            else:
                with refused("may not change"):
                    permissions().check_write(data_home().joinpath(*parts))


def test_files_of_studies_are_checked_as_they_are_written(serve: Callable, tmp_path: Path) -> None:
    file = tmp_path / "studies" / "mine" / "study.toml"
    before = file.read_bytes()
    with visiting(CARL), refused("may not change mine"):
        write_whole(file, "")
    assert file.read_bytes() == before
    write_whole(tmp_path / "elsewhere.txt", "x")  # neither data folder nor studies
    with visiting(ADA):
        write_whole(file, before)


def test_who_owns_the_server_fetches(serve: Callable) -> None:
    with visiting(CARL), refused("may not fetch data sets"):
        fetch("grep-biasir")


@pytest.mark.parametrize("config", [replace(CONFIG, read_only=True), ServerConfig(demo=True)], ids=["read", "demo"])
def test_nobody_changes_a_read_only_server(serve: Callable, config: ServerConfig) -> None:
    serve(config)
    for person in (ADA, BOB, CARL) if config.read_only else (Visitor(""),):
        with visiting(person):
            study = fairviz.open_study("mine")
            for change in (lambda s: save_runs(s, run("x")), lambda s: adjudications.decide(s, first(s), "female")):
                with refused("may look at mine"):
                    change(study)
    assert not (data_home() / "people").exists()
    assert not changes()


def test_without_a_login_the_machines_user_owns_all(serve: Callable) -> None:
    serve(ServerConfig(builtin=False))
    with visiting(Visitor("root")):
        assert permissions().role("mine") == "owner"
        assert permissions().role("newswire") == ""
    with visiting(None):
        assert permissions().role("mine") == ""


def test_outside_a_server_everything_is_allowed_and_nothing_logged() -> None:
    assert permissions().role("newswire") == "owner"
    permissions().check_write(data_home() / "prompts" / "x")
    permissions().log("newswire", "decide")
    assert not changes()


def test_a_line_cut_off_by_a_crash_is_left_out(serve: Callable) -> None:
    with visiting(ADA):
        permissions().log("mine", "decide", "d1", "fe\nmale")
        with (data_home() / "changes.jsonl").open("a") as stream:
            stream.write('{"time": "20')
    assert [row["details"] for row in changes()] == ["d1 fe\nmale"]


def test_what_is_handed_in_is_taken_or_declined_by_an_owner(serve: Callable) -> None:
    with visiting(BOB):
        save_runs(fairviz.open_study("mine"), run("bobs"))
        study = fairviz.open_study("mine")
        save_labels(study, labels(study, "bobs labels"), {"bobs labels": Annotator("bobs labels", "rule")})
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


@pytest.mark.parametrize("config", [replace(CONFIG, read_only=True), replace(CONFIG, demo=True)])
def test_a_read_only_server_stores_nothing_of_anybody(serve: Callable, config: ServerConfig) -> None:
    serve(config)
    for person in (ADA, BOB, CARL):
        with visiting(person):
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
    assert not (data_home() / "changes.jsonl").exists()


def test_what_a_person_stores_is_bounded(serve: Callable, tmp_path: Path) -> None:
    serve(replace(CONFIG, limits=Limits(person_megabytes=1, person_studies=2, person_offers=2)))
    with visiting(BOB):
        study = fairviz.open_study("football")
        (folder := permissions().folder_to_save("one")).parent.mkdir(parents=True, exist_ok=True)
        save_study(replace(study, name="one", read_only=False), folder)
        documents = pd.DataFrame({"doc_id": ["d"], "text": ["x" * 1_100_000]})
        large = fairviz.make_study(
            "large", documents=documents, queries=pd.DataFrame({"query_id": ["q"], "text": ["q"]})
        )
        before = {path: path.read_bytes() for path in person_folder(BOB).rglob("*") if path.is_file()}
        with refused("you may store 1 MB"):
            save_study(large, person_folder(BOB) / "studies" / "large")
        assert {path: path.read_bytes() for path in person_folder(BOB).rglob("*") if path.is_file()} == before
        save_study(replace(study, name="two", read_only=False), permissions().folder_to_save("two"))
        with refused("you have 2 studies of your own"):
            permissions().folder_to_save("three")
        assert permissions().folder_to_save("two").is_dir()
        bob = fairviz.open_study("mine")
        for name in ("a", "b", "c"):
            save_runs(bob, run(name))
        bob = fairviz.open_study("mine")
        for name in ("a", "b"):
            offer(bob, "runs", name)
        with refused("2 parts of yours wait for owners"):
            offer(bob, "runs", "c")
    with visiting(CARL):
        for name in ("c", "d"):
            save_runs(fairviz.open_study("mine"), run(name))
        offer(fairviz.open_study("mine"), "runs", "c")


def test_messages_name_no_folder_of_the_machine_but_to_its_owner(serve: Callable) -> None:
    home, studies = data_home(), studies_folder()
    text = (
        f"could not write {home}/people/bob@x.org/x.run: No space; {studies / 'mine'} and '{Path.home() / 'a' / 'b'}'."
    )
    with visiting(BOB):
        assert permissions().without_paths(text) == "could not write x.run: No space; mine and 'b'."
        assert permissions().without_paths("NFaiRR/TED of 3/4, see /audit") == "NFaiRR/TED of 3/4, see /audit"
    with visiting(ADA):
        assert permissions().without_paths(text) == text
