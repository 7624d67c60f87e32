"""The list of gender words: in a popover, where it can be edited and reset, and from a file."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.normal_form import folded
from fairviz.study.loaders import read_lexicon
from fairviz.study.record import Study
from fairviz.ui.kept.tables import word_list_use
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.words.counting import Lexicon, entry_text, format_lexicon

EDITOR = "lexicon_edited"
FILE, FILE_PROBLEM = "lexicon_file", "lexicon_file_problem"


def edited_text(rows: Sequence[tuple[object, object]], groups: Sequence[str]) -> str:
    """Return rows of (word, group) as the text of `Settings.lexicon`, without empty rows.

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
    return format_lexicon(Lexicon("edited", tuple(groups_by_word.values())))


def lexicon_editor(study: Study) -> None:
    """Draw a popover with the words in an editable table."""
    lexicon = chosen_lexicon(study, Settings(lexicon=st.session_state["lexicon"]))
    with st.popover(f"Word list: {len(lexicon.words):,} words", width="stretch"):
        words = pd.DataFrame(list(lexicon.words), columns=["word", "group"])
        key = f"{EDITOR}_{abs(hash((study.name, lexicon.words)))}"
        group = st.column_config.SelectboxColumn("group", options=list(study.groups), required=True)
        edited_words = st.data_editor(
            words, num_rows="dynamic", hide_index=True, key=key, height=300, column_config={"group": group}
        )
        rows = list(zip(edited_words["word"], edited_words["group"], strict=True))
        st.button("Use these words", on_click=guarded(_use), args=(rows, study.groups), type="primary")
        st.button("The study's own", on_click=guarded(_choose), args=("",), disabled=not st.session_state["lexicon"])
        st.button("Appendix B of the GSR paper", on_click=guarded(_choose), args=("gsr",))
        html.problem(st.session_state.pop("lexicon_problem", None))
        chosen = Settings(lexicon=st.session_state["lexicon"], tokenizer=st.session_state["tokenizer"])
        use = word_list_use(study, chosen)
        html.quiet(" ".join((*use.rules, *use.misses)))


def _use(rows: Sequence[tuple[object, object]], groups: Sequence[str]) -> None:
    try:
        st.session_state["lexicon"] = edited_text(rows, groups)
    except FairvizError as error:
        st.session_state["lexicon_problem"] = error


def _choose(text: str) -> None:
    st.session_state["lexicon"] = text


def lexicon_upload(study: Study) -> None:
    """Draw a popover with the uploader. It shows the errors of a file; the current words then stay."""
    with st.popover("List from a file"):
        st.file_uploader("word,group", type=["csv", "tsv", "txt"], key=FILE, on_change=guarded(_take), args=(study,))
        html.quiet("The group in full or as its first letter, such as: she,f. It counts on every page until Reset.")
        html.problem(st.session_state.get(FILE_PROBLEM))


def lexicon_text(name: str, content: bytes, groups: tuple[str, ...]) -> str:
    """Return the words of a file as the text of `Settings.lexicon`. Raises: DataError that names every invalid line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return format_lexicon(read_lexicon(path, folder, groups))


def _take(study: Study) -> None:
    upload = st.session_state[FILE]
    st.session_state[FILE_PROBLEM] = None
    if upload is None:
        return
    try:
        text = lexicon_text(upload.name, upload.getvalue(), (study.neutral, *study.groups))
    except FairvizError as error:
        st.session_state[FILE_PROBLEM] = error
        return
    st.session_state["lexicon"] = text
