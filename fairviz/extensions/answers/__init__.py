"""Generated answers as rankings: gender in what a system was shown, in what it cites, and in the words of its answer.

May import what loaders, analyses, conditions of gates and figures may.
"""
