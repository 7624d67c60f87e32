"""A study of the TREC Fair Ranking track of 2021 or 2022, of files that a person names: topics, runs, attributes."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.datasets.record import Progress
from fairviz.errors import FairvizError, UsageError, expect, told
from fairviz.measures.track_awrf import BACKGROUND
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.loaders.trec_fair import Topic, read_fair_run, read_topics
from fairviz.study.loaders.trec_fair_articles import FEMALE, GENDERS, UNKNOWN, Articles, read_articles
from fairviz.study.study import Annotator, Study, make_study

ANNOTATOR = "article attributes"
CITATION = (
    "Ekstrand, McDonald, Raj, Johnson: Overview of the TREC 2021 Fair Ranking Track; Overview of the TREC 2022 Fair "
    "Ranking Track, arXiv:2302.05558"
)
NOT_READ = (
    "Of the articles' attributes only gender is read: geography, occupation and the rest, and with them the track's "
    "intersectional AWRF and the expected exposure loss of sequences (EE-L, which needs the articles' quality), cannot "
    "be computed here."
)
AS_TRACK = (
    "As the track does, a trans or cis woman counts as female, a trans or cis man as male, and every other gender "
    "identity stands together as non-binary."
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
    """A study of the track's published files, which may be compressed; `save_study` keeps it.

    topics: one file or several of JSON lines (those with titles, those with rel_docs). runs: a file a system, `id,
    page_id`, or `id, seq_no, page_id`, of which each sequence becomes a system NAME#SEQ_NO. attributes: JSON lines of
    articles with gender. targets: the wished share of each gender, where not the track's (0.495, 0.495, 0.01).
    progress(bytes read, bytes of the attributes). Raises DataError with every bad line, FairvizError where topics,
    runs and attributes do not belong together.
    """
    _check(attributes, name, targets, progress)
    topic_files, run_files = _paths("topics", topics), _paths("runs", runs)
    found = _merged(read_topics(path) for path in topic_files)
    table = _runs(run_files)
    qrels = _qrels(found)
    known = {topic.query_id for topic in found}
    _refuse_strangers(table, known)
    wanted = {*table["doc_id"].cat.categories, *qrels["doc_id"]}
    articles = read_articles(attributes, wanted, progress or _silent)
    return make_study(
        name,
        title="TREC Fair Ranking",
        citation=CITATION,
        groups=GENDERS,
        protected=FEMALE,
        targets=dict(targets or BACKGROUND),
        queries=_queries(found),
        qrels=qrels if len(qrels) else None,
        runs=table,
        documents=_documents(articles),
        labels=_labels(articles),
        annotators={ANNOTATOR: Annotator(ANNOTATOR, "person", "Wikidata's gender of the person an article is about")},
        notices=notices(articles, wanted),
    )


def _silent(*_: object) -> None:
    """Hears progress, and keeps it to itself."""


def _check(attributes: object, name: object, targets: object, progress: object) -> None:
    expect("attributes", attributes, (str, Path), "Give the path of the file of the articles' attributes.")
    expect("name", name, str, "Give the study a name, as text.")
    expect("targets", targets, (Mapping, type(None)), f"Give a share for each of {', '.join(GENDERS)}.")
    if progress is not None and (not callable(progress) or isinstance(progress, type)):
        raise UsageError(f"progress is {told(progress)}", "Give a function of the bytes read and of all bytes.")


def _paths(name: str, given: object) -> list[str | Path]:
    expect(name, given, (str, Path, list, tuple), "Give the path of a file, or a list of paths.")
    paths: list[Any] = list(given) if isinstance(given, (list, tuple)) else [given]
    for path in paths:
        expect(f"a file of {name}", path, (str, Path), "Give the path of a file, or a list of paths.")
    if not paths:
        raise FairvizError(f"no file of {name} is named", f"Name one file of {name} at the least.")
    return paths


def _merged(files: Iterable[list[Topic]]) -> list[Topic]:
    """The topics of all files, each once: its text from the first file that has one, its relevance from all."""
    merged: dict[str, Topic] = {}
    for topic in (topic for file in files for topic in file):
        held = merged.get(topic.query_id, topic)
        judged = [one.relevant for one in (held, topic) if one.relevant is not None]
        relevant = tuple(dict.fromkeys(page for pages in judged for page in pages)) if judged else None
        text, keywords = held.text or topic.text, held.keywords or topic.keywords
        merged[topic.query_id] = Topic(topic.query_id, text, keywords, relevant)
    nameless = [topic.query_id for topic in merged.values() if not topic.text]
    if nameless:
        raise FairvizError(
            f"topic {nameless[0]!r} has neither title nor keywords ({len(nameless):,} such topics)",
            "Name the file of topics with titles as well as that with rel_docs.",
        )
    return list(merged.values())


def _queries(topics: list[Topic]) -> pd.DataFrame:
    rows = [(topic.query_id, topic.text, topic.keywords) for topic in topics]
    return pd.DataFrame(rows, columns=["query_id", "text", "keywords"], dtype="str")


def _qrels(topics: list[Topic]) -> pd.DataFrame:
    pairs = [(topic.query_id, page) for topic in topics for page in topic.relevant or ()]
    return pd.DataFrame(pairs, columns=["query_id", "doc_id"], dtype="str").assign(relevance=1)


def _runs(paths: list[str | Path]) -> pd.DataFrame:
    tables = [read_fair_run(path) for path in paths]
    names = [name for table in tables for name in table["system"].cat.categories]
    repeated = [name for place, name in enumerate(names) if name in names[:place]]
    if repeated:
        raise FairvizError(
            f"two runs would be called {repeated[0]!r}", "Rename one of the files: the system takes its name."
        )
    return stack_runs(tables)


def _refuse_strangers(runs: pd.DataFrame, known: set[str]) -> None:
    strangers = [name for name in runs["query_id"].cat.categories if name not in known]
    if strangers:
        system = runs.loc[runs["query_id"] == strangers[0], "system"].iloc[0]
        raise FairvizError(
            f"the run {system!r} ranks topic {strangers[0]!r}, which no file of topics has ({len(strangers):,} such)",
            "Name the file of these topics, too: training and evaluation topics are two files.",
        )


def _documents(articles: Articles) -> pd.DataFrame:
    genders = ["|".join(genders) for genders in articles.genders.values()]
    frame = pd.DataFrame({"doc_id": list(articles.genders), "gender": genders}, dtype="str")
    frame.insert(1, "title", pd.Series([""] * len(frame), dtype="str"))
    frame.insert(2, "text", pd.Series([None] * len(frame), dtype="str"))
    return frame


def _labels(articles: Articles) -> pd.DataFrame | None:
    """A label for each article of one gender; several, and unknown, are no label."""
    alone = {page: genders[0] for page, genders in articles.genders.items() if len(genders) == 1}
    rows = [(page, ANNOTATOR, gender) for page, gender in alone.items() if gender != UNKNOWN]
    return pd.DataFrame(rows, columns=["doc_id", "annotator", "label"], dtype="str") if rows else None


def notices(articles: Articles, wanted: set[str]) -> tuple[str, ...]:
    """What the study says of itself on every screen."""
    count = len(articles.genders)
    several = sum(len(genders) > 1 for genders in articles.genders.values())
    unknown = sum(genders == (UNKNOWN,) for genders in articles.genders.values())
    counted = (
        f"Of {count:,} articles {unknown:,} have no known gender and {several:,} have several; measures of labels "
        "leave out both. The track's AWRF counts them (fairviz trec-fair)."
    )
    lacking = len(wanted) - count
    absent = f"{lacking:,} articles that runs or topics name have no attributes, and count nowhere." if lacking else ""
    read_as = ", ".join(f"{word!r} as {group} ({times:,})" for (word, group), times in articles.read_as.items())
    mapped = f"{AS_TRACK} Read here: {read_as}." if read_as else ""
    return tuple(filter(None, (counted, absent, mapped, NOT_READ)))
