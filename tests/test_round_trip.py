"""What is written reads back as it was, whatever ids, texts, names and words are: the law of every file we write."""

import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fairviz.annotation.adjudications import (
    decide,
    decisions,
    export_decisions,
    export_labels,
    history,
    import_decisions,
    undo,
)
from fairviz.errors import FairvizError
from fairviz.normal_form import folded
from fairviz.study.attributes import Attribute, find_defects
from fairviz.study.loaders.lines import MARK
from fairviz.study.record import PARTS, Annotator, Study
from fairviz.study.study import make_study, open_study_folder, save_study
from fairviz.words.counting import Lexicon
from tests.conftest import refused

LAW = settings(suppress_health_check=list(HealthCheck), max_examples=settings.default.max_examples // 2)
_ODD = [
    *("-a", "'-a", "''", "=1+1", "+1", "@x", "-0.5", "'", '"', '""', "a,b", "a\tb", "a\nb", "\nx", "=\n", " ", " a "),
    *("é", "שלום", "🏳️\u200d🌈", "\u2028", "\x85", "\xa0", "null", "NaN", "None", "0x10", "007", "1.0", "1e5", "true"),
    *("a\rb", "guarded_by_apostrophe", "yes", "#", "\x7f", "\x1f", "\ufeff", "＝1", "\r"),
]
TEXT = st.sampled_from(_ODD) | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
ID = TEXT.filter(bool)
PLAIN_ID = st.sampled_from(["-a", "'-a", "=1", "@x", '"', "'", "+1", ","]) | st.text(
    st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5
)
GROUP = st.sampled_from(["women's", "-x", "=f", 'a"b', "a,b", "é", "two words", "'m", "x:y", "a|b", "\\"])
COLUMN = TEXT.filter(lambda name: name not in ("doc_id", "annotator", "label"))
RUN_COLUMNS = ["system", "query_id", "doc_id", "rank", "score"]


def same(one: pd.DataFrame, two: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, two, check_categorical=False, check_exact=True)


@st.composite
def label_tables(draw: st.DrawFn, groups: list[str]) -> pd.DataFrame:
    """Labels of odd documents by odd annotators, with further columns."""
    keys = draw(st.lists(st.tuples(ID, ID), min_size=1, max_size=4, unique=True))
    columns = {
        "doc_id": [key[0] for key in keys],
        "annotator": [key[1] for key in keys],
        "label": draw(st.lists(st.sampled_from(groups), min_size=len(keys), max_size=len(keys))),
    }
    for name in draw(st.lists(COLUMN, max_size=2, unique=True)):
        columns[name] = draw(st.lists(TEXT | st.none(), min_size=len(keys), max_size=len(keys)))
    return pd.DataFrame(columns)


@st.composite
def studies(draw: st.DrawFn) -> Study:
    """A study of every part, of odd names and texts."""
    groups = draw(st.lists(GROUP, min_size=3, max_size=4, unique_by=str.lower))
    labels = draw(label_tables(groups))
    documents = list(dict.fromkeys(labels["doc_id"]))
    texts = [draw(TEXT | st.none()) for _ in documents]
    names = draw(st.lists(PLAIN_ID, min_size=2, max_size=4, unique=True))
    runs = [("s", name, other, rank, 0.5 / rank) for name in names for rank, other in enumerate(names, 1)]
    words = draw(st.lists(ID.map(lambda text: text.lower().strip()).filter(bool), max_size=4, unique=True))
    columns = TEXT.filter(lambda name: not find_defects({name: {"levels": ["low", "high"]}}))
    sets = draw(st.lists(columns, max_size=2, unique=True))
    sound = TEXT.filter(lambda level: not find_defects({"set": {"levels": [level, f"{level}s"]}}))
    levels = draw(st.lists(sound, min_size=2, max_size=2, unique=True))
    cells = [
        draw(st.sampled_from([*levels, "|".join(levels), f"{levels[0]}=0.125|{levels[1]}=0.875"])) for _ in documents
    ]
    described = {labels["annotator"].iloc[0]: Annotator(labels["annotator"].iloc[0], "model", draw(TEXT))}
    return make_study(
        "s", groups=groups[1:], neutral=groups[0], title=draw(TEXT), description=draw(TEXT), licence=draw(TEXT),
        notices=tuple(draw(st.lists(TEXT, max_size=2))), label_kind=draw(st.sampled_from(["gender", "other"])),
        annotators=described, labels=labels, runs=pd.DataFrame(runs, columns=RUN_COLUMNS),
        queries=pd.DataFrame({"query_id": documents, "text": [text or "" for text in texts]}),
        documents=pd.DataFrame({"doc_id": documents, "text": texts, **dict.fromkeys(sets, cells)}),
        attributes={name: Attribute(tuple(levels), "ordinal", (0.25, 0.75)) for name in sets},
        qrels=pd.DataFrame({"query_id": names, "doc_id": names, "relevance": [1] * len(names)}),
        lexicon=Lexicon("mine", tuple((word, groups[1]) for word in words)) if words else None,
    )  # fmt: skip


@pytest.mark.slow
@LAW
@given(studies())
def test_a_study_saved_and_opened_is_the_same_or_is_refused(tmp_path: Path, study: Study) -> None:
    folder = tmp_path / os.urandom(8).hex()
    words = [word for word, _ in study.lexicon.words] if study.lexicon else []
    spoilt = [word for word in words if set(word) & set("\n\r\t") or not folded(word)]
    if spoilt:
        with refused(
            f"the word {spoilt[0]!r} cannot be written to a file of words\n"
            "Write it in lower case, on one line, with a visible character and without tabs."
        ):
            save_study(study, folder)
        assert not folder.exists()
        return
    again = open_study_folder(save_study(study, folder))
    for part in PARTS:
        same(getattr(study, part), getattr(again, part))
    kept = "groups neutral protected lexicon annotators notices label_kind systems attributes"
    for name in kept.split():
        assert getattr(study, name) == getattr(again, name), name
    for name in ("title", "description", "licence"):
        assert getattr(study, name).strip() == getattr(again, name), name


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@LAW
@example(labels=pd.DataFrame([("-a", "-a", "neutral", "-a,")], columns=["doc_id", "annotator", "label", MARK]))
@example(labels=pd.DataFrame([("a", "b", "neutral", "'")], columns=["doc_id", "annotator", "label", f"'{MARK}"]))
@given(labels=label_tables(["neutral", "female", "male"]))
def test_exported_labels_are_the_labels_of_a_study_folder(tmp_path: Path, suffix: str, labels: pd.DataFrame) -> None:
    """Also in CSV, where what is missing becomes an empty text; a text that CSV cannot hold is refused."""
    study = make_study("s", labels=labels)
    folder = tmp_path / os.urandom(8).hex()
    folder.mkdir()
    file = folder / f"labels.{suffix}"
    try:
        export_labels(study, file)
    except FairvizError as error:
        told = str(error)
    else:
        table = study.labels.astype("object")
        table = table.where(table.notna(), None if suffix == "jsonl" else "")
        read = open_study_folder(folder).labels.astype("object")
        same(read.where(read.notna(), None), table)
        return
    held = [*labels.columns, *labels.to_numpy().ravel().tolist()]
    assert suffix == "csv"
    assert any(
        set(cell) & set('\r\n"') or cell.strip() != cell or not cell for cell in held if isinstance(cell, str)
    ), told
    assert told.endswith("Name a file that ends in .jsonl instead.")
    assert not list(folder.iterdir())


@pytest.mark.slow
@LAW
@given(made=st.lists(st.tuples(ID, TEXT, TEXT, st.booleans()), min_size=1, max_size=4))
def test_exported_decisions_are_imported_as_they_were(tmp_path: Path, made: list[tuple]) -> None:
    documents = list(dict.fromkeys(row[0] for row in made))
    labels = pd.DataFrame({"doc_id": documents, "label": ["male"] * len(documents)})
    base = tmp_path / os.urandom(8).hex()
    one = open_study_folder(save_study(make_study("s", labels=labels), base / "one"))
    others = {name: open_study_folder(shutil.copytree(base / "one", base / name)) for name in ("csv", "jsonl")}
    for document, reason, author, undone in made:
        decide(one, document, "female", reason, author)
        if undone:
            undo(one, document, author.strip())
    for suffix, two in others.items():
        file = base / f"decisions.{suffix}"
        if suffix == "csv" and any("\r" in row[0] for row in made):
            with pytest.raises(FairvizError, match=r"to a CSV file\nName a file that ends in .jsonl instead.$"):
                export_decisions(one, file)
            continue
        export_decisions(one, file)
        assert import_decisions(two, file) == len(history(one))
        same(history(two), history(one))
        same(decisions(two), decisions(one))
        assert import_decisions(one, file) == 0
