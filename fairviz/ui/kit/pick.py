"""Widgets of the pages' choices, each drawn under its key of REGISTRY with the value that the session or the address
has for it; and rankers, annotators and mitigations picked from a list, with their parameters as fields.

    curve = pick.segmented("tradeoff_curve", "Curve", curves)
    measure = pick.select("inspect_source", "Labels", annotators, usual, place=column)

`place` is the column or container of the widget. `texts` names the options: a function, or a mapping in which an option
without an entry is its own name. Further keywords are those of the Streamlit widget. See `fairviz.ui.state.choices` for
defaults, and for values that are no longer offered.

The stored value of picked rankers is the text that commands and links take, `bm25(k1=1.2),tfidf`; fields and list only
edit it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import streamlit as st

from fairviz.parameters import Call, Parameter, format_call, parse_calls
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices
from fairviz.ui.state import pair as pairs

PAIR = "pair_system"  # the widget of the selected system on a page
COLUMNS = "overview_columns"  # the widget; the settings have an empty list for the default columns
TEXT_HELP = "As commands take it: names with commas between them, parameters in brackets, bm25(k1=1.2),tfidf."
Texts = Mapping[Any, str] | Callable[[Any], str]


def select(
    key: str, label: str, options: Sequence[Any], default: Any = None, *, place: Any = st, texts: Texts = str,
    hide_label: bool = False, **widget: Any,
) -> Any:  # fmt: skip
    """Draw a select box and return the chosen option; None without options."""
    choices.among(key, options, default)
    look = {"format_func": _naming(texts), "label_visibility": _visibility(hide_label), **widget}
    return place.selectbox(label, options, key=key, **look)


def pair(
    systems: Sequence[str], chosen: tuple[str, str], labels: tuple[str, str], places: Sequence[Any], *,
    others: Sequence[str] = (), texts: tuple[Texts, Texts] = (str, str), hide_label: bool = False,
) -> None:  # fmt: skip
    """Draw two select boxes of the pair in view, which `fairviz.ui.state.pair.chosen` has returned."""
    system, st.session_state[PAIR] = chosen[0], chosen[0]
    options = (systems, (*(name for name in systems if name != system), *others))
    for place, label, names, key, named in zip(places, labels, options, (PAIR, pairs.BASELINE), texts, strict=True):
        place.selectbox(
            label, names, key=key, format_func=_naming(named), label_visibility=_visibility(hide_label),
            on_change=guarded(partial(_take_pair, system)),
        )  # fmt: skip


def _take_pair(system: str) -> None:
    """Choose both systems of the boxes; where the new system is the baseline, the two change places."""
    new, baseline = st.session_state[PAIR], st.session_state[pairs.BASELINE]
    pairs.put(new, system if new == baseline else baseline)


def segmented(
    key: str, label: str, options: Sequence[Any], default: Any = None, *, place: Any = st, texts: Texts = str,
    **widget: Any,
) -> Any:  # fmt: skip
    """Draw a row of buttons without its label, one of which is always chosen, and return the chosen option."""
    choices.among(key, options, default)
    look = {"format_func": _naming(texts), "label_visibility": _visibility(True), **widget}
    return place.segmented_control(label, options, key=key, required=True, **look)


def slider(key: str, label: str, options: Sequence[Any], default: Any = None, *, place: Any = st, **widget: Any) -> Any:
    """Draw a slider over the options and return the chosen one."""
    choices.among(key, options, default)
    return place.select_slider(label, options, key=key, **widget)


def several(
    key: str, label: str, options: Sequence[str], default: Sequence[str] = (), *, place: Any = st, texts: Texts = str,
    hide_label: bool = False, follow: bool = True, **widget: Any,
) -> list[str]:  # fmt: skip
    """Draw a list of any number of options and return the chosen ones; the default if none was chosen. follow: as in
    `choices.several`."""
    choices.several(key, options, default, follow=follow)
    look = {"format_func": _naming(texts), "label_visibility": _visibility(hide_label), **widget}
    return list(place.multiselect(label, options, key=key, **look))


def toggle(key: str, label: str, *, place: Any = st, **widget: Any) -> bool:
    """Draw a switch and return whether it is on."""
    choices.value_of(key)
    return bool(place.toggle(label, key=key, **widget))


def text(key: str, label: str, *, place: Any = st, **widget: Any) -> str:
    """Draw a field for text and return its content."""
    choices.value_of(key)
    return str(place.text_input(label, key=key, **widget))


def number(key: str, label: str, *, place: Any = st, **widget: Any) -> int:
    """Draw a field for a whole number and return it."""
    choices.value_of(key)
    return int(place.number_input(label, key=key, **widget))


def query(label: str, texts: Mapping[str, str], first_text: str, absent_text: str) -> None:
    """Draw a select box for the query of the settings.

    texts: the queries on offer with their texts. first_text: the text of no chosen query, for which the page takes the
    first one. absent_text: the text of a chosen query that is not on offer.
    """
    names = {"": first_text, **texts}
    names.setdefault(st.session_state.get("query", ""), absent_text)
    st.selectbox(label, list(names), key="query", format_func=_naming(names))


def columns(label: str, options: Sequence[str], default: Sequence[str]) -> None:
    """Draw a list of the columns of the settings, in which the default ones are chosen where the settings name none."""
    st.session_state[COLUMNS] = list(st.session_state["columns"] or default)
    st.multiselect(label, options, key=COLUMNS, on_change=guarded(partial(_set_columns, list(default))))


def _set_columns(default: list[str]) -> None:
    chosen = list(st.session_state[COLUMNS])
    st.session_state["columns"] = [] if chosen == default else chosen


def _naming(texts: Texts) -> Callable[[Any], str]:
    return texts if callable(texts) else lambda option: texts.get(option, str(option))


def _visibility(hide_label: bool) -> str:
    return "collapsed" if hide_label else "visible"


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
    picked = f"{key}_picked"
    st.session_state[picked] = texts = [_call_text(call) for call in calls]
    with place.container(horizontal=True, vertical_alignment="bottom", gap="xsmall"):
        options = list(dict.fromkeys([*texts, *(offered or entries)]))
        st.multiselect(
            label, options, key=picked, help=help or None, placeholder="Choose one or more",
            disabled=bool(text.strip()) and not calls, on_change=guarded(partial(_store_list, key, picked)),
        )  # fmt: skip
        with st.popover("Parameters", width="content"):
            for number, call in enumerate(calls):
                if call.name in entries:
                    entry = entries[call.name]
                    parameters = _with_defaults(entry.parameters, defaults or {}, elsewhere)
                    _draw_fields(key, number, call, entry, parameters, values or {})
                    _draw_members(key, number, call, entries)
            st.text_input("Edit as text", key=key, help=TEXT_HELP)
    return text


def _with_defaults(
    parameters: Sequence[Parameter], defaults: Mapping[str, str], elsewhere: Collection[str]
) -> tuple[Parameter, ...]:
    """Return the parameters that the popover shows, with the page's defaults."""
    visible_parameters = (each for each in parameters if each.name not in elsewhere)
    return tuple(replace(each, default=defaults.get(each.name, each.default)) for each in visible_parameters)


def _draw_fields(
    key: str,
    number: int,
    call: Call,
    entry: Entry,
    parameters: Sequence[Parameter],
    values: Mapping[str, Sequence[str]],
) -> None:
    """Draw the name of one call and a field for each parameter."""
    if not parameters and not _is_vote(entry):
        return
    html.strong(f"{call.name}: {entry.summary}")
    columns = st.columns(2, gap="small")
    for place, parameter in enumerate(parameters):
        with columns[place % 2]:
            call_field(key, number, call, parameter, values.get(parameter.name, ()))


def _draw_members(key: str, number: int, call: Call, entries: Mapping[str, Entry]) -> None:
    """Draw the list of the members of a vote; nothing for other calls."""
    if not _is_vote(entries[call.name]):
        return
    name = f"{key}_{number}_members"
    st.session_state[name] = members = [_call_text(member) for member in call.others]
    candidates = [each for each, entry in entries.items() if not _is_vote(entry)]
    options = list(dict.fromkeys([*members, *candidates]))
    st.multiselect("Members", options, key=name, on_change=guarded(partial(_store_members, key, number, name)))


def _is_vote(entry: Entry) -> bool:
    return bool(getattr(entry, "votes", False))


def read_calls(text: str) -> tuple[Call, ...]:
    """Return the calls of a text; none for a text that cannot be read, which the page reports."""
    try:
        return parse_calls(text)
    except ValueError:
        return ()


def _call_text(call: Call) -> str:
    return format_call(call.name, call.arguments, map(_call_text, call.others))


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
        may_be_empty = "" in parameter.choices  # one of the choices, and no empty field
        st.session_state[name] = value if may_be_empty else value or None
        options = [*dict.fromkeys([*(parameter.choices or offered), value or ""])]
        options = options if may_be_empty else [*filter(None, options)]
        st.selectbox(
            label, options, accept_new_options=not parameter.choices, format_func=lambda one: one or "none", **look
        )
    elif parameter.is_text:
        st.session_state[name] = value or ""
        st.text_input(label, **look)
    else:
        kind = int if parameter.whole else float
        st.session_state[name] = kind(value)
        step, number_format = (1, "%d") if parameter.whole else (None, "%g")
        st.number_input(label, kind(parameter.low), kind(parameter.high), step=step, format=number_format, **look)


def _store_value(key: str, number: int, called: str, parameter: Parameter, name: str) -> None:
    """Write the field's value into the text."""
    _store_call(key, number, partial(_with_value, parameter=parameter, value=st.session_state[name]), called)


def _with_value(call: Call, parameter: Parameter, value: Any) -> Call:
    """Return the call with this value of the parameter; a default is left out."""
    arguments = {other: each for other, each in call.arguments.items() if other != parameter.name}
    if value not in (None, parameter.default) and not (value == "" and parameter.default is None):
        arguments[parameter.name] = value
    return replace(call, arguments=arguments)


def _store_list(key: str, picked: str) -> None:
    st.session_state[key] = ",".join(st.session_state[picked])


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
        st.session_state[key] = ",".join(map(_call_text, calls))
