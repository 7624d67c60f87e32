"""Attribute sets beside aligned rankings: the shares of documents in levels, made when a measure first reads them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.installed import Owner
from fairviz.study.attributes import Attribute, cell_shares, check_attributes
from fairviz.study.record import Study

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class AttributeSet:
    """The cells of documents in a set, (N,) each, and its levels. They do not refer to the study."""

    name: str
    documents: pd.Series
    cells: pd.Series
    attribute: Attribute

    def lent(self, owner: Owner) -> "AttributeSet":
        """Return the set for code of others, whose changes of its columns stay with it."""
        return replace(self, documents=self.documents.copy(deep=False), cells=self.cells.copy(deep=False))

    @property
    def distance(self) -> str:
        """The distance of shares from their targets: `rnod` for levels with an order, else `jsd`."""
        return "rnod" if self.attribute.scale == "ordinal" else "jsd"

    @cached_property
    def _shares(self) -> Array:
        return cell_shares(self.cells, self.attribute)

    def shares(self, doc_ids: pd.Index) -> Array:
        """Return the share of each document in each level, (D + 1, G); rows sum to 1, the last is of no document.

        Documents without a value are spread equally over the levels. Raises FairvizError for an invalid cell.
        """
        table = pd.DataFrame({"doc_id": self.documents, self.name: self.cells})
        check_attributes(table, {self.name: self.attribute})
        rows = pd.Index(self.documents, dtype="str").get_indexer(doc_ids)
        count = len(self.attribute.levels)
        equal = np.full((1, count), 1 / count)
        return np.concatenate([np.concatenate([self._shares, equal])[rows], equal])  # row -1 reads the last


def attribute_sets(study: Study) -> Mapping[str, AttributeSet]:
    """Return the attribute sets of a study of which the documents have a column."""
    documents = study.documents
    return {
        name: AttributeSet(name, documents["doc_id"], documents[name], attribute)
        for name, attribute in study.attributes.items()
        if name in documents
    }
