"""Rankers, annotators and mitigations picked from a list, with their parameters as fields.

The stored value is the text that commands and links take, `bm25(k1=1.2),tfidf`; fields and list only edit it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import streamlit as st

from fairviz.parameters import Call, Parameter, format_call, parse_calls
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded

TEXT_HELP = "As commands take it: names with commas between them, parameters in brackets, bm25(k1=1.2),tfidf."


class Entry(Protocol):
    """An entry of a registry: a ranker or an annotator."""

    @property
    def summary(self) -> str: ...

    @property
    def parameters(self) -> tuple[Parameter, ...]: ...


def pick_calls(
    key: str, label: str, entries: Mapping[str, Entry], *, offered: Sequence[str] = (),
    values: Mapping[str, Sequence[str]] | None = None, defaults: Mapping[str, str] | None = None,
    elsewhere: Collection[str] = (), place: Any = st, help: str = "",
) -> str:  # fmt: skip
    """Draw a list of what `session_state[key]` names, and its parameters and text in a popover; return the text.

    offered: texts in the list, by default the names of `entries`. values: texts offered for a parameter of this name.
    defaults: values that the page sets for parameters of this name, in place of the registry's. elsewhere: parameters
    whose fields the page draws itself, by `call_field`. While the text cannot be read, the list is closed, so that a
    click does not replace the text.
    """
    text = str(st.session_state[key])
    calls = read_calls(text)
    usual = {name: _with_defaults(entry.parameters, defaults or {}, elsewhere) for name, entry in entries.items()}
    picked = f"{key}_picked"
    st.session_state[picked] = texts = [_format(call) for call in calls]
    with place.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        options = list(dict.fromkeys([*texts, *(offered or entries)]))
        st.multiselect(
            label, options, key=picked, help=help or None, placeholder="Choose one or more",
            disabled=bool(text.strip()) and not calls, on_change=guarded(partial(_store_list, key, picked)),
        )  # fmt: skip
        with st.popover("Parameters", width="content"):
            for number, call in enumerate(calls):
                if call.name in entries:
                    _fields(key, number, call, entries[call.name], usual[call.name], values or {})
                    _members(key, number, call, entries)
            st.text_input("Edit as text", key=key, help=TEXT_HELP)
    return text


def read_calls(text: str) -> tuple[Call, ...]:
    """Return the calls of a text; none for a text that cannot be read, which the page reports."""
    try:
        return parse_calls(text)
    except ValueError:
        return ()


def _format(call: Call) -> str:
    return format_call(call.name, call.arguments, map(_format, call.others))


def _store_list(key: str, picked: str) -> None:
    st.session_state[key] = ",".join(st.session_state[picked])


def _with_defaults(
    parameters: Sequence[Parameter], defaults: Mapping[str, str], elsewhere: Collection[str]
) -> tuple[Parameter, ...]:
    """Return the parameters that the popover shows, with the page's defaults."""
    visible_parameters = (each for each in parameters if each.name not in elsewhere)
    return tuple(replace(each, default=defaults.get(each.name, each.default)) for each in visible_parameters)


def _fields(
    key: str, number: int, call: Call, entry: Entry, parameters: Sequence[Parameter],
    values: Mapping[str, Sequence[str]],
) -> None:  # fmt: skip
    """Draw the name of one call and a field for each parameter."""
    if not parameters and not _votes(entry):
        return
    html.strong(call.name)
    html.quiet(f"{entry.summary}.")
    columns = st.columns(2, gap="small")
    for place, parameter in enumerate(parameters):
        with columns[place % 2]:
            call_field(key, number, call, parameter, values.get(parameter.name, ()))


def _votes(entry: Entry) -> bool:
    return bool(getattr(entry, "votes", False))


def _members(key: str, number: int, call: Call, entries: Mapping[str, Entry]) -> None:
    """Draw the list of the members of a vote."""
    if not _votes(entries[call.name]):
        return
    name = f"{key}_{number}_members"
    st.session_state[name] = members = [_format(member) for member in call.others]
    others = [each for each, entry in entries.items() if not _votes(entry)]
    st.multiselect("Members", list(dict.fromkeys([*members, *others])), key=name,
                   on_change=guarded(partial(_store_members, key, number, name)))  # fmt: skip


def call_field(
    key: str, number: int, call: Call, parameter: Parameter, offered: Sequence[str] = (), label: str = ""
) -> None:
    """Draw the widget of one parameter with its present value, which edits `session_state[key]`.

    number: the call's place in that text. One past the last adds the call with its first value.
    """
    name = f"{key}_{number}_{parameter.name}"
    value = call.arguments.get(parameter.name, parameter.default)
    look: dict[str, Any] = {
        "key": name, "help": html.literal(parameter.help) or None,
        "on_change": guarded(partial(_store_value, key, number, call.name, parameter, name)),
    }  # fmt: skip
    if not parameter.accepts(value) and value is not None:
        value = parameter.default  # the page reports the value
    label = label or parameter.name.replace("_", " ")
    if parameter.kind == "flag":
        st.session_state[name] = value
        st.checkbox(label, **look)
    elif parameter.is_text and (parameter.choices or offered):
        st.session_state[name] = value or None
        options = list(dict.fromkeys(filter(None, [*(parameter.choices or offered), value or ""])))
        st.selectbox(label, options, accept_new_options=not parameter.choices, **look)
    elif parameter.is_text:
        st.session_state[name] = value or ""
        st.text_input(label, **look)
    else:
        kind = int if parameter.whole else float
        st.session_state[name] = kind(value)
        step, number_format = (1, "%d") if parameter.whole else (None, "%g")
        st.number_input(label, kind(parameter.low), kind(parameter.high), step=step, format=number_format, **look)


def _store_value(key: str, number: int, called: str, parameter: Parameter, name: str) -> None:
    """Write the field's value into the text; a default is left out."""

    def changed(call: Call) -> Call:
        arguments = {other: value for other, value in call.arguments.items() if other != parameter.name}
        value = st.session_state[name]
        if value not in (None, parameter.default) and not (value == "" and parameter.default is None):
            arguments[parameter.name] = value
        return replace(call, arguments=arguments)

    _store_call(key, number, changed, called)


def _store_members(key: str, number: int, name: str) -> None:
    members = read_calls(",".join(st.session_state[name]))
    _store_call(key, number, lambda call: replace(call, others=members))


def _store_call(key: str, number: int, change: Callable[[Call], Call], added: str = "") -> None:
    """Change the call at this place; one past the last, the call named `added` is new."""
    calls = list(read_calls(str(st.session_state[key])))
    if added and number == len(calls):
        calls.append(Call(added, {}))
    if number < len(calls):
        calls[number] = change(calls[number])
        st.session_state[key] = ",".join(map(_format, calls))
