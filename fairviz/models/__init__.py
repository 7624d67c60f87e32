"""Sentence encoders, language models, and the stores of their vectors and answers.

May import study and the rooms below it.
"""
