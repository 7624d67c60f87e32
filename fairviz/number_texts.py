"""Numbers as text in names, addresses, commands and recipes: nothing is rounded, so that the same number is read back.

Tables and sentences that nobody reads back round to what an interval supports, and have formats of their own.
"""


def shortest(number: float) -> str:
    """Return the shortest decimal text that is read back as this very number; a whole number has no point.

    >>> shortest(0.7), shortest(1.0), shortest(0.1234567), shortest(0.1 + 0.2)
    ('0.7', '1', '0.1234567', '0.30000000000000004')
    """
    value = float(number)
    return str(int(number)) if value.is_integer() else repr(value)
