"""`mentions`: the GSR paper's intrinsic genderedness, section 4.2.5."""

from fairviz.annotation.rules.record import Rule, prevailing

MENTIONS = Rule("mentions", "more male mentions than female is male, more female is female, else neutral", prevailing)
