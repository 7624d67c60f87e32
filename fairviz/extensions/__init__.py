"""Extensions: what few need, a folder each, which can be removed without loss to the others.

Each registers through the entry points of the program's own package (pyproject.toml), as packages of others do; nothing
imports it, and it imports only the core's inner interface (docs/architecture.md).

May import everything but one another.
"""
