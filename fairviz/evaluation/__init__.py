"""What was chosen, and the answer: settings, choices, scores, GSR and the formats they leave in.

May import measures, annotation, rankers and what lies below them, and its neighbours datasets and figures.
"""
