"""Each role on a real server, by raw messages and hand-written addresses: what is not allowed changes no file."""

import hashlib
import json
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from fairviz.annotation.forms.answering import GONE
from fairviz.annotation.forms.forms import close, links
from fairviz.evaluation.opening import open_study
from fairviz.extensions.server.ui.requests import NOT_YOURS
from fairviz.home import BUILTIN
from tests.annotation.forms.small import formed
from tests.extension_rows import rows
from tests.extensions.server.served import HEADER, Served
from tests.serving.raw_page import RawPage, pressed, raw_page

pytestmark = pytest.mark.slow
OWNER, ANNOTATOR, VIEWER, NOBODY = (f"{name}@x.org" for name in ("ada", "bob", "carl", "eve"))
CONFIG = f"""
builtin = false
hosts = ["fair.example.org"]
[login]
header = "{HEADER}"
[roles]
owner = ["{OWNER}"]
[studies.mine]
annotator = ["{ANNOTATOR}"]
viewer = ["{VIEWER}"]
[limits]
upload_megabytes = 1
"""
KEY = "sk-of-the-owner-0123456789"
HIDDEN = "zq-hidden-title"
DECISION = "● neutral"
PAGES = pytest.mark.parametrize(  # those of each kind of button, or all that the navigation offers
    "pages",
    [("data", "annotate", "read", "board", "mitigations"), pytest.param((), id="all", marks=pytest.mark.lengthy)],
)
MINE = "study=mine&backpack_word=%E2%98%83"  # a word of no model: a known one's neighbours take seconds
OPEN = {"hand in", "save a study", "add to the class board of", "leave the class board of"}  # by whoever views
DECIDING = {"decide", "undo a decision"}
FIELDS = {"text_input": "string_value", "text_area": "string_value"}
PRIVATE = ("cache/", "encodings/", "server/", "running/")  # in the data folder: of the program


def serve(folder: Path, *options: str, toml: str = CONFIG, **variables: str) -> Served:
    """A server of two studies: `mine`, and `other`, on which only the owner has a role."""
    for name in ("mine", "other"):
        shutil.copytree(BUILTIN["football"], folder / "studies" / name)
    metadata = folder / "studies" / "other" / "study.toml"
    metadata.write_text(metadata.read_text().replace("Two rankings for one football query", HIDDEN))
    return Served(folder, *options, toml=toml, FAIRVIZ_API_KEY=KEY, **variables)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("roles")) as running:
        yield running


def headers_of(person: str) -> dict[str, str]:
    """The headers of a proxy on this machine, which has let this person in from another."""
    forwarded = {"X-Forwarded-For": "192.0.2.7", "Host": "fair.example.org", "Origin": "https://fair.example.org"}
    return {HEADER: person, **forwarded} if person else forwarded


def session(server: Served, person: str) -> AbstractContextManager[RawPage]:
    return raw_page(server.port, server.base, headers_of(person).items())


def files(server: Served) -> dict[str, str]:
    """The content of every file of the studies and of the data folder, but for what the program keeps for itself."""
    found = {}
    for top in (server.studies, server.home):
        for path in top.rglob("*"):
            name = path.relative_to(server.folder).as_posix()
            if path.is_file() and not name.removeprefix("home/").startswith(PRIVATE):
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def changed(server: Served, before: Mapping[str, str]) -> set[str]:
    """The files that differ from those before, once no job runs."""
    while any(server.facts()[name] for name in ("jobs_running", "jobs_waiting")):
        time.sleep(0.2)
    after = files(server)
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def changes(server: Served) -> list[dict[str, str]]:
    """The log of changes."""
    log = server.home / "changes.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def page_names(page: RawPage) -> list[str]:
    """The names of all pages that the navigation offers."""
    (offered,) = (one.navigation for one in page.open("", MINE).received if one.WhichOneof("type") == "navigation")
    return [one.url_pathname for one in offered.app_pages]


def values_of(page: RawPage) -> dict[str, WidgetState]:
    """A value for each button and field of the open page, by id."""
    widgets = {one: kind for one, (kind, _) in page.widgets().items()}
    values = {one: WidgetState(id=one, **{FIELDS[kind]: "taken"}) for one, kind in widgets.items() if kind in FIELDS}
    return values | {one: pressed(one) for one, kind in widgets.items() if kind == "button"}


def press_new(page: RawPage, labels: set[str], *forged: WidgetState, singly: bool = False) -> None:
    """Press each button of the open page whose label is not among these, to which it is added: one by one, or those
    that lead to another page at once, and then the others beside the forged values."""
    new = {one: label for one, label in page.buttons().items() if label not in labels}
    parts = [[pressed(one)] for one in new]
    if not singly:
        leading, others = ([pressed(one) for one in new if ("→" in new[one]) is leads] for leads in (True, False))
        parts = [leading, [*others, *forged]]
    labels.update(new.values())
    for part in filter(None, parts):
        page.run(*part)


@PAGES
def test_no_button_and_no_widget_of_the_owner_changes_more_than_the_role_may(
    server: Served, pages: tuple[str, ...]
) -> None:
    """On each page, values come for the widgets that only the owner has, and each new label is pressed once. Those that
    the annotator has beyond the viewer are pressed one by one, on pages where the owner has more than the viewer, or
    decides. A person's additions, and what she offers to the owner, are not the study's. The owner's key is in no
    page."""
    labels, forged = set[str](), set[str]()
    with session(server, OWNER) as owner:
        offered = {name: values_of(owner.open(name, MINE)) for name in pages or page_names(owner)}
        assert KEY.encode() not in b"".join(owner.everything)
    for person in (VIEWER, ANNOTATOR):
        before, logged = files(server), len(changes(server))
        own = [f"home/people/{person}/", "home/offers/", "home/changes.jsonl"]
        if person == ANNOTATOR:
            own += ["studies/mine/adjudications.sqlite"]
            labels.discard(DECISION)
        with session(server, person) as page:
            for name in offered if person == VIEWER else sorted({*forged, "read"}):
                others = page.open(name, MINE).widgets()
                taken = [value for one, value in offered[name].items() if one not in others]
                if person == VIEWER and taken:
                    forged.add(name)
                    press_new(page, labels, *taken)
                else:
                    press_new(page, labels, singly=person == ANNOTATOR)
        assert {name for name in changed(server, before) if not name.startswith(tuple(own))} == set()
        rows = changes(server)[logged:]
        assert {row["who"] for row in rows} <= {person}
        assert {row["deed"] for row in rows} <= OPEN | (DECIDING if person == ANNOTATOR else set())
        if person == VIEWER:
            assert {"data", "annotate", "board"} <= forged
            assert {DECISION, "Label", "Rank", "Save"} <= labels
        else:
            assert "studies/mine/adjudications.sqlite" in changed(server, before)
    assert KEY not in server.log


def test_no_address_starts_a_job(server: Served) -> None:
    """Pages that begin short work by themselves on one's own machine, opened with it in their address."""
    store = server.home / "server" / "jobs.sqlite"
    before = store.read_bytes() if store.exists() else b""
    with session(server, OWNER) as page:
        for name in ("audit", "gender_swap", "sensitivity", "mitigations", "never-shown", *rows("READERS")):
            page.open(name, f"{MINE}&audit_rankers=bm25,tfidf&counterfactual_ranker=bm25")
    assert [server.facts()[name] for name in ("jobs_running", "jobs_waiting")] == [0, 0]
    assert (store.read_bytes() if store.exists() else b"") == before


def test_who_has_no_role_or_two_names_gets_no_widget_and_no_page(server: Served) -> None:
    with session(server, OWNER) as page:
        values = values_of(page.open("data", MINE)).values()
    two = [[(HEADER, VIEWER), (second, OWNER)] for second in (HEADER, HEADER.lower(), HEADER.replace("-", "_"))]
    before = files(server)
    for headers in (headers_of("").items(), headers_of(NOBODY).items(), *two):
        with raw_page(server.port, server.base, headers) as page:
            for name in ("", "data", "status", "studies", "nowhere"):
                assert not page.open(name, MINE).widgets()
            page.open("data", MINE).run(*values)
            assert "football" not in b"".join(page.everything).decode(errors="replace")
    assert changed(server, before) == set()


def test_an_address_of_a_study_without_a_role_opens_nothing_of_it(server: Served) -> None:
    names = ("other", "{folder}/studies/other", "../studies/other", "./other", "other/", "mine/../other", "mine/")
    with session(server, VIEWER) as page:
        for name in names:
            page.open("read", f"study={name.format(folder=server.folder)}")
        for place in ("", "data", "studies"):
            page.open(place, "study=other")
        assert HIDDEN not in b"".join(page.everything).decode(errors="replace")
    with session(server, OWNER) as page:
        assert HIDDEN in page.open("", "study=other").html().replace("\\", "")


def upload(server: Served, person: str, session_id: str, size: int, method: str = "PUT") -> tuple[int, str]:
    part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + b"0" * size + b"\r\n--x--\r\n"
    token = generate_xsrf_token_string()
    headers = headers_of(person) | {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
    headers["Content-Type"] = "multipart/form-data; boundary=x"
    return server.ask(method, f"/_stcore/upload_file/{session_id}/f", part, headers)


def test_files_are_taken_from_the_sessions_own_visitor_up_to_the_limit(server: Served) -> None:
    with session(server, VIEWER) as page, session(server, NOBODY) as without_role:
        own = page.open("data", "study=mine").session
        stranger = without_role.open().session
        refused = (403, f"{NOT_YOURS}\n")
        for person in ("", NOBODY, ANNOTATOR, OWNER):
            assert upload(server, person, own, 10) == refused
            assert upload(server, person, own, 10, "DELETE") == refused
        assert upload(server, NOBODY, stranger, 10) == refused
        assert upload(server, VIEWER, "no-session", 10) == refused
        assert upload(server, VIEWER, own, 600_000)[0] == 204
        assert upload(server, VIEWER, own, 600_000)[0] == 413
    assert upload(server, VIEWER, own, 10) == refused, "the page is closed"


def test_links_to_labelling_open_their_own_batch_until_their_form_is_closed(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRVIZ_HOME", str(server.home))
    first, second = (formed(open_study(str(server.studies / name)), 3, 2, 0) for name in ("mine", "other"))
    with session(server, "") as page:
        assert GONE in page.open("label", "token=" + "a" * 43).html()
        assert GONE in page.open("label", "token=").html()
        drawn = page.open("label", f"token={first[0].token}")
        assert "Document 1 of" in drawn.html()
        answers = [pressed(name) for name, label in drawn.buttons().items() if "neutral" in label]
        assert len(answers) == 1
    done = {link.token: link.answered for link in links(open_study(str(server.studies / "mine")))}
    with session(server, "") as page:
        page.open("label", f"token={second[0].token}").run(*answers)
    assert {link.token: link.answered for link in links(open_study(str(server.studies / "mine")))} == done
    close(open_study(str(server.studies / "mine")))
    with session(server, "") as page:
        assert GONE in page.open("label", f"token={first[0].token}").run(*answers).html()
