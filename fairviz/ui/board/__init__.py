"""The page Class board, drawn by pages/board.py.

May import shell, kept, kit, state and the rooms below ui; it never imports another page.
"""
