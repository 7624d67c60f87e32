"""The page of a registered analysis without a page of its own, made from its record.

May import what pages may.
"""
