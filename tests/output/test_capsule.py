"""A capsule is the same bytes for the same question, comes out again, and is not trusted."""

import io
import json
import shutil
import stat
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.home import BUILTIN
from fairviz.output.capsule import (
    CHECKED,
    MANIFEST,
    README,
    SCORES,
    SUMMARY,
    add_seal,
    capsule,
    drawings,
    hash_content,
    read_capsule,
    replay,
    write_zip,
)  # fmt: skip
from fairviz.study.record import Study
from tests.conftest import Call

AGAIN = "Ask for the capsule again, or make one: fairviz capsule STUDY -o capsule.zip"
TRADEOFF, PLOTLY = "figures/tradeoff.html", "figures/plotly.min.js"
ASKED = ["CWEx@4", "TExFAIR@4", "RR@4"]


@pytest.fixture(scope="module")
def made(football: Study) -> bytes:
    return capsule(football, ASKED, cutoff=4, tau=0, figures=False)


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_same_question_gives_the_same_bytes_that_come_out_again_to_the_last_digit(made, football: Study) -> None:
    assert capsule(football, ASKED, cutoff=4, tau=0, figures=False) == made
    assert capsule(football, ASKED, cutoff=3, tau=0, figures=False) != made
    assert list(members(made)) == [README, MANIFEST, SCORES, SUMMARY, CHECKED]
    manifest = json.loads(members(made)[MANIFEST])
    assert "study" not in manifest["settings"]
    assert manifest["versions"]["fairviz"] == fairviz.__version__
    folder = BUILTIN["football"]
    assert set(manifest["inputs"]["files"]) >= {"study.toml", "runs/left.run"}
    assert all((folder / name).stat().st_size == about["bytes"] for name, about in manifest["inputs"]["files"].items())
    assert str(folder) not in members(made)[MANIFEST].decode()
    held = read_capsule(made)
    assert held.settings == fairviz.Settings(cutoff=4, tau=0)
    assert held.figures == {}
    found = replay(held, football)
    assert found.same
    assert (found.values, found.inputs, found.others) == (6, (), ())


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    shutil.copytree(BUILTIN["football"], folder)
    return folder


def test_what_changed_is_named(copied: Path) -> None:
    held = read_capsule(capsule(fairviz.open_study(copied), ASKED, cutoff=4, figures=False))
    about = copied / "study.toml"
    about.write_text(about.read_text() + "\n# a remark\n")
    found = replay(held, fairviz.open_study(copied))
    assert found.same, "a file may change and no number with it"
    assert [line.partition(" (")[0] for line in found.inputs] == ["study.toml has changed"]
    run = copied / "runs" / "left.run"
    lines = run.read_text().splitlines()
    first, second = lines[0].split(), lines[1].split()
    first[2], second[2] = second[2], first[2]
    size = run.stat().st_size
    run.write_text("\n".join([" ".join(first), " ".join(second), *lines[2:]]) + "\n")
    found = replay(held, fairviz.open_study(copied))
    assert f"runs/left.run has changed ({size:,} bytes then, {run.stat().st_size:,} now)" in found.inputs
    assert len(found.inputs) == 2
    assert set(found.table["system"]) == {"left"}
    assert found.table["largest_difference"].max() > 0
    assert replay(held, fairviz.open_study(copied), tolerance=1).same


def test_another_version_is_said_and_goes_on(made: bytes, football: Study) -> None:
    held = remade(made, lambda held: held["versions"].update(fairviz="0.0.1", python="2.7"))
    found = replay(read_capsule(held), football)
    assert found.same
    assert f"fairviz was 0.0.1, and is {fairviz.__version__} now" in found.others
    newer = remade(made, lambda held: held["measures"].append("Justice@4"))
    others = replay(read_capsule(newer), football).others
    assert others[0].startswith("Justice@4 cannot be computed now: this version cannot read it")


def test_a_study_without_files_is_known_by_its_tables(football: Study) -> None:
    parts = {name: getattr(football, name) for name in ("queries", "documents", "runs", "qrels", "labels")}
    held = read_capsule(capsule(fairviz.make_study("made", **parts), ASKED, cutoff=4, figures=False))
    parts["labels"] = parts["labels"].assign(label="neutral")
    found = replay(held, fairviz.make_study("made", **parts))
    assert "the table labels has changed (10 rows then, 10 now)" in found.inputs
    assert "CWEx(alpha=0.5)@4" in set(found.table["measure"])


def test_names_that_a_spreadsheet_would_run_come_out_again(football: Study) -> None:
    runs = football.runs.astype({"system": "object"}).replace({"left": "=1+1", "right": "<img onerror=x>"})
    parts = {name: getattr(football, name) for name in ("documents", "qrels", "labels")}
    odd = fairviz.make_study("odd", runs=runs, **parts)
    made = capsule(odd, ASKED, cutoff=4)
    assert replay(read_capsule(made), odd).same
    assert b"'=1+1" in members(made)[SCORES]
    assert b"<img onerror" not in members(made)[TRADEOFF]


def remade(made: bytes, change: Callable[[dict], object] = dict, **content: bytes) -> bytes:
    """The capsule with a changed manifest that is sealed again, and other members, whose marks fit."""
    held = members(made)
    manifest = json.loads(held[MANIFEST])
    for name, value in content.items():
        member = {"scores": SCORES, "summary": SUMMARY, "tradeoff": TRADEOFF, "plotly": PLOTLY}[name]
        held[member] = value
        manifest["members"][member] = hash_content(value)
    change(manifest)
    held[MANIFEST] = json.dumps(add_seal(manifest)).encode()
    return write_zip(held)


def swapped(made: bytes, name: str, content: bytes | None) -> bytes:
    """The capsule with another member of this name; None for without it."""
    held = {**members(made), name: content}
    return write_zip({member: data for member, data in held.items() if data is not None})


def test_a_capsule_that_cannot_be_trusted_is_refused_in_a_line(made: bytes) -> None:
    held = members(made)
    tampered = held[SCORES].replace(b"0.", b"1."), held[MANIFEST].replace(b'"tau": 0', b'"tau": 1')
    columns, wide = b"system,query_id,measure,value\n", b",".join([b"1"] * 100_000)
    with_manifest = partial(swapped, made, MANIFEST)

    def with_settings(**settings: object) -> bytes:
        return remade(made, lambda held: held["settings"].update(settings))

    for content, told in (
        (b"no zip", "the capsule is not a sound zip file"),
        (made[:-200], "the capsule is not a sound zip file"),
        (write_zip({"a.txt": b"a"}), f"is not a capsule: it has no {MANIFEST}"),
        (with_manifest(b"{"), f"{MANIFEST} cannot be read as JSON"),
        (with_manifest(b"[" * 200_000), "it is nested too deep"),
        (with_manifest(b'{"a": NaN}'), "NaN is not a JSON number"),
        (with_manifest(b'{"tau": 1e999}'), f"{MANIFEST} cannot be read as JSON: 1e999 is too large for a number"),
        (with_manifest(b"[]"), f"the format in {MANIFEST} is not 'fairviz capsule'"),
        (with_manifest(tampered[1]), f"{MANIFEST} was changed after the capsule was made"),
        (swapped(made, SCORES, tampered[0]), f"{SCORES} was changed after the capsule was made"),
        (swapped(made, SCORES, None), f"holds no '{SCORES}', which belongs to it"),
        (swapped(made, "evil.py", b"x"), "holds 'evil.py', which is not on its list"),
        (swapped(made, "../evil", b"x"), "the zip holds a member outside its folder: '../evil'"),
        (remade(made, lambda held: held.update(layout=2)), "version '2' of capsules"),
        (remade(made, lambda held: held.pop("settings")), "has no settings"),
        (with_settings(systems=["left", "left"]), "the capsule: systems names 'left' twice"),
        (with_settings(cutoff="x"), "cutoff is 'x'"),
        (with_settings(x=1), "no setting 'x'"),
        (with_settings(embedding="/dev/zero"), "needs the word vectors '/dev/zero', which are not here"),
        (remade(made, lambda held: held.update(measures=[])), "has 0 measures"),
        (remade(made, lambda held: held.update(measures=[1])), "measures in capsule.json is not"),
        (remade(made, lambda held: held.update(inputs={"files": 1})), "has no inputs"),
        (remade(made, scores=b"a,b\n1,2\n"), f"{SCORES} has not the columns system,"),
        (remade(made, scores=b",".join([b"value"] * 100_000) + b"\n"),
         f"the capsule: {SCORES}:1: the first line has more than 1,000 columns: 'value,value"),
        (remade(made, scores=columns + wide), f"{SCORES}:2: expected 4 columns, found 100000: '1 1 1"),
        (remade(made, scores=columns + b"a,b,c,inf\n"), f"{SCORES} holds 'inf', which is not a finite number"),
    ):  # fmt: skip
        with pytest.raises(FairvizError) as caught:
            read_capsule(content)
        assert told in caught.value.message
        assert "\n" not in caught.value.message
        assert caught.value.remedy


def refused(content: bytes) -> str:
    with pytest.raises(FairvizError) as caught:
        read_capsule(content)
    assert caught.value.remedy == AGAIN
    return caught.value.message


def test_links_bombs_and_crowds_are_refused(made: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO(made)
    with zipfile.ZipFile(out, "a") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert refused(out.getvalue()) == "the capsule: the zip holds a link: 'link'"
    crowd = write_zip({f"{place}.txt": b"" for place in range(201)})
    assert refused(crowd) == "the capsule: the zip holds 201 files"
    monkeypatch.setattr("fairviz.study.loaders.archive.FREE_BYTES", 1000)
    bomb = write_zip({"bomb": bytes(3_000_000)})
    assert refused(bomb) == "the capsule: the zip unpacks out of all proportion: 'bomb'"
    monkeypatch.setattr("fairviz.output.capsule.MOST_BYTES", 1000)
    assert refused(made).startswith("the capsule: the zip unpacks to more than")


def test_the_command_line_tells_what_differs_by_its_status(copied: Path, tmp_path: Path, call: Call) -> None:
    file = tmp_path / "capsule.zip"
    call("capsule", copied, ASKED, "--no-figures -o", file)
    told = call("replay", file, "--study", copied)
    assert "equal: 6 values and their means, compared to the last digit" in told.err
    labels = next(copied.glob("labels.*"))
    labels.write_text(labels.read_text().replace("male", "neutral").replace("feneutral", "female"))
    told = call("replay", file, "--study", copied, status=3)
    assert f"changed: {labels.name} has changed" in told.err
    assert "CWEx(alpha=0.5)@4" in told.out
    assert "no study of that name is here\nName its folder: --study FOLDER." in call("replay", file, status=2).err
    told = call("replay", tmp_path / "none.zip", status=1)
    assert told.err.startswith("none.zip cannot be read (No such file or directory)")


def test_the_sentence_and_the_status_of_a_replay_agree(
    made: bytes, football: Study, tmp_path: Path, call: Call
) -> None:
    """Also where no value differs and a mean or its interval does, and where a capsule claims a mean of no value."""
    summary = pd.read_csv(io.BytesIO(members(made)[SUMMARY]), dtype="str", keep_default_na=False)
    summary.loc[0, "ci_low"] = "0.25"
    extra = pd.concat([summary, summary.tail(1).assign(system="nobody")])
    for table, told, system in ((summary, "1 of 6", "left"), (extra, "2 of 7", "nobody")):
        file = tmp_path / "capsule.zip"
        file.write_bytes(remade(made, summary=table.to_csv(index=False).encode()))
        streams = call("replay", file, "--format csv", status=3)
        sentence = f"differ: 0 of 6 values, and {told} means or their intervals, compared to the last digit\n"
        assert streams.err.endswith(sentence)
        assert system in streams.out
    found = replay(read_capsule(file), football)
    assert (found.differ, found.values, found.means_differ, found.means, found.same) == (0, 6, 2, 7, False)
    assert found.table.set_index("system")["values"].to_dict() == {"left": 1, "nobody": 0}


def test_gsr_is_left_out_where_its_vectors_are_not_here(football: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(settings: fairviz.Settings) -> None:
        raise FairvizError("the word vectors are not here")

    monkeypatch.setattr("fairviz.output.capsule.direction_of", lacking)
    held = json.loads(members(capsule(football, figures=False))[MANIFEST])
    assert held["left_out"]["GSR@10"] == "the word vectors are not here"
    assert "CWEx(alpha=0.5)@10" in held["measures"]


def test_what_cannot_be_asked_is_said(football: Study, newswire: Study) -> None:
    with pytest.raises(FairvizError, match="made has nothing to measure"):
        capsule(fairviz.make_study("made", queries=pd.DataFrame({"query_id": ["q"], "text": ["a"]})))
    held = read_capsule(capsule(football, "RR@4", figures=False))
    with pytest.raises(UsageError, match="tolerance is 2"):
        replay(held, football, tolerance=2)
    with pytest.raises(FairvizError, match="no measure of the capsule can be computed on bare"):
        replay(held, fairviz.make_study("bare", runs=football.runs))
    with pytest.raises(FairvizError, match=r"GSR@10 cannot be in a capsule"):
        capsule(newswire, "GSR", embedding="/tmp/vectors.bin")


OF_FIGURES = ["CWEx@4", "TExFAIR@4", "nDCG@4"]


@pytest.fixture(scope="module")
def with_figures(football: Study) -> bytes:
    return capsule(football, OF_FIGURES, cutoff=4)


def test_figures_come_out_as_they_went_in_and_open_from_beside_one_script(with_figures, football, tmp_path) -> None:
    settings = fairviz.Settings(cutoff=4)
    written = drawings(football, settings, fairviz.evaluate(football, OF_FIGURES, settings))
    path = tmp_path / "answers.zip"
    path.write_bytes(with_figures)
    opened = fairviz.open_capsule(path)
    assert list(opened.figures) == list(written)
    assert {"tradeoff", "exposure", "alpha", "cutoff-CWEx"} <= set(written)
    for name, draw in written.items():
        assert json.loads(opened.figures[name].to_json()) == json.loads(draw(False).to_json())
    assert opened.summary["system"].unique().tolist() == ["left", "right"]
    assert opened.figures is opened.figures
    held = members(with_figures)
    pages = [name for name in held if name.endswith(".html")]
    assert TRADEOFF in pages
    assert all(b'src="plotly.min.js"' in held[name] and b"https://cdn" not in held[name] for name in pages)
    assert b"plotly.js" in held[PLOTLY][:200]


def test_a_page_that_is_not_a_figure_is_refused_in_a_line(with_figures: bytes, tmp_path: Path) -> None:
    small = remade(with_figures, plotly=b"")
    page, call, path = members(small)[TRADEOFF].decode(), "Plotly.newPlot(", tmp_path / "answers.zip"
    template = '{"template": {"layout": {"images": [{"source": "http://a/b"}]}}}'
    for change, reason in (
        (page.replace(call, "alert("), "it draws nothing"),
        ("", "it draws nothing"),
        (page[: page.index(',"y":')], "Expecting ',' delimiter"),
        (page.replace('[{"', "[{", 1), "Expecting property name"),
        (page.replace(call, f"{call}alert(1),", 1), "Expecting value"),
        (page.replace('"cliponaxis":false', '"cliponaxis":NaN', 1), "NaN is not JSON"),
        (f'{call}"a", {"[" * 200_000}', "recursion"),
        (f'{call}"a", {{}}, []', "it has no traces or no layout"),
        (f'{call}"a", ["b"], {{}}', "it has no traces or no layout"),
        (f'{call}"a", [{{"type": "bar", "evil": 1}}], {{}}', "Invalid property"),
        (f'{call}"a", [{{"type": "scattergeo"}}], {{}}', "no traces of the type 'scattergeo'"),
        (f'{call}"a", [{{"type": []}}], {{}}', "unhashable"),
        (f'{call}"a", [], {{"images": [{{"source": "http://a/b"}}]}}', "its layout has images"),
        (f'{call}"a", [], {{"map2": {{"style": "http://a/b"}}}}', "its layout has map2"),
        (f'{call}"a", [], {template}', "its layout has images"),
    ):
        path.write_bytes(remade(small, tradeoff=change.encode()))
        opened = fairviz.open_capsule(path)
        with pytest.raises(FairvizError) as caught:
            _ = opened.figures
        assert caught.value.message.startswith(f"answers.zip: {TRADEOFF} cannot be read as a figure: ")
        assert reason in caught.value.message
        assert "\n" not in caught.value.message
        assert caught.value.remedy == "Make the capsule again: fairviz capsule STUDY -o capsule.zip"


def test_what_cannot_be_opened(with_figures: bytes, tmp_path: Path) -> None:
    assert refused(swapped(with_figures, TRADEOFF, None)) == f"the capsule holds no '{TRADEOFF}', which belongs to it"
    with pytest.raises(FairvizError, match=r"^none\.zip cannot be read \(No such file or directory\)"):
        fairviz.open_capsule(tmp_path / "none.zip")
    with pytest.raises(FairvizError, match=r"^path is 3\nGive the path of a capsule\.$"):
        fairviz.open_capsule(3)  # type: ignore[arg-type]
