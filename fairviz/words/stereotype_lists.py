"""The GSR paper's lists of stereotypically male and female words, tables A.4 to A.7, as printed and corrected."""

from dataclasses import dataclass


@dataclass(frozen=True)
class WordLists:
    """Two lists of words that a stereotype contrasts.

    table: their table in the paper. edition: `as printed`, or `corrected` for a slip of the paper; slip: its
    description. printed_p: the paper's p, with two digits, equal for both editions.
    """

    table: str
    male_name: str
    female_name: str
    male: tuple[str, ...]
    female: tuple[str, ...]
    printed_p: float
    edition: str = "as printed"
    slip: str = ""

    @property
    def title(self) -> str:
        """`agency vs communion (A.4, corrected)`."""
        return f"{self.male_name} vs {self.female_name} ({self.table}, {self.edition})"


_AGENCY = """aggressive ambitious arrogant confident {} critical decisive demanding hardworking independent possessive
proud selfish strong stubborn"""
_COMMUNION = """affectionate compassionate emotional generous honest nurturing outgoing patient polite romantic
sensitive unselfish"""
_SCIENCE = "astronomy chemistry Einstein experiment NASA physics science technology"
_ARTS = "art dance drama literature novel poetry Shakespeare symphony"
_CAREER = "business career corporation executive management office professional salary"
_FAMILY = "children {} family home marriage parents relatives wedding"
_MALE_JOBS = "stonemason roofer electrician plumber carpenter firefighter millwright welder machinist driver"
_FEMALE_JOBS = "hygienist secretary hairdresser dietician paralegal receptionist phlebotomist maid nurse typist"


def _lists(table: str, names: str, male: str, female: str, printed_p: float, *correction: str) -> WordLists:
    male_name, female_name = names.split(" vs ")
    return WordLists(
        table, male_name, female_name, tuple(male.split()), tuple(female.split()), printed_p, *correction
    )  # fmt: skip


WORD_LISTS: dict[str, WordLists] = {
    "agency-communion-printed": _lists(
        "A.4", "agency vs communion", _AGENCY.format("corageous"), _COMMUNION, 2.2e-2
    ),
    "agency-communion": _lists(
        "A.4", "agency vs communion", _AGENCY.format("courageous"), _COMMUNION, 2.2e-2,
        "corrected", "The paper prints 'corageous'.",
    ),
    "science-arts": _lists("A.5", "science vs arts", _SCIENCE, _ARTS, 1.8e-3),
    "career-family-printed": _lists(
        "A.6", "career vs family", _CAREER, _FAMILY.format("cousin"), 5.5e-4
    ),
    "career-family": _lists(
        "A.6", "career vs family", _CAREER, _FAMILY.format("cousins"), 5.5e-4,
        "corrected", "The paper prints 'cousin', and its p is that of 'cousins'.",
    ),
    "jobs": _lists("A.7", "jobs_m vs jobs_f", _MALE_JOBS, _FEMALE_JOBS, 0.0),
}  # fmt: skip
"""By name, in the paper's order. A corrected edition follows the printed one; A.5 and A.7 have no slip."""
