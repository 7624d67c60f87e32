"""Who said what: agreement, consensus, rules, and a reader's decisions (adjudications).

May import models, study and what lies below them, and its neighbours measures and rankers without a circle.
"""
