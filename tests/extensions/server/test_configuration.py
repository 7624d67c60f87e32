"""fairviz.toml: read as its example says, refused with every defect and its line, and handed to server processes."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from fairviz.errors import FairvizError
from fairviz.extensions.server.configuration import (
    Login,
    ServerConfig,
    address_of,
    check_reach,
    parse_config,
    server_config,
)
from fairviz.extensions.server.serve import EXAMPLE
from fairviz.home.permissions import VARIABLE, permissions


def read(text: str) -> ServerConfig:
    return parse_config(text.encode(), "fairviz.toml")


def refused(text: str) -> str:
    with pytest.raises(FairvizError) as told:
        read(text)
    return told.value.message


def test_the_example_has_every_key_and_reaches_the_server_processes_whole(
    serve: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    config = read(text)
    keys = [*ServerConfig.__dataclass_fields__, *Login.__dataclass_fields__, *type(config.limits).__dataclass_fields__]
    assert [key for key in keys if key not in text and key not in ("read_only", "demo")] == []
    assert config.login is not None
    assert config.login.hours == 12
    assert config.role("ada@example.org", None) == "owner"
    serve(replace(config, demo=True))
    assert server_config() == replace(config, demo=True)
    monkeypatch.setenv(VARIABLE, "")
    assert not permissions().is_server


def test_every_defect_is_named_with_its_line() -> None:
    message = refused(
        'title = "x"\nport = 99999\npots = 1\nhosts = ["a b"]\n[login]\nprovider = "http://x"\nhours = "3"\n'
        '[roles]\nking = ["x"]\nowner = "ada"\n[studies.newswire]\nviewer = ["a b"]\n[limits]\ntokens = 0\n',
    )
    assert [" ".join(line.split(" ")[:2]) for line in message.splitlines()] == [
        "fairviz.toml:2: port",
        "fairviz.toml:3: pots",
        "fairviz.toml:4: hosts",
        "fairviz.toml:6: provider",
        "fairviz.toml:7: hours",
        "fairviz.toml:5: login",
        "fairviz.toml:9: king",
        "fairviz.toml:10: owner",
        "fairviz.toml:12: viewer",
        "fairviz.toml:14: tokens",
    ]
    assert "Did you mean port?" in message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("title = 1", "title is not text: '1'"),
        ("port = true", "port is not a whole number: 'True'"),
        ("login = 3", "login is not a table; write [login]"),
        ('studies = "x"', "studies is not a table"),
        ("[login]\nhours = 3", "login needs a provider or a header, and not both"),
        ('[login]\nheader = "X-User"\nprovider = "https://a.org"', "needs a provider or a header, and not both"),
        ('[login]\nprovider = "https://a.org"\nurl = "https://b.org"', "login has a provider and no client_id"),
        ('frame_ancestors = ["https://a.org/path"]', "frame_ancestors has an entry that is not an origin"),
        ('frame_ancestors = ["https://a.org; script-src *"]', "frame_ancestors has an entry that is not an origin"),
        ('frame_ancestors = ["*"]', "frame_ancestors has an entry that is not an origin"),
        ('base_path = "/a"', "base_path is not a path like tools/fairviz"),
        ('base_path = "../x"', "base_path is not a path like tools/fairviz"),
        ('base_path = "a/./b"', "base_path is not a path like tools/fairviz"),
        ("port = " + "9" * 5000, "is not valid TOML: Exceeds the limit (4300 digits)"),
        ("port = 0x" + "f" * 5000, "port is not a whole number from 1 to 65,535"),
        ("port = 65535\nprocesses = 3", "fairviz.toml:2: processes from port 65535 on need ports above 65535: '3'"),
        ("title = ", "fairviz.toml is not valid TOML"),
    ],
)
def test_a_defect_is_told(text: str, part: str) -> None:
    assert part in refused(text)


@pytest.mark.parametrize(
    "person",
    ["a b", "*@", "ada", "ada@", "@x.org", "a@b@c",
     "o\u017fwald@x.org", "ada@x\u212a.org", "ada@\uff58.org", "*@\u0445.org",
     "ada@x..org", "ada@-x.org", ".ada@x.org", "ada.@x.org", "a\tb@x.org", "a" * 300 + "@\u00e4.org"],
)  # fmt: skip
def test_who_can_never_log_in_gets_no_role(person: str) -> None:
    told = refused(f"[roles]\nowner = [{json.dumps(person)}]\n")
    assert "owner has an entry that is neither *, *@example.org nor an e-mail address" in told
    assert address_of(person) == ""


def test_a_role_is_the_highest_of_both_tables_and_addresses_are_compared_in_lower_case() -> None:
    config = ServerConfig(
        roles={"owner": ("ada@x.org",), "viewer": ("*@x.org",)}, studies={"newswire": {"annotator": ("bob@x.org",)}}
    )
    for person, study, role in (
        ("ada@x.org", None, "owner"), ("ada\u017f@x.org", "newswire", ""), ("bo\u212a@x.org", "other", ""),
        ("bob@x.org", "newswire", "annotator"), ("bob@x.org", "other", "viewer"), ("bob@y.org", "newswire", ""),
        ("bob@sub.x.org", "newswire", ""), ("x.org", "newswire", ""), ("", "newswire", ""),
    ):  # fmt: skip
        assert config.role(person, study) == role, person
    config = read('[roles]\nowner = ["Ada@X.ORG", "o\'brien+lab@a-b.example.org"]\nviewer = ["*@Y.org", "*"]\n')
    for person in ("ada@x.org", address_of("ADA@x.org"), "o'brien+lab@a-b.example.org"):
        assert config.role(person, None) == "owner"
    assert (config.role("", None), config.role("x", None)) == ("", "viewer"), "everybody has a name"


def test_without_a_login_only_this_machine_is_let_in() -> None:
    check_reach(ServerConfig())
    check_reach(ServerConfig(address="0.0.0.0", demo=True))
    check_reach(ServerConfig(hosts=("a.org",), login=Login(header="X-User")))
    for open_to_all in (ServerConfig(address="0.0.0.0"), ServerConfig(hosts=("a.org",))):
        with pytest.raises(FairvizError, match="can reach this server without a login"):
            check_reach(open_to_all)
