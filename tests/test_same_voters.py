"""Python, verbs and the report show one count of disagreement, one majority and one list of disputed documents."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fairviz.analyses.annotator_accuracy.comparisons import Comparison, table
from fairviz.analyses.label_effects.replacing import uncertainty
from fairviz.analyses.reading.filters import Filters, catalogue, select
from fairviz.annotation.voters import votes_of
from fairviz.evaluation.choices import Resolved, aligned_runs, chosen_labels
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import disagreement_text
from fairviz.study.record import Study
from fairviz.study.study import open_study_folder
from tests.conftest import Call

LABELS = ("neutral", "female", "male")
DOCUMENTS = tuple(f"d{number}" for number in range(6))
KINDS = {"anna": "human", "ben": "human", "both": "human with machine help", "gpt": "model", "words": "rule", "new": ""}


@st.composite
def drawn_labels(draw: st.DrawFn) -> dict[str, Any]:
    """rows: document, annotator, label, right answer of a test question, suggestion. voters: as in Settings."""
    names = draw(st.lists(st.sampled_from([*KINDS]), min_size=1, unique=True))
    rows = []
    for name in names:
        for document in DOCUMENTS:
            label = draw(st.sampled_from([*LABELS, *LABELS, ""]))
            if label:
                right = draw(st.sampled_from(["", "", "", "", label, "female"]))
                rows.append((document, name, label, right, draw(st.sampled_from(["", "", "", "male"]))))
    decided = draw(st.lists(st.sampled_from(DOCUMENTS), max_size=2, unique=True))
    rows += [(document, "adjudicated", "male", "", "") for document in decided]
    present = list(dict.fromkeys(row[1] for row in rows if row[1] != "adjudicated"))
    named = st.lists(st.sampled_from(present), min_size=1, unique=True).map(tuple) if present else st.just(())
    voters = draw(st.one_of(st.sampled_from([(), ("people",), ("all but rules",), ("all",)]), named))
    return {"rows": rows, "voters": voters}


def folder_of(place: Path, rows: list[tuple[str, ...]]) -> Path:
    folder = place / "drawn"
    (folder / "runs").mkdir(parents=True)
    header = "doc_id,annotator,label,test_label,suggested\n"
    (folder / "labels.csv").write_text(header + "".join(",".join(row) + "\n" for row in rows))
    kinds = "".join(f"{name},{kind}\n" for name, kind in KINDS.items())
    (folder / "annotators.csv").write_text("annotator,kind\n" + kinds)
    (folder / "documents.csv").write_text("doc_id,text\n" + "".join(f"{name},a tree\n" for name in DOCUMENTS))
    (folder / "runs" / "a.run").write_text(
        "".join(f"q Q0 {name} {n} {9 - n} a\n" for n, name in enumerate(DOCUMENTS, 1))
    )
    return folder


def slow_votes(rows: list[tuple[str, ...]], voters: tuple[str, ...]) -> tuple[list[str], dict[str, list[str]]]:
    """Return who votes and their labels by document, read off the definition."""
    names = list(dict.fromkeys(row[1] for row in rows if row[1] != "adjudicated"))
    groups = {
        "people": [name for name in names if KINDS[name] == "human"],
        "all but rules": [name for name in names if KINDS[name] != "rule"],
        "all": names,
    }
    chosen = voters[0] if voters else next((name for name, members in groups.items() if members), "all")
    members = groups.get(chosen, [*voters])
    voting = []
    for name in members:
        tests = [row for row in rows if row[1] == name and row[3]]
        if sum(row[2] != row[3] for row in tests) <= 0.2 * len(tests):
            voting.append(name)
    votes: dict[str, list[str]] = {}
    for document, name, label, right, suggestion in rows:
        if name in voting and not right and not suggestion:
            votes.setdefault(document, []).append(label)
    return voting, votes


@settings(
    max_examples=settings.default.max_examples // 2,
    deadline=None,
    phases=[Phase.generate],  # shrinking an example takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(drawn=drawn_labels())
def test_every_face_counts_the_same_votes(call: Call, drawn: dict[str, Any]) -> None:
    rows, voters = drawn["rows"], drawn["voters"]
    if not rows:
        return
    voting, votes = slow_votes(rows, voters)
    disputed = {name for name, labels in votes.items() if len({*labels}) > 1}
    shared = sum(len(labels) > 1 for labels in votes.values())
    majority = {}
    for name, labels in votes.items():
        (first, most), *others = Counter(labels).most_common()
        if not others or others[0][1] < most:
            majority[name] = first
    ties = votes.keys() - majority.keys()
    with TemporaryDirectory() as place:
        folder = folder_of(Path(place), rows)
        study, chosen = open_study_folder(folder), Settings(annotator="majority", voters=voters)
        in_python(study, chosen, voting, disputed, majority, ties)
        sentence = disagreement_text(votes_of(study, voters))
        if len(voting) > 1 and shared:
            assert sentence.endswith(f"disagree on {len(disputed)} of {shared} document{'s' * (shared != 1)}")
        options = ["--voters", *voters] if voters else []
        listed = call(f"agree {folder} --format csv --table documents", options)
        assert {row["doc_id"] for row in listed.rows} == disputed
        assert f"; {sentence}.\n" in listed.err
        tied = call(f"agree {folder} --format csv --table ties", options)
        assert {row["doc_id"] for row in tied.rows} == ties
        consensus = call(f"consensus {folder} --format csv", options)
        assert {row["doc_id"]: row["label"] for row in consensus.rows} == majority
        assert (f"{len(ties)} tie" in consensus.err) == bool(ties)
        if voters and ties:  # a report takes as long as all else
            page = folder / "report.html"
            call(f"report {folder} Exposure --annotator majority --output {page}", options)
            assert f"Votes: {sentence}." in page.read_text()


def in_python(
    study: Study, chosen: Settings, voting: list[str], disputed: set[str], majority: dict[str, str], ties: set[str]
) -> None:
    votes = votes_of(study, chosen.voters)
    assert list(votes.annotators) == voting
    assert set(votes.disputed) == disputed
    assert set(table(study, chosen, Comparison(), "documents")["doc_id"]) == disputed
    assert set(table(study, chosen, Comparison(), "ties")["doc_id"]) == ties
    labels = chosen_labels(study, chosen)
    assert dict(zip(labels["doc_id"], labels["label"], strict=True)) == majority
    runs = aligned_runs(study, chosen)
    codes = Resolved(study, chosen).labels(runs).codes
    assert {name: LABELS[code] for name, code in zip(runs.doc_ids, codes, strict=True) if code >= 0} == majority
    documents = catalogue(study, chosen)
    read = select(documents, Filters(disagreement="any"), np.full(len(documents.doc_ids), -1))
    assert set(documents.doc_ids[read]) == disputed
    decided = set(study.labels.loc[study.labels["annotator"] == "adjudicated", "doc_id"])
    doubts = dict(zip(documents.doc_ids, uncertainty(study, documents.doc_ids, chosen), strict=True))
    for name, is_shared in zip(votes.doc_ids, votes.is_shared, strict=True):
        assert (doubts[name] > 0) == (name not in decided and (name in disputed or not is_shared))
