"""Groups of annotators: agreement against slow loops and the coefficients of all annotators, values and verdicts
against evaluate and compare under the group's voters, and the error of the intervals in a simulation."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.annotator_groups.answer import annotator_columns, annotator_groups, groups_of
from fairviz.analyses.running import analyse
from fairviz.annotation.agreement import overall
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from tests.conftest import refused, simulated

LABELS = ("neutral", "female", "male")
TEAMS = {"ann": "north", "ben": "north", "cyd": "north", "dan": "south", "eve": "south", "fay": ""}


def study_of(seed: int = 0, queries: int = 12, teams: dict[str, str] | None = None, miss: float = 0.0) -> Study:
    """Two systems with ten documents a query. Each annotator labels 80 %, errs on 20 %, and has a share of his own of
    the female documents that he calls neutral; those of the south `miss` more of them."""
    draw, teams = np.random.default_rng(seed), teams or TEAMS
    documents = [f"q{query}d{place}" for query in range(queries) for place in range(10)]
    true, rows = draw.choice(LABELS, len(documents)), []
    for who, team in teams.items():
        misses = draw.beta(0.5, 2) + (miss if team == "south" else 0)
        for document, label in zip(documents, true, strict=True):
            if draw.random() < 0.8:
                given = draw.choice(LABELS) if draw.random() < 0.2 else label
                rows.append((document, who, "neutral" if given == "female" and draw.random() < misses else str(given)))
    runs = [
        (system, f"q{query}", f"q{query}d{place}", rank, -float(rank)) for query in range(queries)
        for system in ("one", "two") for rank, place in enumerate(draw.permutation(10), 1)
    ]  # fmt: skip
    annotators = {
        who: Annotator(who, "person", columns=(("team", team),) if team else ()) for who, team in teams.items()
    }
    return make_study(
        "teams", labels=pd.DataFrame(rows, columns=["doc_id", "annotator", "label"]), annotators=annotators,
        runs=pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]),
    )  # fmt: skip


def slow_pair(study: Study, first: tuple[str, ...], second: tuple[str, ...]) -> tuple[float, float, int]:
    """Agreement, kappa and the documents with a pair, by loops over documents and pairs of people."""
    by_document: dict[str, dict[str, str]] = {}
    for row in study.labels.itertuples():
        by_document.setdefault(row.doc_id, {})[row.annotator] = row.label
    shares, chances = [], []
    for given in by_document.values():
        pairs = combinations(first, 2) if first == second else product(first, second)
        agree = [given[one] == given[other] for one, other in pairs if one in given and other in given]
        shares += [np.mean(agree)] if agree else []
    for members in (first, second):
        labelled = [[given[who] for who in members if who in given] for given in by_document.values()]
        chances.append({label: np.mean([own.count(label) / len(own) for own in labelled if own]) for label in LABELS})
    chance = sum(chances[0][label] * chances[1][label] for label in LABELS)
    agreement = float(np.mean(shares))
    return agreement, (agreement - chance) / (1 - chance), len(shares)


def test_agreement_is_that_of_loops_and_within_a_group_fleiss() -> None:
    study = study_of()
    groups = groups_of(study, "team")
    assert groups == {"north": ("ann", "ben", "cyd"), "south": ("dan", "eve")}
    table = annotator_groups(study, draws=100, measures="CWEx").agreement.set_index(["first", "second"])
    for first, second in (("north", "north"), ("north", "south"), ("south", "south")):
        row = table.loc[first, second]
        expected = slow_pair(study, groups[first], groups[second])
        assert (row["agreement"], row["kappa"], row["documents"]) == pytest.approx(expected)
        assert row["agreement_low"] < row["agreement"] < row["agreement_high"]
    own = study.labels[study.labels["annotator"].isin(groups["north"])]
    of_all = overall(own).set_index("coefficient")["value"]
    assert table.loc[("north", "north"), "agreement"] == pytest.approx(of_all["percent agreement"])
    assert table.loc[("north", "north"), "kappa"] == pytest.approx(of_all["Fleiss' kappa"])


def test_values_and_verdicts_are_those_of_the_groups_voters() -> None:
    study = study_of(miss=0.5)
    found = annotator_groups(study, measures=["CWEx@5", "ExposureGap@5"], draws=100)
    everyone, south = (Settings(voters=names, annotator="majority") for names in ((*TEAMS,), ("dan", "eve")))
    for measure in ("CWEx@5", "ExposureGap@5"):
        scores = [fairviz.evaluate(study, measure, settings) for settings in (south, everyone)]
        wide = [one.pivot(index="query_id", columns="system", values="value") for one in scores]
        apart = (wide[0] - wide[1]).mean()
        rows = found.values[found.values["measure"].str.startswith(measure[:4]) & (found.values["group"] == "south")]
        rows = rows.set_index("system")
        assert rows["difference"].to_dict() == pytest.approx(apart.to_dict())
        assert (rows["ci_low"] < rows["difference"]).all()
        expected = [fairviz.compare(one, "two")["verdict"].iloc[0] for one in scores]
        verdict = found.verdicts[found.verdicts["measure"].isin(rows["measure"]) & (found.verdicts["group"] == "south")]
        assert verdict[["verdict", "verdict_everyone"]].to_numpy().tolist() == [expected]
    answer = analyse(study, "annotator-groups", measures=["CWEx@5", "ExposureGap@5"], draws=100)
    assert answer.table().equals(found.values)
    assert found.sentences[0].startswith("Agreement: ")
    assert "Fewer than 5 people: north, south. Intervals over so few tell little." in found.notes


def test_what_lacks_groups_is_refused(football: Study) -> None:
    with refused(
        "the voters of football are not in two groups by any column of annotators.csv\nAdd annotators.csv with the "
        "columns annotator and, say, gender, and a value for each annotator."
    ):
        annotator_groups(football)
    with refused("no column 'age' puts the voters of teams in two groups\nUse one of team."):
        annotator_groups(study_of(), column="age")
    assert annotator_columns(study_of(teams={"ann": "north", "ben": "north"})) == ()


@simulated(few=6, full=300)
def test_two_groups_of_one_population_rarely_differ(draws: int) -> None:
    """Twelve annotators, who differ among each other, in two teams: the interval excludes 0 in about 5 %."""
    teams = {f"p{place:02}": ("north", "south")[place % 2] for place in range(12)}
    excluded = []
    for seed in range(draws):
        table = annotator_groups(study_of(seed, 30, teams), measures="ExposureGap", draws=50).values
        excluded += ((table["ci_low"] > 0) | (table["ci_high"] < 0)).tolist()
    assert np.mean(excluded) <= 0.1
