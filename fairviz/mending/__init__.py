"""Fine-tuning of an encoder against preferring one gender's wording, and all measures before and after.

May import evaluation, datasets, figures, rankers and what lies below them, and its neighbour counterfactuals.
"""
