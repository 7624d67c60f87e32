"""Tests and intervals over queries: arrays in, arrays out.

May import errors.
"""
