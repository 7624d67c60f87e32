"""Audits of a ranker's preference for one gender's documents, in pairs of documents and in whole lists.

May import what analyses may.
"""
