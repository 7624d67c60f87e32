"""The pages Overview and Trade-off: each measure of each system, side by side.

May import shell, kept, state, kit and everything below the interface.
"""
