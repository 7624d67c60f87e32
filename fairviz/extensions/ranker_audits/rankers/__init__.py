"""Language models as rankers: pairs compared in both orders, and lists ordered a window at a time.

May import what rankers may.
"""
