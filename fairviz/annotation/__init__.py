"""Labels and their annotators: agreement, consensus, rules, and adjudications.

May import models, measures and what lies below them; it never imports datasets.
"""
