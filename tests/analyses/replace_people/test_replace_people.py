"""The Alternative Annotator Test: against a slow reading of its definition, tables with known answers, and the error
of both tests on simulated labels."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multinomial, rankdata, ttest_1samp, wilcoxon

from fairviz.analyses.replace_people.answer import exact_p, p_value, replace_people
from fairviz.analyses.running import analyse
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from tests.conftest import refused, simulated

LABELS = ("neutral", "female", "male")
Given = Mapping[str, Mapping[str, str]]  # labels by document, by annotator


def study_of(people: Given, models: Given) -> Study:
    rows = [(doc_id, who, label) for who, given in (people | models).items() for doc_id, label in given.items()]  # type: ignore[operator]
    kinds = dict.fromkeys(people, "person") | dict.fromkeys(models, "model")
    return make_study(
        "made", labels=pd.DataFrame(rows, columns=["doc_id", "annotator", "label"]),
        annotators={who: Annotator(who, kind) for who, kind in kinds.items()},  # type: ignore[arg-type]
    )  # fmt: skip


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


def test_verb_and_analysis_are_the_function(call, tmp_path) -> None:
    draw = np.random.default_rng(3)
    people = {who: {f"d{i}": str(draw.choice(LABELS)) for i in range(20)} for who in ("ann", "ben", "cleo")}
    study = study_of(people, {"model": people["ann"]})
    study.labels.to_csv(tmp_path / "labels.csv", index=False)
    kinds = "".join(f"{who},{one.kind}\n" for who, one in study.annotators.items())
    (tmp_path / "annotators.csv").write_text(f"annotator,kind\n{kinds}")
    expected = replace_people(study, epsilon=0.2)
    answer = analyse(study, "replace-people", epsilon=0.2)
    assert answer.table("persons").equals(expected.persons)
    said = call("replace-people", tmp_path, "--epsilon 0.2 --table persons --format csv")
    assert said.frame["p"].tolist() == pytest.approx(expected.persons["p"].tolist())
    assert f"note: {answer.sentences[0]}" in said.err
    assert "Below 30 documents the paper's test, Wilcoxon's, passes too easily. Trust the exact test." in said.err


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
