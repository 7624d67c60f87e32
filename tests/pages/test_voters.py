"""One definition of who votes: every page shows the count of disagreement, the majority and the disputed documents that
Python has."""

import html

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.annotation.voters import votes_of
from fairviz.datasets import studies_folder
from fairviz.evaluation.study_facts import disagreement_text
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study, save_study
from tests.pages.test_first_run import first_run, html_of

KINDS = {"anna": "person", "ben": "person", "cleo": "person", "reader": "mixed", "model": "model", "rule": "rule"}
DOCUMENTS = [f"d{number}" for number in range(14)]


def drawn(seed: int) -> tuple[Study, tuple[str, ...]]:
    """A saved study of people, models, a rule, decisions, test questions and ties, and voters; all drawn at random."""
    random = np.random.default_rng(seed)
    names = [name for name in KINDS if random.random() < 0.75] or ["anna"]
    rows = []
    for name in names:
        for doc_id in DOCUMENTS:
            if random.random() < 0.8:
                is_test = doc_id == "d0" and KINDS[name] == "person"
                label = str(random.choice(["neutral", "female", "male"]))
                rows.append((doc_id, name, label, label if is_test else ""))
    rows += [(doc_id, "adjudicated", "female", "") for doc_id in DOCUMENTS[:2] if seed % 2]
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label", "test_label"])
    runs = [(system, f"q{query}", str(doc_id), rank, -rank) for system in ("up", "down") for query in range(3)
            for rank, doc_id in enumerate(random.permutation(DOCUMENTS)[:6], start=1)]  # fmt: skip
    study = make_study(
        f"drawn{seed}", labels=labels, documents=pd.DataFrame({"doc_id": DOCUMENTS, "text": "the boat left"}),
        runs=pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]),
        annotators={name: Annotator(name, KINDS.get(name, "")) for name in labels["annotator"].unique()},
    )  # fmt: skip
    save_study(study, studies_folder() / study.name)
    groups = [(), ("all",), ("all but rules",), tuple(names[:2]), tuple(names)]
    return fairviz.open_study(study.name), groups[seed % len(groups)]


def listed(page: AppTest) -> set[str]:
    """The documents of Read's list."""
    listing = page.session_state["inspect_list"]
    return set(listing.doc_ids[listing.passing])


@pytest.mark.parametrize("seed", range(6))
def test_every_page_shows_the_same_voters_count_majority_and_disputed_documents(seed: int) -> None:
    study, voters = drawn(seed)
    votes = votes_of(study, voters)
    told, chosen = html.escape(disagreement_text(votes))[1:], {"study": study.name, "voters": list(voters)}
    several = len(votes.annotators) > 1
    assert told in html_of(first_run("agreement.py", **chosen))
    assert (told in html_of(first_run("overview.py", **chosen))) == several
    read = first_run("read.py", **chosen, inspect_disagreement="any")
    assert (told in html_of(read)) == several
    if any(KINDS.get(name) == "person" for name in study.annotators):
        assert told in html_of(first_run("annotate.py", **chosen))
    if not several:
        return
    assert listed(read) == set(votes.disputed)
    majority = html_of(first_run("agreement.py", **chosen, agreement_tab="Consensus"))
    assert f"majority: {int((votes.winners >= 0).sum()):,} of {len(votes.doc_ids):,} document" in majority
    tied = {doc_id for doc_id, winner in zip(votes.doc_ids, votes.winners, strict=True) if winner < 0}
    assert listed(first_run("read.py", **chosen, inspect_disagreement="tied")) == tied
    documents = first_run("agreement.py", **chosen, agreement_tab="Documents")
    tables = [table.value for table in documents.dataframe if {"doc_id", "said"} <= set(table.value)]
    assert {doc_id for table in tables for doc_id in table["doc_id"]} == set(votes.disputed)
    if votes.disputed:
        documents.button(key="agreement_read").click().run()
        assert list(documents.session_state["voters"]) == list(voters)
        assert documents.session_state["inspect_disagreement"] == "any"


def test_the_voters_stand_in_the_sidebar_too_and_in_the_address() -> None:
    page = first_run("overview.py", study="newswire")
    page.multiselect(key="voters").select("lexicon").run()
    page.multiselect(key="voters").select("mentions").run()
    assert page.query_params["voters"] == ["lexicon", "mentions"]
    assert "lexicon and mentions disagree on 52 of 343 documents" in html_of(page)


def test_a_name_without_labels_is_not_a_voter() -> None:
    page = first_run("overview.py", study="newswire", voters=["lexicon", "nobody"])
    assert not page.exception
    assert "The address sets voters to &#x27;nobody&#x27;, not in this study; it was ignored." in html_of(page)
    assert page.session_state["current"].settings.voters == ("lexicon",)
