"""Packaged results: pages show them at once with their settings, and they are those of the present code and data."""

import hashlib
import json
import shutil
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from benchmarks.packaged import RESULTS, Made
from fairviz.analyses import packaged as files
from fairviz.analyses.gender_swap import experiment as experiments
from fairviz.analyses.packaged import FOLDER, VALUES, path_of, read_packaged, write_packaged
from fairviz.installed import absent
from fairviz.ui.kept import flow
from fairviz.ui.kit import jobs
from tests.extension_rows import rows
from tests.pages.conftest import ROOT, first_run, html_of, settled, table_with

STUDY = "newswire"
MARK = "Packaged result of "
every_result = pytest.mark.parametrize("result", RESULTS, ids=lambda one: "-".join((one.page, *one.view)))
COUNTERFACTUAL = RESULTS[0]


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """No result of another test is there, and no work begins by itself where there is none."""
    jobs._jobs().clear()
    outcomes = flow.Shelf(flow.MOST_OUTCOMES)
    monkeypatch.setattr(flow, "_outcomes", lambda study: outcomes)
    monkeypatch.setattr(flow, "AT_ONCE", 0.0)


def opened(result: Made, **query: str):
    return first_run(f"{result.page}.py", study=STUDY, **result.view, **query)


@every_result
def test_a_page_shows_its_packaged_result_at_once_with_settings_and_versions(result: Made) -> None:
    if result.page == "mitigations" and absent("fairviz.rankers", "backpack", "the backpack"):
        pytest.skip("this result is of the bench with the backpack, whose extension is not here")
    page = opened(result)
    text = html_of(page)
    assert "fv-error" not in text
    assert MARK in text
    assert f"fairviz {fairviz.__version__}" in text
    assert "Run makes it anew" in text
    assert not jobs._jobs(), "no work begins by itself"
    assert not page.button(key=result.button).disabled
    assert len(page.get("plotly_chart")) > 1  # beside that of the sidebar


@pytest.mark.parametrize("result", {one.page: one for one in RESULTS}.values(), ids=lambda one: one.page)
def test_a_packaged_result_is_left_out_where_a_setting_that_it_depends_on_is_another(result: Made) -> None:
    other = {
        "gender_swap": {"counterfactual_seeds": "5"},
        "audit": {"audit_queries": "15"},
        "mitigations": {"audit_bench_share": "0.2"},
        **rows("OTHER_SETTINGS"),
    }
    assert MARK not in html_of(opened(result, **other[result.page]))


def test_every_file_is_one_that_a_page_shows_and_all_are_small() -> None:
    shown = {one.name for one in RESULTS}
    stored = [path for path in sorted(FOLDER.glob("*/*")) if path.name.rpartition("-")[0] in shown]
    assert len(stored) == len(RESULTS)
    assert sum(path.stat().st_size for path in stored) < 2_000_000
    for path in stored:
        with zipfile.ZipFile(path) as file:
            assert {Path(name).suffix for name in file.namelist()} <= {".json", ".parquet", ".npy"}
            facts = json.loads(file.read(VALUES))
        assert hashlib.sha256(facts["settings"].encode()).hexdigest() == facts["key"]
        assert path == path_of(path.parent.name, path.name.rpartition("-")[0], facts["key"])


def test_a_wheel_has_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included["data"] == "fairviz/_app/data"
    assert FOLDER.is_relative_to(ROOT / "data")


def test_what_run_gives_takes_the_place_of_the_packaged_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the very experiment; that another is equal takes a run of each, below."""
    found, packaged = [], flow.packaged
    monkeypatch.setattr(flow, "packaged", lambda *of, **more: found.append(packaged(*of, **more)) or found[-1])
    page = opened(COUNTERFACTUAL)
    monkeypatch.setattr(experiments, "experiment", lambda *_, **__: found[0].outcome)
    shown = table_with(page, "p_corrected")
    settled(page.button(key=COUNTERFACTUAL.button).click().run())
    assert MARK not in html_of(page)
    pd.testing.assert_frame_equal(shown, table_with(page, "p_corrected"), rtol=1e-9, check_dtype=False)


@pytest.mark.lengthy
@every_result
def test_every_result_is_what_a_run_gives(result: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made again with the present code, each number is equal but for rounding, and each text."""
    from benchmarks import packaged as making

    monkeypatch.setattr(making, "RESULTS", (result,))
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    monkeypatch.setattr(making, "FOLDER", tmp_path)
    assert list(making.make(STUDY))
    (again,) = tmp_path.rglob("*.zip")
    shipped = FOLDER / STUDY / again.name
    with zipfile.ZipFile(again) as one, zipfile.ZipFile(shipped) as other:
        assert one.namelist() == other.namelist()
        for name in one.namelist():
            if name.endswith(".parquet"):
                tables = [pd.read_parquet(file.open(name)) for file in (one, other)]
                pd.testing.assert_frame_equal(*tables, rtol=1e-4, atol=1e-5)
            elif name.endswith(".npy"):
                arrays = [np.load(file.open(name)) for file in (one, other)]
                np.testing.assert_allclose(*arrays, rtol=1e-4, atol=1e-5)


def test_a_study_that_has_changed_shows_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairviz import home

    changed = tmp_path / STUDY
    shutil.copytree(home.BUILTIN[STUDY], changed)
    labels = (changed / "labels.csv").read_text().splitlines(keepends=True)
    (changed / "labels.csv").write_text("".join(labels[:-1]))
    monkeypatch.setitem(home.BUILTIN, STUDY, changed)
    assert MARK not in html_of(opened(COUNTERFACTUAL))


def test_a_file_of_another_key_is_no_result(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    write_packaged(path, "a", "settings", (1, float("nan"), {"x": [True, None]}), {})
    assert read_packaged(path, "b", {}) is None
    assert read_packaged(tmp_path / "y.zip", "a", {}) is None
    found = read_packaged(path, "a", {})
    assert found is not None
    assert repr(found.outcome) == repr((1, float("nan"), {"x": [True, None]}))


def test_a_file_names_no_class_of_others_and_holds_no_object_of_python(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with pytest.raises(TypeError, match="cannot hold"):
        write_packaged(path, "a", "settings", object(), {})
    for record in ("os:system", "fairviz.analyses.packaged:read_packaged"):
        with zipfile.ZipFile(path, "w") as file:
            facts = {"key": "a", "made": "", "versions": {}, "outcome": {"record": record, "values": {}}}
            file.writestr(VALUES, json.dumps(facts))
        with pytest.raises(TypeError, match="cannot hold"):
            read_packaged(path, "a", {})
