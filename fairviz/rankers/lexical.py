"""Rankers without a model: by words (BM25, TF-IDF, query likelihood), `perfect`, `random` and fusion of other runs; the
top of a run for rankers that reorder it."""

import re
import zlib
from collections import defaultdict

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, analyser, list_scores
from fairviz.study.record import EDITED
from fairviz.study.tables import ranked

LEFT_OUT = ("rrf", "perfect", "random")
_REORDERED = re.compile(r"[^-]+-run=")  # a re-ranker's run: the one that it reorders would count twice


def _prepare_bm25(collection: Collection, parameters: Parameters) -> Lister:
    import bm25s

    texts = collection.texts
    index = bm25s.BM25(method="lucene", k1=parameters["k1"], b=parameters["b"])
    index.index([list(terms) for terms in texts.terms], show_progress=False)  # a pair of tuples has another meaning

    def find(query: Query) -> Found:
        terms = [term for term in query.terms if term in index.vocab_dict]
        scores = index.get_scores(terms) if terms else np.zeros(len(texts.names), dtype=np.float32)
        return texts.scored(scores, scores > 0)

    return find


def _prepare_tfidf(collection: Collection, _: Parameters) -> Lister:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = collection.texts
    vectorizer = TfidfVectorizer(analyzer=tuple)
    matrix = vectorizer.fit_transform(texts.terms)

    def find(query: Query) -> Found:
        scores = np.asarray((matrix @ vectorizer.transform([query.terms]).T).todense()).ravel()
        return texts.scored(scores, scores > 0)

    return find


def _prepare_qlm(collection: Collection, parameters: Parameters) -> Lister:
    """Score by query likelihood with Dirichlet smoothing (Zhai and Lafferty 2004).

    The score is Σ over the query's terms of ln((tf + mu·p) / (|d| + mu)), p the term's share of the collection.
    Terms that are not in the collection are left out; documents without a term of the query are not in its list.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    texts, mu = collection.texts, parameters["mu"]
    vectorizer = CountVectorizer(analyzer=tuple)
    counts = vectorizer.fit_transform(texts.terms).tocsc()
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    shares = np.asarray(counts.sum(axis=0)).ravel() / counts.sum()

    def find(query: Query) -> Found:
        term_columns = [vectorizer.vocabulary_[term] for term in query.terms if term in vectorizer.vocabulary_]
        frequencies = counts[:, term_columns].toarray()
        has_term = frequencies.any(axis=1)
        log_likelihoods = np.log((frequencies + mu * shares[term_columns]) / (lengths[:, None] + mu))
        return texts.scored(log_likelihoods.sum(axis=1), has_term)

    return find


BM25 = Ranker(
    name="bm25",
    summary="BM25 (Lucene's, English stop words out, Porter stemmer)",
    prepare=_prepare_bm25,
    parameters=(
        Parameter("k1", 0.9, "how soon repeating a word stops to count", 0.0, 10.0),
        Parameter("b", 0.4, "how much long documents are held back", 0.0, 1.0),
    ),
)
TFIDF = Ranker(name="tfidf", summary="cosine of TF-IDF vectors (same words as bm25)", prepare=_prepare_tfidf)
QLM = Ranker(
    name="qlm",
    summary="query likelihood with Dirichlet smoothing (same words as bm25)",
    prepare=_prepare_qlm,
    parameters=(Parameter("mu", 1000.0, "words of the collection's mix added to each document; Anserini's", 1.0, 1e6),),
)


def top_of_run(collection: Collection, ranker: str, system: str, n: int) -> dict[str, list[str]]:
    """Return the first n documents of each list of the run, by query. Raises UsageError for an unknown run."""
    systems = [str(name) for name in collection.runs["system"].cat.categories]
    if system not in systems:
        raise UsageError(
            f"{collection.study.name} has no run {system!r} for {ranker}",
            f"Its runs are {', '.join(systems)}."
            if systems
            else f'Name a ranker before it: --with "bm25,{ranker}(…)".',
        )
    lists = ranked(collection.runs[collection.runs["system"] == system])
    lists = lists[lists["rank"] <= n]
    top: dict[str, list[str]] = {}
    for query, name in zip(lists["query_id"].tolist(), lists["doc_id"].tolist(), strict=True):
        top.setdefault(query, []).append(name)
    return top


def texts_of_top(collection: Collection, ranker: str, run: str, n: int) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the text of each query, and for each query with text the documents with text among the first n of its list
    in the run.

    A missing run `bm25` is made, with tied scores by name. Raises UsageError for another unknown run.
    """
    queries, texts = collection.study.queries, collection.texts.by_name
    query_texts = dict(zip(queries["query_id"], queries["text"], strict=True))
    if run != BM25.name or run in collection.runs["system"].cat.categories:
        top = top_of_run(collection, ranker, run, n)
    else:
        find = BM25.prepare(collection, {parameter.name: parameter.default for parameter in BM25.parameters})
        terms, top = analyser(), {}
        for query_id, text in query_texts.items():
            hits = find(Query(query_id, text, tuple(terms(text))))
            order = np.lexsort((hits.documents.astype(str), -hits.scores))[:n]
            if len(order):
                top[query_id] = hits.documents[order].tolist()
    return query_texts, {
        query: [name for name in names if name in texts]
        for query, names in top.items()
        if query_texts.get(query, "").strip()
    }


def _prepare_perfect(collection: Collection, _: Parameters) -> Lister:
    qrels = collection.study.qrels
    relevant = qrels[qrels["relevance"] > 0].set_index("doc_id").groupby("query_id", sort=False)["relevance"]
    return list_scores({str(name): dict(zip(grades.index, grades, strict=True)) for name, grades in relevant})


def _prepare_random(collection: Collection, parameters: Parameters) -> Lister:
    names = np.sort(collection.texts.names.astype(str)).astype(object)
    seed = int(parameters["seed"])

    def find(query: Query) -> Found:
        generator = np.random.default_rng([seed, zlib.crc32(query.query_id.encode())])
        return Found(names, generator.random(len(names)))

    return find


PERFECT = Ranker(
    name="perfect",
    summary="from qrels: all and only relevant documents, the most relevant first, equal ones by doc_id",
    prepare=_prepare_perfect,
    needs=("qrels",),
    nothing="have no relevant document",
)
RANDOM = Ranker(
    name="random",
    summary="an order drawn by lot, the same for the same seed, query and documents",
    prepare=_prepare_random,
    parameters=(Parameter("seed", 0.0, "another seed draws another order", 0.0, 2**31 - 1, whole=True),),
)


def _prepare_rrf(collection: Collection, parameters: Parameters) -> Lister:
    """Fuse runs by reciprocal ranks (Cormack, Clarke and Büttcher 2009): Σ over the runs that have the document of
    1 / (k + its rank there).

    The runs are those named, joined by +, or by default every search. Raises FairvizError where there is none,
    UsageError for an unknown one.
    """
    study, systems = collection.study, [str(system) for system in collection.runs["system"].cat.categories]
    if parameters["runs"]:
        fused = [name.strip() for name in parameters["runs"].split("+")]
        if missing := [name for name in fused if name not in systems]:
            raise UsageError(
                f"{study.name} has no run {missing[0]!r} for rrf", f"Its runs are {', '.join(systems) or 'none'}."
            )
    else:
        others = (name for name in systems if EDITED not in name and not _REORDERED.match(name))
        fused = [name for name in others if name.split("-")[0] not in LEFT_OUT]
        if not fused:
            raise FairvizError(
                f"rrf fuses other runs, and {study.name} has none",
                "Name rankers before it, such as --with bm25,tfidf,rrf.",
            )
    lists = ranked(collection.runs[collection.runs["system"].isin(fused)])
    points: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    columns = (lists[name].tolist() for name in ("query_id", "doc_id", "rank"))
    for query_id, document, rank in zip(*columns, strict=True):
        points[query_id][document] += 1 / (parameters["k"] + rank)
    collection.say(f"rrf: fused {', '.join(fused)}.")
    return list_scores(points)


RRF = Ranker(
    name="rrf",
    summary="reciprocal rank fusion of the named runs, else of the study's and those made earlier in the command "
    "(without rrf, perfect, random and rerankers)",
    prepare=_prepare_rrf,
    parameters=(
        Parameter("k", 60.0, "constant added to each rank; a larger one gives the top ranks less weight", 0.0, 1e6),
        Parameter("runs", "", help="names of runs joined by +, such as 'bm25+tfidf'; empty for all others"),
    ),
    needs=("runs",),
    nothing="are in none of the fused runs",
)
