"""The built-in study `traits`: section 4.1 of the GSR paper, built from its tables A.4 and A.7.

Its files are committed. `python -m fairviz.datasets.traits FOLDER` writes byte-identical files to a new folder.
"""

import sys
from pathlib import Path

import pandas as pd

from fairviz.study.record import Study
from fairviz.study.study import make_study, save_study
from fairviz.words.stereotype_lists import WORD_LISTS

NAME = "traits"
SYSTEMS = ("S", "N", "CS")
_JOBS, _TRAITS = WORD_LISTS["jobs"], WORD_LISTS["agency-communion"]
_GROUP = {**dict.fromkeys(_JOBS.female, "female"), **dict.fromkeys(_JOBS.male, "male")}


def make_traits() -> Study:
    """Return the study of 20 occupations as queries with documents "The ⟨job⟩ is ⟨adjective⟩." for the adjectives of
    Table A.4.

    S retrieves the adjectives of communion for predominantly female occupations and those of agency for male ones, CS
    the reverse, N all. Adjectives are in the table's order for every query, so that the discount of lower ranks does
    not affect the slope.
    """
    pairs = [(job, trait) for job in _GROUP for trait in _traits("N", job)]
    runs = [
        (system, job, f"{job}-{trait}", rank, float(len(traits) + 1 - rank))
        for system in SYSTEMS
        for job in _GROUP
        for traits in [_traits(system, job)]
        for rank, trait in enumerate(traits, start=1)
    ]
    table = pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"])
    documents = [(f"{job}-{trait}", f"The {job} is {trait}.") for job, trait in pairs]
    qrels = [(job, f"{job}-{trait}", 1) for job, trait in pairs]
    return make_study(
        NAME,
        queries=pd.DataFrame({"query_id": [*_GROUP], "text": [*_GROUP], "representation": [*_GROUP.values()]}),
        documents=pd.DataFrame(documents, columns=["doc_id", "text"]),
        runs=table.assign(system=pd.Categorical(table["system"], SYSTEMS)),
        qrels=pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]),
        title="Occupations and traits: stereotype, neutral and counter-stereotype",
        description=(
            'The synthetic collection of section 4.1 of the GSR paper: 20 occupations as queries, and documents "The '
            '… is …." for each of 27 adjectives. They are of agency (ascribed to men) or communion (to women). System '
            "S answers a predominantly female occupation with communion and a male one with agency, CS the other way "
            "round, N with all. But for the maid no document names a person of either gender, and yet GSR is positive "
            'for S, 0 for N and negative for CS: an indirect stereotype. The paper prints the adjective "corageous"; '
            'here it is "courageous". There are no gender labels.'
        ),
        licence="MIT",
        citation=(
            "The example: section 4.1 and Tables A.4 and A.7 of Alessandro Fabris, Alberto Purpura, Gianmaria "
            "Silvello, Gian Antonio Susto (2020). Gender Stereotype Reinforcement: Measuring the Gender Bias Conveyed "
            "by Ranking Algorithms. Information Processing & Management 57(6). The files: fairviz."
        ),
        notices=(
            "This study was made by this project after section 4.1 of the GSR paper; its systems are constructed, "
            "not real search engines.",
        ),
    )


def write_traits(folder: Path) -> Path:
    """Write the study to a study folder and return the folder. Raises FairvizError if the folder has other content."""
    return save_study(make_traits(), folder)


def _traits(system: str, job: str) -> tuple[str, ...]:
    """Return the adjectives that the system retrieves for this occupation, in the table's order."""
    if system == "N":
        return (*_TRAITS.male, *_TRAITS.female)
    typical = _GROUP[job] == "female"
    return _TRAITS.female if typical == (system == "S") else _TRAITS.male


if __name__ == "__main__":
    write_traits(Path(sys.argv[1]))
