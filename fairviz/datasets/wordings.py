"""The built-in study `wordings`: ten neutral queries with their gendered wordings, made for ComSRB.

Its files are committed. `python -m fairviz.datasets.wordings FOLDER` writes byte-identical files to a new folder.
"""

import sys
from itertools import zip_longest
from pathlib import Path

import pandas as pd

from fairviz.study.record import Study
from fairviz.study.study import make_study, save_study

NAME = "wordings"
TOPICS = (  # base, what people do, the gender of the stereotype
    ("ceo", "become the head of a company", "male"),
    ("engineer", "become famous engineers", "male"),
    ("chess", "win at chess", "male"),
    ("muscle", "build strength", "male"),
    ("repair", "repair an old car", "male"),
    ("newborn", "play with a newborn", "female"),
    ("leave", "take leave after a birth", "female"),
    ("looks", "look better", "female"),
    ("nurse", "train as nurses", "female"),
    ("house", "keep a house clean", "female"),
)
PEOPLE = {"female": "women", "male": "men", "neutral": "people"}
OTHER = {"female": "male", "male": "female"}
WAYS = ("step by step", "a first guide", "what helped", "common mistakes", "ten answers", "a short history")
GENDERED, NEUTRAL = 6, 4  # documents of each gender, and without one, for a topic
TYPICAL = {  # by system, for each topic: how many of the six gendered documents of N's list are of the stereotype
    "typical": (5, 4, 6, 5, 4, 5, 6, 3, 4, 6),
    "even": (3, 2, 4, 3, 3, 2, 3, 3, 4, 2),
}
SLOTS = "GNGGNGGNGN"  # places of gendered and of neutral documents in each list


def make_wordings() -> Study:
    """Return the study of ten topics, each with a query of variants N, P and CP and 16 documents.

    Every system answers P with the six documents of the stereotypical gender and the four neutral ones, CP with those
    of the other gender, at the same ranks. Its list for N holds the neutral ones too, and TYPICAL documents of the
    stereotype: `even` takes the genders by turns, `typical` begins with the more frequent one, and `reverse` exchanges
    the genders of `typical`.
    """
    shares = {**TYPICAL, "reverse": tuple(GENDERED - count for count in TYPICAL["typical"])}
    queries, documents, qrels, runs = [], [], [], []
    for topic, (base, what, typical) in enumerate(TOPICS):
        people = {"N": PEOPLE["neutral"], "P": PEOPLE[typical], "CP": PEOPLE[OTHER[typical]]}
        queries += [
            (f"{base}-{variant}", f"how {who} {what}", variant, base, typical) for variant, who in people.items()
        ]
        by_gender = {
            gender: [f"{base}-{gender}-{number + 1}" for number in range(NEUTRAL if gender == "neutral" else GENDERED)]
            for gender in PEOPLE
        }
        documents += [
            (name, f"How {PEOPLE[gender]} {what}: {WAYS[number]}.")
            for gender, names in by_gender.items()
            for number, name in enumerate(names)
        ]
        first, second, neither = by_gender[typical], by_gender[OTHER[typical]], by_gender["neutral"]
        relevant = {"N": [*first, *second, *neither], "P": [*first, *neither], "CP": [*second, *neither]}
        qrels += [(f"{base}-{variant}", name, 1) for variant, names in relevant.items() for name in names]
        for system, counts in shares.items():
            sides = [first[: counts[topic]], second[: GENDERED - counts[topic]]]
            if system == "even":  # by turns, the stereotype first for every other topic
                ordered = sides if topic % 2 else sides[::-1]
                of_n = [name for pair in zip_longest(*ordered) for name in pair if name]
            else:
                of_n = [name for side in sorted(sides, key=len, reverse=True) for name in side]
            for variant, gendered in {"N": of_n, "P": first, "CP": second}.items():
                of_kind = {"G": iter(gendered), "N": iter(neither)}
                ranked = [next(of_kind[slot]) for slot in SLOTS]
                runs += [
                    (system, f"{base}-{variant}", name, rank, float(len(ranked) + 1 - rank))
                    for rank, name in enumerate(ranked, start=1)
                ]
    table = pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"])
    return make_study(
        NAME,
        queries=pd.DataFrame(queries, columns=["query_id", "text", "variant", "base", "stereotype"]),
        documents=pd.DataFrame(documents, columns=["doc_id", "text"]),
        runs=table.assign(system=pd.Categorical(table["system"], list(shares))),
        qrels=pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]),
        title="Ten queries in three wordings",
        description=(
            "Ten neutral queries (variant N), each also in the wording of its stereotype (P, prototypical: how men "
            "become famous engineers) and in the opposite one (CP, how women become famous engineers), for ComSRB. The "
            "stereotype is this project's assumption for the example. Ten documents answer each query. The system "
            "typical answers the neutral wording mostly with documents of its stereotype, reverse mostly with the "
            "others, even with about as many of both. There are no gender labels."
        ),
        licence="MIT",
        citation=(
            "The example: Linda Ratz, Markus Schedl, Simone Kopeinik, Navid Rekabsaz (2024). Measuring Bias in Search "
            "Results Through Retrieval List Comparison. ECIR 2024. The files: fairviz."
        ),
        notices=(
            "The queries, documents and lists of this study were made by this project; its systems are constructed, "
            "not real search engines.",
        ),
    )


def write_wordings(folder: Path) -> Path:
    """Write the study to a study folder and return the folder. Raises FairvizError if the folder has other content."""
    return save_study(make_wordings(), folder)


if __name__ == "__main__":
    write_wordings(Path(sys.argv[1]))
