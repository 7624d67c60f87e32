"""The page Model audit: what rankers prefer where texts differ by gender alone, and rankers that were mended.

May import shell, kept, state, kit and everything below the interface.
"""
