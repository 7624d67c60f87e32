"""Boxes, tables, marked text and charts, which know no page and no setting.

May import figures and what lies below them, and of the interface nothing but itself and state.
"""
