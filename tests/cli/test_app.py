"""app: under which names the page is reached."""

from itertools import pairwise

import pytest

from fairviz.cli import app
from fairviz.cli.main import main


def given(options: list[str], name: str) -> list[str]:
    """The values of one of the server's options."""
    return [value for option, value in pairwise(options) if option == f"--{name}"]


@pytest.mark.parametrize(
    ("hosts", "address", "allowed"),
    [
        ((), "localhost", ["localhost", "127.0.0.1", "::1"]),
        (("lab.example.org",), "lab.example.org", ["localhost", "127.0.0.1", "::1", "lab.example.org"]),
        (("0.0.0.0", "lab"), "0.0.0.0", ["localhost", "127.0.0.1", "::1", "lab"]),
        (("::1",), "::1", ["localhost", "127.0.0.1", "::1"]),
    ],
)
def test_only_this_machine_and_what_address_names_are_answered(hosts, address, allowed):
    options = app._options(hosts, 8501)
    assert given(options, "server.address") == [address]
    assert given(options, "server.allowedHosts") == allowed


def test_an_address_is_said_with_its_warning(capsys):
    app._say_where((), 8501)
    assert capsys.readouterr().err == "The page is at http://localhost:8501 (Ctrl-C stops it)\n"
    app._say_where(("0.0.0.0", "fe80::1"), 8501)
    assert capsys.readouterr().err == (
        "The page is at http://[fe80::1]:8501 (Ctrl-C stops it)\n"
        "note: whoever can reach this machine there can read every study and add to it; there is no password.\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--address", "0.0.0.0"],
            "0.0.0.0 is every address of this machine, and none that a browser can open\n"
            "Name one too: --address 0.0.0.0 --address NAME\n",
        ),
        (["--address", "http://a"], "argument --address: 'http://a' is no name or address of a machine\n"),
        (["--address", "a:80"], "argument --address: 'a:80' is no name or address of a machine\n"),
        (["--address", "*"], "argument --address: '*' is no name or address of a machine\n"),
        (["--address", ""], "argument --address: '' is no name or address of a machine\n"),
    ],
)
def test_what_is_no_address(options, message, capsys):
    try:
        status = main(["app", *options])
    except SystemExit as left:  # argparse leaves by itself
        status = left.code
    assert status == 2
    assert capsys.readouterr().err.endswith(message)
