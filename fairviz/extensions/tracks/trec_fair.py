"""Studies of the TREC Fair Ranking track of 2021 or 2022, read from the user's files: topics, runs, attributes."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.datasets.record import Progress
from fairviz.errors import FairvizError, UsageError, expect, value_text
from fairviz.extensions.tracks.track_awrf import BACKGROUND
from fairviz.extensions.tracks.trec_fair_files import (
    DIMENSIONS,
    FEMALE,
    GENDERS,
    UNKNOWN,
    Articles,
    Topic,
    read_articles,
    read_fair_run,
    read_topics,
)
from fairviz.study.loaders.runs import stack_files
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study

ANNOTATOR = "article attributes"
CITATION = (
    "Ekstrand, McDonald, Raj, Johnson: Overview of the TREC 2021 Fair Ranking Track; Overview of the TREC 2022 Fair "
    "Ranking Track, arXiv:2302.05558"
)
AS_TRACK = (
    "As the track does, a trans or cis woman counts as female, a trans or cis man as male, and every other gender "
    "identity as non-binary."
)
Paths = str | Path | Sequence[str | Path]


def read_trec_fair(
    topics: Paths,
    runs: Paths,
    attributes: str | Path,
    *,
    name: str = "trec-fair",
    targets: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> Study:
    r"""Return a study of the track's published files, which may be compressed; `save_study` stores it.

    Parameters
    ----------
    topics : str, Path or sequence of these
        JSON lines of topics, with titles, with rel_docs.
    runs : str, Path or sequence of these
        A file a system, `id, page_id` or `id, seq_no, page_id`; each sequence becomes a draw of the system.
    attributes : str or Path
        JSON lines of articles with gender.
    name : str
        Of the study.
    targets : mapping, optional
        The target share of each gender; by default the track's (0.495, 0.495, 0.01).
    progress : callable, optional
        Called with the bytes read, and the bytes of the attributes.

    Returns
    -------
    Study
        With the genders female, male and non-binary.

    Raises
    ------
    DataError
        With every bad line.
    FairvizError
        If topics, runs and attributes do not match.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fairviz
    >>> folder = Path(tempfile.mkdtemp())
    >>> topics, run, articles = (folder / name for name in ("topics.jsonl", "mine.tsv", "articles.json"))
    >>> _ = topics.write_text('{"id": 1, "title": "Chemistry", "rel_docs": [11]}')
    >>> _ = run.write_text("id\tpage_id\n1\t11\n1\t12\n")
    >>> _ = articles.write_text('{"page_id": 11, "gender": ["female"]}\n{"page_id": 12, "gender": ["male"]}')
    >>> fairviz.read_trec_fair(topics, run, articles)
    Study('trec-fair', queries=1, documents=2, runs=2, qrels=1, labels=2)
    """
    expect("attributes", attributes, (str, Path), "Give the path of the file of the articles' attributes.")
    expect("name", name, str, "Give the study a name, as text.")
    expect("targets", targets, (Mapping, type(None)), f"Give a share for each of {', '.join(GENDERS)}.")
    if progress is not None and (not callable(progress) or isinstance(progress, type)):
        raise UsageError(f"progress is {value_text(progress)}", "Give a function of the bytes read and of all bytes.")
    topic_files, run_files = paths_of("topics", topics), paths_of("runs", runs)
    merged_topics = _merge_topics(read_topics(path) for path in topic_files)
    table = stack_files([read_fair_run(path) for path in run_files])
    _check_topics(table, merged_topics)
    queries = [(topic.query_id, topic.text, topic.keywords) for topic in merged_topics]
    pairs = [(topic.query_id, page) for topic in merged_topics for page in topic.relevant or ()]
    qrels = pd.DataFrame(pairs, columns=["query_id", "doc_id"], dtype="str").assign(relevance=1)
    page_ids = {*table["doc_id"].cat.categories, *qrels["doc_id"]}
    articles = read_articles(attributes, page_ids, progress or (lambda *_: None))
    return make_study(
        name,
        title="TREC Fair Ranking",
        citation=CITATION,
        groups=GENDERS,
        protected=FEMALE,
        targets=dict(targets or BACKGROUND),
        queries=pd.DataFrame(queries, columns=["query_id", "text", "keywords"], dtype="str"),
        qrels=qrels if len(qrels) else None,
        runs=table,
        documents=_documents(articles),
        labels=_labels(articles),
        annotators={ANNOTATOR: Annotator(ANNOTATOR, "person", "Wikidata's gender of the person an article is about")},
        notices=notices(articles, page_ids),
    )


def paths_of(name: str, value: object) -> list[str | Path]:
    """Return the paths of the files of an argument. Raises UsageError for another type, FairvizError for none."""
    expect(name, value, (str, Path, list, tuple), "Give the path of a file, or a list of paths.")
    paths: list[Any] = list(value) if isinstance(value, (list, tuple)) else [value]
    for path in paths:
        expect(f"a file of {name}", path, (str, Path), "Give the path of a file, or a list of paths.")
    if not paths:
        raise FairvizError(f"no file of {name} is named", f"Name at least one file of {name}.")
    return paths


def _merge_topics(files: Iterable[list[Topic]]) -> list[Topic]:
    """Return every topic once: its text from the first file that has one, its relevant pages from all files."""
    topics_by_id: dict[str, Topic] = {}
    for topic in (topic for file in files for topic in file):
        earlier = topics_by_id.get(topic.query_id, topic)
        page_lists = [one.relevant for one in (earlier, topic) if one.relevant is not None]
        relevant = tuple(dict.fromkeys(page for pages in page_lists for page in pages)) if page_lists else None
        text, keywords = earlier.text or topic.text, earlier.keywords or topic.keywords
        topics_by_id[topic.query_id] = Topic(topic.query_id, text, keywords, relevant)
    nameless = [topic.query_id for topic in topics_by_id.values() if not topic.text]
    if nameless:
        raise FairvizError(
            f"topic {nameless[0]!r} has neither title nor keywords ({len(nameless):,} such topics)",
            "Name the file of topics with titles as well as that with rel_docs.",
        )
    return list(topics_by_id.values())


def _check_topics(runs: pd.DataFrame, topics: list[Topic]) -> None:
    """Raise FairvizError for a run with a topic that no file has."""
    query_ids = {topic.query_id for topic in topics}
    if strangers := [name for name in runs["query_id"].cat.categories if name not in query_ids]:
        system = runs.loc[runs["query_id"] == strangers[0], "system"].iloc[0]
        raise FairvizError(
            f"the run {system!r} ranks topic {strangers[0]!r}, which no file of topics has ({len(strangers):,} such)",
            "Name the file of these topics, too: training and evaluation topics are two files.",
        )


def _labels(articles: Articles) -> pd.DataFrame | None:
    """Return a label for each article with a single known gender; None without any."""
    labels = [
        (page, ANNOTATOR, genders[0])
        for page, genders in articles.genders.items()
        if len(genders) == 1 and genders[0] != UNKNOWN
    ]
    return pd.DataFrame(labels, columns=["doc_id", "annotator", "label"], dtype="str") if labels else None


def _documents(articles: Articles) -> pd.DataFrame:
    genders = ["|".join(genders) for genders in articles.genders.values()]
    frame = pd.DataFrame({"doc_id": list(articles.genders), "gender": genders}, dtype="str")
    if articles.quality:
        frame["quality"] = pd.Series([articles.quality.get(page, "") for page in articles.genders], dtype="str")
    for name in DIMENSIONS:
        if any(name in cells for cells in articles.cells.values()):
            texts = [articles.cells[page].get(name, "") for page in articles.genders]
            frame[name] = pd.Series(texts, dtype="str")
    frame.insert(1, "title", pd.Series([""] * len(frame), dtype="str"))
    frame.insert(2, "text", pd.Series([None] * len(frame), dtype="str"))
    return frame


def notices(articles: Articles, page_ids: set[str]) -> tuple[str, ...]:
    """Return the study's notices, shown on every page: articles without a single gender, without attributes,
    mappings.
    """
    count = len(articles.genders)
    several = sum(len(genders) > 1 for genders in articles.genders.values())
    unknown = sum(genders == (UNKNOWN,) for genders in articles.genders.values())
    found = [
        f"Of {count:,} articles {unknown:,} have no known gender and {several:,} have several; measures of labels "
        "leave out both. The track's AWRF counts them (fairviz trec-fair)."
    ]
    if missing := len(page_ids) - count:
        found.append(f"{missing:,} articles that runs or topics name have no attributes, and count nowhere.")
    if articles.read_as:
        read_as = ", ".join(f"{word!r} as {group} ({times:,})" for (word, group), times in articles.read_as.items())
        found.append(f"{AS_TRACK} Read here: {read_as}.")
    return tuple(found)
