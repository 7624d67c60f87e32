"""The configuration of `fairviz serve`: the file fairviz.toml, checked, and its copy for the server processes."""

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from fairviz.errors import BadLine, DataError, FairvizError, use_one_of, value_text
from fairviz.home import LOOPBACK
from fairviz.home.permissions import ROLES, VARIABLE, Limits

HEADER_CLAIM = "fairviz_login"  # the name that Streamlit is told to give the value of the trusted header
_HOST = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")
_BASE_PATH = re.compile(r"(?!\.\.?(/|$))[A-Za-z0-9._~-]+(/(?!\.\.?(/|$))[A-Za-z0-9._~-]+)*")  # without . and ..
_LAST_PORT = 65535
_HEADER = re.compile(r"[A-Za-z0-9-]+")
_LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_DOMAIN = rf"@{_LABEL}(?:\.{_LABEL})*"
_ADDRESS = re.compile(rf"[a-z0-9_](?:[a-z0-9._%+'&=~#!-]*[a-z0-9_%+'&=~#!-])?{_DOMAIN}")
_PERSON = re.compile(rf"\*|\*{_DOMAIN}|{_ADDRESS.pattern}")
LONGEST_ADDRESS = 200  # characters
REMEDY = "A commented example with every key: fairviz serve --example"


@dataclass(frozen=True)
class Login:
    """The source of visitors' names: an OpenID Connect provider, or a header that a proxy sets.

    provider: the address of its discovery document. url: the address at which browsers reach this server. hours: a
    login lasts. trust_unverified: whether addresses count that the provider has not verified. header: its name.
    proxies: addresses from which the header is believed.
    """

    provider: str = ""
    client_id: str = ""
    client_secret_file: str = ""
    url: str = ""
    hours: int = 12
    trust_unverified: bool = False
    header: str = ""
    proxies: tuple[str, ...] = ("127.0.0.1", "::1")


@dataclass(frozen=True)
class ServerConfig:
    """The checked configuration of a server.

    address: listened on. hosts: names under which browsers open it. frame_ancestors: origins that may show it in a
    frame. processes: at `port` and the ports after it. builtin: whether built-in studies are offered. roles: from a
    role to the people who have it on every study; studies: the same by study. read_only: everybody is a viewer. demo:
    everybody is a viewer without a login, without uploads and models.
    """

    title: str = "fairviz"
    address: str = "127.0.0.1"
    port: int = 8501
    base_path: str = ""
    hosts: tuple[str, ...] = ()
    frame_ancestors: tuple[str, ...] = ()
    processes: int = 1
    builtin: bool = True
    login: Login | None = None
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    studies: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    read_only: bool = False
    demo: bool = False

    def role(self, person: str, study: str | None) -> str:
        """Return the highest role of a person on a study, or on every study (None); empty for none."""
        tables = (self.roles, self.studies.get(study, {})) if study is not None else (self.roles,)
        roles = [role for role in ROLES if any(_includes(table.get(role, ()), person) for table in tables)]
        return roles[-1] if roles else ""


def address_of(text: str) -> str:
    """Return an e-mail address in lower case; empty for any other text.

    Only ASCII letters are taken: `ſ` and `K` (the Kelvin sign) would become `s` and `k` in lower case, and a letter of
    another alphabet can look like one of these.
    """
    address = text.lower() if text.isascii() and len(text) <= LONGEST_ADDRESS else ""
    return address if _ADDRESS.fullmatch(address) else ""


def _includes(people: tuple[str, ...], person: str) -> bool:
    """Return whether the person is one of these; `*` is everybody with a name, `*@example.org` everybody there."""
    for pattern in people:
        wanted = pattern.lower()
        if wanted == "*" or person == wanted or (wanted.startswith("*@") and address_of(person).endswith(wanted[1:])):
            return bool(person)
    return False


_Check = Callable[[Any], str]  # from a value to its defect, empty without one


def _whole(least: int, most: int) -> _Check:
    return lambda value: "" if least <= value <= most else f"is not a whole number from {least} to {most:,}"


def _each(check: Callable[[str], bool], defect: str) -> _Check:
    return lambda values: "" if all(map(check, values)) else defect


def _is_host(text: str) -> bool:
    return _is_address(text) or bool(_HOST.fullmatch(text.lower()))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_origin(text: str) -> bool:
    try:
        parts = urlsplit(text)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        port = f":{parts.port}" if parts.port else ""
        is_whole = text == f"{parts.scheme}://{host}{port}"
        return parts.scheme in ("http", "https") and _is_host(parts.hostname or "") and is_whole
    except ValueError:
        return False


def _is_secure(text: str) -> bool:
    """Return whether the address is of https, or of this machine."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK))


_NO_PERSON = "has an entry that is neither *, *@example.org nor an e-mail address in ASCII letters"
_CHECKS: Mapping[str, _Check] = {
    "address": lambda value: "" if _is_host(value) else "is not a name or address of a machine",
    "port": _whole(1, _LAST_PORT),
    "base_path": lambda value: "" if not value or _BASE_PATH.fullmatch(value) else "is not a path like tools/fairviz",
    "hosts": _each(_is_host, "has an entry that is not a name of a machine"),
    "frame_ancestors": _each(_is_origin, "has an entry that is not an origin such as https://course.example.org"),
    "processes": _whole(1, 64),
    "provider": lambda value: "" if _is_secure(value) else "is not an address that begins with https://",
    "url": lambda value: "" if _is_secure(value) else "is not an address that begins with https://",
    "hours": _whole(1, 720),
    "header": lambda value: "" if _HEADER.fullmatch(value) else "is not a name of a header",
    "proxies": _each(_is_address, "has an entry that is not an address of a machine"),
    **dict.fromkeys(ROLES, _each(lambda text: text.isascii() and bool(_PERSON.fullmatch(text.lower())), _NO_PERSON)),
    **{name: _whole(1, 10**12) for name in ("upload_megabytes", "job_seconds", "jobs_at_once", "tokens",
                                            "cache_megabytes", "person_megabytes", "person_studies", "person_offers",
                                            "person_sessions")},
}  # fmt: skip
_KINDS = {str: "text", int: "a whole number", bool: "true or false", tuple: 'a list of texts such as ["a", "b"]'}


class _Reader:
    """Reads tables of the file; `lines` holds the defects."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text, self.lines = file, text, list[BadLine]()

    def report(self, key: str, problem: str, value: object = None) -> None:
        """Add a defect, at the first line that sets the key."""
        match = re.search(rf"^[ \t]*\[?[\w.\"]*\b{re.escape(key)}\b", self.text, re.MULTILINE)
        line = self.text.count("\n", 0, match.start()) + 1 if match else 0
        text = None if value is None else value if isinstance(value, str) else value_text(value)
        self.lines.append(BadLine(self.file, line, f"{key} {problem}", text))

    def table(self, name: str, entries: Any, kinds: Mapping[str, type]) -> dict[str, Any]:
        """Return the valid entries of a table with these keys."""
        if not isinstance(entries, dict):
            self.report(name, f"is not a table; write [{name}]", entries)
            return {}
        valid = {}
        for key, value in entries.items():
            if key not in kinds:
                self.report(key, f"is not a key here. {use_one_of(kinds, key)}")
                continue
            if isinstance(value, list) and all(isinstance(item, str) for item in value):
                value = tuple(value)
            if type(value) is not kinds[key]:
                self.report(key, f"is not {_KINDS[kinds[key]]}", value)
            elif defect := _CHECKS.get(key, lambda value: "")(value):
                self.report(key, defect, value)
            else:
                valid[key] = value
        return valid


def _kinds(record: type) -> dict[str, type]:
    """Return the kinds of a record's simple fields."""
    kinds: dict[Any, type] = {str: str, int: int, bool: bool, tuple[str, ...]: tuple}
    hints = get_type_hints(record)
    return {name: kinds[hint] for name, hint in hints.items() if hint in kinds}


def parse_config(content: bytes, file: str) -> ServerConfig:
    """Return the configuration in the content of the file. Raises DataError with every unknown key and every invalid
    value, FairvizError for invalid TOML."""
    try:
        text = content.decode()
        entries = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a ValueError
        raise FairvizError(f"{file} is not valid TOML: {error}", REMEDY) from error
    reader = _Reader(file, text)
    tables = {name: entries.pop(name) for name in ("login", "roles", "studies", "limits") if name in entries}
    kinds = {name: kind for name, kind in _kinds(ServerConfig).items() if name not in ("read_only", "demo")}
    values = reader.table("", entries, {**kinds})
    people = dict.fromkeys(ROLES, tuple)
    if "login" in tables:
        values["login"] = Login(**reader.table("login", tables["login"], _kinds(Login)))
        _check_login(reader, values["login"])
    if "roles" in tables:
        values["roles"] = reader.table("roles", tables["roles"], people)
    by_study = tables.get("studies", {})
    if isinstance(by_study, dict):
        values["studies"] = {name: reader.table(name, table, people) for name, table in by_study.items()}
    else:
        reader.report("studies", "is not a table; write [studies.NAME]")
    if "limits" in tables:
        values["limits"] = Limits(**reader.table("limits", tables["limits"], _kinds(Limits)))
    port, processes = (values.get(name, getattr(ServerConfig, name)) for name in ("port", "processes"))
    if port + processes - 1 > _LAST_PORT:
        reader.report("processes", f"from port {port} on need ports above {_LAST_PORT}", processes)
    if reader.lines:
        raise DataError(reader.lines, REMEDY)
    return ServerConfig(**values)


def _check_login(reader: _Reader, login: Login) -> None:
    """Report a login that lacks a part, or has two sources of names."""
    if bool(login.provider) == bool(login.header):
        reader.report("login", "needs a provider or a header, and not both")
    if not login.provider:
        return
    for name in ("client_id", "client_secret_file", "url"):
        if not getattr(login, name):
            reader.report("login", f"has a provider and no {name}")


def check_reach(config: ServerConfig) -> None:
    """Raise FairvizError where others could reach a server without a login."""
    if config.login is None and not config.demo and not (config.address in LOOPBACK and not config.hosts):
        raise FairvizError(
            "others can reach this server without a login",
            "Add [login] to the configuration, or serve a demo that nobody can change: --demo.",
        )


def to_json(config: ServerConfig) -> str:
    """Return the configuration as text for `from_json`."""
    return json.dumps(asdict(config), ensure_ascii=False)


def from_json(text: str) -> ServerConfig:
    """Return the configuration in the text of `to_json`."""

    def as_tuples(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: as_tuples(part) for name, part in value.items()}
        return tuple(value) if isinstance(value, list) else value

    facts = as_tuples(json.loads(text))
    login, limits = facts.pop("login"), facts.pop("limits")
    return replace(ServerConfig(**facts), login=Login(**login) if login else None, limits=Limits(**limits))


def server_config() -> ServerConfig:
    """Return the configuration of this server process. Raises KeyError in another."""
    return _stored_config(os.environ[VARIABLE])


@lru_cache(maxsize=4)
def _stored_config(path: str) -> ServerConfig:
    return from_json(Path(path).read_text(encoding="utf-8"))
