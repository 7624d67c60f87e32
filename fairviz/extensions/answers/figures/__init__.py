"""Figures of generated answers.

May import what figures may.
"""
