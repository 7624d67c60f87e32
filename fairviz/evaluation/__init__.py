"""Settings, choices, scores, GSR and their export formats.

May import annotation, datasets and the rooms below them; it never imports rankers.
"""
