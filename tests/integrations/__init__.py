"""Other programs that work with this one, each in an environment of its own."""
