"""The page Backpack under AppTest: first run, the numbers of the library, words, what a study lacks; and its page in
the manual, which is the template with tables in it."""

import re
import shutil
import threading
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from benchmarks.steering import STUDIES, TARGET, TEMPLATE
from fairviz.extensions.backpack import seeds
from fairviz.extensions.backpack.loading import SHIPPED, models_folder
from fairviz.extensions.backpack.training import Recipe, name_of
from fairviz.extensions.backpack.ui import controls, kept
from fairviz.ui.kit import jobs
from tests.pages.conftest import Panels, first_run, html_of, made_by, put, settled, table_with

UNKNOWN = "zzz☃"  # a word without neighbours: those of a word that a model knows take a second
HOSTILE = "doc_id,text\n<b>1,The woman drove <script>her</script> car\nd2,<img src=x onerror=alert(1)> The man\n"


def opened(study: str, **query: str):
    """The page once its lists are made."""
    return settled(first_run("backpack.py", study=study, **query))


def test_the_example_with_the_python_of_its_tables(panels: Panels) -> None:
    page = opened("recruitment", backpack_weight="0", backpack_word=UNKNOWN)
    text = html_of(page)
    assert "fv-error" not in text
    assert "No verdict: that needs 10 queries. Changes here are not evidence." in text
    assert "the word &#x27;zzz☃&#x27; has no token in MiniLM&#x27;s vocabulary" in text
    assert re.search(r"▲ \d", text)  # Emily and Sarah go up as gender counts for nothing
    assert set(panels) == {"backpack_table", "backpack_lists", "backpack_scores", "backpack_senses"}
    for key in ("backpack_table", "backpack_scores", "backpack_senses"):
        frame, recipe = panels[key]
        made = made_by(recipe).sort_index(axis=1)
        if key == "backpack_scores":  # a column a document
            frame = (
                frame.pivot(index="weight", columns="doc_id", values="score").reset_index().rename_axis(columns=None)
            )
        pd.testing.assert_frame_equal(made, frame.sort_index(axis=1), check_dtype=False)


def test_texts_that_look_like_markup_and_work_whose_outcome_is_gone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = put("hostile", queries="query_id,text\nq1,<img src=x onerror=alert(2)>\n", documents=HOSTILE)
    jobs.begin(kept.key_of(fairviz.open_study(name), ("",), fairviz.Settings()), lambda _: None).wait()
    page = opened(name, backpack_word=UNKNOWN)
    text = html_of(page)
    assert "fv-error" not in text
    assert "<script" not in text
    assert "<img src=x" not in text
    assert "no relevance judgements" in text
    assert fairviz.open_study(name).systems == ()
    monkeypatch.setattr(seeds, "SHIPPED", tmp_path)
    jobs.begin(controls.TRAINING, lambda _: None).wait()
    assert first_run("backpack.py", study=name).button(key="backpack_job_go").label == "Train one"


def test_what_is_not_offered_is_said_and_lists_that_take_long_wait_for_the_button(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    near = pd.DataFrame({"sense": [1], "place": [1], "word": ["midwife"], "cosine": [0.5]})
    monkeypatch.setattr(kept, "neighbours", lambda model, word, count: near)  # real ones take seconds
    page = first_run("backpack.py", study="newswire", cutoff="60", backpack_weight="-1", backpack_word="x" * 61)
    assert f"The address sets backpack_word to &#x27;{'x' * 61}&#x27;, which is not offered here" in html_of(page)
    assert page.text_input(key="backpack_word").value == "nurse"
    assert table_with(page, "nearest words")["nearest words"].tolist() == ["midwife"]
    assert "Counted: 67 of 168 pairs, those of two words that are one token each." in html_of(page)
    assert "The address sets backpack_weight to &#x27;-1&#x27;, which is not offered here" in html_of(page)
    told = r"1 model and MiniLM read 674 texts: about \d+ (seconds|minutes)\."  # deeper than the packaged lists
    assert re.search(told, html_of(page))
    assert page.button(key="backpack_job_go").label == "Read the texts"
    page = first_run("backpack.py", study=put("bare", queries="query_id,text\nq1,a\n"))
    assert "bare has no text of documents to read." in html_of(page)


def test_without_a_model_one_is_trained_with_progress_and_a_stop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    waits, calls = threading.Event(), []

    def train(studies: list, recipe: Recipe | None = None, *, progress: jobs.Progress) -> None:
        calls.append(([study.name for study in studies], recipe))
        progress("learning", 3, 10)
        if len(calls) == 1:
            waits.wait()
        progress("learning", 4, 10)
        shutil.copytree(SHIPPED, models_folder() / name_of(recipe or Recipe(), ["newswire"]))

    monkeypatch.setattr(seeds, "SHIPPED", tmp_path)
    monkeypatch.setattr(controls, "train", train)
    page = first_run("backpack.py", study="recruitment", backpack_word=UNKNOWN)
    assert "No Backpack is here yet." in html_of(page)
    assert "backpack_weight" not in [slider.key for slider in page.select_slider]
    page = page.button(key="backpack_job_go").click().run()
    try:
        assert "3 of 10" in page.get("progress")[0].proto.text
        page = page.button(key="backpack_job_stop").click().run()
    finally:
        waits.set()
    page = settled(page)
    assert "The work was stopped." in html_of(page)
    page = settled(page.button(key="backpack_job_go").click().run())
    assert page.selectbox(key="backpack_model").value == "newswire"
    assert "1 of 5 seeds shown" in html_of(page)
    assert page.button(key="backpack_seed_job_go").label == "Train seed 1"
    page = settled(page.button(key="backpack_seed_job_go").click().run())
    assert calls == [(["newswire"], None), (["newswire"], None), (["newswire"], Recipe(minutes=60, seed=1))]
    assert "newswire-seed=1" in page.selectbox(key="backpack_model").options
    assert "fv-error" not in html_of(page)


def test_the_page_of_the_manual_is_the_template_filled() -> None:
    at, text = 0, TARGET.read_text(encoding="utf-8")
    for line in TEMPLATE.read_text(encoding="utf-8").splitlines():
        for piece in line.replace("}", "{").split("{")[::2]:  # what stands between the braces is filled in
            assert piece in text[at:], piece
            at = text.index(piece, at)
    assert text.count("| gender senses | 0.5 |") == len(STUDIES)
