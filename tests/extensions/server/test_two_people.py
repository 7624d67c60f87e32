"""Two people log in at a provider and work on one server, behind Caddy: each sees and may do what her role says."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from fairviz.annotation.adjudications import history
from fairviz.extensions.server.access import CHANGES, PEOPLE
from fairviz.home.permissions import DECISIONS
from fairviz.study.record import Study
from fairviz.study.study import open_study_folder, save_study
from tests.annotation.forms.small import small
from tests.browser.conftest import SCREEN, Visitor
from tests.extensions.server.provider import CLIENT_ID, CLIENT_SECRET, DISCOVERY, running_provider
from tests.extensions.server.served import Served
from tests.serving.proxy import free_port, running_proxy

pytestmark = pytest.mark.browser
CONFIG = """
title = "Lab"
hosts = ["localhost"]
builtin = false
[login]
provider = "{provider}"
client_id = "{client_id}"
client_secret_file = "client-secret"
url = "https://localhost:{front}"
{roles}
"""
ROLES = """
[studies.shared]
owner = ["ada@example.org"]
viewer = ["bob@example.org"]
[studies.hers]
owner = ["ada@example.org", "cleo@example.org"]
"""
SECRET = "a text of {} alone"
SHARED = "/read?study=shared"
TRUSTING = {"viewport": SCREEN, "ignore_https_errors": True, "reduced_motion": "reduce"}


@contextmanager
def serving(folder: Path, roles: str) -> Iterator[str]:
    """Yield the address of a server of FOLDER/studies, with the data folder FOLDER/home, while the block lasts. roles:
    the rest of its configuration."""
    front = free_port()
    (folder / "client-secret").write_text(CLIENT_SECRET)
    with running_provider() as issuer:
        toml = CONFIG.format(provider=issuer + DISCOVERY, client_id=CLIENT_ID, front=front, roles=roles)
        with Served(folder, toml=toml, processes=2) as server:
            addresses = [f"127.0.0.1:{port}" for port in server.ports]
            with running_proxy(folder, addresses, port=front) as address:
                yield address


class Person(Visitor):
    """A person who logs in at the provider; what the browser asks of the provider is no trouble."""

    def __init__(self, context, address: str, name: str = "", path: str = "", button: str = "Log out", **tab) -> None:
        """name: empty where she is logged in already. button: the one that the page has in the end."""
        super().__init__(context.browser, address, context, **tab)
        self.page.goto(address + path)
        if name:
            self.page.get_by_role("button", name="Log in").click()
            self.page.get_by_label("Name").fill(name)
            self.page.get_by_role("button", name="Log in").click()
            self.page.wait_for_url(f"{address}/**")
        self.page.get_by_role("button", name=button).wait_for()
        self.settle(0)
        self.troubles.clear()


class Server(NamedTuple):
    """The address of a server, its studies, and its data folder."""

    address: str
    studies: Path
    home: Path


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Server]:
    """A study of both, one of Ada's, and one that Bob keeps to himself."""
    folder = tmp_path_factory.mktemp("served")
    home = folder / "home"
    home.mkdir()
    for name in ("shared", "hers"):
        save_study(study(name), folder / "studies" / name)
    own = home / PEOPLE / "bob@example.org" / "studies"
    own.mkdir(parents=True)
    save_study(study("his"), own / "his")
    with serving(folder, ROLES) as address:
        yield Server(address, folder / "studies", home)


def study(name: str) -> Study:
    """A study whose every document has a text of this name's own."""
    plain = small()
    texts = plain.documents.assign(text=SECRET.format(name))
    return replace(plain, name=name, title=name.title(), documents=texts)


@pytest.fixture(scope="module")
def lent(browser) -> Iterator:
    """A browser for one person after another."""
    context = browser.new_context(**TRUSTING)
    yield context
    context.close()


@pytest.fixture
def context(lent) -> Iterator:
    yield lent
    lent.clear_cookies()
    for page in lent.pages:
        page.close()


@pytest.fixture
def people(browser, context, served) -> Iterator[tuple[Person, Person]]:
    own = browser.new_context(**TRUSTING)
    ada, bob = (Person(each, served.address, name, SHARED) for each, name in ((own, "ada"), (context, "bob")))
    yield ada, bob
    own.close()


def test_each_has_her_role_and_studies_and_an_owner_decides_under_her_name_as_a_viewer_cannot(people, served) -> None:
    rows = (
        ("ada", "owner", "hers", "his", ("his", f"../home/{PEOPLE}/bob@example.org/studies/his")),
        ("bob", "viewer", "his", "hers", ("hers",)),
    )
    for person, (name, role, own, *_) in zip(people, rows, strict=True):
        side = person.page.get_by_test_id("stSidebar")
        side.get_by_text(f"{name}@example.org · {role}").wait_for()
        side.locator(".st-key-study input").click()
        person.page.get_by_role("option").first.wait_for()
        assert sorted(person.page.get_by_role("option").all_inner_texts()) == [own, "shared"]
        person.page.keyboard.press("Escape")
        person.shows(SECRET.format("shared"))
    only_ada_decides(people, served)
    for person, (_, _, _, other, tried) in zip(people, rows, strict=True):
        person.assert_well()
        for name in tried:
            person.page.goto(f"{person.address}/read?study={name}")
            person.page.wait_for_selector("h1")
            person.settle()
            assert SECRET.format(other) not in person.page.content()


def only_ada_decides(people, served) -> None:
    ada, bob = people
    with bob.asking():
        bob.page.locator("[class*=st-key-decide_1_] button").click()
    bob.shows("bob@example.org may look at shared, and not decide")
    assert not (served.studies / "shared" / DECISIONS).exists()
    with ada.asking():
        ada.page.locator("[class*=st-key-decide_2_] button").click()
    ada.shows("1 decided")
    bob.page.locator(".st-key-inspect_next button").click()
    bob.shows("1 decided")
    (decision,) = history(open_study_folder(served.studies / "shared")).to_dict("records")
    assert (decision["author"], decision["label"]) == ("ada@example.org", "female")
    lines = [json.loads(line) for line in (served.home / CHANGES).read_text(encoding="utf-8").splitlines()]
    assert [(line["who"], line["study"], line["deed"]) for line in lines] == [("ada@example.org", "shared", "decide")]


def test_who_has_no_role_sees_no_study_and_an_address_that_is_not_verified_is_no_login(context, served) -> None:
    eve = Person(context, served.address, "eve")
    for path in ("", "/read?study=shared", "/studies"):
        if path:
            eve.page.goto(served.address + path)
        eve.page.get_by_text("You have no role on this server yet.").wait_for()
        assert "shared" not in eve.page.inner_text("body").casefold()
    context.clear_cookies()
    visitor = Person(context, served.address, "unverified-ada", button="Log in")
    assert "Who are you?" in visitor.page.inner_text("body")


def beside(person: Person):
    """A tab in the process of this person's, which has compiled the program of the page already."""
    with person.context.expect_page() as opened:
        person.page.evaluate("() => { window.open() }")
    return opened.value


def test_after_a_logout_open_sessions_and_addresses_show_nothing(context, served) -> None:
    """Another tab of a person, with a document of hers still on the screen, and then a new address."""
    cleo = Person(context, served.address, "cleo")
    tab = Person(context, served.address, path="/read?study=hers", page=beside(cleo))
    tab.shows(SECRET.format("hers"))
    cleo.page.get_by_role("button", name="Log out").click()
    cleo.page.get_by_role("button", name="Log in").wait_for()
    with tab.asking():
        tab.page.locator(".st-key-inspect_next button").click()
    for path in ("", "/read?study=hers"):
        if path:
            tab.page.goto(served.address + path)
        tab.page.get_by_role("button", name="Log in").wait_for()
        assert SECRET.format("hers") not in tab.page.content()
        assert "of 32" not in tab.text()
