"""A Backpack ranker (Afzali and others 2025): each word is a sum of sense vectors with adjustable weights; and every
measure over a weight of its gender senses, compared with placebos, other seeds and references.

Modules: `network` (the paper's equations), `loading` (the model), `encoding` (texts as one vector for each sense; the
ranker), `words` (senses that carry gender, and their weights), `published` (Backpack-GPT2), `corpus` and `training`
(distillation of a model from MiniLM); `lists`, `steering` and `seeds` (lists of every weight, their measures, models of
other seeds).

May import what analyses may.
"""
