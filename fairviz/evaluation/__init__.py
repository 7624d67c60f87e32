"""What was chosen, and the answer: settings, choices, scores, GSR and the formats they leave in.

May import annotation, datasets and what lies below them; it never imports rankers.
"""
