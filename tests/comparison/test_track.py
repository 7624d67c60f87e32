"""The track's AWRF: the arithmetic in sight, a slow reference read off the track's code, and the command line."""

import csv
import io
import math

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import jensenshannon

from fairviz.cli.main import main
from fairviz.comparison.track import track_scores
from fairviz.datasets.trec_fair import read_trec_fair
from fairviz.errors import FairvizError, UsageError
from fairviz.measures.track_awrf import track_discount
from fairviz.study.study import make_study
from tests.datasets.fair_track import track_files

GROUPS = ("female", "male", "non-binary", "unknown")
BACKGROUND = {"female": 0.495, "male": 0.495, "non-binary": 0.01}


def divergence(first, second) -> float:
    """Jensen-Shannon, in natural units, of two lists of shares."""
    middle = [(a + b) / 2 for a, b in zip(first, second, strict=True)]
    parts = [sum(a * math.log(a / m) for a, m in zip(side, middle, strict=True) if a) for side in (first, second)]
    return sum(parts) / 2


def test_a_list_by_hand(tmp_path):
    """Pages 11 female, 12 female and male, 13 unknown, 14 male; 11 and 14 are relevant."""
    found = track_scores(read_trec_fair(**track_files(tmp_path)))
    row = found.queries.set_index(["run", "query_id"]).loc[("coordinators", "1")]
    third = 1 / math.log2(3)
    attention = [1 + 0.5, 0.5 + 0.5, 0, third]  # female, male, non-binary, unknown
    target = [0.25 + 0.2475, 0.25 + 0.2475, 0.005, 0]
    assert found.targets.iloc[0].tolist()[1:] == pytest.approx(target)
    awrf = 1 - divergence([part / sum(attention) for part in attention], target)
    assert row["track AWRF@500"] == pytest.approx(awrf)
    assert row["track nDCG@500"] == pytest.approx((1 + 0.5) / (1 + 1))  # ranks 1 and 4, best at 1 and 2
    assert row["track score@500"] == pytest.approx(awrf * 0.75)
    shares = np.array([1, 1 / math.log2(5)]) / (1 + 1 / math.log2(5))  # ours: 11 and 14 alone, under DCG's discount
    assert row["AWRF@500"] == pytest.approx(abs(shares[0] - 0.495) + abs(shares[1] - 0.495) + 0.01)


def slow(pages, genders, relevant, unknown, several, k):
    """The track's qr_awrf with its gender target, one page at a time."""
    names = GROUPS if unknown == "group" else GROUPS[:3]

    def row(page):
        held = genders[page].split("|")
        share = 1 / len(held) if several == "split" else 1
        return np.array([share * (name in held) for name in names])

    wished = np.mean([row(page) for page in relevant if page in genders], axis=0)
    known = wished[:3].sum()
    for place, name in enumerate(names[:3]):
        wished[place] = 0.5 * wished[place] + 0.5 * known * BACKGROUND[name]
    got = np.zeros(len(names))
    for rank, page in enumerate(pages[:k], start=1):
        if page in genders:
            got += row(page) / math.log2(max(rank, 2))
    if not got.any() or not wished.any():
        return math.nan
    return 1 - jensenshannon(got, wished) ** 2


@pytest.mark.parametrize(("unknown", "several"), [("group", "split"), ("group", "whole"), ("out", "split")])
def test_as_the_track_computes_it(unknown, several):
    generator = np.random.default_rng(3)
    pages = [str(page) for page in range(40)]
    texts = ["female", "male", "non-binary", "unknown", "female|male", "male|non-binary|unknown"]
    genders = {page: texts[generator.integers(len(texts))] for page in pages[:35]}
    lists = {str(topic): list(generator.permutation(pages)[:12]) for topic in range(6)}
    relevant = {topic: list(generator.permutation(pages)[:9]) for topic in lists}
    rows = [("s", topic, page, rank) for topic, held in lists.items() for rank, page in enumerate(held, start=1)]
    runs = pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank"])
    study = make_study(
        "made",
        runs=runs.assign(score=-runs["rank"]),
        qrels=pd.DataFrame([(t, p) for t, held in relevant.items() for p in held], columns=["query_id", "doc_id"])
        .assign(relevance=1),
        documents=pd.DataFrame({"doc_id": list(genders), "text": None, "gender": list(genders.values())}),
        groups=GROUPS[:3],
        targets=BACKGROUND,
    )  # fmt: skip
    found = track_scores(study, unknown=unknown, several=several, k=10).queries.set_index("query_id")
    for topic, held in lists.items():
        expected = slow(held, genders, relevant[topic], unknown, several, 10)
        assert found.loc[topic, "track AWRF@10"] == pytest.approx(expected, nan_ok=True)
    assert "No article has exactly one known gender" in " ".join(track_scores(study).notes)


def test_the_discount_of_the_first_two_ranks_is_the_same():
    assert track_discount(3).tolist() == [1, 1, pytest.approx(0.6309, abs=1e-4)]


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


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"unknown": "no"}, "unknown is 'no'\nUse one of 'group', 'out'."),
        (
            {"targets": {"female": 1.0}},
            "targets is {'female': 1.0}\nUse mixed, uniform or a share for each of female, male, non-binary, unknown.",
        ),
        (
            {"targets": {"female": 0.5, "male": 0.5, "non-binary": 0.5}, "unknown": "out"},
            "targets is {'female': 0.5, 'male': 0.5, 'non-binary': 0.5}\nGive shares of 0 or more that add up to 1.",
        ),
    ],
)
def test_choices_that_make_no_sense(tmp_path, choices, message):
    with pytest.raises(UsageError) as caught:
        track_scores(read_trec_fair(**track_files(tmp_path)), **choices)
    assert str(caught.value) == message


def test_a_study_of_another_kind_says_what_it_lacks():
    import fairviz

    with pytest.raises(FairvizError) as caught:
        fairviz.track_scores(fairviz.open_study("football"))
    assert str(caught.value).startswith("the documents of football have no column 'gender'")


def test_the_command_line_makes_the_study_and_scores_it(tmp_path, capsys):
    files = track_files(tmp_path)
    runs = [str(path) for path in files["runs"]]
    given = ["--topics", str(files["topics"]), "--runs", *runs, "--attributes", str(files["attributes"])]
    assert main(["trec-fair", str(tmp_path / "study"), *given, "--format", "csv"]) == 0
    first = capsys.readouterr()
    assert f"wrote {tmp_path / 'study'}" in first.err
    assert "Intersectional scores are over sub-geo and gender." in first.err
    assert main(["trec-fair", str(tmp_path / "study"), "--format", "csv"]) == 0
    assert capsys.readouterr().out == first.out
    rows = list(csv.DictReader(io.StringIO(first.out)))
    assert [(row["run"], row["measure"]) for row in rows][::2] == [
        (run, name)
        for name in (
            *(f"track {name}" for name in ("nDCG@500", "AWRF@500", "score@500", "EE-L@20", "EE-D@20", "EE-R@20")),
            *(f"track intersectional {name}" for name in ("AWRF@500", "EE-L@20", "EE-D@20", "EE-R@20", "score@500")),
            "AWRF(distance='jsd')@500",
            "AWRF@500",
        )
        for run in ("coordinators",)
    ]
    assert main(["trec-fair", str(tmp_path / "study"), "--topics", "t.jsonl"]) == 2
    assert "--topics, --runs and --attributes belong together" in capsys.readouterr().err


def slow_expected_exposure(sequences, genders, quality, relevant):
    """The track's EELMetric with its gender target, one sequence and one page at a time."""
    order = ["Stub", "Start", "C", "B", "GA", "FA"]

    def row(page):
        held = genders[page].split("|")
        return np.array([(name in held) / len(held) for name in GROUPS])

    attention, wished, start = track_discount(len(relevant)), np.zeros(4), 0
    for level in order:
        pages = [page for page in relevant if quality[page] == level]
        for page in pages:
            wished += row(page) * attention[start : start + len(pages)].mean()
        start += len(pages)
    known = wished[:3].sum()
    for place, name in enumerate(GROUPS[:3]):
        wished[place] = 0.5 * wished[place] + 0.5 * known * BACKGROUND[name]
    wished = wished / wished.sum() * track_discount(20).sum()
    got = np.zeros(4)
    for pages in sequences:
        for page, weight in zip(pages, track_discount(len(pages)), strict=True):
            got += row(page) * weight / len(sequences) if page in relevant else 0
    return [float(((got - wished) ** 2).sum()), float(got @ got), float(got @ wished)]


def test_expected_exposure_of_sequences(tmp_path):
    genders = {"1": "female", "2": "male", "3": "female|male", "4": "unknown", "5": "non-binary"}
    quality = {"1": "Stub", "2": "C", "3": "C", "4": "FA", "5": "Start"}
    relevant, sequences = ["2", "1", "3", "4"], [["1", "2", "5"], ["3", "5", "1"], ["2", "4"]]
    rows = [
        (f"run/seed{number}", "q", page, rank, -float(rank))
        for number, pages in enumerate(sequences)
        for rank, page in enumerate(pages, start=1)
    ]
    documents = pd.DataFrame({"doc_id": list(genders), "text": None, "gender": list(genders.values())})
    study = make_study(
        "track",
        groups=GROUPS[:3],
        targets=BACKGROUND,
        documents=documents.assign(quality=list(quality.values())),
        runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
        qrels=pd.DataFrame({"query_id": "q", "doc_id": relevant, "relevance": 1}),
    )
    row = track_scores(study).queries.set_index("run").loc["run"]
    expected = slow_expected_exposure(sequences, genders, quality, relevant)
    assert row[["track EE-L@20", "track EE-D@20", "track EE-R@20"]].tolist() == pytest.approx(expected)
    assert row["sequences"] == 3


def test_a_quality_that_the_track_has_not(tmp_path):
    from fairviz.errors import DataError

    files = track_files(tmp_path)
    path = tmp_path / "attributes.json"
    path.write_text('{"page_id": 11, "qual_cat": "Good", "gender": ["female"]}\n')
    with pytest.raises(
        DataError, match=r"attributes.json:1: the qual_cat is not one of Stub, Start, C, B, GA, FA: 'Good'"
    ):
        read_trec_fair(**files | {"attributes": path})
