"""Gender words of 200,000 passages: Arrow's kernels against a Python loop over tokens."""

import time
from collections.abc import Callable
from typing import Any

from benchmarks.synthetic import made_up
from fairviz.words.counting import GSR_LEXICON, count_groups
from fairviz.words.tokenizers import TOKENIZERS


def looped(texts: list[str], tokenizer: str) -> list[tuple[int, int, int]]:
    """Counts of female and male words and tokens, a text at a time."""
    group, split = dict(GSR_LEXICON.words), TOKENIZERS[tokenizer].words
    found = []
    for text in texts:
        female = male = 0
        words = split(text)
        for word in words:
            of = group.get(word)
            if of == "female":
                female += 1
            elif of == "male":
                male += 1
        found.append((female, male, len(words)))
    return found


def quickest(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of the quickest of three runs, and what it gave."""
    times = []
    for _ in range(3):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result


def run(documents: int = 200_000) -> list[str]:
    """One line a tokenizer."""
    texts = made_up(1, 1, 10, documents).documents["text"]
    passages = (texts + ". " + texts + ". " + texts).tolist()  # about as long as an MS MARCO passage
    lines = [f"gender words of {documents:,} passages of {len(passages[0].split())} words"]
    count_groups(passages[:1000], GSR_LEXICON)  # imports what it needs
    for tokenizer in TOKENIZERS:
        kernels, fast = quickest(lambda name=tokenizer: count_groups(passages, GSR_LEXICON, name))
        loop, slow = quickest(lambda name=tokenizer: looped(passages, name))
        same = [tuple(row) for row in fast.counts.tolist()] == [row[:2] for row in slow]
        lines.append(
            f"  {tokenizer}: {documents / kernels:,.0f} documents a second, loop {documents / loop:,.0f}: "
            f"{loop / kernels:.1f} times ({'same counts' if same else 'COUNTS DIFFER'})"
        )
    return lines


if __name__ == "__main__":
    print("\n".join(run()), flush=True)
