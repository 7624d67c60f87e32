"""The ranker `llm_listwise`: a language model that orders passages (RankGPT, Sun et al. 2023) of the top of a run."""

from fairviz.models.language_model import chosen_model
from fairviz.parameters import Parameter
from fairviz.rankers.candidates import texts_of_top
from fairviz.rankers.lexical import BM25
from fairviz.rankers.listwise_prompt import NEUTRAL, PROMPTS, prompt
from fairviz.rankers.permutations import EXACT, REPAIRED
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker, list_scores
from fairviz.rankers.sorting import Listing, Sorted, SortingTask, sort_lists
from fairviz.rankers.windows import STEP, WINDOW, Sliding, cut_windows

NAME = "llm_listwise"
_MOST = 10_000.0


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    sliding = Sliding(int(parameters["window"]), int(parameters["step"]))
    template = prompt(parameters["template"], parameters["attribute"], int(parameters["words"]))
    model = chosen_model(parameters["model"], parameters["url"])
    query_texts, top = texts_of_top(collection, NAME, parameters["run"], int(parameters["n"]))
    lists = [Listing(query, query_texts[query], tuple(names)) for query, names in top.items()]
    note = cut_windows(sliding, [len(listing.documents) for listing in lists if listing.documents])
    if note:
        collection.say(f"{NAME}: {note}")
    task = SortingTask(model, lists, collection.texts.by_name, template, sliding)
    result = sort_lists(task, collection.encoding)
    collection.say(f"{NAME}: {summarise_answers(result)}")
    return list_scores(
        {query: dict(zip(order, range(len(order), 0, -1), strict=True)) for query, order in result.orders.items()}
    )


def summarise_answers(result: Sorted) -> str:
    """Return one sentence on the outcomes of the answers."""
    answers = [window.answer for window in result.windows]
    counts = {name: sum(answer.outcome == name for answer in answers) for name in (EXACT, REPAIRED)}
    unread = sum(not answer.read for answer in answers)
    unchanged = sum(answer.identity for answer in answers)
    return (
        f"of {len(answers):,} answers {counts[EXACT]:,} are complete orders, {counts[REPAIRED]:,} were repaired and "
        f"{unread:,} name no order: these leave the passages as they were. {unchanged:,} repeat the order shown."
    )


LLM_LISTWISE = Ranker(
    name=NAME,
    summary="a language model that orders the top n of another run, window by window from the end of the list "
    "(RankGPT); every answer is kept",
    prepare=_prepare,
    parameters=(
        Parameter(
            "model",
            "",
            help="as its server calls it (gpt-4o), smollm2 (installed with the extra llm), or the path of a .gguf file",
            required=True,
        ),
        Parameter("url", "", help="the server's address, or openai (empty: FAIRVIZ_BASE_URL)", named=False),
        Parameter("run", BM25.name, help="the run whose top it reorders; bm25 is made where there is none"),
        Parameter("n", 100.0, "how many documents of each list it is shown", 1.0, _MOST, whole=True),
        Parameter("window", WINDOW, "how many passages it is shown at a time", 2.0, _MOST, whole=True),
        Parameter("step", STEP, "how far the window moves up", 1.0, _MOST, whole=True),
        Parameter("template", NEUTRAL, help=f"{', '.join(PROMPTS)}, or the path of a text file"),
        Parameter("attribute", "", help="whom a sensitive template names, such as 'female'"),
        Parameter("words", 100.0, "how many words of each passage it is shown", 1.0, _MOST, whole=True),
    ),
    needs=("queries", "documents", "runs"),
    nothing="have no document with text in that run",
)
