"""People label documents by a link each: what is drawn, where links and answers lie, and how answers become labels.

May import datasets, annotation, study and what lies below them; neither the interface nor the command line.
"""
