"""A measure, a ranker, an annotator and a loader for fairviz."""
