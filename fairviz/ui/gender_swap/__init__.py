"""The page Gender swap: what becomes of lists when genders are swapped in every text, and of any other edit.

May import shell, kept, state, kit and everything below the interface.
"""
