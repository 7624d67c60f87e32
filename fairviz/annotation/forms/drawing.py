"""The content of a form: the guideline (a paraphrase of the CWEx paper's appendix, or a file), and the random draw of
documents and test questions for its batches."""

import html
import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.declared import FORM
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.files import read_file
from fairviz.parameters import check_parameters
from fairviz.words.sentences import agreeing, counted, first_listed

if TYPE_CHECKING:
    from fairviz.study.record import Study

MOST_BYTES = 200_000  # of its file
MOST = 20_000  # characters of a guideline
TEXT = Path(__file__).with_name("guideline.txt")
FILE = "GUIDELINE.md"  # of a study
EXAMPLES = Path(__file__).with_name("examples.txt")
TESTS = """
# Test questions
Some of the documents have a known answer. The answers of people who miss more than one in five of them are left out.
"""
BINARY = ("female", "male")
FEWEST_REPEATED = 4  # documents of a batch that can show one twice, apart
_STRONG = re.compile(r"\*\*(.+?)\*\*|`(.+?)`")


def guideline(study: "Study", *, tests: bool = True) -> str:
    """Return the guideline for the groups of this study. Lines that begin with `# ` are headings, with `- ` items.

    Examples are included where the groups are female and male. tests: whether it mentions test questions.
    """
    expect("tests", tests, bool, "Use True or False.")
    choices = (study.neutral, *study.groups)
    definitions = [
        f"- {study.neutral}: no gender is mentioned, or all of them about equally.",
        *(
            f"- {group}: the text has words for {group} persons, and refers to such persons explicitly."
            for group in study.groups
        ),
    ]
    groups = {group.lower(): group for group in study.groups}
    example_parts = {"neutral": study.neutral, **{name: groups[name] for name in BINARY if name in groups}}
    examples = fill(EXAMPLES, example_parts) if set(groups) == set(BINARY) else ""
    parts = {
        "count": str(len(choices)),
        "answers": ", ".join(choices),
        "definitions": "\n".join(definitions),
        "neutral": study.neutral,
        "examples": examples,
        "tests": TESTS if tests else "",
    }
    return fill(TEXT, parts)


def study_guideline(study: "Study") -> str:
    """Return the text of GUIDELINE.md in the study's folder, else `guideline` without test questions; empty for labels
    that are not genders. Raises FairvizError where the file cannot be read."""
    path = study.folder / FILE if study.folder is not None else None
    if path is not None and path.exists():
        return read_guideline(path)
    return guideline(study, tests=False) if study.label_kind == "gender" else ""


def read_guideline(path: str | Path) -> str:
    """Return the text of a file as a guideline, word for word. Raises FairvizError where it cannot be read."""
    path = Path(path)
    try:
        text = read_file(path, MOST_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise FairvizError(f"the guideline {path} cannot be read ({error.strerror or error})",
                           "Name a text file.") from error  # fmt: skip
    except UnicodeDecodeError as error:
        raise FairvizError(f"the guideline {path} is not UTF-8 text", "Save it as UTF-8.") from error
    if not text.strip():
        raise FairvizError(f"the guideline {path} is empty", "Write the instructions for annotators into it.")
    if len(text) > MOST:
        raise FairvizError(f"the guideline {path} has {len(text):,} characters, more than {MOST:,}",
                           "Shorten it.")  # fmt: skip
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def guideline_html(text: str) -> str:
    """Return a guideline as escaped HTML: lines that begin with `# ` or more of these signs as headings, with `- ` as
    items of a list, others as paragraphs; words between two asterisks or backticks in bold."""
    parts: list[str] = []
    listed = False
    for line in (line.strip() for line in text.splitlines()):
        item, heading = line.startswith("- "), re.match("#+ ", line)
        if item != listed:
            parts.append("<ul>" if item else "</ul>")
            listed = item
        if item:
            parts.append(f"<li>{_with_bold(line[2:])}</li>")
        elif heading:
            parts.append(f"<h4>{_with_bold(line[heading.end() :])}</h4>")
        elif line:
            parts.append(f"<p>{_with_bold(line)}</p>")
    if listed:
        parts.append("</ul>")
    return f'<div class="fv-guideline" dir="auto">{"".join(parts)}</div>'


def _with_bold(text: str) -> str:
    return _STRONG.sub(r"<b>\1\2</b>", html.escape(text))


def fill(template: Path, parts: dict[str, str]) -> str:
    """Return the template with each {name} replaced by its part; braces within a part stay."""
    first, *rest = template.read_text(encoding="utf-8").split("{")
    pieces = [first]
    for text in rest:
        name, _, after = text.partition("}")
        pieces += [parts[name], after]
    return "".join(pieces)


@dataclass(frozen=True)
class SamplePlan:
    """The plan of a form. documents: the number to label. per_document: people for each. test_every: one question in
    this number has a known answer, 0 for none. batch_size: most documents of a link, without test questions. repeat:
    the share of a link's documents that are asked a second time, late. top: only documents up to this rank of a system,
    0 for all. reference: the annotator with the right answers, by default the counted one. suggested_by: the annotator
    whose labels people are shown. voters: as in `Settings.voters`, of a consensus; documents on which they differ are
    the last to become test questions. Equal seeds draw equal documents.
    """

    documents: int = FORM["documents"].default
    per_document: int = FORM["per_document"].default
    test_every: int = FORM["test_every"].default
    batch_size: int = FORM["batch_size"].default
    seed: int = FORM["seed"].default
    repeat: float = FORM["repeat"].default
    top: int = FORM["top"].default
    reference: str = ""
    suggested_by: str = ""
    voters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """batches: for each batch and each of its people, the documents in the order of the questions; one that is asked
    twice stands there twice. tests: the right
    answers of the test questions among them."""

    batches: tuple[tuple[tuple[str, ...], ...], ...]
    tests: Mapping[str, str]

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """Every document, test questions among them."""
        return tuple(dict.fromkeys(name for batch in self.batches for name in batch[0]))


def draw(study: "Study", plan: SamplePlan, given_out: Collection[str] = (), sampled: Collection[str] = ()) -> Drawing:
    """Draw documents with text, evenly over queries, and test questions.

    given_out: documents of earlier forms, which are not drawn again. sampled: the documents, where a sample for
    correction was drawn; none becomes a test question, and the plan's number and rank do not count. Every person of a
    batch gets the same documents in an order of her own, so that effects of fatigue and order spread over them. Raises
    UsageError for an invalid plan, FairvizError where the study has too few documents, or too few with a known label.
    """
    plan = replace(plan, documents=len(sampled), top=0) if sampled else plan
    check(study, plan)
    generator = random.Random(plan.seed)
    texts = _with_text(study, sampled)
    others = [name for name in texts if name not in set(sampled)] if sampled else texts
    tests = _tests(study, plan, others, set(given_out), generator) if plan.test_every else []
    known = [name for name, _ in tests]
    if len(texts) < plan.documents:
        raise _too_few_documents(study, plan, f"{counted(len(texts), 'document')} with text", texts, known, given_out)
    needed, most = _tests_of(plan)
    if len(tests) < most:
        raise _too_few_known(study, len(tests), most)
    answers = dict(tests[:needed])
    candidates = [name for name in texts if name not in answers and name not in given_out]
    documents = generator.sample([*sampled], len(sampled)) or _documents(study, plan, candidates, generator)
    if len(documents) < plan.documents:
        top_text = f" among the first {plan.top:,} of a system" if plan.top else ""
        given_out_text = f", {len(given_out):,} that earlier forms gave out not counted" if given_out else ""
        found = f"{counted(len(documents), 'document')} with text{top_text} beside the test questions{given_out_text}"
        raise _too_few_documents(study, plan, found, texts, known, given_out)
    return Drawing(
        tuple(_batches(documents[: plan.documents], batch_sizes(plan), [*answers], plan, generator)), answers
    )


def check(study: "Study", plan: SamplePlan) -> None:
    """Raise UsageError for an invalid plan, FairvizError for a study whose labels are not genders."""
    check_parameters(plan, FORM)
    if plan.test_every == 1:
        raise UsageError("test_every is 1: every question would be a test question", "Use 2 or more, or 0 for none.")
    if plan.repeat and min(batch_sizes(plan)) < FEWEST_REPEATED:
        raise UsageError(
            f"a batch of fewer than {FEWEST_REPEATED} documents cannot show one again late",
            "Use more documents, a larger batch_size, or repeat 0.",
        )
    if study.label_kind != "gender":
        raise FairvizError(f"the labels of {study.name} are not genders, and forms collect genders",
                           "Open another study.")  # fmt: skip
    if plan.top and not study.has("runs"):
        raise UsageError(f"{study.name} has no runs, so no document has a rank", "Leave out --top.")


def _with_text(study: "Study", sampled: Collection[str]) -> list[str]:
    """Return the documents with text, in the study's order. Raises FairvizError without any, and for a drawn document
    without text."""
    has_text = study.documents["text"].fillna("").str.strip() != ""
    texts = study.documents.loc[has_text, "doc_id"].tolist()
    if not texts:
        raise FairvizError(f"no document of {study.name} has text to label", "Add documents.tsv with doc_id and text.")
    if lacking := set(sampled).difference(texts):
        raise FairvizError(
            f"{counted(len(lacking), 'drawn document')} of {study.name} {agreeing(len(lacking), 'has', 'have')} no "
            f"text to label: {first_listed(sorted(lacking), 3)}",
            "Add the text to documents.tsv: a sample without these documents would correct nothing.",
        )
    return texts


def count_of_tests(documents: int, test_every: int) -> int:
    """Return the number of test questions in a batch with this number of documents, one question in `test_every`; at
    least one, 0 for `test_every` 0."""
    return max(1, round(documents / (test_every - 1))) if test_every else 0


def count_of_repeats(documents: int, repeat: float) -> int:
    """Return the number of documents of a batch that are asked twice: at least one, 0 for `repeat` 0."""
    return max(1, round(documents * repeat)) if repeat else 0


def known_labels(study: "Study", reference: str = "", voters: Sequence[str] = ()) -> dict[str, str]:
    """Return the known labels by document: adjudicated, or else by the reference, or the voters' consensus. The default
    reference is the counted annotator, unless its labels are by machines. Raises FairvizError for an unknown name."""
    from fairviz.annotation.voters import labels_of

    tables = [labels_of(study, name, voters) for name in whose_are_right(study, reference, voters)]
    return {doc_id: label for table in tables for doc_id, label in zip(table["doc_id"], table["label"], strict=True)}


def whose_are_right(study: "Study", reference: str = "", voters: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the annotators whose labels are right answers; later ones override earlier ones. Raises FairvizError for
    an unknown name."""
    from fairviz.annotation.adjudications import ADJUDICATED
    from fairviz.annotation.voters import annotator_names, counted_annotator, is_machine, members_of

    name = counted_annotator(study, reference)
    is_by_machines = all(is_machine(study, voter) for voter in members_of(study, name, voters))
    trusted = [name] if name and (reference or not is_by_machines) else []
    return tuple(dict.fromkeys([*trusted, *([ADJUDICATED] if ADJUDICATED in annotator_names(study) else [])]))


def _tests(
    study: "Study", plan: SamplePlan, texts: Sequence[str], given_out: set[str], generator: random.Random
) -> list[tuple[str, str]]:
    """Return documents with their known labels, in the order in which they become test questions: of each label in
    turn, so that a constant answer fails; first those on which the voters agree, last those given out."""
    from fairviz.annotation.voters import votes_of

    labels_by_document = known_labels(study, plan.reference, plan.voters)
    names = [name for name in texts if name in labels_by_document]
    generator.shuffle(names)
    divided = set(votes_of(study, plan.voters).disputed)
    names.sort(key=lambda name: (name in given_out, name in divided))
    names_by_label = [
        [name for name in names if labels_by_document[name] == label] for label in (study.neutral, *study.groups)
    ]
    return [(name, labels_by_document[name]) for name in _in_turn(names_by_label)]


def _documents(study: "Study", plan: SamplePlan, names: list[str], generator: random.Random) -> list[str]:
    """Return the documents in the order of the draw: one of each query in turn, then those without a query."""
    query_by_document = _queries(study, plan.top)
    names = list(names)
    generator.shuffle(names)
    names_by_query: dict[str, list[str]] = {}
    for name in names:
        if name in query_by_document:
            names_by_query.setdefault(query_by_document[name], []).append(name)
    rest = [name for name in names if name not in query_by_document]
    return [*_in_turn(names_by_query.values()), *([] if plan.top else rest)]


def _queries(study: "Study", top: int) -> dict[str, str]:
    """Return each document's query: the first, in the study's order, for which it is ranked, or else judged."""
    table = study.runs if study.has("runs") else study.qrels
    table = table[table["rank"] <= top] if top else table
    pairs = table[["doc_id", "query_id"]].drop_duplicates("doc_id").astype("str")
    return dict(zip(pairs["doc_id"], pairs["query_id"], strict=True))


def _in_turn(lists: Iterable[Sequence[str]]) -> list[str]:
    """Return the first element of each list, then the second of each, and so on."""
    return [name for row in zip_longest(*lists) for name in row if name is not None]


def batch_sizes(plan: SamplePlan) -> list[int]:
    """Return the number of documents of each batch: the fewest batches, of nearly equal size."""
    count = -(-plan.documents // plan.batch_size)
    return [(plan.documents + place) // count for place in range(count)]


def _batches(
    documents: Sequence[str], sizes: Sequence[int], tests: Sequence[str], plan: SamplePlan, generator: random.Random
) -> Iterable[tuple[tuple[str, ...], ...]]:
    """Yield the batches of these sizes; test questions are dealt in turn, and repeated where there are fewer than all
    batches need."""
    start = first_test = 0
    for size in sizes:
        batch = documents[start : start + size]
        count = count_of_tests(size, plan.test_every)
        batch_tests = [tests[(first_test + place) % len(tests)] for place in range(count)]
        orders = (_order(batch, batch_tests, generator) for _ in range(plan.per_document))
        yield tuple(_with_repeats(order, tests, count_of_repeats(size, plan.repeat), generator) for order in orders)
        start, first_test = start + size, first_test + count


def _order(documents: Sequence[str], tests: Sequence[str], generator: random.Random) -> tuple[str, ...]:
    """Return the documents shuffled, with one test question at a random place of each stretch of them."""
    names, shuffled_tests = list(documents), list(tests)
    generator.shuffle(names)
    generator.shuffle(shuffled_tests)
    if not shuffled_tests:
        return tuple(names)
    ends = [len(names) * place // len(shuffled_tests) for place in range(len(shuffled_tests) + 1)]
    order: list[str] = []
    for test, start, end in zip(shuffled_tests, ends, ends[1:], strict=False):
        stretch = names[start:end]
        stretch.insert(generator.randint(0, len(stretch)), test)
        order += stretch
    return tuple(order)


def _with_repeats(order: Sequence[str], tests: Sequence[str], count: int, generator: random.Random) -> tuple[str, ...]:
    """Return the order with this number of documents a second time: of its first half, at random places of its last
    quarter, so that a quarter of the questions lies between."""
    if not count:
        return tuple(order)
    early = [name for name in order[: len(order) // 2] if name not in tests]
    late_start = -(-3 * len(order) // 4)
    late = list(order[late_start:])
    for name in generator.sample(early, count):
        late.insert(generator.randint(0, len(late)), name)
    return (*order[:late_start], *late)


def _too_few_known(study: "Study", count: int, needed: int) -> FairvizError:
    """Return the error of a batch that needs more test questions than there are documents with a known label."""
    if not count:
        return FairvizError(
            f"{study.name} has no document with text whose label is known, so it can have no test questions",
            "Decide some in the label room (page Read), name whose labels are right with --reference NAME, or go "
            "without test questions: --test-every 0",
        )
    return FairvizError(
        f"{study.name} has {count:,} documents with text whose label is known, and a batch needs {needed:,} "
        "test questions",
        "Ask fewer with a larger --test-every, give smaller batches with --batch-size, or go without: --test-every 0",
    )


def _too_few_documents(
    study: "Study", plan: SamplePlan, found: str, texts: Sequence[str], tests: Sequence[str], given_out: Collection[str]
) -> FairvizError:
    """Return the error of a plan with more documents than there are, with a possible number. texts: documents with
    text. tests: those with a known label, in the order in which they become test questions."""
    query_by_document = _queries(study, plan.top) if plan.top else {}
    reachable = {name for name in texts if name not in given_out and (not plan.top or name in query_by_document)}

    def most(plan: SamplePlan, tests: Sequence[str]) -> int:
        """Return the largest possible number of documents below the plan's; 0 for none."""
        reachable_tests = [0, *accumulate(int(name in reachable) for name in tests)]  # among the first n tests
        for documents in range(min(plan.documents, len(reachable)), 0, -1):
            needed, most_tests = _tests_of(replace(plan, documents=documents))
            if len(tests) >= most_tests and len(reachable) - reachable_tests[min(needed, len(tests))] >= documents:
                return documents
        return 0

    remedy = "Add documents, or close an earlier form."
    if number := most(plan, tests):
        remedy = f"Ask for fewer: --documents {number}"
    elif plan.test_every and (number := most(replace(plan, test_every=0), ())):
        remedy = f"Ask for fewer, without test questions: --documents {number} --test-every 0"
    return FairvizError(f"{study.name} has {found}; {plan.documents:,} were requested", remedy)


def _tests_of(plan: SamplePlan) -> tuple[int, int]:
    """Return the number of test questions of all batches, and of the largest."""
    count = -(-plan.documents // plan.batch_size)
    smaller_size, larger_count = divmod(plan.documents, count)
    fewer_tests, more_tests = (count_of_tests(size, plan.test_every) for size in (smaller_size, smaller_size + 1))
    return (count - larger_count) * fewer_tests + larger_count * more_tests, more_tests if larger_count else fewer_tests
