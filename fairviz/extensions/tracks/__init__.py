"""Two evaluation tracks, TREC Fair Ranking and NTCIR FairWeb: their files, their scores, and the measure GFR.

May import what measures, datasets, verbs and pages may.
"""
