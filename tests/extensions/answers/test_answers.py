"""Suppression, gaps, slopes and attribution of made answers: by hand, against a slow reference, and by simulation."""

import json
from pathlib import Path

import numpy as np
import pytest

import fairviz
from fairviz.datasets import studies_folder
from fairviz.errors import FairvizError, UsageError
from fairviz.study.record import Study
from tests.extensions.answers.made import SUPPRESSED, made_answers
from tests.extensions.answers.test_layouts import study_of
from tests.pages.conftest import drawn_by, html_of

LABELS = {"a": "female", "b": "female", "c": "male", "d": "male", "e": "neutral"}


def labelled(folder: Path, *rows: dict, **labels: str) -> Study:
    texts = [f"{name},{label}" for name, label in {**LABELS, **labels}.items()]
    (folder / "labels.csv").write_text("\n".join(["doc_id,label", *texts]) + "\n")
    return study_of(folder, *rows)


def row(query: str, citations: object, context: str = "abcd", text: str = "It.") -> dict:
    return {"query_id": query, "text": text, "context": [*context], "citations": citations}


def test_suppression_by_hand(tmp_path: Path) -> None:
    # q1 cites c, d and a of two women and two men: 1, by chance 3 · 1/2. q2 cites a of a, c, d, e: 1, by chance 1/4.
    study = labelled(tmp_path, row("q1", ["c", "d", "a"]), row("q2", ["a"], "acde"), row("q3", []))
    found = fairviz.answers(study).suppression.set_index("group")
    assert found.loc["female", "cited"] == pytest.approx(2 / 4)
    assert found.loc["female", "by_chance"] == pytest.approx((3 * 1 / 2 + 1 / 4) / 4)
    assert found.loc["female", "suppression"] == pytest.approx(1 - 2 / 1.75)
    assert found.loc["neutral", "suppression"] == 1.0
    assert found["queries"].unique().tolist() == [2]


def test_what_was_not_shown_or_has_no_label_is_in_no_suppression(tmp_path: Path) -> None:
    study = labelled(tmp_path, row("q1", ["c", "x", "f"], "abcf"), row("q2", ["a", "c"]))
    found = fairviz.answers(study)
    table = found.suppression.set_index("group")
    assert table.loc["female", "cited"] == pytest.approx(1 / 3), "c, a and c"
    assert table.loc["female", "by_chance"] == pytest.approx((2 / 3 + 2 * 1 / 2) / 3)
    assert found.queries["not_shown"].tolist() == [1, 0]
    assert "1 that cite a document that was not shown" in found.notes[0]


def test_counted_citations_weigh_by_their_sentences(tmp_path: Path) -> None:
    sentences = [{"text": "It.", "citations": ["a"]}, {"text": "It.", "citations": ["a", "c"]}]
    study = labelled(tmp_path, {"query_id": "q1", "references": ["a", "c"], "answer": sentences})
    once, counted = (
        fairviz.answers(study, attention=name).suppression.set_index("group").loc["female", "cited"]
        for name in ("equal", "count")
    )
    assert (once, counted) == (pytest.approx(1 / 2), pytest.approx(2 / 3))
    gap = fairviz.answers(study, attention="count").queries["gap_cited"].item()
    assert gap == pytest.approx(2 / 3 - 1 / 3)


def test_gaps_by_hand(tmp_path: Path) -> None:
    study = labelled(tmp_path, row("q1", ["c", "a", "e"], "acef", "She saw him, and he saw her and his cat."))
    queries = fairviz.answers(study).queries.iloc[0]
    first, second, third = 1, 1 / np.log2(3), 1 / 2
    assert queries["gap_context"] == pytest.approx((first - second) / (first + second + third)), "f has no label"
    assert queries["gap_cited"] == pytest.approx((second - first) / (first + second + third))
    assert queries["gap_words"] == pytest.approx((2 - 3) / 5), "she and her; him, he and his"
    assert np.isnan(fairviz.answers(study, unlabelled="strict").queries["gap_context"].item())


def test_answers_without_citations_or_words_are_undefined_and_counted(tmp_path: Path) -> None:
    found = fairviz.answers(labelled(tmp_path, row("q1", [], text="He."), row("q2", ["a"])))
    assert found.queries["gap_cited"].isna().tolist() == [True, False]
    assert found.queries["gap_words"].isna().tolist() == [False, True]
    assert found.notes[0].startswith(
        "gpt, of 2 answers: 1 without a citation: undefined, and in no mean; 1 whose words"
    )


def test_the_slope_is_that_of_least_squares(tmp_path: Path) -> None:
    found = fairviz.answers(fairviz.open_study(made_answers(tmp_path / "made")))
    for name, table in found.queries.groupby("system"):
        slope, intercept = np.polyfit(table["gap_context"], table["gap_cited"], 1)
        line = found.slopes[(found.slopes["system"] == name) & (found.slopes["of"] == "cited")].iloc[0]
        assert (line["slope"], line["intercept"]) == (pytest.approx(slope), pytest.approx(intercept))


def test_made_answers_have_their_suppression_in_the_interval(tmp_path: Path) -> None:
    found = fairviz.answers(fairviz.open_study(made_answers(tmp_path / "made")))
    table = found.suppression[found.suppression["group"] == "female"].set_index("system")
    for system, size in SUPPRESSED.items():
        assert table.loc[system, "ci_low"] < size < table.loc[system, "ci_high"]
    surely = [text for text in found.sentences if "suppresses female" in text]
    assert [text.split()[0] for text in surely] == ["half", "third"]


def test_random_choices_stay_in_their_range(tmp_path: Path) -> None:
    """Against a slow reference: the standard deviation over drawn choices from the same contexts."""
    study = fairviz.open_study(made_answers(tmp_path / "made", {"one": 0.0}, queries=6))
    line = fairviz.answers(study).suppression.set_index("group").loc["female"]
    labels = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))
    contexts = study.runs[study.runs["system"] == "one · context"].groupby("query_id", observed=True)["doc_id"]
    draws, women = np.random.default_rng(0), [[labels[name] == "female" for name in names] for _, names in contexts]
    drawn = [sum(sum(draws.permutation(flags)[:3]) for flags in women) / 18 for _ in range(4000)]
    assert line["by_chance"] == pytest.approx(np.mean(drawn), abs=0.01)
    assert line["chance_high"] == pytest.approx(1.96 * np.std(drawn) / np.mean(drawn), rel=0.05)


def test_exchanged_authors_give_cab_and_cas(tmp_path: Path) -> None:
    def line(system: str, query: str, citations: str, authors: dict) -> dict:
        return {**row(query, [*citations], "ab"), "system": system, "authors": authors}

    first, second = {"a": "female", "b": "male"}, {"a": "male", "b": "female"}
    # q1: a is cited under a woman alone, b under neither: +1 and 0. q2: b is cited under a man alone: 0 and −1.
    rows = [
        line("x", "q1", "a", first),
        line("y", "q1", "", second),
        line("x", "q2", "b", first),
        line("y", "q2", "", second),
    ]
    table = fairviz.answers(labelled(tmp_path, *rows)).attribution.set_index("measure")
    assert table["value"].to_dict() == {"CAB": pytest.approx(0.0), "CAS": pytest.approx(0.5)}
    assert table["documents"].tolist() == [4, 4]
    assert 0 < table.loc["CAS", "by_chance"] <= 0.5, "authors exchanged at random have sizes, too"


def test_a_gate_takes_suppression(tmp_path: Path, call) -> None:
    folder = made_answers(tmp_path / "made")
    text = "suppression of female rises by 0.1"
    options = f'gate {folder} --baseline "even · cited" --fail-if "{text}" --format csv'
    assert "beyond" in call(f'{options} --candidate "half · cited"', status=3).out
    assert (
        "within"
        in call(f'gate {folder} --baseline "half · cited" --candidate "even · cited" --fail-if "{text}"', status=0).out
    )
    (folder / "runs").mkdir()
    (folder / "runs" / "bm25.run").write_text("q0 Q0 q0d1 1 1 bm25\n")
    refused = call(f"{options} --candidate bm25", status=2).err
    assert "'bm25' is no run of generated answers" in refused


def test_the_verb_and_the_refusals(tmp_path: Path, call) -> None:
    folder = made_answers(tmp_path / "made")
    assert "half suppresses female by" in call(f"answers {folder}", status=0).err
    assert call(f"answers {folder} --table slopes --format json", status=0).out.startswith("[")
    with pytest.raises(FairvizError, match="has no generated answers\nPut them into the study's folder"):
        fairviz.answers(fairviz.open_study("football"))
    with pytest.raises(UsageError, match="attention is 'ranks'"):
        fairviz.answers(fairviz.open_study(folder), attention="ranks")


def test_the_texts_are_a_study_of_their_own(tmp_path: Path, call) -> None:
    folder = made_answers(tmp_path / "made")
    call(f"answer-texts {folder} --out {tmp_path / 'texts'}", status=0)
    texts = fairviz.open_study(tmp_path / "texts")
    assert texts.systems == tuple(sorted(SUPPRESSED))
    assert len(texts.documents) == 40 * len(SUPPRESSED)
    values = fairviz.evaluate(texts, "TExFAIR")["value"]
    assert set(values) == {0.0}, "each answer has words of one gender alone"


def test_the_page_has_what_python_gives(tmp_path: Path) -> None:
    folder = made_answers(studies_folder() / "made")
    (folder / "runs").mkdir()
    (folder / "runs" / "bm25.trec").write_text("q0 Q0 q0d1 1 1.0 bm25\n")  # a run that answers nothing
    page = drawn_by(drawn, study="made", answers_attention="count")
    found = fairviz.answers(fairviz.open_study("made"), attention="count")
    assert not page.exception
    assert any("half suppresses female by" in text for text in html_of(page).splitlines())
    assert any(element.value.equals(found.slopes) for element in page.dataframe)
    assert "has no generated answers" in html_of(drawn_by(drawn, study="football"))


def drawn() -> None:
    from fairviz.analyses import ANALYSES
    from fairviz.ui.analyses import page
    from fairviz.ui.shell import frame

    with frame.around():
        page.draw(ANALYSES["answers"])


def test_hostile_ids_and_texts_are_data(tmp_path: Path) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    study = labelled(
        tmp_path, {"query_id": "q1", "system": hostile, "text": hostile, "context": ["a"], "citations": ["a"]}
    )
    assert json.dumps(hostile)[1:-1] in fairviz.answers(study).suppression["system"].iloc[0]

    found = fairviz.answers(study)
    figure = fairviz.plot.answer_plane(found.queries, found.gaps, found.slopes, found.protected)
    assert "<img" not in str([trace.name for trace in figure.data])
