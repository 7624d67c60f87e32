"""Validity of genderedness and GSR (GSR paper, sections 3.2.1, 3.5, 4.2.3 to 4.2.5).

parity: GSR against the share of stereotypical documents, and tests of known stereotypes in lists of words. direct:
gendered queries against the people that documents mention, agreement of other word vectors, and the effect of removing
the gender direction from a ranker's vectors.

May import what analyses may.
"""
