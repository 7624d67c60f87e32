"""The Alternative Annotator Test: may the labels of a rule or model take the place of a person's?

May import what analyses may.
"""
