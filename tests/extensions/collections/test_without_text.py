"""Studies whose word measures are read from counts of a collection, without its text; damage to the counts is named."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.gender_swap.experiment import substituted
from fairviz.analyses.gsr_validity.direct import direct_stereotypes
from fairviz.analyses.sensitivity.levels import levels_of
from fairviz.annotation.annotators.annotating import annotate
from fairviz.annotation.rules import ANNOTATORS
from fairviz.annotation.rules import annotate as label_by_rule
from fairviz.datasets import studies_folder
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.gsr import gsr_points
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.extensions.collections import counts
from fairviz.extensions.collections.counts import CountingPlan, genderedness
from fairviz.extensions.collections.score import score
from fairviz.study.collection_counts import CHECKSUM, FOLDER, MANIFEST, checksum_of, read_collection_counts
from fairviz.study.record import Study
from fairviz.study.study import make_study, open_study_folder, save_study
from fairviz.study.tables import DOCUMENTS, empty
from fairviz.words.counterparts import packaged
from fairviz.words.counting import GSR_LEXICON, Lexicon
from tests.extensions.collections import flipped_bits
from tests.made import runs_of
from tests.pages.conftest import first_run, html_of

MEASURES = (
    "NFaiRR", "NFaiRR(background='collection')", "FaiRR(tau=2)", "TExFAIR", "TED(rbdf=False)", "RaB",
    "RaB(magnitude='bool')", "ARaB(magnitude='tc')",
)  # fmt: skip


def without_text(study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch, **choices: object) -> Study:
    """The study saved without its documents, and the counts of these beside it, in several parts."""
    saved = save_study(replace(study, documents=empty(DOCUMENTS), folder=None, read_only=False), folder / study.name)
    table = study.documents.dropna(subset=["text"])[["doc_id", "title", "text"]]
    table.to_json(folder / "collection.jsonl", orient="records", lines=True)
    monkeypatch.setattr(counts, "PIECE", 200_000)
    lexicon = choices.pop("lexicon", study.lexicon or GSR_LEXICON)
    plan = CountingPlan(lexicon, lexicon.groups, **choices)  # type: ignore[arg-type]
    score(str(folder / "collection.jsonl"), saved / FOLDER, plan)
    return open_study_folder(saved)


def by_queries(study: Study, embedding: str = "glove") -> object:
    return genderedness(embedding, queries=study.queries["text"].tolist())


def made_like_ms_marco() -> Study:
    """MS MARCO's kind of identifiers over made text, with accents and other scripts; one document has no text. Two
    systems rank documents by lot."""
    chance = np.random.default_rng(3)
    words = np.array(["she", "his", "the", "nurse", "nurses", "Königin", "woman's", "mother-in-law", "ҚЫЗ", "boss"])
    names = [str(number) for number in chance.choice(8_841_823, 1_000, replace=False)]
    texts = [" ".join(chance.choice(words, chance.integers(0, 60))) for _ in names]
    queries = pd.DataFrame({"query_id": ["1048585", "2", "3"], "text": ["who is a nurse", "boss and mother", "woman"]})
    documents = pd.DataFrame({"doc_id": names, "text": [None, *texts[1:]]})
    pairs = itertools.product(("one", "two"), queries["query_id"])
    lists = {pair: chance.choice(names, 20, replace=False).tolist() for pair in pairs}
    return make_study("msmarco", queries=queries, documents=documents, runs=runs_of(lists))


@pytest.fixture(scope="module", params=["newswire", "msmarco"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Study]:
    """A study, and the same without its text."""
    study = made_like_ms_marco() if request.param == "msmarco" else fairviz.open_study("newswire")
    folder = tmp_path_factory.mktemp("counted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAIRVIZ_HOME", str(folder / "home"))
        return study, without_text(study, folder, patch, genderedness=by_queries(study))


def ordered(table: pd.DataFrame) -> pd.DataFrame:
    """The rows by name: saving a study orders its queries."""
    names = [name for name in ("measure", "system", "query_id") if name in table]
    return table.astype(dict.fromkeys(names, "str")).sort_values(names, ignore_index=True)


def test_numbers_are_those_with_text(both: tuple[Study, Study]) -> None:
    study, bare = both
    assert not bare.has("documents")
    pd.testing.assert_frame_equal(*(ordered(evaluate(one, MEASURES, Settings())) for one in (bare, study)))
    for terms in ("exact", "lemma"):
        settings = Settings(query_terms=terms)
        found, wanted = (ordered(gsr_points(one, settings)) for one in (bare, study))
        pd.testing.assert_frame_equal(found, wanted, rtol=1e-12, atol=1e-12)
        assert wanted["list"].notna().any()


def test_lexicon_labels_are_those_with_text(both: tuple[Study, Study]) -> None:
    study, bare = both
    retrieved = set(study.runs["doc_id"])
    for rule in ANNOTATORS:
        wanted, found = (label_by_rule(one, rule).set_index("doc_id")["label"] for one in (study, bare))
        wanted = wanted[wanted.index.isin(retrieved)]
        assert found.sort_index().tolist() == wanted.sort_index().tolist()
    wanted, found = (annotate(one, "lexicon(tau=2),mentions").labels for one in (study, bare))
    key = ["annotator", "doc_id"]
    wanted = wanted[wanted["doc_id"].isin(retrieved)].sort_values(key, ignore_index=True)
    pd.testing.assert_frame_equal(found.sort_values(key, ignore_index=True), wanted)


def test_counts_refuse_another_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = fairviz.open_study("newswire")
    own = Lexicon("own", (("mother", "female"), ("police", "male")))
    bare = without_text(study, tmp_path, monkeypatch, lexicon=own)
    wanted = evaluate(replace(study, lexicon=own), "NFaiRR", Settings())
    pd.testing.assert_frame_equal(evaluate(bare, "NFaiRR", Settings()), wanted)
    command = "fairviz score .*collection.jsonl --out NEW_FOLDER"
    with pytest.raises(FairvizError, match=f"of the tokenizer word. Choose that, .*{command} --tokenizer whitespace"):
        evaluate(bare, "NFaiRR", Settings(tokenizer="whitespace"))
    choice = Settings(tokenizer="whitespace")
    for question in ("CWEx", "nDCG"):
        pd.testing.assert_frame_equal(*(ordered(evaluate(one, question, choice)) for one in (bare, study)))
    with pytest.raises(FairvizError, match="has no documents to label"):
        annotate(bare, "classifier")
    assert levels_of(bare, Settings(), "tokenizer") == ("word",)
    with pytest.raises(UsageError, match="tokenizer cannot be 'whitespace': its word counts are"):
        levels_of(bare, Settings(), "tokenizer", ["whitespace"])
    with pytest.raises(FairvizError, match=f"of another word list, 'own'. Choose that, .*{command}`"):
        evaluate(bare, "NFaiRR", Settings(lexicon="gsr"))
    with pytest.raises(FairvizError, match=r"no sums of g without a query's words. .*--queries queries.tsv"):
        gsr_points(bare, Settings())


@pytest.mark.parametrize("both", ["newswire"], indirect=True)
def test_parity_is_that_with_text_and_g_of_other_choices_is_refused(both: tuple[Study, Study]) -> None:
    study, bare = both
    pd.testing.assert_frame_equal(*(ordered(direct_stereotypes(one, Settings())) for one in (bare, study)))
    for choices, message in (
        ({"pairs": "she-he, her-his, woman-man"}, "g by glove alone"),
        ({"stop_words": "the of"}, "of the built-in stop words"),
    ):
        with pytest.raises(FairvizError, match=message):
            gsr_points(bare, Settings(**choices))
    queries = study.queries.assign(text=study.queries["text"] + " zebra")
    with pytest.raises(FairvizError, match="without queries that have the word 'zebra'"):
        gsr_points(replace(bare, queries=queries), Settings())


def test_counts_that_are_not_whole_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = without_text(fairviz.open_study("football"), tmp_path, monkeypatch).folder
    assert folder is not None
    lost = sorted((folder / FOLDER).glob("part-*"))[0]
    moved = lost.rename(tmp_path / "moved")
    with pytest.raises(DataError, match=f"lacks {lost.name}"):
        open_study_folder(folder)
    moved.rename(lost)
    frame = pd.read_parquet(lost)
    for broken in (frame.drop(columns="female"), frame.assign(female="x"), frame.assign(female=None)):
        broken.to_parquet(lost)
        with pytest.raises(FairvizError, match="is not what was counted"):
            evaluate(open_study_folder(folder), "NFaiRR", Settings())
    manifest = folder / FOLDER / MANIFEST
    made = json.loads(manifest.read_text())

    def summed(**changed: object) -> str:
        return json.dumps(made | changed | {CHECKSUM: checksum_of(made | changed)})

    for content, message in (
        ("{}", "is not a manifest"),
        (json.dumps(made | {"format": 1}), "another version"),
        (json.dumps(made | {"documents": 1}), "its checksum is of other content"),
        (summed(documents="1"), "is not a manifest"),
        (summed(tokenizer=[]), "not a manifest"),
    ):
        manifest.write_text(content)
        with pytest.raises(DataError, match=message):
            open_study_folder(folder)


def test_counts_elsewhere_are_named_and_other_counts_are_another_study(tmp_path: Path, monkeypatch) -> None:
    study = fairviz.open_study("football")
    bare = without_text(study, tmp_path, monkeypatch)
    folder = bare.folder / FOLDER
    copy = save_study(replace(bare, folder=None), tmp_path / "copy")
    assert f'word_counts = "{folder}"' in (copy / "study.toml").read_text()
    again = open_study_folder(copy)
    pd.testing.assert_frame_equal(evaluate(again, "NFaiRR", Settings()), evaluate(bare, "NFaiRR", Settings()))

    with_both = replace(study, word_counts=bare.word_counts)
    assert substituted(with_both, packaged()).study.word_counts is None, "swapped texts are counted themselves"
    swapped = [align(substituted(one, packaged()).study, Settings()).words.counts for one in (study, with_both)]
    np.testing.assert_array_equal(*swapped)

    save_study(replace(bare, folder=None), studies_folder() / "shown")
    text = html_of(first_run("data.py", study="shown"))
    assert f"word counts of {len(study.documents)}, no text" in text
    assert f"{len(study.documents)}</b> documents" in text

    collection = tmp_path / "collection.jsonl"
    collection.write_text(collection.read_text() + '{"doc_id": "new", "text": "she"}\n')
    score(str(collection), folder, CountingPlan(GSR_LEXICON, GSR_LEXICON.groups))
    assert open_study_folder(bare.folder).fingerprint != bare.fingerprint
    assert read_collection_counts(folder).documents == len(study.documents) + 1
    folder.rename(tmp_path / "gone")
    with pytest.raises(DataError, match="has no complete word counts"):
        open_study_folder(copy)


@pytest.mark.slow
def test_flipped_bits_give_right_figures_or_are_refused_and_repaired() -> None:
    """A few; `make fuzz` flips the rest."""
    outcomes, bad = flipped_bits.flip(6, 2)
    assert bad == []
    assert outcomes.total() == 6
    assert all(outcomes[name] for name in flipped_bits.GOOD)
