"""
Words between female and male
=============================

Where words are in word vectors.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_words.png"

import fairviz
from fairviz.evaluation.gsr import direction_of
from fairviz.evaluation.settings import Settings
from fairviz.words.genderedness import vocabulary_mean, word_genderedness

direction = direction_of(Settings())
listed = ["nurse", "poet", "carpenter", "rapper", "chemist", "librarian"]
table = word_genderedness(direction, listed).assign(pair=0, list="jobs")

# %%
# words
# -----
# Two lists of words, with 95 % intervals over the defining pairs.

fairviz.plot.words(["nurse", "poet"], against=["carpenter", "rapper"])

# %%
# gendered_axis
# -------------
# The same figure from a table of words.

fairviz.plot.gendered_axis(table, vocabulary_mean(direction))

# %%
# word_plane
# ----------
# Words over the gender direction and the largest other direction.

vectors, _ = direction.embedding.lookup(listed)
fairviz.plot.word_plane(table, vectors, direction.vector, vocabulary_mean(direction))

# %%
# explained_variance
# ------------------
# How much of the pairs one direction explains.

fairviz.plot.explained_variance(direction.explained.tolist())
