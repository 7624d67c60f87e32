"""A study with other texts: what was replaced where, and the documents that came of it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.words.counterparts import Counterparts, Edit, apply_edits, find_edits

PARTS = ("title", "text")
Edits = tuple[list[Edit], list[Edit]]  # of the title and of the text


@dataclass(frozen=True, eq=False)
class Collection:
    """The study with changed documents. edits: of each document that changed, by its id."""

    study: Study
    edits: Mapping[str, Edits]

    @property
    def counts(self) -> dict[str, int]:
        """The number of replaced words in each document that changed."""
        return {name: len(title) + len(text) for name, (title, text) in self.edits.items()}


def texts_of(study: Study) -> dict[str, tuple[str, str]]:
    """Title and text of each document that has text, by its id. Raises FairvizError where none has."""
    rows = study.documents[study.documents["text"].notna()] if study.has("documents") else study.documents
    if rows.empty:
        raise FairvizError(
            f"{study.name} has no text of documents to replace words in",
            "Add documents.tsv with the columns doc_id and text.",
        )
    titles = rows["title"].fillna("").tolist()
    return dict(zip(rows["doc_id"], zip(titles, rows["text"], strict=True), strict=True))


def substituted(study: Study, counterparts: Counterparts) -> Collection:
    """Return the study with every gender word and name of its documents replaced by its counterpart.

    Raises FairvizError if no document has text, or none has a word of the pairs.
    """
    texts = texts_of(study)
    edits_by_document = {
        name: (find_edits(title, counterparts), find_edits(text, counterparts)) for name, (title, text) in texts.items()
    }
    changed = {name: parts for name, parts in edits_by_document.items() if parts[0] or parts[1]}
    if not changed:
        raise FairvizError(
            f"nothing changes: none of the {len(texts):,} documents of {study.name} holds a word of the pairs",
            "Give pairs of words that its texts hold.",
        )
    return Collection(with_edits(study, changed), changed)


def with_edits(study: Study, changed: Mapping[str, Edits]) -> Study:
    """The study with these pieces of its documents replaced."""
    documents = study.documents
    columns = {}
    for place, part in enumerate(PARTS):
        pairs = zip(documents["doc_id"].tolist(), documents[part].tolist(), strict=True)
        edited_texts = [
            apply_edits(text, changed[name][place]) if name in changed and _is_text(text) else text
            for name, text in pairs
        ]
        columns[part] = pd.Series(edited_texts, index=documents.index, dtype=documents[part].dtype)
    mark = hashlib.sha256(f"{study.fingerprint} + {sorted(changed.items())}".encode("utf-8", "surrogatepass"))
    edited = documents.assign(**columns)  # word counts would be of the old text
    return replace(study, documents=edited, word_counts=None, fingerprint=mark.hexdigest())


def _is_text(value: object) -> bool:
    return isinstance(value, str)
