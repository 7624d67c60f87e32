"""One record of each kind for fairviz."""
