"""Figures of a Backpack: its senses' gender, and measures and scores over the weight of the gender senses.

May import what figures may.
"""
