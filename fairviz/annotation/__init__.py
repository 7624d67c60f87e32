"""Labels and their annotators: agreement, consensus, rules, and adjudications.

May import models, measures and the rooms below them; it never imports datasets.
"""
