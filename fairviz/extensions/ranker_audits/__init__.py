"""Audits of language models and other rankers: whose documents they prefer, in pairs, in lists and by authors' names.

May import what analyses may.
"""
