"""Gender words of whole collections, counted once, part by part, by any number of processes or machines.

May import study and what is below it.
"""
