"""Which gender does each document of the batch speak of, that this link was made for?"""

from fairviz.ui.labelling import batch

batch.page()
