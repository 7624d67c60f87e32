"""The paper's word lists: as many words as it prints, its slips named."""

from fairviz.words.stereotype_lists import WORD_LISTS


def test_lists_are_as_long_as_the_tables():
    lengths = {name: (len(lists.male), len(lists.female)) for name, lists in WORD_LISTS.items()}
    assert lengths == {
        "agency-communion-printed": (15, 12),
        "agency-communion": (15, 12),
        "science-arts": (8, 8),
        "career-family-printed": (8, 8),
        "career-family": (8, 8),
        "jobs": (10, 10),
    }
    for lists in WORD_LISTS.values():
        assert len(set(lists.male) | set(lists.female)) == len(lists.male) + len(lists.female)


def test_a_corrected_list_differs_by_the_slip_alone():
    for name, wrong, right in (
        ("agency-communion", "corageous", "courageous"),
        ("career-family", "cousin", "cousins"),
    ):
        printed, corrected = WORD_LISTS[f"{name}-printed"], WORD_LISTS[name]
        words = {*printed.male, *printed.female} ^ {*corrected.male, *corrected.female}
        assert words == {wrong, right}
        assert wrong in {*printed.male, *printed.female}
        assert (printed.edition, corrected.edition) == ("as printed", "corrected")
        assert f"'{wrong}'" in corrected.slip
        assert printed.printed_p == corrected.printed_p
    assert WORD_LISTS["career-family"].title == "career vs family (A.6, corrected)"
