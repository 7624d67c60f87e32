"""Validity of genderedness and GSR (GSR paper, sections 3.2.1, 3.5, 4.2.3 to 4.2.5).

permutation: tests of known stereotypes in lists of words. reliability: agreement of other word vectors. parity: GSR
against the share of stereotypical documents. direct: gendered queries against the people that documents mention.
debiasing: effect of removing the gender direction from a ranker's vectors.

May import what analyses may.
"""
