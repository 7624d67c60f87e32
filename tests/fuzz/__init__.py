"""The fuzzer: good inputs, changed at random, into the program and into slow parsers of our own that judge it.

`python -m tests.fuzz` makes inputs out of a seed (a file of every kind that the program reads, an address, a text of
a measure), reads each in a worker with limits, and counts: read, refused in one clear line, tracebacks, silent
losses. An input is its seed and its number, so that `python -m tests.fuzz --seed N --only I` plays one again.
"""
