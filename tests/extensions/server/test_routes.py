"""Every door of a server that others can reach: what answers without a login, and that there is no other. A demo has no
button that writes. A server of several processes starts one again that is killed, and SIGTERM ends all with status 0.

The routes are those of the running server itself: a new one, of a new Streamlit, fails this test until it is listed
here with its answer.
"""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from itertools import chain

import pytest

from fairviz.home import BUILTIN
from fairviz.ui.shell.gate import NO_UPLOADS
from tests.extensions.server.served import Served
from tests.extensions.server.test_roles import MINE, PAGES, changed, files, page_names, press_new, session, upload
from tests.serving.proxy import SURELY
from tests.serving.raw_page import raw_page

pytestmark = pytest.mark.slow
READ = ("GET", "HEAD")
PAGE, NOT_THERE = "<!--\n Copyright (c) Streamlit", "Not found"
EVERY_METHOD = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
ROUTES = {  # by path and methods: a request with what answers it, without a login, from another machine
    ("/_stcore/health", READ): [("GET", "/_stcore/health", 200, "ok")],
    ("/_stcore/health", ("OPTIONS",)): [("OPTIONS", "/_stcore/health", 204, "")],
    ("/_stcore/metrics", READ): [("GET", "/_stcore/metrics", 404, NOT_THERE)],
    ("/_stcore/metrics", ("OPTIONS",)): [("OPTIONS", "/_stcore/metrics", 404, NOT_THERE)],
    ("/_stcore/host-config", READ): [("GET", "/_stcore/host-config", 200, '{"allowedOrigins":')],
    ("/media/{file_id:path}", READ): [("GET", "/media/abc.csv", 403, "This file is f")],
    ("/media/{file_id:path}", ("OPTIONS",)): [("OPTIONS", "/media/abc.csv", 403, "")],
    ("/_stcore/upload_file/{session_id}/{file_id}", ("PUT",)): [("PUT", "/_stcore/upload_file/a/b", 403, "")],
    ("/_stcore/upload_file/{session_id}/{file_id}", ("DELETE",)): [("DELETE", "/_stcore/upload_file/a/b", 403, "")],
    ("/_stcore/upload_file/{session_id}/{file_id}", ("OPTIONS",)): [("OPTIONS", "/_stcore/upload_file/a/b", 403, "")],
    ("/component/{path:path}", READ): [
        ("GET", "/component/a/../../app.py", 400, ""),
        ("GET", "/component/a/b", 404, ""),
    ],
    ("/component/{path:path}", ("OPTIONS",)): [("OPTIONS", "/component/a/b", 204, "")],
    ("/_stcore/bidi-components/{path:path}", READ): [("GET", "/_stcore/bidi-components/a/b", 404, "")],
    ("/_stcore/bidi-components/{path:path}", ("OPTIONS",)): [("OPTIONS", "/_stcore/bidi-components/a/b", 204, "")],
    ("/_stcore/stream", ()): [("GET", "/_stcore/stream", 200, PAGE)],  # for websockets: see test_roles.py
    ("/auth/login", READ): [("GET", "/auth/login", 302, "")],
    ("/auth/logout", READ): [("GET", "/auth/logout", 302, "")],
    ("/oauth2callback", READ): [("GET", "/oauth2callback", 302, "")],
    ("/_stcore/agent/interact", EVERY_METHOD): [("POST", "/_stcore/agent/interact", 404, NOT_THERE)],
    ("/_stcore/agent/openapi.json", EVERY_METHOD): [("GET", "/_stcore/agent/openapi.json", 404, NOT_THERE)],
    ("/_stcore/agent/mcp", EVERY_METHOD): [("POST", "/_stcore/agent/mcp", 404, NOT_THERE)],
    ("", ()): [  # the files of Streamlit's own page
        ("GET", "/?study=newswire", 200, PAGE),
        ("GET", "/", 200, PAGE),
        ("GET", "/any", 200, PAGE),
        ("GET", "/app/static/app.py", 200, PAGE),
        ("GET", "/static/media/none.woff2", 200, PAGE),  # below Streamlit's own files, which need no login
        ("GET", "/_stcore/script-health-check", 200, PAGE),
        ("POST", "/any", 405, ""),
        ("GET", "/%2e%2e/app.py", 400, ""),
        ("GET", "/static/../../../app.py", 400, ""),
    ],
    ("/healthz", READ): [("GET", "/healthz", 200, '{"status": "ok"}\n'), ("POST", "/healthz", 405, "")],
}
WITHOUT_LOGINS = {  # where there are no logins, nobody has to have one for a download
    ("GET", "/media/abc.csv"): (404, "File not found"),
    ("OPTIONS", "/media/abc.csv"): (204, ""),
}
BARE = ("GET", "/")  # redirected to a study by `fairviz app`; on a server that depends on the visitor
PREFLIGHT = ("OPTIONS", "/_stcore/upload_file/a/b")  # answered where whoever opens the page may upload
OURS = {("/healthz", READ)}
OFF = ("server.enableAgentApi", "server.enableStaticServing", "server.scriptHealthCheckEnabled")
DOORS = """
import json, os, sys
if "fairviz.ui.shell.server" in sys.orig_argv:
    from streamlit import config
    from streamlit.web.server.starlette import starlette_app
    create = starlette_app.create_streamlit_routes

    def create_noted(runtime):
        routes = create(runtime)
        found = [(route.path, sorted(getattr(route, "methods", None) or ())) for route in routes]
        with open(os.environ["NOTED"], "w") as file:
            json.dump({"routes": found, "options": {name: config.get_option(name) for name in OFF}}, file)
        return routes

    starlette_app.create_streamlit_routes = create_noted
"""
SECRET = "client-secret-0123456789"
LOGIN = """
[login]
provider = "http://127.0.0.1:9/.well-known/openid-configuration"
client_id = "f"
client_secret_file = "secret"
url = "http://localhost"
[roles]
owner = ["ada@example.org"]
"""
BELOW, DEMO, TWO = "serve below a base path", "demo", "two processes"
SERVERS = {  # one at the root, which a proxy tells who logs in: see test_roles.py
    BELOW: ((), LOGIN, "tools/fairviz", 1),
    DEMO: (("--demo",), 'builtin = false\nhosts = ["fair.example.org"]\n', "", 1),
    "app --address": (("app", "--address", "127.0.0.1"), "", "", 1),
    TWO: ((), "", "", 2),
}
WRITING = {"Label", "Rank", "Run", "Save", "Train seed 1"}  # buttons that start a job or save


@pytest.fixture(scope="module", params=[name for name in SERVERS if name != TWO])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server whose environment and configuration files would open every door."""
    folder = tmp_path_factory.mktemp("doors")
    options, toml, base, processes = SERVERS[request.param]
    shutil.copytree(BUILTIN["football"], folder / "studies" / "mine")
    (folder / "secret").write_text(SECRET)
    (folder / "sitecustomize.py").write_text(f"OFF = {OFF}\n{DOORS}")
    (folder / ".streamlit").mkdir()
    lines = [f"{name.removeprefix('server.')} = true" for name in OFF]
    (folder / ".streamlit" / "config.toml").write_text("\n".join(["[server]", *lines, ""]))
    variables = {
        "STREAMLIT_SERVER_ENABLE_AGENT_API": "true",
        "STREAMLIT_SERVER_ENABLE_STATIC_SERVING": "true",
        "STREAMLIT_SERVER_SCRIPT_HEALTH_CHECK_ENABLED": "true",
        "FORWARDED_ALLOW_IPS": "*",
        "NOTED": str(folder / "noted.json"),
        "PYTHONPATH": str(folder),
    }
    with Served(folder, *options, toml=toml, base=base, processes=processes, **variables) as running:
        yield running


def test_every_route_is_listed_here_and_no_door_for_programs_is_opened_from_outside(server: Served) -> None:
    noted = json.loads((server.folder / "noted.json").read_text())
    listed = {(server.base + path, methods) for path, methods in ROUTES.keys() - OURS}
    assert {(path, tuple(methods)) for path, methods in noted["routes"]} == listed
    assert noted["options"] == dict.fromkeys(OFF, False)


@pytest.mark.parametrize("asked", list(chain(*ROUTES.values())), ids=lambda one: " ".join(one[:2]))
def test_without_a_login_a_route_answers_as_listed(server: Served, asked: tuple) -> None:
    method, path, status, beginning = asked
    if "serve" not in server.command or "--demo" in server.command:
        status, beginning = WITHOUT_LOGINS.get((method, path), (status, beginning))
    if "app" in server.command and (method, path) == PREFLIGHT:
        status = 204
    if "app" in server.command and (method, path) == BARE:
        status, beginning = 307, ""
    answered_status, text = server.ask(method, path, headers={"X-Forwarded-For": "192.0.2.7"})
    assert (answered_status, text[: len(beginning)]) == (status, beginning)


def test_this_machine_reads_metrics_and_counts_without_names(server: Served) -> None:
    status, text = server.ask("GET", "/_stcore/metrics")
    assert (status, text.endswith("# EOF\n")) == (200, True)
    assert server.facts()["sessions"] == 0
    assert "ada" not in text + json.dumps(server.facts())


@pytest.mark.parametrize("server", [BELOW], indirect=True)
def test_no_secret_is_in_a_page_or_on_the_console(server: Served) -> None:
    with raw_page(server.port, server.base) as page:
        page.open("data")
        answers = [server.ask("GET", path)[1] for path in ("/auth/login", "/oauth2callback?code=a&state=b")]
        seen = b"".join(page.everything).decode(errors="replace") + "".join(answers) + server.log
    cookie_secret = (server.home / "server" / "cookie-secret").read_text()
    assert len(cookie_secret) > 20
    for text in (SECRET, cookie_secret):
        assert text not in seen


@PAGES
@pytest.mark.parametrize("server", [DEMO], indirect=True)
def test_a_demo_offers_and_begins_no_job_writes_nothing_and_takes_nothing(
    server: Served, pages: tuple[str, ...]
) -> None:
    before, labels = files(server), set[str]()
    with session(server, "") as page:
        for name in pages or page_names(page):
            press_new(page.open(name, MINE), labels)
        assert upload(server, "", page.session, 10) == (403, f"{NO_UPLOADS}\n")
        facts = server.facts()
    assert labels.isdisjoint(WRITING)
    assert (facts["jobs_running"], facts["jobs_waiting"]) == (0, 0)
    assert changed(server, before) == set()


@pytest.mark.lengthy  # what the program does with ended processes: see test_serve.py
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
@pytest.mark.parametrize("server", [TWO], indirect=True)
def test_one_process_that_is_killed_is_started_again(server: Served) -> None:
    first, second = map(server.process_at, server.ports)
    os.kill(second, signal.SIGKILL)
    ends = time.monotonic() + SURELY
    while server.process_at(server.ports[1]) in (0, second):
        assert time.monotonic() < ends
        time.sleep(0.1)
    assert server.process_at(server.port) == first
    assert "killed by signal 9); another starts in 1 s" in server.log
