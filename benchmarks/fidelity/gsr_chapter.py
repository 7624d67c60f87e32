"""The chapter of the GSR paper, put together of words and lists, of collections, and of its authors' code."""

from benchmarks.fidelity import gsr, gsr_code
from benchmarks.fidelity.gsr_collections import collection, spearman_of_table_2, with_judged_runs
from benchmarks.fidelity.rows import Chapter, Table, number
from fairviz.evaluation.opening import open_study
from fairviz.words.genderedness import gender_direction
from fairviz.words.vectors import GLOVE, GOOGLE_NEWS, load_embedding


def chapter(listed: str) -> Chapter:
    """The chapter's tables; listed: Indri's stop words, as `Settings.stop_words` writes them."""
    both = (gender_direction(load_embedding(GOOGLE_NEWS)), gender_direction(load_embedding(GLOVE)))
    newswire, judged = open_study("newswire"), with_judged_runs(open_study("grep-biasir"))
    tables = {
        "words": gsr.words(both),
        "toys": gsr.toys(both),
        "newswire": collection(newswire, both),
        "grep": collection(judged, both),
        "missing": gsr.missing(),
    }
    code = Table(gsr_code.HEADS, tuple(gsr_code.rows((judged, newswire), *both, listed)))
    made = {name: Table(gsr.HEADS, tuple(rows)) for name, rows in tables.items()}
    return Chapter(made | {"code": code}, {"spearman": number(spearman_of_table_2())})
