"""Which queries a bench counts where adapters are tried, and what is left out with a word."""

import json

import pandas as pd
import pytest

from fairviz.analyses.mitigations.mitigation import held_out_queries, ranked_all, read_mitigations, trained_here
from fairviz.errors import FairvizError
from fairviz.models.adapters import CARD, CONFIG, WEIGHTS, adapters_folder
from fairviz.study.study import make_study
from tests.analyses.mitigations.test_mitigation import one_sided

NAMES = tuple(str(query) for query in range(24))


def adapter(name: str, trained: object, study: str = "one-sided", made: str = "2026-01-01") -> None:
    """A folder that looks like an adapter; nothing reads its weights here."""
    folder = adapters_folder() / name
    folder.mkdir(parents=True)
    for file in (WEIGHTS, CONFIG):
        (folder / file).write_text("{}")
    card = {"model": {"name": "minilm", "key": "k"}, "study": {"name": study}, "made": made}
    card |= {} if trained is None else {"split": {"train": trained, "held out": []}}
    (folder / CARD).write_text(json.dumps(card))


def held(text: str, share: float = 0.5):
    study = one_sided()
    return held_out_queries(study, NAMES, read_mitigations(study, text), share, 0)


def test_what_an_adapter_was_trained_on_does_not_count():
    adapter("one", list(NAMES[:20]))
    adapter("two", list(NAMES[2:22]))
    queries, notes = held("bi_encoder(adapter='one'),w2v_add(debias='strong')")
    assert queries == NAMES[20:]
    assert notes == ["4 of 24 queries count: those that one was not trained on."]
    queries, notes = held("bi_encoder(adapter='one'),bi_encoder(adapter='two')")
    assert queries == NAMES[22:]
    assert notes == ["2 of 24 queries count: those that one and two were not trained on."]


def test_an_adapter_of_another_study_is_told_and_the_draw_stands():
    adapter("far", list(NAMES), study="another")
    queries, notes = held("bi_encoder(adapter='far')")
    assert len(queries) == 12
    assert notes[1] == "far was trained on another, not on one-sided."


@pytest.mark.parametrize(
    ("trained", "message"),
    [
        (None, "the adapter a has no record of the queries that it was trained on\nTrain it again."),
        (
            list(NAMES[:23]),
            "1 of 24 queries were not trained on by a\nTry one adapter at a time, or train them with the same seed, "
            "which holds out the same queries.",
        ),
    ],
)
def test_an_adapter_that_leaves_too_few_queries_is_refused(trained, message):
    adapter("a", trained)
    with pytest.raises(FairvizError) as caught:
        held("bi_encoder(adapter='a')")
    assert str(caught.value) == message


def test_the_adapter_trained_last_is_offered():
    study = one_sided()
    assert trained_here(study) == ""
    adapter("old", [], made="2026-01-01")
    adapter("new", [], made="2026-02-01")
    adapter("far", [], study="another", made="2026-03-01")
    assert trained_here(study) == "bi_encoder(adapter='new')"


def test_what_nobody_asked_for_and_cannot_be_ranked_is_left_out_and_told():
    study = one_sided()
    unread = study.documents.assign(text=pd.Series([None] * len(study.documents), dtype="str"))
    bare = make_study("bare", runs=study.runs, labels=study.labels, documents=unread)
    found = read_mitigations(bare, "neutral(run='first'),balanced(run='first')")
    runs, failed, messages = ranked_all(bare, found, 10, None, False)
    assert failed == {"neutral-run=first"}
    assert messages[0] == ("neutral-run=first is left out: bare has no text of documents to count gender words in.")
    assert list(runs["system"].cat.categories) == ["balanced-run=first"]
    with pytest.raises(FairvizError) as caught:
        ranked_all(bare, found, 10, None, True)
    assert caught.value.message == "bare has no text of documents to count gender words in"
