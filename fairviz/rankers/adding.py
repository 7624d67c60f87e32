"""A study with the runs of rankers in it."""

from collections.abc import Mapping
from dataclasses import replace

from fairviz.errors import expect, expect_progress, expect_whole
from fairviz.rankers import parse_rankers, ranking, text_of
from fairviz.rankers.adopted import ScorePairs
from fairviz.rankers.ranking import DEPTH, Progress
from fairviz.study.record import A_STUDY, Study
from fairviz.study.study import add_runs


def rank(
    study: Study,
    rankers: str | Mapping[str, ScorePairs] = "bm25",
    *,
    depth: int = DEPTH,
    embedding: str = "",
    progress: Progress | None = None,
) -> Study:
    """Return the study with the runs of rankers, which are drafts where it has runs already. Nothing is written.

    rankers: as `fairviz rank --with` takes them, `bm25(k1=1.2),tfidf`, or functions by name, {'mine': score}, of a
    query and texts to scores. depth: the longest list. embedding: word vectors for rankers that take some.
    progress(queries done, queries in all). Raises FairvizError for the name of an existing run, and where the study
    lacks what a ranker needs.

    >>> import fairviz
    >>> study = rank(fairviz.open_study("football"), {"longest": lambda query, texts: [len(text) for text in texts]})
    >>> study.systems[-1]
    'longest'
    """
    expect("study", study, Study, A_STUDY)
    expect("embedding", embedding, str, "Use the name of word vectors, or the path of a file of them.")
    expect_whole("depth", depth, 1)
    expect_progress(progress)
    ranked = ranking.rank(study, parse_rankers(text_of(rankers), embedding), int(depth), progress)
    added = add_runs(study, ranked.runs)
    return replace(added, notices=(*added.notices, *ranked.messages))
