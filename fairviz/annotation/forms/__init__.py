"""Labelling forms: drawing of documents, links for people, storage of answers, and their labels.

May import what annotation may.
"""
