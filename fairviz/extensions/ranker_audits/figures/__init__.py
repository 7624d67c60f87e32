"""The figures of audits: pairs against lists, ranks of the protected group, and one list before and after.

May import what figures may.
"""
