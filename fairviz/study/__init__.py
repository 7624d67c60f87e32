"""What was loaded: tables, the study, the loaders of its files, and what is odd in it. Nothing chosen.

May import words and what lies below it.
"""
