"""Pages of a stranger's package: one that is made from its analysis, and one whose figure follows a slider."""

import os
from collections.abc import Iterator

import pytest

import fairviz
from tests.browser.conftest import Visitor, running, visiting
from tests.browser.test_live import drag, grasp, near_slider, shown
from tests.template import ROOT, install

pytestmark = [pytest.mark.browser, pytest.mark.lengthy]


@pytest.fixture(scope="module")
def visitor(browser, tmp_path_factory) -> Iterator[Visitor]:
    home, site = tmp_path_factory.mktemp("home"), install(tmp_path_factory.mktemp("site"))
    path = os.pathsep.join([str(site), str(ROOT)])
    with running(home, PYTHONPATH=path) as (address, _), visiting(browser, address, "") as visitor:
        yield visitor


def test_a_figure_of_a_package_follows_the_slider_while_it_is_dragged(visitor) -> None:
    study = fairviz.open_study("newswire")
    visitor.open("/labelled?study=newswire")
    visitor.shows("How many of the shown documents have a label?")
    near_slider(visitor, "cutoff")
    drag(visitor, grasp(visitor, "cutoff"), 0.9)
    cutoff, drawn = shown(visitor, "cutoff")
    assert int(cutoff) > 10
    top = study.runs[study.runs["rank"] <= int(cutoff)]
    wanted = top["doc_id"].isin(study.labels["doc_id"]).groupby(top["system"].astype(str)).mean()
    marks = {mark["name"]: mark["x"] for mark in drawn["labelled_chart"]["marks"]}
    assert marks == pytest.approx(wanted.to_dict(), rel=1e-6)
    visitor.page.mouse.up()


def test_pages_of_a_package_read_their_choices_in_the_address(visitor) -> None:
    visitor.open("/longest?study=newswire&longest_top=2")
    visitor.shows("The longest query has 6 words.")
    visitor.open("/labelled?study=newswire&labelled_order=on")
    visitor.shows("from Z to A")
    visitor.shows("Labelled ranks")
