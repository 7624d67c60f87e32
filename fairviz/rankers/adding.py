"""A study with the runs of rankers in it."""

from collections.abc import Mapping
from dataclasses import replace

from fairviz.errors import expect, expect_progress
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
    candidates: str = "all",
    embedding: str = "",
    progress: Progress | None = None,
) -> Study:
    """Return the study with the runs of rankers. Nothing is written.

    They move no value of the other systems in a study that has runs of its own. In one without, they count like any
    other, in whatever order they are added.

    Parameters
    ----------
    study : Study
        With queries and documents.
    rankers : str or mapping
        As `fairviz rank --with` takes them, `bm25(k1=1.2),tfidf`, or functions by name, {'mine': score}, of a query and
        texts to a score each.
    depth : int
        The longest list, in ranks.
    candidates : str
        `all` documents, or `judged`: of each query only those with a relevance judgement, as in GenderBias-QA.
    embedding : str
        Word vectors for rankers that take some.
    progress : callable, optional
        Called with the numbers of queries done and in all.

    Returns
    -------
    Study
        With one run more for each ranker.

    Raises
    ------
    FairvizError
        For the name of an existing run, and if the study lacks what a ranker needs.

    Examples
    --------
    >>> import fairviz
    >>> study = rank(fairviz.open_study("football"), {"longest": lambda query, texts: [len(text) for text in texts]})
    >>> study.systems[-1]
    'longest'
    """
    expect("study", study, Study, A_STUDY)
    expect("embedding", embedding, str, "Use the name of word vectors, or the path of a file of them.")
    ranking.check_depth(depth)
    ranking.check_candidates(study, candidates)
    expect_progress(progress)
    choices = parse_rankers(text_of(rankers), embedding)
    ranked = ranking.rank(study, choices, int(depth), progress, candidates=candidates)
    added = add_runs(study, ranked.runs)
    return replace(added, notices=(*added.notices, *ranked.messages))
