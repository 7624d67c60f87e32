"""The pages Overview and Trade-off: what each measure says of each system, side by side.

May import shell, kept, state, kit and everything below the interface.
"""
