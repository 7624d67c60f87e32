"""The built-in study traits: section 4.1 of the GSR paper, made anew, and measured."""

import filecmp
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fairviz
from fairviz.datasets import BUILTIN
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.words.genderedness import GenderDirection, gender_direction
from fairviz.words.vectors import load_embedding

# Tables A.4 and A.7, with "courageous" for the paper's "corageous".
AGENCY = """aggressive ambitious arrogant confident courageous critical decisive demanding hardworking independent
possessive proud selfish strong stubborn""".split()  # noqa: SIM905
COMMUNION = """affectionate compassionate emotional generous honest nurturing outgoing patient polite romantic sensitive
unselfish""".split()  # noqa: SIM905
FEMALE = "hygienist secretary hairdresser dietician paralegal receptionist phlebotomist maid nurse typist".split()  # noqa: SIM905
MALE = "stonemason roofer electrician plumber carpenter firefighter millwright welder machinist driver".split()  # noqa: SIM905


@pytest.fixture(scope="module")
def study() -> Study:
    return fairviz.open_study("traits")


def test_the_files_are_what_the_program_makes(tmp_path: Path) -> None:
    made = tmp_path / "traits"
    done = subprocess.run(
        [sys.executable, "-m", "fairviz.datasets.traits", str(made)],
        cwd=BUILTIN["traits"].parents[1], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == ""
    files = {path.relative_to(made) for path in made.rglob("*") if path.is_file()}
    kept = {path.relative_to(BUILTIN["traits"]) for path in BUILTIN["traits"].rglob("*") if path.is_file()}
    assert files == kept
    _, different, unread = filecmp.cmpfiles(made, BUILTIN["traits"], [str(path) for path in files], shallow=False)
    assert (different, unread) == ([], [])


def test_it_is_section_4_1(study: Study) -> None:
    assert list(study.queries["text"]) == FEMALE + MALE
    assert study.systems == ("S", "N", "CS")
    texts = dict(zip(study.documents["doc_id"], study.documents["text"], strict=True))
    assert len(texts) == 20 * 27
    said = {document: re.fullmatch(r"The (\w+) is (\w+)\.", text).groups() for document, text in texts.items()}  # type: ignore[union-attr]
    assert {*said.values()} == {(job, trait) for job in FEMALE + MALE for trait in AGENCY + COMMUNION}
    found = {
        key: [said[document] for document in run.sort_values("rank")["doc_id"]]
        for key, run in study.runs.groupby(["system", "query_id"], observed=True)
    }
    for job in FEMALE + MALE:
        typical, other = (COMMUNION, AGENCY) if job in FEMALE else (AGENCY, COMMUNION)
        assert found["S", job] == [(job, trait) for trait in typical]
        assert found["CS", job] == [(job, trait) for trait in other]
        assert found["N", job] == [(job, trait) for trait in AGENCY + COMMUNION]
    assert (study.qrels["relevance"] == 1).all()
    assert all(
        said[document][0] == query
        for query, document in zip(study.qrels["query_id"], study.qrels["doc_id"], strict=True)
    )
    assert len(study.qrels) == 540


def slopes(name: str, settings: Settings, direction: GenderDirection) -> dict[str, float]:
    points = gsr_points(fairviz.open_study(name), settings, direction=direction)
    return dict(gsr(points)[["system", "slope"]].itertuples(index=False))


@pytest.mark.parametrize("name", ["traits", "occupations"])
@pytest.mark.parametrize("settings", [Settings(), Settings(cutoff=3), Settings(gsr_depth="relevant")], ids=str)
def test_the_systems_stand_in_the_papers_order(name: str, settings: Settings) -> None:
    found = slopes(name, settings, gender_direction(load_embedding("glove")))
    assert found["S"] == pytest.approx(-found["CS"], abs=1e-12)
    assert found["N"] == pytest.approx(0, abs=1e-12)
    assert found["CS"] < -0.1 < found["N"] < 0.1 < found["S"]


def test_with_the_vectors_of_the_paper(google_news) -> None:
    """The paper, with all 20 occupations: 0.16 and 1.61; these vectors hold 12 of them."""
    direction = gender_direction(google_news)
    relevant = Settings(gsr_depth="relevant")
    assert slopes("traits", relevant, direction)["S"] == pytest.approx(0.20, abs=0.005)
