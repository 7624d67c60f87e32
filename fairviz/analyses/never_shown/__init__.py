"""Documents that a system shows in no list within the cutoff: shares by group, concentration of exposure, their ids.

May import figures, comparison and the rooms below them.
"""

# The pools of documents by the names of `fairviz.comparison.never_shown`, each with its noun in sentences.
NOUNS = {"relevant": "relevant documents", "candidates": "candidates", "all": "documents"}
