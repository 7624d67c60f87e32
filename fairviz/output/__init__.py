"""Results that leave the program: capsules, reports, tables of papers, and programs to copy.

May import analyses, figures and the rooms below them.
"""
