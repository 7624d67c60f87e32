"""Steering by a weight of senses: every measure over the weight, compared with placebos, other seeds and references.

May import what analyses may.
"""
