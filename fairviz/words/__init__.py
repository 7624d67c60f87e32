"""From text to counts and genderedness: tokenizers, word lists, vectors, debiasing, the papers' lists.

May import errors and home.
"""
