"""The page Query under AppTest: its figures are the library's, the way through the queries, and what is missing."""

import re

import numpy as np
import pytest

import fairviz
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.sentences import decimal
from tests.made import labels_of, runs_of
from tests.pages.conftest import first_run, html_of, kept


def steps(test, heading: str) -> list[float]:
    """What each part of the sum of this heading adds, and last the value."""
    (found,) = [body for body in html_of(test).split("\n") if f"<b>{heading}" in body]
    return [float(value) for value in re.findall(r'data-value="([^"]+)"', found)]


def test_the_waterfall_is_the_librarys_and_follows_the_settings(newswire: Study) -> None:
    test = first_run("query.py", study="newswire", query="q22", system="tfidf", baseline="w2v_si", alpha="0.25")
    test.slider(key="alpha").set_value(0.75).run()
    expected = fairviz.contributions(newswire, "CWEx", "tfidf", "q22", alpha=0.75)
    found = steps(test, "CWEx(alpha=0.75)@10 of tfidf for q22")
    np.testing.assert_allclose(found[:-1], expected["value"], atol=1e-12)
    np.testing.assert_allclose(found[-1], expected["value"].sum(), atol=1e-12)
    test.segmented_control(key="query_part").set_value("difference").run()
    expected = fairviz.contributions(newswire, "CWEx", "tfidf", "q22", against="w2v_si", alpha=0.75)
    found = steps(test, "CWEx(alpha=0.75)@10 of tfidf minus w2v_si for q22")
    np.testing.assert_allclose(found[:-1], expected["difference"], atol=1e-12)
    np.testing.assert_allclose(found[-1], expected["difference"].sum(), atol=1e-12)
    test.selectbox(key="measure").set_value("nDCG").run()
    assert "fv-part" not in html_of(test).partition("</style>")[2].replace(".fv-part", "")
    assert '<span class="fv-value">nDCG ' in html_of(test)


def test_a_whole_system_query_by_query_and_gsr_word_by_word(newswire: Study) -> None:
    test = first_run("query.py", study="newswire", system="bm25", query="q22", measure="GSR", query_over="all queries")
    found = steps(test, "GSR@10 of bm25, query by query")
    whole = fairviz.contributions(newswire, "GSR", "bm25")["contribution"]
    assert len(found) == 31  # 29 queries, the others together, the slope
    np.testing.assert_allclose([found[-1], sum(found[:-1])], whole.sum(), atol=1e-12)
    test.segmented_control(key="query_over").set_value("this query").run()
    words = fairviz.contributions(newswire, "GSR", "bm25", "q22")
    found = steps(test, "GSR@10 of bm25 for q22")
    np.testing.assert_allclose(found[:-1], words.assign(rank=words["rank"].fillna(0)).groupby("rank")["value"].sum())
    assert "GSR: what the query adds to the slope." in html_of(test)


def test_two_lists_with_the_difference_beside_them_and_others_on_request(newswire: Study) -> None:
    test = first_run("query.py", study="newswire", query="q22", baseline="w2v_si")
    expected = fairviz.contributions(newswire, "CWEx", "bm25", "q22", against="w2v_si")["difference"]
    text = html_of(test)
    found = re.findall(r'class="fv-part".+?<span>(.+?)</span>', text)
    assert found == [decimal(value, sign="+") if value else "0" for value in expected]
    assert f"<b>sum {decimal(expected.sum(), sign='+')}</b>" in text
    values = fairviz.evaluate(newswire, "CWEx", systems=("bm25", "w2v_si")).set_index(["system", "query_id"])["value"]
    best = "bm25" if values["bm25", "q22"] > values["w2v_si", "q22"] else "w2v_si"
    for name in ("bm25", "w2v_si"):
        mark = ' <span class="fv-fairer">fairer</span>' if name == best else ""
        value = decimal(values[name, "q22"])
        assert f'">{name} <span class="fv-value">CWEx {value}</span>{mark}</th>' in text
    assert ">qlm</th>" not in text
    test.multiselect(key="query_lists").set_value(["qlm"]).run()
    assert ">qlm</th>" in html_of(test)
    assert "fv-lines" in html_of(test)
    test.toggle(key="query_excerpts").set_value(True).run()
    assert 'class="fv-lists fv-lines"' not in html_of(test)


def test_each_order_of_the_queries_has_its_first_its_next_and_the_value_that_it_goes_by(newswire: Study) -> None:
    scores = fairviz.evaluate(newswire, "CWEx", systems=("bm25", "w2v_si"))
    wide = scores.pivot_table(index="query_id", columns="system", values="value", observed=True)
    both = ["bm25", "w2v_si"]
    page = first_run("query.py", study="newswire", systems=both, system="bm25", baseline="w2v_si", measure="CWEx")
    assert "1 of 40 queries · difference in CWEx 0." in html_of(page)
    page.selectbox(key="query_order").select("disagreement").run()
    assert "1 of 40 queries · rank gap " in html_of(page)
    assert page.selectbox(key="query_other").value in html_of(page).partition(", CWEx against ")[2][:40]
    page.selectbox(key="query_order").select("value").run()
    assert f"1 of 40 queries · CWEx {decimal(wide['bm25'].min())}" in html_of(page)
    assert wide["bm25"][page.selectbox(key="query_query").value] == wide["bm25"].min()
    page.selectbox(key="query_order").select("study").run()
    assert "1 of 40 queries</div>" in html_of(page)
    assert page.selectbox(key="query_query").value == newswire.queries["query_id"].iloc[0]
    page.selectbox(key="query_order").select("difference").run()
    order = (wide["bm25"] - wide["w2v_si"]).abs().sort_values(ascending=False, kind="stable").index.tolist()
    assert page.selectbox(key="query_query").value == order[0]
    for key, place in (("query_go_N", 1), ("query_go_P", 0), ("query_go_P", -1)):
        page.button(key=key).click().run()
        assert page.selectbox(key="query_query").value == order[place]


def test_the_lists_of_the_study_and_one_system_alone() -> None:
    test = first_run("query.py", study="football", system="left", cutoff="4")
    text = html_of(test)
    assert text.index(">left <span") < text.index(">right <span")
    assert "<i>lost:</i> f1 (from rank 2), f2 (from rank 3)" in text
    assert 'class="fv-w0"' in text
    test.selectbox(key="baseline").set_value("").run()
    assert "lost" not in html_of(test)


@pytest.mark.parametrize("page", ["query.py", "what_if.py"])
def test_a_study_without_what_measures_need_says_so(page: str) -> None:
    name = kept(make_study("bare", runs=runs_of({"one": "a"})))
    assert "it has no gender labels. Add labels.csv" in html_of(first_run(page, study=name))


def test_a_query_that_one_of_the_systems_lacks() -> None:
    runs = runs_of({("one", "q1"): "a", ("two", "q1"): "a", ("one", "q2"): "a"})
    name = kept(make_study("lacking", runs=runs, labels=labels_of({"a": "female"})))
    text = html_of(first_run("query.py", study=name, query="q2", system="two"))
    assert "&#x27;two&#x27; has no list for the query &#x27;q2&#x27;" in text
    assert "<i>no text</i>" in text
