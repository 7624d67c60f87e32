"""Gender words of whole collections, counted once, part by part, by any number of processes or machines.

Brings the verb `score`. May import cli and what is below it.
"""
