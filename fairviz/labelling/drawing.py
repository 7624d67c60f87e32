"""Which documents people are asked about, in which batches, and which test questions lie hidden among them."""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError, UsageError

if TYPE_CHECKING:
    from fairviz.study.study import Study


@dataclass(frozen=True)
class Plan:
    """What is asked of whom. documents: how many are to be labelled. per_document: people for each. test_every: one
    question in so many has a known answer, 0 for none. batch_size: documents of a link at most, test questions not
    counted. top: only documents that a system has among its first so many, 0 for all. reference: whose labels are
    right, those that count in the study unless named. The same seed draws the same."""

    documents: int = 100
    per_document: int = 3
    test_every: int = 10
    batch_size: int = 100
    seed: int = 0
    top: int = 0
    reference: str = ""


@dataclass(frozen=True)
class Drawing:
    """batches: for each batch and each of its people, the documents in the order in which they are asked. tests: the
    right answer of those that are test questions."""

    batches: tuple[tuple[tuple[str, ...], ...], ...]
    tests: Mapping[str, str]

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Every document, test questions among them."""
        return tuple(dict.fromkeys(name for batch in self.batches for name in batch[0]))


def draw(study: "Study", plan: Plan, given_out: Collection[str] = ()) -> Drawing:
    """Draws documents that have text, as many from each query as from any other, and test questions beside them.

    given_out: documents of earlier forms, which are not drawn again. Every person of a batch is asked about the same
    documents, in an order of her own, so that tiredness and order do not lie on the same ones. Raises UsageError for a
    plan that cannot be, FairvizError where the study has too few documents, or too few whose label is known.
    """
    check(study, plan)
    chance = random.Random(plan.seed)
    texts = with_text(study)
    tests = _tests(study, plan, texts, set(given_out), chance) if plan.test_every else []
    few = _Few(study, plan, texts, [name for name, _ in tests], given_out)
    if len(texts) < plan.documents:
        raise few.texts()
    needed, most = _tests_of(plan)
    if len(tests) < most:
        raise _too_few_known(study, plan, len(tests), most)
    known = dict(tests[:needed])
    open_to_draw = [name for name in texts if name not in known and name not in given_out]
    documents = _documents(study, plan, open_to_draw, chance)
    if len(documents) < plan.documents:
        raise few.documents(len(documents))
    return Drawing(tuple(_batches(documents[: plan.documents], _sizes(plan), [*known], plan, chance)), known)


def check(study: "Study", plan: Plan) -> None:
    """Raises UsageError for a plan that cannot be, FairvizError for a study whose labels are no genders."""
    least = {"documents": 1, "per_document": 1, "test_every": 0, "batch_size": 1, "top": 0}
    for name, bound in least.items():
        if getattr(plan, name) < bound:
            raise UsageError(f"{name} is {getattr(plan, name)}", f"Use a whole number of {bound} or more.")
    if plan.test_every == 1:
        raise UsageError("test_every is 1: every question would be a test question", "Use 2 or more, or 0 for none.")
    if study.label_kind != "gender":
        raise FairvizError(f"the labels of {study.name} are not genders, and forms ask for genders",
                           "Open another study.")  # fmt: skip
    if plan.top and not study.has("runs"):
        raise UsageError(f"{study.name} has no runs, so no document has a rank", "Leave out --top.")


def with_text(study: "Study") -> list[str]:
    """The documents that have text, in the study's order. Raises FairvizError where none has."""
    known = study.documents["text"].fillna("").str.strip() != ""
    names = study.documents.loc[known, "doc_id"].tolist()
    if not names:
        raise FairvizError(f"no document of {study.name} has text to label", "Add documents.tsv with doc_id and text.")
    return names


def count_of_tests(documents: int, test_every: int) -> int:
    """How many test questions make one question in `test_every` of a batch with so many documents; at least one."""
    return max(1, round(documents / (test_every - 1))) if test_every else 0


def known_labels(study: "Study", reference: str = "") -> dict[str, str]:
    """The documents whose label is known, with it: decided in the label room, or else labelled by the reference, which
    is whose labels count in the study if people had a hand in them. Raises FairvizError for an unknown name."""
    from fairviz.annotation.counted import labels_of

    tables = [labels_of(study, name) for name in whose_are_right(study, reference)]
    return {doc_id: label for table in tables for doc_id, label in zip(table["doc_id"], table["label"], strict=True)}


def whose_are_right(study: "Study", reference: str = "") -> tuple[str, ...]:
    """Whose labels are right answers, those that go before the others last. Raises FairvizError for an unknown
    name."""
    from fairviz.annotation.adjudications import ADJUDICATED
    from fairviz.annotation.counted import counted_annotator, is_consensus
    from fairviz.annotation.electorate import annotator_names, by_hand

    name = counted_annotator(study, reference)
    names = annotator_names(study)
    people = any(by_hand(study, one) for one in names) if is_consensus(study, name) else name and by_hand(study, name)
    trusted = [name] if name and (reference or people) else []
    return tuple(dict.fromkeys([*trusted, *([ADJUDICATED] if ADJUDICATED in names else [])]))


def _tests(
    study: "Study", plan: Plan, texts: Sequence[str], given_out: set[str], chance: random.Random
) -> list[tuple[str, str]]:
    """Documents whose label is known, in the order in which they become test questions: of each label in turn, so that
    nobody passes who says the same of all; first those on which no person says otherwise, last those given out."""
    known = known_labels(study, plan.reference)
    names = [name for name in texts if name in known]
    chance.shuffle(names)
    divided = _divided(study)
    names.sort(key=lambda name: (name in given_out, name in divided))
    of_label = [[name for name in names if known[name] == label] for label in (study.neutral, *study.groups)]
    return [(name, known[name]) for name in _in_turn(of_label)]


def _divided(study: "Study") -> set[str]:
    """The documents of which people say different things: no good test of anybody."""
    from fairviz.annotation.electorate import annotator_names, by_hand

    people = [name for name in annotator_names(study) if by_hand(study, name)]
    labels = study.labels[study.labels["annotator"].isin(people)]
    said = labels.groupby("doc_id", sort=False)["label"].nunique()
    return set(said.index[said > 1])


def _documents(study: "Study", plan: Plan, names: list[str], chance: random.Random) -> list[str]:
    """The documents in the order in which they are drawn: one of each query in turn, then those of no query."""
    query_of = _queries(study, plan.top)
    names = list(names)
    chance.shuffle(names)
    of_query: dict[str, list[str]] = {}
    for name in names:
        if name in query_of:
            of_query.setdefault(query_of[name], []).append(name)
    rest = [name for name in names if name not in query_of]
    return [*_in_turn(of_query.values()), *([] if plan.top else rest)]


def _queries(study: "Study", top: int) -> dict[str, str]:
    """The query for which each document is ranked first in the study's order, or else judged."""
    table = study.runs if study.has("runs") else study.qrels
    table = table[table["rank"] <= top] if top else table
    pairs = table[["doc_id", "query_id"]].drop_duplicates("doc_id").astype("str")
    return dict(zip(pairs["doc_id"], pairs["query_id"], strict=True))


def _in_turn(lists: Iterable[Sequence[str]]) -> list[str]:
    """The first of each list, then the second of each, and so on."""
    return [name for row in zip_longest(*lists) for name in row if name is not None]


def _sizes(plan: Plan) -> list[int]:
    """Documents of each batch: as few batches as may be, as equal as may be."""
    count = -(-plan.documents // plan.batch_size)
    return [(plan.documents + place) // count for place in range(count)]


def _batches(
    documents: Sequence[str], sizes: Sequence[int], tests: Sequence[str], plan: Plan, chance: random.Random
) -> Iterable[tuple[tuple[str, ...], ...]]:
    """The batches; test questions are dealt out in turn, and again where there are fewer than all batches need."""
    at = dealt = 0
    for size in sizes:
        own = documents[at : at + size]
        count = count_of_tests(size, plan.test_every)
        hidden = [tests[(dealt + place) % len(tests)] for place in range(count)]
        yield tuple(_order(own, hidden, chance) for _ in range(plan.per_document))
        at, dealt = at + size, dealt + count


def _order(documents: Sequence[str], tests: Sequence[str], chance: random.Random) -> tuple[str, ...]:
    """The documents shuffled, and one test question at a random place of each stretch of them."""
    own, hidden = list(documents), list(tests)
    chance.shuffle(own)
    chance.shuffle(hidden)
    if not hidden:
        return tuple(own)
    ends = [len(own) * place // len(hidden) for place in range(len(hidden) + 1)]
    order: list[str] = []
    for test, start, end in zip(hidden, ends, ends[1:], strict=False):
        stretch = own[start:end]
        stretch.insert(chance.randint(0, len(stretch)), test)
        order += stretch
    return tuple(order)


def _too_few_known(study: "Study", plan: Plan, known: int, needed: int) -> FairvizError:
    if not known:
        return FairvizError(
            f"{study.name} has no document with text whose label is known, so it can have no test questions",
            "Decide some in the label room (page Inspect), name whose labels are right with --reference NAME, or go "
            "without test questions: --test-every 0",
        )
    return FairvizError(
        f"{study.name} has {known:,} documents with text whose label is known, and a batch needs {needed:,} test "
        "questions",
        "Ask fewer with a larger --test-every, give smaller batches with --batch-size, or go without: --test-every 0",
    )


@dataclass(frozen=True)
class _Few:
    """Why a plan asks for more documents than there are, and what could be asked for. tests: documents whose label is
    known, in the order in which they become test questions."""

    study: "Study"
    plan: Plan
    with_text: Sequence[str]
    tests: Sequence[str]
    given_out: Collection[str]

    def texts(self) -> FairvizError:
        held = len(self.with_text)
        return FairvizError(
            f"{self.study.name} has {held:,} {'document' if held == 1 else 'documents'} with text; "
            f"{self.plan.documents:,} were asked for",
            self._remedy(),
        )

    def documents(self, found: int) -> FairvizError:
        among = f" among the first {self.plan.top:,} of a system" if self.plan.top else ""
        out = f", {len(self.given_out):,} that earlier forms gave out not counted" if self.given_out else ""
        return FairvizError(
            f"{self.study.name} has {found:,} {'document' if found == 1 else 'documents'} with text{among} beside the "
            f"test questions{out}; {self.plan.documents:,} were asked for",
            self._remedy(),
        )

    def _remedy(self) -> str:
        if most := self._most(self.plan, self.tests):
            return f"Ask for fewer: --documents {most}"
        if self.plan.test_every and (most := self._most(replace(self.plan, test_every=0), ())):
            return f"Ask for fewer, without test questions: --documents {most} --test-every 0"
        return "Add documents, or close an earlier form."

    def _most(self, plan: Plan, tests: Sequence[str]) -> int:
        """The most documents of which such a form can be made, fewer than the plan's; 0 for none."""
        query_of = _queries(self.study, plan.top) if plan.top else {}
        reach = {name for name in self.with_text if name not in self.given_out and (not plan.top or name in query_of)}
        hidden = [0, *accumulate(int(name in reach) for name in tests)]  # of the first so many test questions
        for documents in range(min(plan.documents, len(reach)), 0, -1):
            needed, most = _tests_of(replace(plan, documents=documents))
            if len(tests) >= most and len(reach) - hidden[min(needed, len(tests))] >= documents:
                return documents
        return 0


def _tests_of(plan: Plan) -> tuple[int, int]:
    """How many test questions all batches ask, and the most that one asks."""
    count = -(-plan.documents // plan.batch_size)
    small, larger = divmod(plan.documents, count)
    few, more = (count_of_tests(size, plan.test_every) for size in (small, small + 1))
    return (count - larger) * few + larger * more, more if larger else few
