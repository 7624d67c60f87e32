"""A Backpack ranker (Afzali and others 2025): each word a sum of sense vectors, some of which can be turned down.

`network` holds the paper's equations, `loading` the model, `encoding` texts as a vector a sense, `sensitivity` which
senses carry gender and what weights they get, `training` how a model is distilled from MiniLM.

May import models and what lies below it, and from rankers its record.
"""
