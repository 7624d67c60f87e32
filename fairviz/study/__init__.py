"""Loaded data: tables, the study, the loaders of its files, and its checks. Nothing chosen.

May import words and the rooms below it.
"""
