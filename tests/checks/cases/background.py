"""The background of NFaiRR: of the runs, and of the collection."""

from fairviz.evaluation.settings import Settings
from tests.checks.cases import LISTS, QUERIES, Case, sound
from tests.made import runs_of


def triggers() -> Case:
    return Case(sound(), says="the 2 loaded runs returned")


def passes() -> Case:
    return Case(sound(), Settings(background="collection"))


def passes_where_each_list_is_the_whole_collection() -> Case:
    query = QUERIES[0]
    lists = {key: order for key, order in LISTS.items() if key[1] == query}
    documents = sound().documents
    return Case(sound(runs=runs_of(lists), documents=documents[documents["doc_id"].str.startswith(query)]))
