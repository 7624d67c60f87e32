"""Labelling forms: drawing of documents, links for people, storage of answers, and their labels.

May import datasets, annotation, study and what lies below them; neither the interface nor the command line.
"""
