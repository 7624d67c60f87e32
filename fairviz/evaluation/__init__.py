"""Settings, choices, scores, GSR, their export formats, and the processes or workers that compute many.

May import annotation, datasets and the rooms below them; it never imports rankers.
"""
