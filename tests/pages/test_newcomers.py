"""Ten questions of newcomers: each answer is on a page, and is what fairviz itself computes."""

import html
import json
import re

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.comparison.compare import by_query
from fairviz.comparison.curves import best_at, over_cutoffs
from fairviz.evaluation.gsr import direction_of, gsr_points, influence
from fairviz.evaluation.settings import Settings
from fairviz.home import studies_folder
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.words.sentences import number
from tests.pages.conftest import first_run, html_of

MAIN = ("CWEx(alpha=0.7)@5", "NFaiRR(tau=1)@5", "TExFAIR@5", "nDCG@5")
PARTED = ("NFaiRR", "TExFAIR")
BROKEN = "q1 Q0 d1 1 2 mine\nq1 Q0 d2 2 1.5\n"


@pytest.fixture(scope="module")
def scores(newswire: Study) -> pd.DataFrame:
    return fairviz.evaluate(newswire, list(MAIN))


def texts_of_queries(study: Study) -> dict[str, str]:
    return dict(zip(study.queries["query_id"], study.queries["text"], strict=True))


def signed(value: float, digits: int = 3) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def text_of(page: AppTest) -> str:
    """What a person reads on the page, without its tables and figures."""
    told = [html.unescape(re.sub("<[^>]+>", "", html_of(page)))]
    told += [one.value for one in (*page.markdown, *page.caption)] + [one.label for one in page.button]
    return "\n".join(told).replace("\\", "")


def test_the_fairest_system_at_alpha_07_and_k_5_with_its_lead_and_p_and_the_query_on_which_the_two_best_differ_most(
    newswire: Study, scores: pd.DataFrame
) -> None:
    text = text_of(first_run("tradeoff.py", study="newswire", alpha="0.7", cutoff="5"))
    found = fairviz.compare(scores)
    rows = found[found["measure"] == MAIN[0]]
    behind, same = (rows[rows["verdict"] == verdict] for verdict in ("behind", "not significantly different"))
    sentence = re.search(r"CWEx: (.+?)NFaiRR:", text)[1]
    best, least, most, p = re.match(r"(\S+) is ahead of .+? \((\S+?) to (\S+?), p ≤ (\.\d+)\)", sentence).groups()
    assert best == set(rows["baseline"]).pop()
    leads = -behind["difference"]
    assert (least, most) == (signed(leads.min()), signed(leads.max()))
    assert np.ceil(behind["p_corrected"].max() * 1000) / 1000 == pytest.approx(float(p))
    told = sentence.partition("not significantly different from")[2]
    named = {name for name in same["system"] if re.search(rf"\b{name}\b", told)}
    more = re.search(r"(\d+) (?:more|systems)", told)
    assert len(named) + (int(more[1]) if more else 0) == len(same)
    for measure, rows in by_query(scores).groupby("measure"):
        first = rows.iloc[0]
        gap = number(abs(first["difference"]))
        assert f"{parse(str(measure)).name} “{texts_of_queries(newswire)[first['query_id']]}” {gap}" in text
        wide = scores[scores["measure"] == measure].pivot(index="query_id", columns="system", values="value")
        apart = (wide[first["baseline"]] - wide[first["system"]]).abs()
        assert apart.max() == pytest.approx(apart[first["query_id"]])


def said_cutoffs(sentence: str, deepest: int) -> set[int]:
    """`… disagree at k = 2, 3, 5 to 8 and from 10 on.` as cutoffs."""
    said: set[int] = set()
    for start, first, last, one in re.findall(r"from (\d+) on|(\d+) to (\d+)|(\d+)", sentence):
        ends = (int(start), deepest) if start else (int(first or one), int(last or one))
        said |= set(range(ends[0], ends[1] + 1))
    return said


@pytest.mark.parametrize("bias", ["log2", "reciprocal"])
def test_where_nfairr_and_texfair_disagree(newswire: Study, bias: str) -> None:
    page = first_run(
        "tradeoff.py", study="newswire", position_bias=bias, tradeoff_curve="over k", tradeoff_measures=list(PARTED)
    )
    curves = over_cutoffs(newswire, [f"{name}@10" for name in PARTED], Settings(position_bias=bias))
    nfairr, texfair = (best_at(curves, parse(f"{name}@10")) for name in PARTED)
    apart = {k for k in nfairr if not nfairr[k] & texfair[k]}
    sentence = re.search(r"NFaiRR and TExFAIR disagree at (k = [^.]+)\.", text_of(page))[1]
    assert said_cutoffs(sentence, max(nfairr)) == apart
    (curve,) = (json.loads(one.proto.spec) for one in page.get("plotly_chart") if "tradeoff_curve" in one.proto.id)
    shaded = [shape for shape in curve["layout"]["shapes"] if shape.get("layer") == "below" and shape["type"] == "rect"]
    assert len(shaded) == len([k for k in apart if k - 1 not in apart])


def test_how_many_places_are_labelled_and_by_whom(scores: pd.DataFrame) -> None:
    counted = scores[scores["measure"] == MAIN[0]].groupby("system")[["labelled", "places"]].sum()
    assert (counted["labelled"] == counted["places"]).all()
    least, most = (int(count) for count in (counted["places"].min(), counted["places"].max()))
    told = f"All ranks ({least} to {most} per system) labelled: project (model with a reader)."
    assert text_of(first_run("overview.py", study="newswire", cutoff="5")).count(told) == 1


def test_the_query_that_pulls_the_gsr_of_a_system_most(newswire: Study) -> None:
    pulls = influence(gsr_points(newswire, Settings()))
    page = first_run("gsr.py", study="newswire")
    for system in ("bm25", "w2v_add"):
        page.selectbox(key="stereotypes_system").set_value(system).run()
        mine = pulls[pulls["system"] == system].set_index("query_id")["change"]
        query = texts_of_queries(newswire)[str(mine.abs().idxmax())]
        picked = page.selectbox(key="query")
        assert picked.format_func(picked.value) == f"the one that moves the slope most: {query}"
        assert f"(1st of {len(mine)} queries by influence)" in text_of(page)


def test_nurse_and_plumber() -> None:
    text = text_of(first_run("words.py", study="newswire", words="nurse, plumber"))
    direction = direction_of(Settings())
    for word, g in zip(("nurse", "plumber"), direction.of(["nurse", "plumber"]), strict=True):
        assert re.search(rf"{word} .+? from the average word; g = (\S+)\)\.", text)[1] == signed(g, 2)


def test_a_document_on_which_lexicon_and_reader_disagree(newswire: Study) -> None:
    page = first_run("read.py", study="newswire")
    (box,) = [one for one in page.selectbox if one.label == "Which documents?"]
    box.set_value("project ≠ lexicon").run()
    given = newswire.labels.pivot(index="doc_id", columns="annotator", values="label")
    disagreed = given[given["project"] != given["lexicon"]]
    assert f"{len(disagreed)} of {len(given)} documents" in text_of(page)
    name = re.search(r'class="fv-doc[^>]*><bdi[^>]*>(.*?)</bdi>', html_of(page), re.S)[1]
    labels = re.search(r'class="fv-labels.*', html_of(page), re.S)[0]
    for annotator in ("project", "lexicon"):
        chip = re.search(rf"<bdi[^>]*>{annotator}</bdi>.*?fv-chip[^>]*>(.*?)</span>", labels, re.S)[1]
        assert re.search(rf"\b{disagreed.loc[name, annotator]}$", re.sub("<[^>]+>", "", chip))


def test_a_broken_run_is_named_and_the_mended_one_opens() -> None:
    folder = studies_folder() / "own"
    (folder / "runs").mkdir(parents=True)
    run = folder / "runs" / "mine.run"
    run.write_text(BROKEN)
    (folder / "labels.csv").write_text("doc_id,label\nd1,female\nd2,male\n")
    told = text_of(first_run("overview.py", bounded=True, study="own"))
    assert "runs/mine.run:2: expected 6 columns, found 5: 'q1 Q0 d2 2 1.5'" in told
    run.write_text(BROKEN.replace("1.5", "1.5 mine"))
    page = first_run("overview.py", bounded=True, study="own")
    assert "fv-error" not in html_of(page)
    assert "1 system" in text_of(page)


def test_the_python_of_a_page_makes_its_numbers(newswire: Study) -> None:
    page = first_run("overview.py", study="newswire")
    code = next(one.value for one in page.code if "scores = " in one.value)
    names: dict = {}
    exec(compile(code, "Overview", "exec"), names)  # what a person would paste
    expected = fairviz.evaluate(newswire, ["CWEx"]).groupby("system")["value"].mean()
    scores = names["scores"]
    shown = scores[scores["measure"].str.startswith("CWEx")].groupby("system")["value"].mean()
    assert shown.sort_index().round(9).to_dict() == expected.sort_index().round(9).to_dict()
