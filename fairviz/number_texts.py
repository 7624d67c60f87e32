"""Numbers as text in names, addresses, commands and recipes: not rounded, so that the same number is read back.

Tables and sentences are rounded by the width of intervals, with formats of their own.
"""


def shortest(number: float) -> str:
    """Return the shortest decimal text that reads back as this number; a whole number has no point.

    >>> shortest(0.7), shortest(1.0), shortest(0.1234567), shortest(0.1 + 0.2)
    ('0.7', '1', '0.1234567', '0.30000000000000004')
    """
    value = float(number)
    return str(int(number)) if value.is_integer() else repr(value)
