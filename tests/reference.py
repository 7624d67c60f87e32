"""Every measure once more, slowly: plain Python read off the papers, one ranking at a time.

A ranking is a list of documents, each a dict with `label` (or None) and `text` (or None). Nothing here is shared
with the package but the tokenizers' definitions, which are written again.
"""

import math
import re

NAN = float("nan")


def tokens(text: str, tokenizer: str) -> list[str]:
    return re.findall(r"\w+", text.lower()) if tokenizer == "word" else text.lower().split()


def weight(bias: str, i: int, k: int) -> float:
    if bias == "log2":
        return 1 / math.log(1 + i, 2)
    if bias == "reciprocal":
        return 1 / i
    if bias.startswith("rbp"):
        return float(bias[6:-1]) ** (i - 1)
    if bias == "linear":
        return 1 - (i - 1) / k
    if bias == "uniform":
        return 1.0
    raise ValueError(bias)


class Slow:
    """The measures of one ranking under fixed choices; `p` maps (rank, cutoff) to a weight."""

    def __init__(self, lexicon, groups, protected, tokenizer, unlabelled, p, targets=None):
        self.lexicon, self.groups, self.protected = lexicon, groups, protected
        self.tokenizer, self.unlabelled, self.p = tokenizer, unlabelled, p
        self.targets = targets or {group: 1 / len(groups) for group in groups}

    # --- labels

    def labelled(self, ranking, k):
        """(rank, label) of the places that count, or None where strictness forbids."""
        places = []
        for i, document in enumerate(ranking[:k], start=1):
            label = document["label"]
            if label is None and self.unlabelled == "strict":
                return None
            if label is None and self.unlabelled == "neutral":
                label = "neutral"
            if label is not None:
                places.append((i, label))
        return places

    def exposure(self, ranking, k, group):
        places = self.labelled(ranking, k)
        if not places or sum(self.p(i, k) for i, _ in places) == 0:
            return NAN
        held = sum(self.p(i, k) for i, label in places if label == group)
        return held / sum(self.p(i, k) for i, _ in places)

    def gender_exposures(self, ranking, k):
        return [self.exposure(ranking, k, group) for group in self.groups]

    def cwex(self, ranking, k, alpha):
        gender = self.gender_exposures(ranking, k)
        return alpha * self.exposure(ranking, k, "neutral") - (1 - alpha) * (max(gender) - min(gender))

    def gap(self, ranking, k):
        gender = dict(zip(self.groups, self.gender_exposures(ranking, k), strict=True))
        others = [value for group, value in gender.items() if group != self.protected]
        return sum(others) / len(others) - gender[self.protected]

    def awrf(self, ranking, k, distance):
        gender = self.gender_exposures(ranking, k)
        total = sum(gender)
        if not total > 0:
            return NAN
        shares = [value / total for value in gender]
        wished = [self.targets[group] for group in self.groups]
        if distance == "l1":
            return sum(abs(a - b) for a, b in zip(shares, wished, strict=True))
        middle = [(a + b) / 2 for a, b in zip(shares, wished, strict=True)]

        def kl(x, y):
            return sum(a * math.log2(a / b) for a, b in zip(x, y, strict=True) if a > 0)

        return 0.5 * kl(shares, middle) + 0.5 * kl(wished, middle)

    def awrf_of_set(self, ranking, k, distance, background):
        """Targets are the shares of the gendered documents of a set."""
        genders = [document["label"] for document in background if document["label"] in self.groups]
        if not genders:
            return NAN
        shares = {group: genders.count(group) / len(genders) for group in self.groups}
        own = Slow(self.lexicon, self.groups, self.protected, self.tokenizer, self.unlabelled, self.p, shares)
        return own.awrf(ranking, k, distance)

    def ratio(self, ranking, k):
        places = self.labelled(ranking, k)
        if not places:
            return NAN
        ours = [self.p(i, k) for i, label in places if label == self.protected]
        theirs = [self.p(i, k) for i, label in places if label in self.groups and label != self.protected]
        if not ours or not theirs or sum(theirs) == 0:
            return NAN
        return (sum(ours) / len(ours)) / (sum(theirs) / len(theirs))

    # --- words

    def counts(self, document):
        words = tokens(document["text"] or "", self.tokenizer)
        return {g: sum(self.lexicon.get(word) == g for word in words) for g in self.groups}, len(words)

    def omega(self, document, tau):
        if document["text"] is None:
            return 1.0
        counts, _ = self.counts(document)
        total = sum(counts.values())
        if total <= tau:
            return 1.0
        uneven = sum(abs(count / total - 1 / len(self.groups)) for count in counts.values())
        return 1 - uneven / (2 * (1 - 1 / len(self.groups)))

    def with_text(self, ranking, k):
        """(rank, document) of the places that count for words, or None."""
        places = [(i, document) for i, document in enumerate(ranking[:k], start=1)]
        if self.unlabelled == "strict" and any(document["text"] is None for _, document in places):
            return None
        if self.unlabelled == "skip":
            places = [(i, document) for i, document in places if document["text"] is not None]
        if not places or sum(self.p(i, k) for i, _ in places) == 0:
            return None
        return places

    def fairr(self, ranking, k, tau):
        places = self.with_text(ranking, k)
        return NAN if places is None else sum(self.omega(d, tau) * self.p(i, k) for i, d in places)

    def nfairr(self, ranking, k, tau, background):
        value = self.fairr(ranking, k, tau)
        if math.isnan(value):
            return NAN
        if self.unlabelled != "neutral":
            background = [document for document in background if document["text"] is not None]
        omegas = sorted((self.omega(document, tau) for document in background), reverse=True)
        closed = {
            i
            for i, document in enumerate(ranking[:k], start=1)
            if self.unlabelled == "skip" and document["text"] is None
        }
        weights = sorted((self.p(i, k) for i in range(1, k + 1) if i not in closed), reverse=True)
        ideal = sum(a * b for a, b in zip(omegas, weights, strict=False))
        return value / ideal if ideal > 0 else NAN

    def fairr_of_labels(self, ranking, k):
        places = self.labelled(ranking, k)
        if not places or sum(self.p(i, k) for i, _ in places) == 0:
            return NAN
        return sum(self.p(i, k) for i, label in places if label == "neutral")

    def nfairr_of_labels(self, ranking, k, background):
        """Of all assignments of background documents to the places that count, the best is neutral documents first."""
        value = self.fairr_of_labels(ranking, k)
        if math.isnan(value):
            return NAN
        whole = self.unlabelled == "neutral"
        neutral = sum(d["label"] == "neutral" or (whole and d["label"] is None) for d in background)
        closed = {i for i, d in enumerate(ranking[:k], start=1) if self.unlabelled == "skip" and d["label"] is None}
        weights = sorted((self.p(i, k) for i in range(1, k + 1) if i not in closed), reverse=True)
        ideal = sum(weights[:neutral])
        return value / ideal if ideal > 0 else NAN

    def rbdf(self, ranking, k):
        places = self.with_text(ranking, k)
        if places is None:
            return NAN
        gendered = sum(self.p(i, k) for i, d in places if sum(self.counts(d)[0].values()) > 0)
        return gendered / sum(self.p(i, k) for i, _ in places)

    def ted(self, ranking, k, rbdf):
        places = self.with_text(ranking, k)
        if places is None:
            return NAN
        exposure = dict.fromkeys(self.groups, 0.0)
        for i, document in places:
            counts, length = self.counts(document)
            for group in self.groups:
                exposure[group] += (counts[group] / length if length else 0) * self.p(i, k)
        total = sum(exposure.values())
        if total == 0:
            return 0.0
        divergence = sum(abs(exposure[group] / total - self.targets[group]) for group in self.groups)
        return divergence * (self.rbdf(ranking, k) if rbdf else 1)

    def texfair(self, ranking, k, rbdf):
        return 2 * (1 - min(self.targets.values())) - self.ted(ranking, k, rbdf)

    def rab(self, ranking, k, magnitude):
        places = self._text_unweighted(ranking, k)
        if places is None:
            return NAN
        of = {"tf": lambda n: math.log(1 + n), "tc": float, "bool": lambda n: float(n > 0)}[magnitude]
        total = 0.0
        for document in places:
            counts = self.counts(document)[0] if document["text"] is not None else dict.fromkeys(self.groups, 0)
            others = [of(counts[group]) for group in self.groups if group != self.protected]
            total += of(counts[self.protected]) - sum(others) / len(others)
        return total / len(places)

    def _text_unweighted(self, ranking, k):
        places = ranking[:k]
        if self.unlabelled == "strict" and any(document["text"] is None for document in places):
            return None
        if self.unlabelled == "skip":
            places = [document for document in places if document["text"] is not None]
        return places or None

    def arab(self, ranking, k, magnitude):
        if self.unlabelled == "strict" and any(document["text"] is None for document in ranking[:k]):
            return NAN
        values = [self.rab(ranking, t, magnitude) for t in range(1, min(k, len(ranking)) + 1)]
        values = [value for value in values if not math.isnan(value)]
        return sum(values) / len(values) if values else NAN
