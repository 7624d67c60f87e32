"""A Backpack ranker (Afzali and others 2025): each word is a sum of sense vectors with adjustable weights.

Modules: `network` (the paper's equations), `loading` (the model), `encoding` (texts as one vector for each sense),
`sensitivity` (senses that carry gender, and their weights), `training` (distillation of a model from MiniLM).

May import models and the rooms below it, and from rankers its record.
"""
