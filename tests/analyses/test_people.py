"""People: groups of annotators, against slow loops and the pages under the group's voters; and the Alternative
Annotator Test, against a slow reading of its definition. The errors of both are simulated."""

from collections.abc import Mapping
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multinomial, rankdata, ttest_1samp, wilcoxon

import fairviz
from fairviz.analyses.annotator_groups.answer import annotator_columns, annotator_groups, groups_of
from fairviz.analyses.replace_people.answer import exact_p, p_value, replace_people
from fairviz.analyses.running import analyse
from fairviz.annotation.agreement import overall
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from tests.conftest import refused, simulated
from tests.made import labels_by, runs_of

LABELS = ("neutral", "female", "male")
TEAMS = {"ann": "north", "ben": "north", "cyd": "north", "dan": "south", "eve": "south", "fay": ""}


def two_teams(seed: int = 0, queries: int = 12, teams: dict[str, str] | None = None, miss: float = 0.0) -> Study:
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
    lists = {
        (system, f"q{query}"): [f"q{query}d{place}" for place in draw.permutation(10)]
        for query in range(queries)
        for system in ("one", "two")
    }
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label"])
    about = {who: Annotator(who, "person", columns=(("team", team),) if team else ()) for who, team in teams.items()}
    return make_study("teams", labels=labels, annotators=about, runs=runs_of(lists))


def slow_pair(study: Study, first: tuple[str, ...], second: tuple[str, ...]) -> tuple[float, float, int]:
    """Agreement, kappa and the documents with a pair, by loops over documents and pairs of people."""
    by_document: dict[str, dict[str, str]] = {}
    for row in study.labels.itertuples():
        by_document.setdefault(row.doc_id, {})[row.annotator] = row.label
    shares, chances = [], []
    for told in by_document.values():
        pairs = combinations(first, 2) if first == second else product(first, second)
        agree = [told[one] == told[other] for one, other in pairs if one in told and other in told]
        shares += [np.mean(agree)] if agree else []
    for members in (first, second):
        labelled = [[told[who] for who in members if who in told] for told in by_document.values()]
        chances.append({label: np.mean([own.count(label) / len(own) for own in labelled if own]) for label in LABELS})
    chance = sum(chances[0][label] * chances[1][label] for label in LABELS)
    agreement = float(np.mean(shares))
    return agreement, (agreement - chance) / (1 - chance), len(shares)


def test_agreement_is_that_of_loops_and_within_a_group_fleiss() -> None:
    study = two_teams()
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
    study = two_teams(miss=0.5)
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
        annotator_groups(two_teams(), column="age")
    assert annotator_columns(two_teams(teams={"ann": "north", "ben": "north"})) == ()


@simulated(few=6, full=300)
def test_two_groups_of_one_population_rarely_differ(draws: int) -> None:
    """Twelve annotators, who differ among each other, in two teams: the interval excludes 0 in about 5 %."""
    teams = {f"p{place:02}": ("north", "south")[place % 2] for place in range(12)}
    excluded = []
    for seed in range(draws):
        table = annotator_groups(two_teams(seed, 30, teams), measures="ExposureGap", draws=50).values
        excluded += ((table["ci_low"] > 0) | (table["ci_high"] < 0)).tolist()
    assert np.mean(excluded) <= 0.1


# --- replacing people


Given = Mapping[str, Mapping[str, str]]  # labels by document, by annotator


def study_of(people: Given, models: Given) -> Study:
    kinds = dict.fromkeys(people, "person") | dict.fromkeys(models, "model")
    about = {who: Annotator(who, kind) for who, kind in kinds.items()}  # type: ignore[arg-type]
    return make_study("made", labels=labels_by({**people, **models}), annotators=about)


def slow(people: Given, model: Mapping[str, str], epsilon: float) -> tuple[float, float, dict[str, float]]:
    """ω, ρ and p by person, read off the issue: dictionaries, scores as shares, and scipy's tests."""
    p, rho = {}, []
    for j, own in people.items():
        d, wins = [], []
        for i, label in own.items():
            others = [given[i] for who, given in people.items() if who != j and i in given]
            if i in model and others:
                of_model, of_j = (np.mean([x == other for other in others]) for x in (model[i], label))
                wins.append(of_model >= of_j)
                d.append(int(of_j >= of_model) - int(of_model >= of_j))
        if len(d) < 5:
            continue
        rho.append(np.mean(wins))
        if len(d) < 30:
            differences, sums = np.array(d) - epsilon, {0.0: 1.0}  # all assignments of signs, by counting sums
            ranks = rankdata(np.round(np.abs(differences), 10))
            for rank in ranks:
                after: dict[float, float] = {}
                for total, new in ((total, total + extra) for total in sums for extra in (0, rank)):
                    after[new] = after.get(new, 0) + sums[total] / 2
                sums = after
            p[j] = sum(chance for total, chance in sums.items() if total <= ranks[differences > 0].sum())
        elif len(set(d)) == 1:
            p[j] = float(d[0] >= epsilon)
        else:
            p[j] = ttest_1samp(d, epsilon, alternative="less").pvalue
    m = max(len(p), 1)
    limits = [0.05 * rank / m / sum(1 / k for k in range(1, m + 1)) for rank in range(1, m + 1)]
    below = [
        rank for rank, (value, limit) in enumerate(zip(sorted(p.values()), limits, strict=True), 1) if value <= limit
    ]
    return max(below, default=0) / m, float(np.mean(rho)), p


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.15, 0.2]), st.integers(12, 60))
@settings(max_examples=settings.default.max_examples // 2)
def test_it_is_the_definition(seed: int, epsilon: float, documents: int) -> None:
    draw = np.random.default_rng(seed)
    errors = {"ann": 0.1, "ben": 0.3, "cleo": 0.3, "dora": 0.5, "model": 0.25}
    true = draw.choice(LABELS, documents)
    given = {
        who: {
            f"d{i}": str(true[i] if draw.random() > error else draw.choice(LABELS)) for i in range(documents)
            if draw.random() < 0.8
        }
        for who, error in errors.items()
    }  # fmt: skip
    model = given.pop("model")
    omega, rho, p = slow(given, model, epsilon)
    if len(p) < 3 or len(model) < 5:
        return
    found = replace_people(study_of(given, {"model": model}), epsilon=epsilon)
    row = found.models.iloc[0]
    assert (row["winning_rate"], row["advantage"], row["people"]) == pytest.approx((omega, rho, len(p)))
    assert row["passes"] == (omega >= 0.5)
    tested = found.persons[found.persons["p"].notna()].set_index("person")["p"]
    assert tested.to_dict() == pytest.approx(p, rel=1e-9, abs=1e-12)
    at = found.curve[found.curve["epsilon"] == epsilon].iloc[0]
    assert (at["winning_rate"], at["exact_rate"]) == (row["winning_rate"], row["exact_rate"])


def test_known_answers() -> None:
    """Three people agree on 40 documents, but cleo errs on 12. `same` labels as ann does, `wrong` as nobody, and
    `rare` labels 4 documents."""
    ann = {f"d{i:02}": LABELS[i % 2] for i in range(40)}
    cleo = ann | {f"d{i:02}": "male" for i in range(12)}
    wrong = dict.fromkeys(ann, "male") | {f"d{i:02}": LABELS[(i + 1) % 2] for i in range(12)}
    rare = {name: ann[name] for name in [*ann][-4:]}
    study = study_of({"ann": ann, "ben": ann, "cleo": cleo}, {"same": ann, "wrong": wrong, "rare": rare})
    found = replace_people(study)
    models = found.models.set_index("model")
    # `same` is never behind ann and ben, and ahead of cleo on 12 of 40: ω 1, ρ 1.
    assert models.loc["same", ["passes", "winning_rate", "exact_rate", "advantage"]].tolist() == [True, 1, 1, 1]
    # `wrong`: on 12 documents no other person has its label, nor cleo's; elsewhere each person is ahead.
    rows = found.persons.set_index(["model", "person"])
    counts = ["documents", "person_ahead", "model_ahead", "tied"]
    assert rows.loc[("same", "cleo"), counts].tolist() == [40, 0, 12, 28]
    assert rows.loc[("wrong", "cleo"), counts].tolist() == [40, 28, 0, 12]
    assert rows.loc[("wrong", "ann"), counts].tolist() == [40, 40, 0, 0]
    assert models.loc["wrong", "winning_rate"] == 0
    assert models.loc["wrong", "advantage"] == pytest.approx((0 + 0 + 12 / 40) / 3)
    assert np.isnan(models.loc["rare", "winning_rate"])
    assert found.sentences == [
        "same may replace people at ε = 0.15: ω 1.00 of 3 people, with exact tests 1.00 (needed: 0.5); ρ 1.00.",
        "wrong may not replace people at ε = 0.15: ω 0.00 of 3 people, with exact tests 0.00 (needed: 0.5); ρ 0.10.",
        "rare is not tested: 0 of 3 people share 5 documents or more with it and others.",
    ]
    assert found.notes == ["Fewer than 5 documents with a model and others: ann, ben, cleo."]


def test_few_people_and_no_model_are_refused() -> None:
    two = {"ann": {"a": "male"}, "ben": {"a": "male"}}
    three, model = two | {"cleo": {"a": "male"}}, {"m": {"a": "male"}}
    for study, chosen in (
        (study_of(two, model), Settings()), (study_of(three, model), Settings(voters=("ann", "ben")))
    ):  # fmt: skip
        with refused(
            "in made 2 people vote; replacing people is tested with 3 or more\nCollect labels of more people on the "
            "same documents (`fairviz study-form`), and declare them as human."
        ):
            replace_people(study, chosen)
    with refused("no label in made is by a rule or model\nLabel its documents with `fairviz annotate`."):
        replace_people(study_of(three, {}))


def test_the_analysis_is_the_function_and_few_documents_are_noted() -> None:
    draw = np.random.default_rng(3)
    people = {who: {f"d{i}": str(draw.choice(LABELS)) for i in range(20)} for who in ("ann", "ben", "cleo")}
    study = study_of(people, {"model": people["ann"]})
    expected = replace_people(study, epsilon=0.2)
    answer = analyse(study, "replace-people", epsilon=0.2)
    assert answer.table("persons").equals(expected.persons)
    text = "Below 30 documents the paper's test, Wilcoxon's, passes too easily. Trust the exact test."
    assert text in answer.analysis.notes(answer.value)


def test_the_exact_p_is_the_greatest_over_what_is_unknown() -> None:
    """Of 12 documents the person is ahead on 2, the model on 3: the sum is -1. By all outcomes, for many q."""

    def chance(q: float) -> float:
        outcomes = [[x, y, 12 - x - y] for x in range(13) for y in range(13 - x) if x - y <= -1]
        return float(multinomial.pmf(outcomes, 12, [0.15 + q, q, 0.85 - 2 * q]).sum())

    greatest = max(chance(q) for q in np.linspace(0, 0.36, 200))
    assert exact_p(2, 3, 7, 0.15) == pytest.approx(greatest + 0.001, abs=0.002)
    assert wilcoxon(np.array([1, 1, -1, -1, -1, *[0.0] * 7]) - 0.15, alternative="less").pvalue < 0.05


@simulated(few=400, full=20_000)
def test_error_of_both_tests_where_the_person_is_closer_by_epsilon(draws: int) -> None:
    """The exact test keeps 0.05. Wilcoxon's and, up to 100 documents with few differences, the t test do not."""
    for documents, alone, least in ((10, 0.0, 0.4), (29, 0.0, 0.6), (30, 0.0, 0.1), (100, 0.05, 0.0), (200, 0.2, 0.0)):
        chances = [0.15 + alone, alone, 0.85 - 2 * alone]
        rows = np.random.default_rng(documents).multinomial(documents, chances, size=draws).tolist()
        exact, papers = (np.mean([test(*row, 0.15) <= 0.05 for row in rows]) for test in (exact_p, p_value))
        assert exact <= 0.05
        assert papers >= least
        assert least or papers <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws) + 0.01
