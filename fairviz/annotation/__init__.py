"""Labels and their annotators: agreement, consensus, rules, and adjudications.

May import models, study and what lies below them, and its neighbours measures and rankers without a circle.
"""
