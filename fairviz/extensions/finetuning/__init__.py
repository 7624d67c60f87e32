"""Fine-tuning of an encoder against preferring one gender's wording, and all measures before and after.

May import what analyses may.
"""
