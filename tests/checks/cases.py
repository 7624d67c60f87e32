"""Studies for each check of CHECKS: some that trigger it, some that pass, and some to which it does not apply. `sound`
makes a study to change one thing in."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import fairviz
from fairviz.checks import CHECKS, Check
from fairviz.evaluation.settings import Settings
from fairviz.study.loaders.metadata import Claim
from fairviz.study.record import Annotator, Study
from tests.made import labels_of, qrels_of, runs_of

QUERIES = [f"q{place:02}" for place in range(12)]
LABELS = {"f": "female", "m": "male", "n": "neutral"}
TEXTS = {"f": "She and her mother.", "m": "He and his father.", "n": "The weather."}
DOCUMENTS = [f"{query}{kind}{copy}" for query in QUERIES for copy in "ab" for kind in LABELS]
Lists = dict[tuple[str, str], list[str]]


class Case(NamedTuple):
    """A study under settings. says: words that the sentence, or the reason, contains. looked: settings looked at
    before."""

    study: Study
    settings: Settings = Settings()
    says: str = ""
    looked: tuple[Settings, ...] = ()


def in_order(**orders: str | list[str]) -> Lists:
    """Lists by system and query: the kinds and copies of every query in the order of the system, or in one for each."""
    return {
        (system, query): [f"{query}{each}" for each in order.split()]
        for system, given in orders.items()
        for query, order in zip(QUERIES, [given] * len(QUERIES) if isinstance(given, str) else given, strict=True)
    }


LISTS = in_order(left="fa ma na fb mb nb", right="na ma fa fb nb mb")


def labelled(by: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Labels of the documents of `sound` by annotator: what each calls the three kinds; one it leaves out has none."""
    tables = [labels_of({name: of[name[3]] for name in DOCUMENTS if name[3] in of}, who) for who, of in by.items()]
    return pd.concat(tables, ignore_index=True)


def sound(**changes: Any) -> Study:
    """Two systems, twelve queries with six documents each, whose texts and labels by two people agree. Two are
    relevant.

    changes: other parts, or other fields of the study.
    """
    parts: dict[str, Any] = {
        "queries": pd.DataFrame({"query_id": QUERIES, "text": [f"query {name}" for name in QUERIES]}),
        "documents": pd.DataFrame({"doc_id": DOCUMENTS, "text": [TEXTS[name[3]] for name in DOCUMENTS]}),
        "runs": runs_of(LISTS),
        "qrels": qrels_of({query: f"{query}fa {query}na" for query in QUERIES}),
        "labels": labelled({"ann": LABELS, "bob": LABELS}),
        "annotators": {name: Annotator(name, "person") for name in ("ann", "bob")},
    }
    return fairviz.make_study("made", **parts | changes)


def read_by(*annotators: Annotator, of: Mapping[str, Mapping[str, str]] = {}, **changes: Any) -> Study:
    """The sound study with labels by these annotators alone. of: by name the labels of those who differ."""
    labels = labelled({one.name: of.get(one.name, LABELS) for one in annotators})
    return sound(labels=labels, annotators={one.name: one for one in annotators}, **changes)


def people(*names: str) -> list[Annotator]:
    return [Annotator(name, "person") for name in names]


@contextmanager
def only(*records: Check) -> Iterator[None]:
    """Let these be all checks of the program; by default the first three."""
    before = CHECKS._own
    chosen = records or [before[code] for code in ("FV101", "FV102", "FV103")]
    CHECKS._own = {check.code: check for check in chosen}
    vars(CHECKS).pop("_records", None)
    try:
        yield
    finally:
        CHECKS._own = before
        vars(CHECKS).pop("_records", None)


def relabelled(**labels: Mapping[str, str]) -> Study:
    """The sound study with these labels by annotator."""
    return sound(labels=labelled(labels))


def ran(lists: Lists, **changes: Any) -> Study:
    """The sound study with these lists."""
    return sound(runs=runs_of(lists), **changes)


def renamed(left: str, annotator: Annotator) -> Study:
    """The sound study whose first system has this name, with labels by this annotator alone."""
    lists = {(left if system == "left" else system, query): order for (system, query), order in LISTS.items()}
    return read_by(annotator, runs=runs_of(lists))


def in_teams(of_south: Mapping[str, str]) -> Study:
    """Four readers of one group, and three of another, who call the documents this."""
    teams = dict.fromkeys(("ann", "bob", "cyd", "dan"), "north") | dict.fromkeys(("eve", "fay", "gil"), "south")
    readers = [Annotator(name, "person", columns=(("team", team),)) for name, team in teams.items()]
    return read_by(*readers, of={name: of_south for name, team in teams.items() if team == "south"}, documents=None)


READERS = {"ann": LABELS | {"f": "neutral"}, "bob": LABELS | {"m": "neutral"}, "cyd": LABELS | {"n": "female"}}


def beside_readers(fourth: Annotator, of: Mapping[str, str] = LABELS) -> Study:
    """Three readers, of whom two call each kind what it is, and a fourth."""
    return read_by(*people(*READERS), fourth, of=READERS | {fourth.name: of})


def in_few_documents() -> Study:
    study = beside_readers(Annotator("final", "person", "Majority of three readers."))
    return sound(labels=study.labels[study.labels["doc_id"].str.startswith("q00")], annotators=study.annotators)


def corrected_by_people() -> Study:
    study = renamed("rankgpt", Annotator("rater", "model", "GPT-4o"))
    return read_by(study.annotators["rater"], *people("ann"), runs=study.runs)


def of_one_query() -> Study:
    documents = sound().documents
    of_first = documents["doc_id"].str.startswith(QUERIES[0])
    return ran({key: order for key, order in LISTS.items() if key[1] == QUERIES[0]}, documents=documents[of_first])


def with_texts(*texts: str) -> Study:
    """The sound study with these texts of its first documents; the others are of the weather."""
    whole = [*texts, *["The weather."] * (len(DOCUMENTS) - len(texts))]
    return sound(documents=pd.DataFrame({"doc_id": DOCUMENTS, "text": whole}))


def with_third(second: str = "new", **changes: Any) -> Study:
    """A third system, whose second documents have neither labels nor text where they are new."""
    return ran(LISTS | in_order(third=f"fa {second}"), **changes)


def third_with_empty_texts() -> Study:
    empty = pd.DataFrame({"doc_id": [f"{query}new" for query in QUERIES], "text": ""})
    return with_third(documents=pd.concat([sound().documents[["doc_id", "text"]], empty]))


def without_texts_of_the_last() -> Study:
    documents = sound().documents
    return sound(documents=documents[~documents["doc_id"].str.endswith("nb")])


FORWARD, BACK = "fa ma na fb mb nb", "ma fa na fb mb nb"
TURNED = (1, 2, 3, 5, 6, 8, 11)  # so that nine queries differ one way, and three the other


def differing_both_ways() -> Study:
    return ran(in_order(
        left=[FORWARD if place % 2 else BACK for place in range(len(QUERIES))],
        right=[BACK if place in TURNED else FORWARD for place in range(len(QUERIES))],
    ))  # fmt: skip


def at_random() -> Study:
    """Five systems that order the documents of each query at random."""
    generator, kinds = np.random.default_rng(3), [[kind, copy] for copy in "ab" for kind in "fmn"]
    drawn = {f"system{place}": [generator.permutation(kinds) for _ in QUERIES] for place in range(5)}
    return ran(in_order(**{name: [" ".join(map("".join, order)) for order in of] for name, of in drawn.items()}))


def claimed(measure: str = "CWEx(alpha=0.5)@10") -> Study:
    return sound(claim=Claim(measure, "left", ("right",), "2026-11-01", annotator="ann"))


ANN, BOT = Settings(annotator="ann"), Settings(annotator="bot")
SWAPPED = {"f": "neutral", "m": "male", "n": "female"}
ONE_MEASURE, TWO_MEASURES = (Settings(columns=columns, cutoff=3) for columns in (("CWEx",), ("CWEx", "NFaiRR")))
ABOVE = (TWO_MEASURES.changed(cutoff=1), TWO_MEASURES.changed(cutoff=2))
OTHER_TESTS = "bh(statistic='wilcoxon')"
THREE_SETTINGS = "You looked at 3 settings of 2 measures, with no correction across them."
PERSON, MODEL, RULE = Annotator("ann", "person"), Annotator("bot", "model"), Annotator("bot", "rule")
TOLD, UNTOLD = (
    Annotator("bot", "model", text)
    for text in (
        "GPT-4o, with knowledge of the pair's groups.",
        "Told to give the group of each document, without knowledge of the pair it is of.",
    )
)
MINILM = "classifier (features=tfidf, C=1, model=minilm): logistic regression."

CASES: dict[str, dict[str, Callable[[], Case]]] = {  # by the module of the check; a name begins with one of KINDS
    "agreement": {
        "triggers": lambda: Case(relabelled(ann=LABELS), says="ann alone labelled"),
        "triggers where voters disagree": lambda: Case(
            relabelled(ann=LABELS, bob={"f": "male", "m": "female", "n": "neutral"}),
            says="2 voters agree little (Krippendorff's alpha 0.0"),
        "triggers without common documents": lambda: Case(
            relabelled(ann={"f": "female", "n": "neutral"}, bob={"m": "male"}),
            says="No document has labels of two of the voters"),
        "passes": lambda: Case(sound()),
        "passes with few differences": lambda: Case(relabelled(ann=LABELS, bob=LABELS | {"n": "female"})),
    },
    "annotator_groups": {
        "triggers": lambda: Case(in_teams(SWAPPED), Settings(cutoff=2), "with team south alone."),
        "passes": lambda: Case(in_teams(LABELS), Settings(cutoff=2)),
        "does not apply": lambda: Case(
            sound(documents=None), Settings(cutoff=2), "nnotators.csv has no group of 3 voters or more"),
    },
    "background": {
        "triggers": lambda: Case(sound(), says="the 2 loaded runs returned"),
        "passes": lambda: Case(sound(), Settings(background="collection")),
        "passes where each list is the whole collection": lambda: Case(of_one_query()),
    },
    "chance_band": {
        "triggers": lambda: Case(sound(documents=None), Settings(cutoff=5), "95 of 100 random orders of the same"),
        "passes where every list begins with all documents of one gender": lambda: Case(
            ran(in_order(left="fa fb na nb ma mb", right="fb fa nb na mb ma"), documents=None), Settings(cutoff=3)),
    },
    "choices_decide": {
        "triggers": lambda: Case(
            sound(labels=labelled({"ann": LABELS, "bob": SWAPPED}), documents=None), ANN.changed(cutoff=2),
            "with annotator bob, left has the fairest CWEx in place of right. So 1 of"),
        "passes": lambda: Case(sound(documents=None), Settings(cutoff=2)),
    },
    "detectable": {
        "triggers": lambda: Case(differing_both_ways(), Settings(cutoff=3), "No pair differs significantly in"),
        "passes where every query has the same difference": lambda: Case(sound(), Settings(cutoff=2)),
    },
    "ends": {
        "triggers": lambda: Case(relabelled(ann=dict.fromkeys(LABELS, "female")), says="in 100 % of the lists"),
        "triggers for relevance": lambda: Case(
            sound(qrels=qrels_of(dict.fromkeys(QUERIES, "other"))), says="nDCG is at the end"),
        "passes": lambda: Case(sound(), Settings(cutoff=5)),
    },
    "groups_present": {
        "triggers": lambda: Case(
            relabelled(ann={"m": "male", "n": "neutral"}),
            says="48 labelled documents within the cutoff is female (the protected group)"),
        "triggers for the other group": lambda: Case(
            relabelled(ann={"f": "female", "n": "neutral"}), says="within the cutoff is male: no system"),
        "triggers below the cutoff": lambda: Case(sound(), Settings(cutoff=1), "male: no system"),
        "passes": lambda: Case(sound()),
        "passes without neutral documents": lambda: Case(relabelled(ann={"f": "female", "m": "male"})),
    },
    "label_coverage": {
        "triggers": lambda: Case(with_third(), says="50 % are labelled in third and 100 % in"),
        "passes": lambda: Case(with_third("mb")),
        "passes above the cutoff": lambda: Case(with_third(), Settings(cutoff=1)),
    },
    "labels_of_words": {
        "triggers": lambda: Case(
            read_by(RULE), says="are those that counting gender words gives, in 100 % of the documents"),
        "triggers by the description": lambda: Case(
            read_by(TOLD, of={"bot": LABELS | {"n": "male"}}), says="bot labelled with"),
        "passes": lambda: Case(read_by(RULE, of={"bot": LABELS | {"n": "male"}})),
        "passes with a model that reads": lambda: Case(read_by(UNTOLD)),
        "passes without measures of words": lambda: Case(read_by(RULE, documents=None)),
    },
    "leaves_claim": {
        "triggers": lambda: Case(
            claimed(), ANN.changed(cutoff=5), "2026-11-01: CWEx(alpha=0.5)@5 (declared: CWEx(alpha=0.5)@10). What"),
        "triggers with the error that grows": lambda: Case(
            claimed(), ANN.changed(cutoff=5),
            "one of the 3 settings tried, the claim's among them, would show some star in ",
            (ANN, ANN.changed(cutoff=3))),
        "triggers by annotator": lambda: Case(
            claimed(), Settings(annotator="bob"), "the labels of bob (declared: ann)"),
        "triggers by alpha and policy": lambda: Case(
            claimed(), ANN.changed(alpha=0.2, unlabelled="strict"),
            "CWEx(alpha=0.2)@10 (declared: CWEx(alpha=0.5)@10) and unlabelled set to strict"),
        "triggers by word list": lambda: Case(
            claimed("NFaiRR@10"), ANN.changed(lexicon="female:she;male:he"), "another word list"),
        "passes": lambda: Case(claimed(), ANN),
        "passes where a column writes the measure": lambda: Case(
            claimed(), ANN.changed(cutoff=5, columns=("CWEx(alpha=0.5)@10",))),
        "passes where the measure reads no words": lambda: Case(claimed(), ANN.changed(lexicon="female:she;male:he")),
        "does not apply": lambda: Case(sound(), ANN, "declares no claim"),
    },
    "looked": {
        "triggers": lambda: Case(at_random(), TWO_MEASURES, THREE_SETTINGS, ABOVE),
        "triggers by measures": lambda: Case(at_random(), Settings(cutoff=3), "You looked at 1 setting of "),
        "triggers under other tests": lambda: Case(
            at_random(), TWO_MEASURES.changed(tests=OTHER_TESTS), THREE_SETTINGS,
            tuple(one.changed(tests=OTHER_TESTS) for one in ABOVE)),
        "passes": lambda: Case(at_random(), ONE_MEASURE),
        "passes where the setting was seen before": lambda: Case(at_random(), ONE_MEASURE, looked=(ONE_MEASURE,)),
        "passes where measures are one family": lambda: Case(
            at_random(), TWO_MEASURES.changed(tests="maxT(family='measures')")),
    },
    "machine_labels": {
        "triggers": lambda: Case(
            read_by(Annotator("words", "rule")), says="The labels of words (rule) count, which no people corrected"),
        "triggers beside a person": lambda: Case(read_by(PERSON, MODEL), BOT, "labels of bot (language model) count"),
        "passes": lambda: Case(read_by(PERSON, MODEL), BOT.changed(corrected_by="ann")),
    },
    "model_family": {
        "triggers": lambda: Case(
            renamed("rankgpt", Annotator("rater", "model", "Counts by GPT-4o.")),
            says="rater, whose labels count, and rankgpt are models of one family (GPT)"),
        "triggers by the card of a system": lambda: Case(
            read_by(Annotator("llm-model=qwen3-8b", "model"), cards={"left": "Reranked by Qwen2.5."}), says="(Qwen)"),
        "triggers by the models of the program": lambda: Case(
            renamed("bi_encoder", Annotator("vote+lexicon+classifier", "rule")), says="bi_encoder are models of one"),
        "passes": lambda: Case(renamed("rankgpt", Annotator("rater", "model", "Claude, served like Ollama."))),
        "passes without a model": lambda: Case(
            renamed("bi_encoder", Annotator("classifier-features=tfidf", "rule", MINILM))),
        "passes with another model of the ranker": lambda: Case(
            renamed("bi_encoder-model=e5-base", Annotator("prototypes", "rule"))),
        "passes where people correct": lambda: Case(
            corrected_by_people(), Settings(annotator="rater", corrected_by="ann")),
    },
    "near_ids": {
        "triggers": lambda: Case(
            sound(qrels=qrels_of({query: f"{query}FA {query}NA" for query in QUERIES})),
            says="What does not join counts as missing"),
        "passes": lambda: Case(sound()),
    },
    "own_majority": {
        "triggers": lambda: Case(
            beside_readers(Annotator("final", "person")),
            says="final has the label of the majority of ann, bob, cyd in 100 % of 72 documents"),
        "triggers where it is the labels that count": lambda: Case(
            beside_readers(Annotator("gold")), Settings(annotator="gold"), "Who is compared with it meets his own vote"
        ),
        "triggers by its description in few documents": lambda: Case(
            in_few_documents(), says="in 100 % of 6 documents"),
        "passes": lambda: Case(beside_readers(Annotator("dan", "person"), LABELS | {"f": "neutral"})),
        "passes where all agree": lambda: Case(read_by(*people("ann", "bob", "gold"))),
        "passes where the fourth labels less": lambda: Case(
            beside_readers(Annotator("dan", "person"), {"f": "female", "m": "male"})),
        "passes with a gold of its own": lambda: Case(
            beside_readers(Annotator("gold", "person"), LABELS | {"n": "male"})),
    },
    "queries": {
        "triggers": lambda: Case(fairviz.open_study("football"), says="There is 1 query"),
        "triggers by a filter": lambda: Case(
            sound(queries=sound().queries.assign(topic=["sport"] * 3 + ["news"] * 9)),
            Settings(filter_column="topic", filter_values=("news",)), "There are 9 queries"),
        "triggers by undefined ones": lambda: Case(
            ran({key: order for key, order in LISTS.items() if key[0] == "left" or key[1] not in QUERIES[:3]}),
            says="for 3 of 12 queries in right and for 0 in left"),
        "passes": lambda: Case(sound()),
    },
    "text_coverage": {
        "triggers": lambda: Case(
            with_third(),
            says="50 % have text in third and 100 % in right. Measures of words leave ranks without text out, so"),
        "triggers as neutral": lambda: Case(
            with_third(), Settings(unlabelled="neutral"), "count ranks without text as neutral"),
        "triggers in strict lists": lambda: Case(
            with_third(), Settings(unlabelled="strict"), "have no value for lists with a rank without text"),
        "triggers where texts are empty": lambda: Case(  # they are neutral whatever the policy is
            third_with_empty_texts(),
            Settings(unlabelled="strict"),
            "Measures of words count empty texts as neutral, so",
        ),
        "passes": lambda: Case(sound()),
        "passes above the cutoff": lambda: Case(with_third(), Settings(cutoff=1)),
        "passes where all lack as many": lambda: Case(without_texts_of_the_last()),
    },
    "tied": {
        "triggers": lambda: Case(
            sound(runs=sound().runs.assign(score=1.0)), Settings(cutoff=3), "could lead in place of"),
        "passes": lambda: Case(sound(), Settings(cutoff=3)),
    },
    "word_list": {
        "triggers": lambda: Case(sound(), Settings(lexicon="female:frau|male:mann"), "No word of the list"),
        "triggers by few": lambda: Case(with_texts("She left."), says="1 of 72 documents has a word"),
        "triggers by entries that never match": lambda: Case(
            sound(), Settings(lexicon="female:she|*a|male:he"), "1 of 3 entries can never match"),
        "passes": lambda: Case(sound()),
    },
}  # fmt: skip
