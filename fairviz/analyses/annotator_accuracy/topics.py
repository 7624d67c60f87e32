"""Topics of documents by their words: clusters in which an annotator's errors may gather."""

from weakref import WeakKeyDictionary

import pandas as pd

from fairviz.study.record import Study
from fairviz.words.counting import document_text

TOPIC = "topic"  # a column by which agreement can be reported, unless the study has one
COUNT = 8
FEWEST, MOST = 40, 20_000  # documents with text
NAMED = 2  # words in the name of a topic
_TOPICS: WeakKeyDictionary[Study, pd.DataFrame] = WeakKeyDictionary()


def has_topics(study: Study) -> bool:
    """Return whether the study has topics: enough documents with text, and no column of that name."""
    if not study.has("documents") or any(TOPIC in table for table in (study.documents, study.labels, study.queries)):
        return False
    return FEWEST <= int(study.documents["text"].notna().sum()) <= MOST


def topics(study: Study) -> pd.DataFrame:
    """Return doc_id and value, the topic of each document with text, named by its two most telling words.

    Eight clusters by k-means over tf-idf of words in at least two documents, English stop words aside (scikit-learn);
    seeded, and computed once for a study.
    """
    if study not in _TOPICS:
        _TOPICS[study] = _clustered(study)
    return _TOPICS[study]


def _clustered(study: Study) -> pd.DataFrame:
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = document_text(study.documents)
    has_text = texts.notna().to_numpy()
    vectorizer = TfidfVectorizer(stop_words="english", min_df=2, max_features=20_000, sublinear_tf=True)
    try:
        weights = vectorizer.fit_transform(texts[has_text])
    except ValueError:  # no word is in two documents
        return pd.DataFrame({"doc_id": study.documents.loc[has_text, "doc_id"], "value": "all"}).astype("str")
    clustering = MiniBatchKMeans(COUNT, random_state=0, n_init=3).fit(weights)
    words = vectorizer.get_feature_names_out()
    names = [", ".join(words[centre.argsort()[::-1][:NAMED]]) for centre in clustering.cluster_centers_]
    values = [f"{place + 1} {names[place]}" for place in clustering.labels_]
    return pd.DataFrame({"doc_id": study.documents.loc[has_text, "doc_id"].to_numpy(), "value": values}).astype("str")
