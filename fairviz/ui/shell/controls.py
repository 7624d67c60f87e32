"""The sidebar: the study, and every choice shared by the pages, as a few questions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST
from fairviz.annotation.rules import ANNOTATORS
from fairviz.comparison.ranking_sentences import joining_text
from fairviz.errors import FairvizError
from fairviz.evaluation import questions
from fairviz.evaluation.choices import chosen_annotator, chosen_lexicon, chosen_systems, systems_tested
from fairviz.evaluation.settings import CHOICES, LABELS, LISTS, TESTS, WORDS, SettingChoice, Settings
from fairviz.evaluation.slider_settings import cutoff_options
from fairviz.evaluation.study_values import (
    annotators,
    backgrounds,
    cluster_columns,
    crossing_columns,
    deepest_rank,
    filter_columns,
    filter_values,
)
from fairviz.figures import bias_curve
from fairviz.home.permissions import permissions
from fairviz.measures.position_bias import ATTENTION, MAX_CUTOFF
from fairviz.normal_form import folded
from fairviz.statistics.families import FAMILIES, METHODS, STATISTICS, STEPWISE, Tests, parse_tests
from fairviz.study.loaders import read_lexicon
from fairviz.study.loaders.weights import parse_weights
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.entries import draw_cached
from fairviz.ui.kept.tables import word_list_use
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.charts import CONFIG, theme
from fairviz.ui.kit.editors import Editor, as_file, setting_from_file
from fairviz.ui.kit.glossary import control_help, term
from fairviz.ui.shell import chips, voters
from fairviz.ui.shell.live import bias, component
from fairviz.ui.shell.live.sliders import BIAS_TEXTS
from fairviz.ui.state import address, choices, library, session
from fairviz.words.counting import GSR_LEXICON, Lexicon, entry_text, format_lexicon
from fairviz.words.sentences import agreeing, listed

BACKGROUND_TEXTS = {"candidates": "all retrieved", "collection": "all documents"}
MEANINGS = {
    **{name: f"a rule, stored: {rule.summary}" for name, rule in ANNOTATORS.items()},
    WORD_LIST: "live (“Word list”): neutral up to τ gender words or tied, else the larger group",
}
TYPED_CUTOFF = "cutoff_typed"
BIAS_FILE, BIAS_PROBLEM = "bias_file", "bias_problem"
BIAS_REMEDY = "Give two columns, rank and weight, such as: 1,0.42"
EXPANDERS = {  # the groups below the sliders, with the key of each
    LISTS: "group_lists",
    LABELS: "group_labels",
    WORDS: "group_words",
    TESTS: "group_test_controls",
}
LIST_FILE, LIST_PROBLEM = "lexicon_file", "lexicon_file_problem"
METHOD, STATISTIC, FAMILY, BASELINE = "tests_method", "tests_statistic", "tests_family", "tests_baseline"
KEYS = {"method": METHOD, "statistic": STATISTIC, "family": FAMILY, "baseline": BASELINE}
METHOD_TEXTS = METHODS | {
    "maxT": "maxT: uses that systems answer the same queries",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg: share of false claims",
    "none": "none: each pair alone",
}
BASELINE_HELP = "Only comparisons with this system are tested. Name it before looking at the results."
TICKED_HELP = "References and edited lists are shown without a verdict unless ticked."
NOT_TESTED_HELP = "These are shown without a verdict, and no correction counts them."
KEEP_HELP = "Every session, the command line and Python then test these systems in this study."
SEEN, JOINED = "tested_seen", "tested_joined"  # the systems of each study; the study and its systems that joined since


def study_name() -> str:
    """Return the name of the chosen study. An unknown name in the address is reported and replaced by the default, or
    by the first study of a server without that one. Raises FairvizError where there is none at all."""
    name, names = st.session_state["study"], library.names()
    if not names:
        raise FairvizError("this server has no study for you yet", "Ask its owner for one.")
    if name not in names:
        is_usual = Settings.study in names and not permissions().is_server
        new_name = st.session_state["study"] = Settings.study if is_usual else names[0]
        if name not in (Settings.study, library.startup_study()):
            choices.report(
                f"The study {name[:80]!r} is not here; {new_name} is shown. The Data page opens and fetches studies."
            )
    return st.session_state["study"]


def study_picker() -> None:
    """Draw the picker of the study."""
    st.selectbox("Study", library.names(), key="study", help="More on the Data page: fetch one, or open your own.")


def controls(study: Study) -> Settings:
    """Draw every shared control, and return the settings."""
    _cutoff(study)
    with st.container(key="slider_alpha", gap=None):
        st.slider("α of CWEx: weight of neutrality", 0.0, 1.0, step=0.01, key="alpha")
        component.play("alpha")
    _bias()
    settings = session.read(st.session_state)
    for group, key in EXPANDERS.items():
        title = chips.group_label(group, settings, html.literal(group_value(group, study, settings)))
        with st.expander(title, key=key):
            _group(group, study)
    st.button("Reset", on_click=guarded(address.reset), width="stretch", help="Every choice back to its default.")
    return session.read(st.session_state)


def _cutoff(study: Study) -> None:
    """Draw the slider, and the field in which a cutoff can be typed, those between the slider's stops included."""
    state = st.session_state
    options = cutoff_options(deepest_rank(study), state["cutoff"])
    state[TYPED_CUTOFF] = state["cutoff"]
    with st.container(key="slider_cutoff", gap="small", horizontal=True, wrap=False, vertical_alignment="bottom"):
        st.select_slider("Cutoff k: how far down the list", options, key="cutoff")
        st.number_input(
            "Cutoff k, typed",
            1,
            MAX_CUTOFF,
            step=1,
            key=TYPED_CUTOFF,
            width=62,
            label_visibility="collapsed",
            on_change=guarded(_take_typed_cutoff),
        )
        component.play("cutoff")


def _take_typed_cutoff() -> None:
    st.session_state["cutoff"] = st.session_state[TYPED_CUTOFF]


def _group(group: str, study: Study) -> None:
    """Draw the controls of a group; a message for the labels of a study without any."""
    if group == LABELS and not study.has("labels"):
        html.message("info", "This study has no labels.", "Add a file of labels on the Data page.")
        return
    for choice in chips.ORDER:
        if choice.group == group and choice.control:
            _control(choice, study)


def group_value(group: str, study: Study, settings: Settings) -> str:
    """Return the present value of a group of the sidebar, for its title: `9 of 9`."""
    if group == LISTS:
        return f"{len(chosen_systems(study, settings)):,} of {len(study.systems):,}"
    if group == LABELS:
        return chosen_annotator(study, settings) or "none"
    if group == WORDS:
        own = "edited" if settings.lexicon else "the study's"
        name = "built-in" if chosen_lexicon(study, settings) == GSR_LEXICON else own
        return f"{name}, τ {settings.tau}"
    tests = parse_tests(settings.tests)
    is_t = tests.statistic == Tests.statistic and tests.method != "tukey"
    return f"paired t, {chips.tests_text(tests)}" if is_t else chips.tests_text(tests)


def _control(choice: SettingChoice, study: Study) -> None:
    """Draw the control of a choice: its own in OWN, a picker of PICKED, else one for the type of its values."""
    name, label = choice.name, choice.control
    if name in OWN:
        OWN[name](study)
    elif name in PICKED:
        label, options_of, text, help_text = PICKED[name]
        options = options_of(study)
        if name not in ("crossed_with", "cluster") or len(options) > 1:
            about = help_text or control_help(name)
            if name == "annotator":
                about = "  \n".join(filter(None, (about, html.tooltip(*describe(options)))))
            st.selectbox(label, options, key=name, format_func=text, help=about)
    elif choice.texts:
        st.selectbox(label, tuple(choice.texts), key=name, format_func=choice.named, help=control_help(name))
    elif isinstance(choice.default, int):
        st.number_input(label, choice.least, MAX_CUTOFF, step=1, key=name, help=control_help(name))
    elif isinstance(choice.default, float):
        st.number_input(label, step=0.01, key=name)
    else:
        st.text_input(label, key=name)


def _bias() -> None:
    """Draw the choice of the position bias with its parameter or its table, and its curve."""
    bias_name = st.selectbox(
        "Position bias: attention by rank",
        (*ATTENTION, "custom"),
        key="position_bias",
        format_func=lambda name: f"{name}: {BIAS_TEXTS[name]}",
        help=control_help("position_bias"),
    )
    if bias_name == "rbp":
        low, high = ATTENTION["rbp"].low, ATTENTION["rbp"].high
        with st.container(key="slider_p", gap=None):
            st.slider("p: chance of reading on", low, high, step=0.01, key=session.PARAMETER)
            component.play(session.PARAMETER)
    if bias_name == "custom":
        # the errors of a file are shown below the uploader, and the current bias stays
        setting_from_file(
            "Table of rank, weight", BIAS_FILE, BIAS_PROBLEM, "custom_bias", lambda *file: list(parse_weights(*file))
        )
        problem = st.session_state.get(BIAS_PROBLEM)
        html.problem(problem)
        if problem is None and not st.session_state["custom_bias"]:
            html.message("info", "No table yet: log2 is in force.", BIAS_REMEDY)
    curve = bias.curve_of(session.read(st.session_state))
    figure = draw_cached(bias_curve.draw, curve, theme(), theme=theme())
    config = {**CONFIG, "displayModeBar": False}
    st.plotly_chart(figure, theme=None, width="stretch", key=bias.KEY, config=config, alt=curve.alt)


def _queries(study: Study) -> None:
    texts = {"": "all queries", "query_id": "chosen one by one"}
    columns = filter_columns(study)
    column = st.selectbox("Queries", columns, key="filter_column", format_func=lambda name: texts.get(name, name))
    if column:
        values = filter_values(study, column)
        st.multiselect("Keep those of", values, key="filter_values", placeholder="all")


def describe(names: Sequence[str]) -> list[str]:
    """Return a sentence for each of the annotators that is a rule or the word list."""
    return [f"{name}: {MEANINGS[name]}." for name in names if name in MEANINGS]


def edited_list(rows: Sequence[Sequence[object]], groups: Sequence[str]) -> Lexicon:
    """Return rows of (word, group) as a word list, without empty rows.

    Raises: FairvizError for a row without a word or group, a word in two groups, and a group that the study lacks.
    """
    groups_by_word: dict[str, tuple[str, str]] = {}
    for word, group in rows:
        word = entry_text(str(word).strip()) if isinstance(word, str) else ""
        group = group if isinstance(group, str) else ""
        if not word and not group:
            continue
        if not word or group not in groups:
            raise FairvizError(f"the word {word!r} has the group {group!r}", f"Use one of {', '.join(groups)}.")
        if groups_by_word.setdefault(folded(word), (word, group))[1] != group:
            raise FairvizError(f"the word {word!r} is in two groups", "Keep it in one of them.")
    if not groups_by_word:
        raise FairvizError("the word list is empty", "Keep one word of each group at least.")
    return Lexicon("edited", tuple(groups_by_word.values()))


def lexicon_editor(study: Study) -> None:
    """Draw a popover with the words in an editable table, and how they match the documents."""
    group = st.column_config.SelectboxColumn("group", options=list(study.groups), required=True)
    state = st.session_state
    use = word_list_use(study, Settings(lexicon=state["lexicon"], tokenizer=state["tokenizer"]))
    editor = Editor(
        "lexicon", f"lexicon_edited_{study.name}", "Word list", "words", ("word", "group"),
        usual=partial(chosen_lexicon, study, Settings()),
        parse=lambda text: chosen_lexicon(study, Settings(lexicon=text)),
        format=format_lexicon, of_rows=lambda rows: edited_list(rows, study.groups), rows=lambda lexicon: lexicon.words,
        presets={"The study's own": "", "Appendix B of the GSR paper": "gsr"}, config={"group": group}, unit=" words",
        about=" ".join((*use.rules, *use.misses)),
    )  # fmt: skip
    editor.draw()


def lexicon_upload(study: Study) -> None:
    """Draw a popover with the uploader. It shows the errors of a file; the current words then stay."""
    about = "The group in full or as its first letter, such as: she,f. It counts on every page until Reset."
    with st.popover("List from a file", help=about):
        read = partial(lexicon_text, groups=(study.neutral, *study.groups))
        setting_from_file("word,group", LIST_FILE, LIST_PROBLEM, "lexicon", read)
        html.problem(st.session_state.get(LIST_PROBLEM))


def lexicon_text(name: str, content: bytes, groups: tuple[str, ...]) -> str:
    """Return the words of a file as the text of `Settings.lexicon`. Raises: DataError that names every invalid line."""
    with as_file(name, content) as path:
        return format_lexicon(read_lexicon(path, str(path.parent), groups))


def test_controls(study: Study) -> None:
    """Draw the choices of the tests."""
    tests = parse_tests(st.session_state["tests"])
    systems = tuple(st.session_state["systems"]) or study.systems
    for field, key in KEYS.items():
        st.session_state[key] = getattr(tests, field)
    changed = guarded(partial(_change_tests, tests))

    def select(label: str, key: str, texts: Mapping[str, str], about: str | None = None) -> None:
        st.selectbox(label, tuple(texts), key=key, format_func=texts.__getitem__, on_change=changed, help=about)

    select("Method", METHOD, METHOD_TEXTS)
    if tests.method in STEPWISE:
        select("Statistic", STATISTIC, STATISTICS)
    if tests.method != "tukey":
        select("Family", FAMILY, FAMILIES, term("family"))
    named = (*([tests.baseline] if tests.baseline else []), *systems)
    select(
        "Baseline named beforehand",
        BASELINE,
        {"": "none: all pairs"} | dict(zip(named, named, strict=True)),
        BASELINE_HELP,
    )


def _change_tests(tests: Tests) -> None:
    """Write the values of the widgets into the setting. For on_change, which runs before the widgets."""
    values = {field: st.session_state.get(key, getattr(tests, field)) for field, key in KEYS.items()}
    if values["method"] not in STEPWISE:
        values["statistic"] = Tests.statistic
    if values["method"] == "tukey":
        values["family"] = Tests.family
    try:
        st.session_state["tests"] = Tests(**values).text
    except FairvizError:
        st.session_state["tests"] = tests.text


def tested_control(study: Study) -> None:
    """Draw the exceptions of the tested systems, and the button that stores them with the study."""
    state = st.session_state
    for key, label, help_text in (
        ("tested", "Also test", TICKED_HELP),
        ("not_tested", "Test without", NOT_TESTED_HELP),
    ):
        is_offered = key == "not_tested"
        usual = [name for name in study.systems if (name in study.contenders) == is_offered]
        if names := [*usual, *(name for name in state[key] if name not in usual)]:
            st.multiselect(label, names, key=key, placeholder="none", help=help_text)
    if (state["tested"] or state["not_tested"]) and library.may_keep(study):
        tested = systems_tested(study, session.read(state))
        st.button(
            "Keep this choice with the study", key="tested_keep", help=KEEP_HELP, width="stretch",
            on_click=guarded(partial(_keep_tested, study, tested)),
        )  # fmt: skip


def _keep_tested(study: Study, tested: Sequence[str]) -> None:
    """Store the tested systems with the study, of which no setting then differs. For on_click."""
    library.keep_tested(study, tested)
    session.take_back("tested", "not_tested")
    _close_joined()


def note_joined(study: Study) -> None:
    """Record the tested systems that the study has got in this session, and show them where not all systems are shown.
    Before the widgets."""
    state, seen = st.session_state, st.session_state.setdefault(SEEN, {})
    before = seen.get(study.name, study.systems)
    seen[study.name] = study.systems
    new = [name for name in study.systems if name not in before and name in study.contenders]
    if not new or not set(before) <= set(study.systems):  # a run that was renamed is no further one
        return
    if state["systems"]:
        state["systems"] = [*state["systems"], *new]
    name, joined = state.get(JOINED, ("", ()))
    state[JOINED] = (study.name, (*(joined if name == study.name else ()), *new))


def joined_notice(study: Study, settings: Settings) -> None:
    """Draw what the systems that joined have changed in the tests, with the button that takes them out again; until one
    of its buttons is pressed."""
    name, joined = st.session_state.get(JOINED, ("", ()))
    if name != study.name:
        return
    tested, shown = systems_tested(study, settings), chosen_systems(study, settings)
    joined = [one for one in joined if one in tested and one in shown]
    texts = questions.overview(study, settings).texts if joined else ()
    if not texts:
        return
    without = settings.changed(not_tested=(*settings.not_tested, *joined))
    before, after = (tables.comparison(study, texts, one) for one in (without, settings))
    verb, pronoun = agreeing(len(joined), "is", "are"), agreeing(len(joined), "it", "them")
    with st.container(key="joined", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        html.message("good", f"{listed(joined)} {verb} tested: {joining_text(before, after)}")
        rest = [one for one in study.contenders if one not in joined]
        st.button(f"Test without {pronoun}", key="joined_out", on_click=guarded(partial(_keep_tested, study, rest)))
        st.button("OK", key="joined_ok", on_click=guarded(_close_joined), help="Closes this line.")


def _close_joined() -> None:
    st.session_state.pop(JOINED, None)


Picker = tuple[str, Callable[[Study], Sequence[str]], Callable[[str], str], str]  # label, options, text, help
PICKED: Mapping[str, Picker] = {
    "system": (
        "Selected system", lambda study: ("", *study.systems), lambda name: name or "none",
        "The same as a click on its point or row.",
    ),
    "annotator": ("Annotator", annotators, lambda name: name or "the study's default", ""),
    "crossed_with": (
        CHOICES["crossed_with"].control, crossing_columns, lambda name: name or "nothing: genders alone",
        "Each gender is divided by this column of the documents. Measures of words are then left out.",
    ),
    "cluster": (
        CHOICES["cluster"].control, cluster_columns, lambda name: f"by {name}" if name else "none: each by itself",
        "Queries with the same value are drawn together, as wordings of one need. Ten clusters or more are needed.",
    ),
    "background": (
        "Background of NFaiRR", backgrounds,
        lambda name: f"{name}: {BACKGROUND_TEXTS[name]}" if name in BACKGROUND_TEXTS else name, "",
    ),
}  # fmt: skip
OWN: Mapping[str, Callable[[Study], object]] = {  # the choices whose control is not given by the type of their values
    "systems": lambda study: st.multiselect("Systems", study.systems, key="systems", placeholder="all"),
    "filter_column": _queries,
    "voters": voters.control,
    "lexicon": lexicon_editor,
    "tests": test_controls,
    "tested": tested_control,
}
