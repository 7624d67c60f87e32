"""Does a ranker prefer one gender's documents? Asked about pairs of documents, and about whole lists.

May import what analyses may.
"""
