"""The TREC Fair Ranking track: files as a study, AWRF by hand and by a reference read off its code, verb and card."""

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

import fairviz
from fairviz.datasets import studies_folder
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.evaluation.columns import cells
from fairviz.evaluation.opening import open_study
from fairviz.extensions.tracks.page import TRACK
from fairviz.extensions.tracks.track import track_scores
from fairviz.extensions.tracks.track_awrf import POPULATION, track_discount
from fairviz.extensions.tracks.trec_fair import read_trec_fair
from fairviz.extensions.tracks.trec_fair_files import DIMENSIONS, read_fair_run, read_topics
from fairviz.extensions.tracks.ui import COLUMNS
from fairviz.study.study import make_study, save_study
from tests.conftest import Call, refused
from tests.extensions.tracks.files import ARTICLES, FIRST, TOPICS, lines, track_files
from tests.made import qrels_of, runs_of
from tests.pages.conftest import drawn_by, html_of
from tests.pages.conftest import no_exception as no_exception
from tests.pages.conftest import quick as quick

GROUPS = ("female", "male", "non-binary", "unknown")
BACKGROUND = {"female": 0.495, "male": 0.495, "non-binary": 0.01}


def divergence(first, second) -> float:
    """Jensen-Shannon, in natural units, of two lists of shares."""
    middle = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    parts = [sum(a * math.log(a / m) for a, m in zip(side, middle, strict=True) if a) for side in (first, second)]
    return sum(parts) / 2


def alike(attention: list[float], target: list[float]) -> float:
    """AWRF of the attention that each group gets."""
    return 1 - divergence([part / sum(attention) for part in attention], [part / sum(target) for part in target])


def test_lists_by_hand(tmp_path):
    """Pages 11 female, 12 female and male, 13 unknown, 14 male; 11 and 14 are relevant."""
    study = read_trec_fair(**track_files(tmp_path))
    found = track_scores(study)
    rows = found.queries.set_index(["run", "query_id"])
    row = rows.loc[("coordinators", "1")]
    third = 1 / math.log2(3)
    attention = [1 + 0.5, 0.5 + 0.5, 0, third]  # female, male, non-binary, unknown
    target = [0.25 + 0.2475, 0.25 + 0.2475, 0.005, 0]
    assert found.targets.iloc[0].tolist()[1:] == pytest.approx(target)
    awrf = alike(attention, target)
    assert row["track AWRF@500"] == pytest.approx(awrf)
    assert row["track nDCG@500"] == pytest.approx((1 + 0.5) / (1 + 1))  # ranks 1 and 4, best at 1 and 2
    assert row["track score@500"] == pytest.approx(awrf * 0.75)
    shares = np.array([1, 1 / math.log2(5)]) / (1 + 1 / math.log2(5))  # ours: 11 and 14 alone, under DCG's discount
    assert row["AWRF@500"] == pytest.approx(abs(shares[0] - 0.495) + abs(shares[1] - 0.495) + 0.01)

    # topic 2: 14 male, 15 non-binary, 88 without attributes, 12 at rank 4; relevant are 12, 13, 15 and 99 without any
    known = [1 / 6, 1 / 6, 1 / 3]
    target = [(share + 2 / 3 * background) / 2 for share, background in zip(known, BACKGROUND.values(), strict=True)]
    assert found.targets.iloc[1].tolist()[1:] == pytest.approx([*target, 1 / 3])
    score = alike([0.25, 1 + 0.25, 1, 0], [*target, 1 / 3])
    assert rows.loc[("coordinators", "2"), "track AWRF@500"] == pytest.approx(score)
    without = track_scores(study, unknown="out").queries.set_index(["run", "query_id"])
    target = [
        (share + background) / 2 for share, background in zip((0.25, 0.25, 0.5), BACKGROUND.values(), strict=True)
    ]
    score = alike([0.25, 1 + 0.25, 1], target)
    assert without.loc[("coordinators", "2"), "track AWRF@500"] == pytest.approx(score)
    first = track_scores(study, several="whole", k=2).queries.set_index(["run", "query_id"])
    score = alike([1 + 1, 1, 0, 0], [0.25 + 0.2475, 0.25 + 0.2475, 0.005, 0])
    assert first.loc[("coordinators", "1"), "track AWRF@2"] == pytest.approx(score)


def test_sequences_are_averaged_by_topic(tmp_path):
    study = read_trec_fair(**track_files(tmp_path))
    found = track_scores(study, targets="uniform", unknown="out")
    editors = found.queries[found.queries["run"] == "editors"].set_index("query_id")
    assert editors["sequences"].tolist() == [2, 1]
    even = [0.5, 0.5, 0]
    one = [1 - divergence(shares, [1 / 3] * 3) for shares in (even, [1.0, 0, 0])]  # 14, 11 and 13 (unknown), 11
    assert editors.loc["1", "track AWRF@500"] == pytest.approx(sum(one) / 2)
    assert found.notes == (
        "A run of sequences is averaged over them, topic by topic; its intervals are over topics, not sequences.",
        "1 rankings are missing (a run without a topic); means leave them out, as the track does.",
    )


def test_choices_that_make_no_sense_and_a_study_of_another_kind(tmp_path, football):
    study, shares = read_trec_fair(**track_files(tmp_path)), {"female": 0.5, "male": 0.5, "non-binary": 0.5}
    with refused("unknown is 'no'\nUse one of 'group', 'out'.", UsageError):
        track_scores(study, unknown="no")
    with refused(
        "targets is {'female': 1.0}\nUse mixed, uniform or a share for each of female, male, non-binary, unknown.",
        UsageError,
    ):
        track_scores(study, targets={"female": 1.0})
    with refused(f"targets is {shares}\nGive shares of 0 or more that add up to 1.", UsageError):
        track_scores(study, targets=shares, unknown="out")
    with pytest.raises(FairvizError, match=r"^the documents of football have no column 'gender'"):
        track_scores(football)


def test_the_command_line_makes_the_study_and_scores_it(tmp_path: Path, call: Call):
    files, study = track_files(tmp_path), tmp_path / "study"
    given = ["--topics", files["topics"], "--runs", *files["runs"], "--attributes", files["attributes"]]
    first = call("trec-fair", study, given, "--format csv")
    assert f"wrote {study}" in first.err
    assert "Intersectional scores are over sub-geo and gender." in first.err
    assert call("trec-fair", study, "--format csv").out == first.out
    assert [row["measure"] for row in first.rows if row["run"] == "coordinators"] == [
        *(f"track {name}" for name in ("nDCG@500", "AWRF@500", "score@500", "EE-L@20", "EE-D@20", "EE-R@20")),
        *(f"track intersectional {name}" for name in ("AWRF@500", "EE-L@20", "EE-D@20", "EE-R@20", "score@500")),
        "AWRF(distance='jsd')@500",
        "AWRF@500",
    ]
    said = call("trec-fair", study, "--topics t.jsonl", status=2)
    assert "--topics, --runs and --attributes belong together" in said.err


WORK = ("Stub", "Start", "C", "B", "GA", "FA")
Page = dict[str, Any]  # of each attribute the shares of its levels, and the quality


class Dense:
    """The notebooks of the track with arrays of every cell: `pages` by id, `backgrounds` of the first attributes."""

    def __init__(
        self, pages: Mapping[str, Page], levels: Mapping[str, list[str]], backgrounds: Mapping[str, list[float]]
    ):
        self.pages, self.levels, self.backgrounds = pages, levels, backgrounds

    def alignment(self, page: str) -> np.ndarray:
        """The product of the page's rows, one axis for each attribute."""
        table = np.ones(())
        for name, levels in self.levels.items():
            row = np.array([self.pages[page][name].get(level, 0.0) for level in levels])
            table = np.multiply.outer(table, row)
        return table

    def avg_with_bg(self, target: np.ndarray) -> np.ndarray:
        """As the function of this name: `backgrounds` has the attributes to average, which come first."""
        target, heads = target.copy(), len(self.backgrounds)
        tail_axes, head_axes = tuple(range(heads, target.ndim)), tuple(range(heads))
        mass = target.sum(axis=tail_axes, keepdims=True)
        imputed = np.where(mass > 0, target, target.sum(axis=head_axes, keepdims=True))
        scale = imputed / imputed.sum(axis=tail_axes, keepdims=True)
        for case in list(itertools.product([True, False], repeat=heads))[:-1]:
            select = tuple(slice(1, None) if known else slice(0, 1) for known in case)
            background = np.ones(())
            for known, shares in zip(case, self.backgrounds.values(), strict=True):
                background = np.multiply.outer(background, np.array(shares) if known else np.ones(1))
            background = background.reshape(background.shape + (1,) * len(tail_axes))
            total = target[select].sum()
            target[select] = 0.5 * target[select] + 0.5 * background * scale[select] * total
        return target

    def awrf(self, ranked: list[str], relevant: list[str]) -> float:
        """AWRFMetric.qr_awrf with the target of Task1Alignment."""
        target = self.avg_with_bg(np.mean([self.alignment(page) for page in relevant if page in self.pages], axis=0))
        weighted = zip(ranked, track_discount(len(ranked)), strict=True)
        exposed = sum(weight * self.alignment(page) for page, weight in weighted if page in self.pages)
        return 1 - jensenshannon(np.ravel(exposed), np.ravel(target)) ** 2

    def exposure(self, sequences: list[list[str]], relevant: list[str]) -> list[float]:
        """EELMetric with the target of Task2Alignment: EE-L, EE-D and EE-R."""
        wanted, start, attention = {}, 0, track_discount(len(relevant))
        for level in WORK:
            pages = [page for page in relevant if self.pages[page]["quality"] == level]
            wanted |= dict.fromkeys(pages, attention[start : start + len(pages)].mean() if pages else 0)
            start += len(pages)
        target = sum(wanted[page] * self.alignment(page) for page in relevant) / sum(wanted.values())
        target = self.avg_with_bg(target) * track_discount(20).sum()
        exposed = np.zeros(target.shape)
        for pages in sequences:
            for page, weight in zip(pages, track_discount(len(pages)), strict=True):
                exposed += weight * self.alignment(page) / len(sequences) if page in relevant else 0
        return [float(((exposed - target) ** 2).sum()), float((exposed**2).sum()), float((exposed * target).sum())]


PLACES = sorted(POPULATION)
PEOPLE = [POPULATION[name] / sum(POPULATION.values()) for name in PLACES]
TEXTS = {  # cells of a column, and the shares that the track's PageAlignments makes of them
    "gender": {"female": {"female": 1}, "male|unknown": {"male": 0.5, "": 0.5}, "unknown": {"": 1},
               "female|non-binary": {"female": 0.5, "non-binary": 0.5}},
    "sub-geo": {"": {"": 1}, "Central Asia": {"Central Asia": 1},
                "Melanesia|Polynesia|Caribbean": {"Oceania": 2 / 3, "Caribbean": 1 / 3}},
    "src-geo": {"": {"": 1}, "UNK=1|Northern America=3": {"": 0.25, "Northern America": 0.75},
                "Caribbean=2|Melanesia=1|Oceania=1": {"Caribbean": 0.5, "Oceania": 0.5}},
    "occ": {"": {"": 1}, "actor": {"actor": 1}, "actor|rower": {"actor": 0.5, "rower": 0.5}},
    "pop": {"Low": {"Low": 1}, "High": {"High": 1}},
}  # fmt: skip
LEVELS = {
    "sub-geo": ["", *PLACES],
    "src-geo": ["", *PLACES],
    "gender": ["", *GROUPS[:3]],
    "occ": ["", "actor", "rower"],
    "pop": ["High", "Low"],
}
BACKGROUNDS = {"sub-geo": PEOPLE, "src-geo": PEOPLE, "gender": list(BACKGROUND.values())}


def study_of(cells: pd.DataFrame, lists: Mapping[str, list[str]], relevant: list[str]):
    return make_study(
        "track",
        groups=GROUPS[:3],
        targets=BACKGROUND,
        documents=cells.assign(text=None),
        runs=runs_of(lists),
        qrels=qrels_of({"q": relevant}),
    )


def test_expected_exposure_of_sequences():
    """The track's EELMetric with its gender target, by the reference of intersections with gender alone."""
    genders = {"1": "female", "2": "male", "3": "female|male", "4": "unknown", "5": "non-binary"}
    quality = {"1": "Stub", "2": "C", "3": "C", "4": "FA", "5": "Start"}
    relevant, sequences = ["2", "1", "3", "4"], [["1", "2", "5"], ["3", "5", "1"], ["2", "4"]]
    cells = pd.DataFrame({"gender": genders, "quality": quality}).rename_axis("doc_id").reset_index()
    study = study_of(cells, {f"run/seed{number}": pages for number, pages in enumerate(sequences)}, relevant)
    scores = track_scores(study)
    assert "No article has exactly one known gender" in " ".join(scores.notes), "there are no labels"
    row = scores.queries.set_index("run").loc["run"]
    shares = {"1": {"female": 1}, "2": {"male": 1}, "3": {"female": 0.5, "male": 0.5}, "4": {"": 1},
              "5": {"non-binary": 1}}  # fmt: skip
    pages = {name: {"gender": shares[name], "quality": quality[name]} for name in genders}
    dense = Dense(pages, {"gender": LEVELS["gender"]}, {"gender": BACKGROUNDS["gender"]})
    expected = dense.exposure(sequences, relevant)
    assert row[["track EE-L@20", "track EE-D@20", "track EE-R@20"]].tolist() == pytest.approx(expected)
    assert row["sequences"] == 3


@settings(phases=[Phase.generate])  # a smaller failing case takes minutes
@given(data=st.data(), names=st.sets(st.sampled_from(["sub-geo", "src-geo", "occ", "pop"]), min_size=1))
def test_intersections_as_the_track_computes_them(data, names: set[str]) -> None:
    used = [name for name in LEVELS if name in {*names, "gender"}]
    ids = [str(number) for number in range(6)]
    texts = {name: data.draw(st.lists(st.sampled_from([*TEXTS[name]]), min_size=6, max_size=6)) for name in used}
    quality = data.draw(st.lists(st.sampled_from(WORK), min_size=6, max_size=6))
    pages: dict[str, Page] = {
        page: {name: TEXTS[name][texts[name][row]] for name in used} | {"quality": quality[row]}
        for row, page in enumerate(ids)
    }
    relevant = data.draw(st.lists(st.sampled_from(ids), min_size=1, max_size=5, unique=True))
    orders = data.draw(st.lists(st.permutations([*ids, "without"]), min_size=2, max_size=2))
    lists = {"run/seed1": [*orders[0]], "run/seed2": [*orders[1]]}
    cells = pd.DataFrame({"doc_id": ids, "quality": quality, **texts})
    row = track_scores(study_of(cells, lists, relevant)).queries.set_index("run").loc["run"]
    levels = {name: LEVELS[name] for name in used}
    if "pop" in used:  # which has no unknown level: those that occur
        levels["pop"] = [level for level in LEVELS["pop"] if level in texts["pop"]]
    dense = Dense(pages, levels, {name: BACKGROUNDS[name] for name in used if name in BACKGROUNDS})
    expected = np.mean([dense.awrf(pages_of, relevant) for pages_of in lists.values()])
    assert row["track intersectional AWRF@500"] == pytest.approx(expected, abs=1e-9)
    names_of = [f"track intersectional {name}@20" for name in ("EE-L", "EE-D", "EE-R")]
    assert row[names_of].tolist() == pytest.approx(dense.exposure([*lists.values()], relevant), abs=1e-9)


def test_two_attributes_by_hand() -> None:
    """One relevant Stub: female, Central Asia. Cells are 21 regions times 4 genders; all mass is in one known cell.

    The target there is (1 + p/2)/2 with p the share of people of Central Asia times 0.495, doubled as here:
    (1 + 0.495 p) / 2. A run with this page first has exposure 1 there, and EE-D is 1.
    """
    people = POPULATION["Central Asia"] / sum(POPULATION.values())
    cells = pd.DataFrame({"doc_id": ["a"], "quality": ["Stub"], "gender": ["female"], "sub-geo": ["Central Asia"]})
    scores = track_scores(study_of(cells, {"run": ["a"]}, ["a"]))
    row, attention = scores.queries.iloc[0], track_discount(20).sum()
    wished = (1 + people * 0.495) / 2
    squares = wished**2 + sum((share * part / 2) ** 2 for share in PEOPLE for part in (0.495, 0.495, 0.01))
    squares -= (people * 0.495 / 2) ** 2
    assert row["track intersectional EE-D@20"] == pytest.approx(1)
    assert row["track intersectional EE-R@20"] == pytest.approx(attention * wished)
    assert row["track intersectional EE-L@20"] == pytest.approx(1 - 2 * attention * wished + attention**2 * squares)
    divergence = math.log(2 / (1 + wished)) + wished * math.log(2 * wished / (1 + wished)) + math.log(2) * (1 - wished)
    assert row["track intersectional AWRF@500"] == pytest.approx(1 - divergence / 2)
    assert row["track intersectional score@500"] == pytest.approx(1 - divergence / 2)  # nDCG is 1
    assert scores.notes[-1] == "Intersectional scores are over sub-geo and gender."


def test_without_other_attributes_and_under_other_choices(tmp_path: Path) -> None:
    study = read_trec_fair(**track_files(tmp_path))
    assert "track intersectional AWRF@500" in set(track_scores(study).table["measure"])
    assert track_scores(study).notes[-2:] == (
        "Intersectional scores are over sub-geo and gender.",
        "Regions outside the track's list count as unknown: Europe.",
    )
    for choices in ({"unknown": "out"}, {"targets": "uniform"}):
        assert not any("intersectional" in name for name in track_scores(study, **choices).table["measure"])
    plain = make_study("plain", groups=GROUPS[:3], targets=BACKGROUND, runs=study.runs, qrels=study.qrels,
                       documents=study.documents.drop(columns="sub-geo"))  # fmt: skip
    scores = track_scores(plain)
    assert not any("intersectional" in name for name in scores.table["measure"])
    assert scores.notes[-1] == "Gender is the documents' only attribute of the track: no score is over an intersection."


def test_attributes_are_read_into_columns(tmp_path: Path) -> None:
    article = {
        "page_id": 11,
        "gender": ["female"],
        "page_subcont_regions": ["Central Asia", "Caribbean"],
        "source_subcont_regions": {"UNK": 2, "Caribbean": 1},
        "occupations": None,
        "first_letter_category": "a-d",
    }
    path = tmp_path / "a.json"
    path.write_text(lines([article, {"page_id": 12, "gender": []}]))
    documents = read_trec_fair(**track_files(tmp_path) | {"attributes": path}).documents.set_index("doc_id")
    assert [name for name in documents if name in DIMENSIONS] == ["sub-geo", "src-geo", "occ", "alpha"]
    assert documents.loc["11", ["sub-geo", "src-geo", "occ", "alpha"]].tolist() == [
        "Central Asia|Caribbean", "UNK=2|Caribbean=1", "", "a-d",
    ]  # fmt: skip
    assert documents.loc["12", "sub-geo"] == ""


def test_slips_in_attributes(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for field, message in (
        ({"page_subcont_regions": "Asia"}, "the page_subcont_regions is not a list of texts without | and =: '11'"),
        ({"occupations": ["a|b"]}, "the occupations is not a list of texts without | and =: '11'"),
        (
            {"source_subcont_regions": {"Asia": "3"}},
            "the source_subcont_regions is not a table of numbers by region without | and =: '11'",
        ),
        ({"num_sitelinks_category": 5}, "the num_sitelinks_category is not text without | and =: '11'"),
        ({"qual_cat": "Good"}, "the qual_cat is not one of Stub, Start, C, B, GA, FA: 'Good'"),
    ):
        path.write_text(lines([{"page_id": 11, "gender": ["female"], **field}]))
        with pytest.raises(DataError) as error:
            read_trec_fair(**track_files(tmp_path) | {"attributes": path})
        assert str(error.value).splitlines()[0] == f"a.json:1: {message}"


def card():
    from fairviz.extensions.tracks.page import TRACK
    from fairviz.ui.shell import frame

    with frame.around():
        TRACK.draw()


def test_the_card_shows_what_python_gives(tmp_path):
    save_study(fairviz.read_trec_fair(**track_files(tmp_path)), studies_folder() / "track")
    assert TRACK.fits(fairviz.open_study("track"))
    page = drawn_by(card, study="track", audit_track_unknown="out", audit_track_depth="20")
    found = fairviz.track_scores(fairviz.open_study("track"), unknown="out", k=20)
    (grid,) = [element.value for element in page.dataframe if "run" in element.value and len(element.value) == 2]
    pd.testing.assert_frame_equal(grid, cells(found.table, COLUMNS), check_dtype=False)
    made: dict = {}
    exec(next(block.value for block in page.code), made)
    pd.testing.assert_frame_equal(made["table"], found.table)
    assert not TRACK.fits(fairviz.open_study("football"))
    assert "football is not made of the track" in html_of(drawn_by(card, study="football"))


# --- the files

RUN_LINES = "Write a run line as: id, a tab, page_id; or: id, a tab, seq_no, a tab, page_id."
WHOLE = "Write ids, seq_no and ranks as whole numbers, such as 1205."
TOGETHER = "Keep the lines of a ranking together, each page once."
SORTED = "Sort the lines of each ranking by rank, counted from 0 or from 1 without a gap, alike in all rankings."
HEADS = "Name the columns id and page_id, between them seq_no where there are sequences, and perhaps rank."
TOPIC = 'Write a topic as: {"id": 1, "title": "...", "keywords": ["..."], "rel_docs": [12, 25]}.'
ARTICLE = 'Write an article as: {"page_id": 12, "gender": ["female"]}, with an empty list where it has no gender.'


def test_the_files_become_a_study_that_can_be_saved(tmp_path):
    study = read_trec_fair(**track_files(tmp_path))
    saved = open_study(save_study(study, tmp_path / "study"))
    for held in (study, saved):
        assert held.systems == ("coordinators", "editors")
        assert held.draws == {"editors": ("editors/seed1", "editors/seed2")}
        assert held.queries["text"].tolist() == ["Chemistry", "Rowing"]
        assert held.queries["keywords"].tolist() == ["chemist, laboratory", "oar"]
        assert len(held.qrels) == 6
        runs = held.runs[held.runs["system"] == "coordinators"].sort_values(["query_id", "rank"])
        assert runs["doc_id"].tolist() == [*FIRST["1"], *FIRST["2"]]
        assert runs["rank"].tolist() == [1, 2, 3, 4] * 2
        assert runs["score"].tolist() == [-1, -2, -3, -4] * 2
        genders = dict(zip(held.documents["doc_id"], held.documents["gender"], strict=True))
        assert genders == {
            "11": "female",
            "12": "female|male",
            "13": "unknown",
            "14": "male",
            "15": "non-binary",
        }
        assert dict(zip(held.labels["doc_id"], held.labels["label"], strict=True)) == {
            "11": "female",
            "14": "male",
            "15": "non-binary",
        }
        assert dict(held.targets) == {"female": 0.495, "male": 0.495, "non-binary": 0.01}
        assert held.notices == (
            "Of 5 articles 1 have no known gender and 1 have several; measures of labels leave out both. The track's "
            "AWRF counts them (fairviz trec-fair).",
            "2 articles that runs or topics name have no attributes, and count nowhere.",
            "As the track does, a trans or cis woman counts as female, a trans or cis man as male, and every other "
            "gender identity as non-binary. Read here: 'cisgender male' as male (1), 'transgender "
            "male' as male (1), 'genderfluid' as non-binary (1).",
        )


def test_ranks_count_from_0_or_1_and_without_a_header_columns_are_the_track_s(tmp_path):
    path = tmp_path / "run.tsv"
    for content, system in (
        ("id\trank\tpage_id\n1\t0\t11\n1\t1\t12\n", "run"),
        ("id\trank\tpage_id\n1\t1\t11\n1\t2\t12\n", "run"),
        ("1\t11\n1\t12\n", "run"),
        ("1\t7\t11\n1\t7\t12\n", "run/seed7"),
        ("id,page_id\r\n1,11\r\n1,12\r\n", "run"),
    ):
        path.write_text(content)
        run = read_fair_run(path)
        assert run["system"].cat.categories.tolist() == [system]
        assert (run["doc_id"].tolist(), run["rank"].tolist()) == (["11", "12"], [1, 2])


BAD_RUNS = [
    ("id\tpage_id\n1\t11\t3\n", f"r.tsv:2: expected 2 columns, found 3: '1 11 3'\n{RUN_LINES}"),
    ("id\tpage_id\n1\tx\n", f"r.tsv:2: the page_id is not a whole number: 'x'\n{WHOLE}"),
    (
        "id\tpage_id\n1\t5\n1\t5\n",
        f"r.tsv:3: the ranking of topic 1 has this page in line 2 already: '5'\n{TOGETHER}",
    ),
    (
        "id\tpage_id\n1\t5\n2\t5\n1\t6\n",
        f"r.tsv:4: the ranking of topic 1 began in line 2, and another ranking is in between\n{TOGETHER}",
    ),
    (
        "id\tseq_no\trank\tpage_id\n1\t1\t0\t5\n1\t1\t2\t6\n",
        f"r.tsv:3: 1 is the next rank of topic 1, seq_no 1: '2'\n{SORTED}",
    ),
    (  # the first line of topic 2 is lost, and no rank after it is named again
        "id\trank\tpage_id\n1\t0\t5\n1\t1\t6\n2\t1\t5\n2\t2\t6\n",
        f"r.tsv:4: 0 is the next rank of topic 2: '1'\n{SORTED}",
    ),
    ("topic\tdoc\n1\t5\n", f"r.tsv:1: the column 'id' is missing: 'topic, doc'\n{HEADS}"),
    ("id\tpage_id\n", f"r.tsv: the file has a header and no line below it\n{RUN_LINES}"),
    ("1 Q0 5 1 0.5 tag\n", f"r.tsv:1: expected 2 or 3 columns, found 1: '1 Q0 5 1 0.5 tag'\n{RUN_LINES}"),
]
BAD_TOPICS = [
    ('{"title": "A"}', f"t.json:1: the id is missing or not a whole number\n{TOPIC}"),
    ('{"id": 1, "title": 7}', f"t.json:1: the title is not text: '7'\n{TOPIC}"),
    ('{"id": 1, "keywords": "a"}', f"t.json:1: keywords is not a list of texts: 'a'\n{TOPIC}"),
    ('{"id": 1, "rel_docs": ["a"]}', f"t.json:1: rel_docs is not a list of page ids: '[\"a\"]'\n{TOPIC}"),
    ('{"id": 1}\n{"id": 1}', f"t.json:2: this topic is in line 1 already: '1'\n{TOPIC}"),
]
BAD_ARTICLES = [
    ('{"page_id": 11, "gender": 3}', f"a.json:1: the gender is not a list of texts: '3'\n{ARTICLE}"),
    ('{"gender": []}', f"a.json:1: the page_id is missing or not a whole number\n{ARTICLE}"),
    ('{"page_id": 11', f"a.json:1: not a JSON object: '{{\"page_id\": 11'\n{ARTICLE}"),
    (
        lines([ARTICLES[0], {"page_id": 11, "gender": ["male"]}]),
        f"a.json:2: this article has another gender in line 1: '11'\n{ARTICLE}",
    ),
    (
        '{"page_id": 5}',
        "a.json: the file holds none of the 7 articles that the runs and topics name\nCheck that it is the "
        "attributes of the same year's articles.",
    ),
    (
        '{"page_id": 11}',
        "a.json: no article that the runs and topics name has the attribute gender\nName the file with the "
        "attribute gender; that of 2021 came with the evaluation topics.",
    ),
]


def test_bad_lines_are_named(tmp_path):
    for content, message in BAD_RUNS:
        (tmp_path / "r.tsv").write_text(content)
        with refused(message):
            read_fair_run(tmp_path / "r.tsv", tmp_path)
    for content, message in BAD_TOPICS:
        (tmp_path / "t.json").write_text(content)
        with refused(message):
            read_topics(tmp_path / "t.json", tmp_path)
    files = track_files(tmp_path)
    for content, message in BAD_ARTICLES:
        (tmp_path / "a.json").write_text(content)
        with refused(message):
            read_trec_fair(files["topics"], files["runs"], tmp_path / "a.json")


def test_topics_come_from_several_files_and_strangers_are_refused(tmp_path):
    files = track_files(tmp_path)
    (tmp_path / "titles.jsonl").write_text(lines({"id": t["id"], "title": t["title"]} for t in TOPICS))
    (tmp_path / "judged.jsonl").write_text(lines({"id": t["id"], "rel_docs": t["rel_docs"]} for t in TOPICS))
    both = [tmp_path / "titles.jsonl", tmp_path / "judged.jsonl"]
    study = read_trec_fair(both, files["runs"], files["attributes"])
    assert (len(study.queries), len(study.qrels)) == (2, 6)
    with refused(
        "topic '1' has neither title nor keywords (2 such topics)\nName the file of topics with titles as well as "
        "that with rel_docs."
    ):
        read_trec_fair(both[1], files["runs"], files["attributes"])
    (tmp_path / "one.jsonl").write_text(lines(TOPICS[:1]))
    with refused(
        "the run 'coordinators' ranks topic '2', which no file of topics has (1 such)\nName the file of these topics, "
        "too: training and evaluation topics are two files."
    ):
        read_trec_fair(tmp_path / "one.jsonl", files["runs"], files["attributes"])
