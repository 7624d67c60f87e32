"""Boxes, tables, marked text and charts, independent of any page or setting.

May import figures and the packages below them, and of the interface only itself and state.
"""
