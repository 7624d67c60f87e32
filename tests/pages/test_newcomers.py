"""Questions of newcomers: each answer is on a page, and is what fairviz itself computes."""

import html
import re

from streamlit.testing.v1 import AppTest

from fairviz.evaluation.gsr import direction_of, gsr_points, influence
from fairviz.evaluation.settings import Settings
from fairviz.home import studies_folder
from fairviz.study.record import Study
from tests.pages.conftest import first_run, html_of

BROKEN = "q1 Q0 d1 1 2 mine\nq1 Q0 d2 2 1.5\n"


def text_of(page: AppTest) -> str:
    """What a person reads on the page, without its tables and figures."""
    told = [html.unescape(re.sub("<[^>]+>", "", html_of(page)))]
    told += [one.value for one in (*page.markdown, *page.caption)] + [one.label for one in page.button]
    return "\n".join(told).replace("\\", "")


def test_the_query_that_pulls_the_gsr_of_a_system_most(newswire: Study) -> None:
    pulls = influence(gsr_points(newswire, Settings()))
    page = first_run("gsr.py", study="newswire")
    page.selectbox(key="stereotypes_system").set_value("w2v_add").run()
    mine = pulls[pulls["system"] == "w2v_add"].set_index("query_id")["change"]
    query = newswire.queries.set_index("query_id")["text"][str(mine.abs().idxmax())]
    picked = page.selectbox(key="query")
    assert picked.format_func(picked.value) == f"the one that moves the slope most: {query}"
    assert f"(1st of {len(mine)} queries by influence)" in text_of(page)


def test_nurse_and_plumber() -> None:
    text = text_of(first_run("words.py", study="newswire", words="nurse, plumber"))
    direction = direction_of(Settings())
    for word, g in zip(("nurse", "plumber"), direction.of(["nurse", "plumber"]), strict=True):
        assert re.search(rf"{word} .+? from the average word; g = (\S+)\)\.", text)[1] == f"{g:+.2f}".replace("-", "−")


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
