"""Comparable annotators of a study: its annotators, their consensuses, and the current word list."""

from collections.abc import Sequence
from functools import partial
from weakref import WeakKeyDictionary

import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import DOCUMENTS, LABEL_AGAIN, TEST_LABEL, against, queries_of
from fairviz.annotation.rules import labels_by_words, neutral_or_prevailing
from fairviz.annotation.voters import (
    PHRASES,
    annotator_names,
    annotators_alongside,
    is_consensus,
    labels_alongside,
    labels_beside,
)
from fairviz.annotation.voters import kind_of as named_kind
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator, chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.tables import LABELS
from fairviz.words.counting import Lexicon, document_text

TOPIC = "topic"  # a column by which agreement can be reported, unless the study has one
COUNT = 8
FEWEST, MOST = 40, 20_000  # documents with text
NAMED = 2  # words in the name of a topic
_TOPICS: WeakKeyDictionary[Study, pd.DataFrame] = WeakKeyDictionary()
GENDERED = "gendered"
WORD_LIST = "word list"
PUBLISHED = (("word", 0), ("whitespace", 1))  # the best choice on Grep-BiasIR, and the papers' public code
MOST_VALUES = 50
METHOD_KINDS = {"classifier": "trained classifier", "prototypes": "trained classifier", "vote": "vote"}


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
        _TOPICS[study] = _clustered(study).astype("str")
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
        return pd.DataFrame({"doc_id": study.documents.loc[has_text, "doc_id"], "value": "all"})
    clustering = MiniBatchKMeans(COUNT, random_state=0, n_init=3).fit(weights)
    words = vectorizer.get_feature_names_out()
    names = [", ".join(words[centre.argsort()[::-1][:NAMED]]) for centre in clustering.cluster_centers_]
    values = [f"{place + 1} {names[place]}" for place in clustering.labels_]
    return pd.DataFrame({"doc_id": study.documents.loc[has_text, "doc_id"].to_numpy(), "value": values})


def kind_of(study: Study, name: str) -> str:
    """Return the kind of an annotator: `people`, `rule`, `trained classifier`, `vote`, `language model`, `language
    model and reader`, `consensus` or `decisions`; "" if it is unknown.
    """
    if name == ADJUDICATED:
        return "decisions"
    if name == WORD_LIST and name not in annotator_names(study):
        return PHRASES["rule"]
    annotator = study.annotators.get(name) or annotators_alongside(study).get(name)
    if annotator is None or not annotator.kind:
        return "consensus" if is_consensus(study, name) else ""
    method = annotator.description.partition(" (")[0]
    return METHOD_KINDS.get(method, PHRASES["rule"]) if annotator.kind == "rule" else PHRASES[annotator.kind]


def domain(study: Study, *, binary: bool = False) -> tuple[str, ...]:
    """Return the possible labels: neutral and the groups; empty if labels are not genders."""
    if study.label_kind != "gender":
        return ()
    return (study.neutral, GENDERED) if binary else (study.neutral, *study.groups)


def neutral_or_gendered(labels: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Return the labels with all gender groups merged to `gendered`. Raises FairvizError if labels are not genders."""
    if study.label_kind != "gender":
        raise FairvizError(
            f"the labels of {study.name!r} are not genders, so none of them is neutral",
            "Leave out the choice of neutral against gendered.",
        )
    binary_labels = labels.assign(label=labels["label"].where(labels["label"] == study.neutral, GENDERED))
    for column in {TEST_LABEL, LABEL_AGAIN} & {*binary_labels.columns}:
        texts = binary_labels[column].fillna("")
        binary_labels[column] = texts.where(texts.isin(["", study.neutral]), GENDERED)
    return binary_labels


def with_word_list(labels: pd.DataFrame, study: Study, settings: Settings, *, always: bool = False) -> pd.DataFrame:
    """Return the labels, followed by those of the word list under the settings if it can label the study.

    A rule of the study with the word list's labels is the same annotator, which is listed once, unless `always`.
    """
    if not can_count_words(study, settings) or WORD_LIST in annotator_names(study):
        return labels
    words = word_list_labels(study, chosen_lexicon(study, settings), settings.tokenizer, settings.tau)
    is_known = not always and same_rule(study, words)
    return labels if is_known else pd.concat([labels, words], ignore_index=True)


def same_rule(study: Study, words: pd.DataFrame) -> str:
    """Return the rule of the study whose labels are those of the word list, doc_id and label; empty for none."""
    label_by_document = dict(zip(words["doc_id"], words["label"], strict=True))
    for name in annotator_names(study):
        if named_kind(study, name) == "rule":
            own = study.labels[study.labels["annotator"] == name]
            if dict(zip(own["doc_id"], own["label"], strict=True)) == label_by_document:
                return name
    return ""


def with_alongside(labels: pd.DataFrame, study: Study) -> pd.DataFrame:
    """Return the labels, followed by those stored next to a built-in study."""
    further = labels_alongside(study)
    return pd.concat([labels, further], ignore_index=True) if len(further) else labels


def labels_by(labels: pd.DataFrame, annotators: Sequence[str]) -> pd.DataFrame:
    """Return the labels of these annotators."""
    return labels[labels["annotator"].isin(annotators)]


def default_reference(study: Study, settings: Settings) -> str:
    """Return the default reference: the annotator whose labels count, if there are any."""
    annotator = chosen_annotator(study, settings)
    if annotator == ADJUDICATED and annotator not in annotator_names(study):  # chosen, and nothing was decided yet
        return chosen_annotator(study, settings.changed(annotator=""))
    return annotator


def can_count_words(study: Study, settings: Settings) -> bool:
    """Return whether the word list can label this study: gender labels, text, and words of every group."""
    lexicon = chosen_lexicon(study, settings)
    return (
        study.label_kind == "gender"
        and study.has("documents")
        and bool(study.documents["text"].notna().any())
        and all(group in lexicon.groups for group in study.groups)
    )


def word_list_labels(study: Study, lexicon: Lexicon, tokenizer: str, tau: int) -> pd.DataFrame:
    """Return the word list's labels: neutral if omega is 1, else the prevailing group; none for a document without
    text.

    Title and text are counted together.
    """
    return labels_by_words(study, WORD_LIST, lexicon, tokenizer, partial(neutral_or_prevailing, tau=tau))


def word_list_agreement(study: Study, settings: Settings, reference: str, draw: str = DOCUMENTS) -> pd.DataFrame:
    """Return the word list against the reference on neutral against gendered, as the CWEx paper's table 4: choice,
    tokenizer, tau, documents, accuracy and kappa with intervals, reason. First under the settings, then PUBLISHED.

    draw: what intervals draw, `documents` or `queries`.
    """
    lexicon = chosen_lexicon(study, settings)
    choices = {"set in the sidebar": (settings.tokenizer, settings.tau)}
    choices |= {f"{tokenizer} tokens, τ = {tau}": (tokenizer, tau) for tokenizer, tau in PUBLISHED}
    truth = neutral_or_gendered(labels_beside(study, reference, WORD_LIST, settings.voters), study)
    truth = truth.assign(annotator=reference)
    queries = queries_of(study, truth["doc_id"], draw)
    rows = []
    for choice, (tokenizer, tau) in choices.items():
        labels = neutral_or_gendered(word_list_labels(study, lexicon, tokenizer, tau), study)
        compared = against(pd.concat([truth, labels]), reference, domain(study, binary=True), queries=queries)
        compared.insert(0, "choice", pd.Series([choice] * len(compared), dtype="str"))
        compared.insert(1, "tokenizer", tokenizer)
        compared.insert(2, "tau", tau)
        rows.append(compared.drop(columns="annotator"))
    return pd.concat(rows, ignore_index=True)


def columns(study: Study) -> tuple[str, ...]:
    """Return the columns by which agreement can be reported: of documents, labels and queries, with 2 to 50 values,
    and the topics of texts.

    A name in several tables refers to the first of them.
    """
    own_labels = (*LABELS.column_names, TEST_LABEL, LABEL_AGAIN)
    tables = [(study.documents, ("doc_id", "title", "text")), (study.labels, own_labels)]
    if study.has("qrels"):
        tables.append((study.queries, ("query_id", "text")))
    names = []
    for table, own in tables:
        others = [name for name in table.columns if name not in own]
        counts = {str(name): table.loc[~_blank(table[name]), name].nunique() for name in others}
        names += [name for name, count in counts.items() if 2 <= count <= MOST_VALUES]
    return tuple(dict.fromkeys((*names, *([TOPIC] if has_topics(study) else []))))


def groups_by(study: Study, labels: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return doc_id, value, and annotator for a column of labels, as input of `agreement.within`.

    Values of a query apply to its relevant documents. A column of labels applies to the labels with the value;
    annotators without any (a consensus, a word list) keep their labels of those documents. Raises FairvizError for an
    unknown column.
    """
    if column in study.documents and column != "doc_id":
        return _pairs(study.documents, column)
    if column in labels and column not in LABELS.column_names:
        pairs = _pairs(labels, column, ("doc_id", "annotator"))
        other_labels = labels.loc[~labels["annotator"].isin(pairs["annotator"]), ["doc_id", "annotator"]]
        shared_documents = other_labels.merge(pairs[["doc_id", "value"]].drop_duplicates(), on="doc_id")
        return pd.concat([pairs, shared_documents], ignore_index=True)
    if column in study.queries and column != "text":
        values = study.queries[["query_id"]].assign(value=study.queries[column])
        relevant = study.qrels.loc[study.qrels["relevance"] > 0, ["query_id", "doc_id"]]
        return _pairs(relevant.merge(values, on="query_id"), "value")
    if column == TOPIC and has_topics(study):
        return topics(study)
    names = ", ".join(columns(study)) or "none"
    raise FairvizError(
        f"{study.name!r} has no column {column!r} to group documents by", f"Columns with few values: {names}."
    )


def partly_empty(study: Study) -> tuple[str, ...]:
    """Return the label columns that are empty in some rows, which may be treated as missing answers."""
    own = (*LABELS.column_names, TEST_LABEL, LABEL_AGAIN, "rationale")
    blank = {str(name): _blank(study.labels[name]).mean() for name in study.labels.columns if name not in own}
    return tuple(name for name, share in blank.items() if 0 < share < 1)


def without_empty(labels: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the labels whose column is not empty. Raises FairvizError for an unknown column."""
    if column not in labels or column in LABELS.column_names:
        raise FairvizError(f"the labels have no column {column!r}", "Name a column of the file of labels.")
    return labels[~_blank(labels[column])]


def _blank(values: pd.Series) -> pd.Series:
    return values.isna() | (values.astype("str") == "")


def _pairs(table: pd.DataFrame, column: str, keys: Sequence[str] = ("doc_id",)) -> pd.DataFrame:
    frame = table[~_blank(table[column])]
    return frame[[*keys]].assign(value=frame[column].astype("str")).drop_duplicates().reset_index(drop=True)
