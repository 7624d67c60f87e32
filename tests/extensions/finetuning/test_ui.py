"""The view of fine-tuned encoders, without training any: adapters that lie there, and what is lacking to train one."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.extensions.finetuning.training import adapters_of, is_of_this_state, with_outcome
from fairviz.models.sentence_encoder import CARD, CONFIG, WEIGHTS, adapters_folder
from fairviz.study.record import Study
from fairviz.ui.kit import jobs
from tests.extensions.finetuning.cases import study
from tests.extensions.finetuning.test_outcome import table
from tests.pages.conftest import drawn_by, html_of

HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(1)>"


def shelved(name: str, about: Study, found: pd.DataFrame) -> Path:
    """An adapter of this name with a card, and no weights that anything could load."""
    folder = adapters_folder() / name
    folder.mkdir(parents=True)
    card = {
        "made": "2026-01-02T03:04:05+00:00",
        "model": {"name": "minilm", "key": "0"},
        "study": {"name": about.name, "fingerprint": about.fingerprint, "pairs": {"train": 8, "held out": 2}},
        "plan": {"rank": 4, "strength": 1.0, "minutes": 5.0, "steps": 40, "seed": 0},
        "training": {"steps": 40, "planned": 40, "seconds": 61.0},
    }
    (folder / CARD).write_text(json.dumps(with_outcome(card, found)), encoding="utf-8")
    for file in (WEIGHTS, CONFIG):
        (folder / file).write_text("")
    return folder


def shown(about: Study) -> AppTest:
    def page(about):
        from fairviz.evaluation.settings import Settings
        from fairviz.extensions.finetuning import ui

        ui.card(about, Settings())

    return drawn_by(page, about)


def test_adapters_of_a_study_are_those_that_its_name_stands_on() -> None:
    shelved("mine", study(), table())
    shelved("others", replace(study(), name="other"), table())
    (adapters_folder() / ".unfinished-mine").mkdir()
    assert [one.name for one in adapters_of(study())] == ["mine"]
    assert is_of_this_state(adapters_of(study())[0], study())
    assert not is_of_this_state(adapters_of(study())[0], replace(study(), fingerprint="other"))
    (adapters_folder() / "mine" / CARD).write_text("{")
    assert adapters_of(study()) == ()


def test_an_adapter_is_shown_and_the_same_is_not_trained_twice() -> None:
    pytest.importorskip("peft")
    found = table()
    found["measure"] = found["measure"].str.replace("female first", f"{HOSTILE} first", regex=False)
    shelved("threefold-rank4-strength1-steps40-seed0", study(), found)
    page = shown(study())
    assert "<script" not in html_of(page)
    assert "<img" not in html_of(page)
    assert "&lt;script&gt;" in html_of(page)
    assert page.button(key="mended_go").disabled
    assert "8 pairs trained on, 2 held out. Rank 4, strength 1, seed 0. 40 of 40 steps in 61 s" in html_of(page)
    assert "The gap shrinks, and NFaiRR(tau=1)@10 falls by 0.030" in html_of(page)
    page.selectbox(key="mended_seed").select("3").run()
    assert not page.button(key="mended_go").disabled
    changed = shown(replace(study(), fingerprint="other"))
    assert "The study has changed since this was trained and measured." in html_of(changed)


def test_a_training_that_cannot_be_says_why(football: Study) -> None:
    pytest.importorskip("peft")
    page = shown(football)
    assert "No encoder is fine-tuned on football yet." in html_of(page)
    page.button(key="mended_go").click().run()
    began = jobs.job(("mended", football.fingerprint))
    assert began is not None
    began.wait()
    page.run()
    assert "football has texts in the wordings of two genders for 1 query, too few to train on" in html_of(page)


def test_what_is_lacking_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(study(), documents=study().documents.iloc[:0])
    assert "threefold has no documents to train on." in html_of(shown(bare))
    monkeypatch.setitem(sys.modules, "peft", None)
    page = shown(study())
    assert "Training needs the layer [train], which is not installed." in html_of(page)
    assert not page.button
