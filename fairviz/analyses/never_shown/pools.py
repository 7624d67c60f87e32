"""The pools of documents by the names of `fairviz.comparison.never_shown`, each with its noun in sentences."""

NOUNS = {"relevant": "relevant documents", "candidates": "candidates", "all": "documents"}
