"""ComSRB: the analysis `wordings`, its made study, and the loaders of the paper's files."""

import filecmp
import json
import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

import fairviz
from fairviz.analyses.running import analyse
from fairviz.analyses.wordings.answer import MEASURES, comsrb, wordings
from fairviz.datasets import BUILTIN, fetch
from fairviz.datasets import wordings as made_by
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from tests.made import runs_of

VARIANTS = ("N", "P", "CP")


def study_of(lists: dict[str, dict[str, str]], system: str = "s", **more: object) -> Study:
    """Lists as texts by base and variant, of one system."""
    queries = [(f"{base}-{name}", f"{base} {name}", name, base) for base, texts in lists.items() for name in texts]
    runs = {(system, f"{base}-{name}"): text for base, texts in lists.items() for name, text in texts.items() if text}
    table = pd.DataFrame(queries, columns=["query_id", "text", "variant", "base"])
    return fairviz.make_study("made", queries=table, runs=runs_of(runs), **more)


def slow_comsrb(neutral: list[str], typical: list[str], counter: list[str]) -> tuple[float, float, float]:
    """RaB, ARaB and nDRaB, sum by sum, for each wording apart and then subtracted."""

    def by_wording(other: list[str]) -> tuple[float, float, float]:
        hits = [1 if document in other else 0 for document in neutral]
        to_rank = [sum(hits[:x]) / x for x in range(1, len(hits) + 1)]
        weights = [1 / np.log2(rank + 1) for rank in range(1, len(hits) + 1)]
        weighted = sum(weight * hit for weight, hit in zip(weights, hits, strict=True))
        return sum(hits) / len(hits), sum(to_rank) / len(to_rank), weighted / sum(weights)

    return tuple(of_p - of_cp for of_p, of_cp in zip(by_wording(typical), by_wording(counter), strict=True))  # type: ignore[return-value]


def test_by_hand() -> None:
    """d is 0, 1, 0 for the first base; 1, 1, 1 for the second, whose ranks below k = 3 do not count."""
    lists = {
        "a": {"N": "a b c", "P": "a b x", "CP": "a y z"},
        "b": {"N": "a b c e", "P": "c b a y", "CP": "x y z a"},
    }
    answer = wordings(study_of(lists), Settings(cutoff=3))
    first, second = answer.bases.to_dict("records")
    assert (first["p_share"], first["cp_share"], first["documents"]) == pytest.approx((2 / 3, 1 / 3, 3))
    weights = 1 / np.log2([2, 3, 4])
    by_measure = [1 / 3, (0 + 1 / 2 + 1 / 3) / 3, weights[1] / weights.sum()]
    assert [first[name] for name in MEASURES] == pytest.approx(by_measure)
    assert [second[name] for name in MEASURES] == [1, 1, 1]
    # Google's list for the paper's query 0_F: its first eight addresses are in P's list, none is in CP's
    weights = 1 / np.log2(np.arange(2, 12))
    expected = (0.8, (8 + 8 / 9 + 0.8) / 10, weights[:8].sum() / weights.sum())
    assert comsrb(np.arange(10) < 8, np.zeros(10, dtype=bool)) == pytest.approx(expected)
    listed = answer.lists[answer.lists["base"] == "a"]
    assert listed[["rank", "doc_id", "in_p", "in_cp"]].to_numpy().tolist() == [
        [1, "a", True, True], [2, "b", True, False], [3, "c", False, False],
    ]  # fmt: skip


documents = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True)


@given(st.lists(st.tuples(documents, documents, documents), min_size=2, max_size=6))
def test_as_the_slow_reference(bases: list[tuple[list[str], list[str], list[str]]]) -> None:
    lists = {f"b{place}": dict(zip(VARIANTS, map(" ".join, three), strict=True)) for place, three in enumerate(bases)}
    answer = wordings(study_of(lists), Settings(cutoff=4))
    expected = np.array([slow_comsrb(*(one[:4] for one in three)) for three in bases])
    np.testing.assert_allclose(answer.bases[list(MEASURES)].to_numpy(), expected, atol=1e-12)
    rows = answer.systems.set_index("measure")
    for place, measure in enumerate(MEASURES):
        values = expected[:, place]
        assert rows.loc[measure, "mean"] == pytest.approx(values.mean(), abs=1e-12)
        if values.std() > 1e-9:
            t = ttest_1samp(values, 0)
            assert rows.loc[measure, ["t", "p"]].tolist() == pytest.approx([t.statistic, t.pvalue])
            assert rows.loc[measure, "d"] == pytest.approx(values.mean() / values.std(ddof=1))
        else:
            assert rows.loc[measure, "p"] == (1 if abs(values[0]) < 1e-9 else 2 ** (1 - len(values)))
            assert np.isnan(rows.loc[measure, "d"])


def test_the_made_study_leans_as_it_says_and_holm_is_over_the_systems_of_a_measure() -> None:
    answer = analyse(fairviz.open_study("wordings"), "wordings")
    assert [text.partition(" (")[0] for text in answer.value.sentences] == [
        "typical: the neutral lists lean to the prototypical wording",
        "even: the neutral lists lean significantly towards neither wording",
        "reverse: the neutral lists lean to the counter-prototypical wording",
    ]
    ordered = answer.table().set_index("measure").loc["RaB"].sort_values("p")
    first, second, third = ordered["p"]
    assert ordered["p_corrected"].tolist() == pytest.approx([3 * first, max(3 * first, 2 * second), third])


def test_what_is_missing_is_left_out_and_told() -> None:
    """A base without CP, a query without a base, a wording without a list, a short list; draws are averaged."""
    whole = {"N": "a b", "P": "a b", "CP": "x y"}
    study = study_of({"a": whole, "b": {"N": "a b", "P": "a b"}, "c": {**whole, "CP": ""}, "": {"N": "a"}})
    more = runs_of({("t", "a-N"): "a b", ("t", "a-P"): "a", ("t", "a-CP"): "x y"})
    study = fairviz.make_study("made", queries=study.queries, runs=pd.concat([study.runs, more]))
    answer = wordings(study, Settings())
    values = answer.bases.set_index(["system", "base"])["RaB"]
    assert values.dropna().to_dict() == {("s", "a"): 1, ("t", "a"): 0.5}
    assert answer.notes[:4] == [
        "Without a query of each variant, and left out: 1 base, b.",
        "Without a base, and left out: 1 query.",
        "Bases with an unanswered wording, undefined: s 1, t 1.",
        "2 comparisons of lists of different length within 10: a shorter list can share fewer documents.",
    ]
    assert answer.sentences[0] == "s: only 1 base with lists; a test needs 5."
    draws = {(f"s/seed{seed}", f"a-{name}"): text for seed, first in (("1", "a b"), ("2", "x b"))
             for name, text in {**whole, "N": first}.items()}  # fmt: skip
    queries = study.queries[study.queries["base"] == "a"]
    averaged = wordings(fairviz.make_study("made", queries=queries, runs=runs_of(draws)), Settings())
    assert averaged.bases[["system", "RaB"]].to_numpy().tolist() == [["s", 0.5]]  # of 1, and of (1 - 1) / 2


def test_the_files_are_what_the_program_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, kept = tmp_path / "wordings", BUILTIN["wordings"]
    monkeypatch.setattr("sys.argv", ["wordings", str(made)])
    runpy.run_path(made_by.__file__, run_name="__main__")
    files = [str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file()]
    assert filecmp.cmpfiles(made, kept, files, shallow=False) == (files, [], [])


def test_their_files_become_studies(tmp_path: Path) -> None:
    """In the folders of a clone: two topics of queries, and two engines, one with an address twice."""
    topics = {"0_F": {"0": ["nurses", "female  nurses", "male nurses"]}, "4_M": {"0": ["bosses", "men", "women"]}}
    rows = [
        f"0_F_{variant};{rank};{engine};https://{engine}.org/{address}"
        for engine in ("Google", "Bing")
        for variant, text in {"N": "a b b", "P": "a b c", "CP": "x y z"}.items()
        for rank, address in enumerate(text.split(), start=1)
    ]
    for place, content in (
        ("SRB/data/retrieval_queries.jsonl", json.dumps(topics)),
        ("SRB_SE/data/se_results.csv", "\n".join(["qid;rank;tag;docurl", *rows])),
    ):
        (tmp_path / place).parent.mkdir(parents=True)
        (tmp_path / place).write_text(content, encoding="utf-8")
    fetch("comsrb", tmp_path)
    queries = fairviz.open_study("comsrb").queries.set_index("query_id")
    assert queries.loc["0_F_0_P"].to_dict() == {
        "text": "female nurses", "variant": "P", "base": "0_F_0", "topic": "0_F", "stereotype": "female"
    }  # fmt: skip
    fetch("search-engines", tmp_path)
    study = fairviz.open_study("search-engines")
    assert study.notices == ("Cleaned: 2 repeated addresses of a list are left out.",)
    assert wordings(study, Settings()).bases[["system", "base", "RaB"]].to_numpy().tolist() == [
        ["Bing", "0_F", 1], ["Google", "0_F", 1]
    ]  # fmt: skip


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    whole = study_of({"a": dict.fromkeys(VARIANTS, "a b")})
    for change, message in (
        (lambda table: table.drop(columns="base"), "the queries of made have no column base\nGive queries.csv"),
        (lambda table: table.assign(variant=["N", "P", "cpx"]), "query 'a-CP' of made has the variant 'cpx'\n"),
        (lambda table: table.assign(variant=["N", "P", "p"]), "base 'a' of made has two queries P: 'a-P' and 'a-CP'\n"),
        (lambda table: table.iloc[:2], "no base of made has a query of each variant N, P and CP: 'a' has N and P only"),
    ):
        study = fairviz.make_study("made", queries=change(whole.queries), runs=whole.runs)
        with pytest.raises(FairvizError) as caught:
            analyse(study, "wordings")
        assert str(caught.value).startswith(message)
    queries, results = "retrieval_queries.jsonl", "se_results.csv"  # of the paper, whose repository states no licence
    for name, file, content, message in (
        ("comsrb", queries, "[", f"{queries}: is not one JSON object"),
        ("comsrb", queries, '{"0_F": {"0": ["a"]}}', f"{queries}: is not {{topic"),
        ("search-engines", results, "a;b\n1;2\n", f"{results}: its columns are not qid;rank;tag;docurl"),
        ("search-engines", results, "qid;rank;tag;docurl\n0_F_X;1;Google;u\n0_F_N;1;Google;u\n",
         f"{results}:2: is not qid;rank;tag;docurl of a query TOPIC_N, TOPIC_P or TOPIC_CP: '0_F_X;1;Google;u'"),
    ):  # fmt: skip
        (tmp_path / file).write_text(content, encoding="utf-8")
        with pytest.raises(FairvizError) as caught:
            fetch(name, tmp_path)
        assert str(caught.value).startswith(message)
        with pytest.raises(FairvizError, match=rf"^{name} has no licence stated: fairviz does not download it\nRead "):
            fetch(name, address="http://127.0.0.1:9/")
