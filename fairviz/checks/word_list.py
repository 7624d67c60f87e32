"""FV101: whether the gender words occur in the texts at all."""

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.evaluation.choices import FEW
from fairviz.words.sentences import agreeing, first_listed, out_of

NAMED = 4  # entries that are named one by one


def _run(context: Context) -> Finding | None:
    name, use = context.lexicon.name, context.word_use
    found, total = context.word_hits
    is_rare = total > 0 and found < FEW * total
    sentences, remedies = [], []
    if is_rare:
        documents = f"{out_of(found, total, 'document')} {agreeing(found, 'has', 'have')} a word of the list {name!r}"
        if not found:
            documents = f"No word of the list {name!r} occurs in any of {total:,} documents"
        sentences.append(f"{documents}: to measures of words, the others are neutral, and every list looks fair.")
        remedies.append("Use a list in the language and spelling of the documents, or measures of labels.")
    if use.lost:
        entries = out_of(len(use.lost), use.entries, "entry", "entries")
        sentences.append(
            f"{entries} can never match with the tokenizer {use.tokenizer}: {first_listed(use.lost, NAMED)}."
        )
        remedies.append("Choose another tokenizer, or write these entries as it cuts the texts.")
    if not sentences:
        return None
    numbers = {"entries": use.entries, "entries that never match": len(use.lost)}
    if is_rare:
        numbers |= {"documents with a word": found, "documents": total}
    measures = tuple(one.name for one in context.questions if one.family == "words")
    return Finding(" ".join(sentences), numbers, " ".join(remedies), Link("words"), measures)


WORD_LIST = Check(
    "FV101",
    "little of the word list occurs in the texts",
    "Do the gender words occur in the texts?",
    ("texts",),
    "issue",
    _run,
    means="A document without a word of the list is neutral to NFaiRR, TExFAIR, RaB and the other measures of words. "
    "Where fewer than 5 % of the documents have one, lists of any order are nearly neutral, and values near 1 are no "
    "sign of fairness. An entry that the tokenizer never yields, such as one with a hyphen under white space, adds "
    "nothing to any count.",
    harmless="The documents are about things and not about people, and only measures of labels are reported; or the "
    "entries that never match are spelling variants of others that do.",
    advice="Compare the list's language and spelling with the documents on the page Words, which counts the entries "
    "that match nothing. Add lexicon.csv, choose the tokenizer that the list was made for, or report measures of "
    "labels.",
)
