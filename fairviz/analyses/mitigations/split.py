"""The queries of a bench: those that no adapter was trained on."""

from collections.abc import Sequence

import numpy as np

from fairviz.analyses.mitigations.mitigation import Mitigation
from fairviz.errors import FairvizError
from fairviz.models.sentence_encoder import MINILM, Adapter, adapters_trained_on, open_adapter
from fairviz.study.record import Study
from fairviz.words.sentences import agreeing, out_of

LEAST = 10  # queries; fewer are not split


def held_out_queries(
    study: Study, queries: Sequence[str], mitigations: Sequence[Mitigation], share: float, seed: int
) -> tuple[tuple[str, ...], list[str]]:
    """Return the queries that count, in their order, and a message about them.

    Where adapters are tried that were trained on this study, all queries but those that any of them was trained on.
    Else a share of the queries, drawn by the seed, queries of one text together; all of them where there are fewer than
    ten. Raises FairvizError where too few are left, or an adapter's card does not name its training queries.
    """
    adapters = [open_adapter(name) for name in dict.fromkeys(_adapters(mitigations))]
    own_adapters = [adapter for adapter in adapters if adapter.study == study.name]
    notes = [
        f"{adapter.name} was trained on {adapter.study or 'an unknown study'}, not on {study.name}."
        for adapter in adapters
        if adapter not in own_adapters
    ]
    if own_adapters:
        names, note = _not_trained_on(queries, own_adapters)
    else:
        names, note = _draw_queries(study, queries, share, seed)
    return names, [note, *notes]


def _adapters(mitigations: Sequence[Mitigation]) -> list[str]:
    named = [one.choice.parameters.get("adapter", "") for one in mitigations]
    named += [one.base_choice.parameters.get("adapter", "") for one in mitigations if one.base_choice is not None]
    return [str(name) for name in named if name]


def _not_trained_on(queries: Sequence[str], adapters: Sequence[Adapter]) -> tuple[tuple[str, ...], str]:
    trained: set[str] = set()
    for adapter in adapters:
        split = adapter.card.get("split")
        train_queries = split.get("train") if isinstance(split, dict) else None
        if not isinstance(train_queries, list):
            raise FairvizError(
                f"the adapter {adapter.name} has no record of the queries that it was trained on", "Train it again."
            )
        trained.update(map(str, train_queries))
    held_out = tuple(name for name in queries if name not in trained)
    names = " and ".join(adapter.name for adapter in adapters)
    if len(held_out) < 2:
        raise FairvizError(
            f"{out_of(len(held_out), len(queries), 'query')} were not trained on by {names}",
            "Try one adapter at a time, or train them with the same seed, which holds out the same queries.",
        )
    were = agreeing(len(adapters), "was", "were")
    return (
        held_out,
        f"{out_of(len(held_out), len(queries), 'query')} count: those that {names} {were} not trained on.",
    )


def _draw_queries(study: Study, queries: Sequence[str], share: float, seed: int) -> tuple[tuple[str, ...], str]:
    if share >= 1 or len(queries) < LEAST:
        few = "" if share >= 1 else f" Fewer than {LEAST} are not split."
        counted = "The one query counts" if len(queries) == 1 else f"All {len(queries):,} queries count"
        return tuple(queries), f"{counted}.{few}"
    written = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    texts = {name: " ".join(str(written.get(name, name)).lower().split()) for name in queries}
    different = sorted(set(texts.values()))
    order = np.random.default_rng(seed).permutation(len(different))
    kept_texts = {different[place] for place in order[: max(2, round(share * len(different)))]}
    names = tuple(name for name in queries if texts[name] in kept_texts)
    return (
        names,
        f"{out_of(len(names), len(queries), 'query')} are held out and count, drawn by the seed {seed}.",
    )


def trained_here(study: Study) -> str:
    """The adapter that was trained on this study last, as a mitigation; empty where there is none."""
    adapters = adapters_trained_on(study.name)
    model = str(adapters[0].card["model"].get("name", MINILM)) if adapters else ""
    if not adapters or "'" in model:
        return ""
    other = "" if model == MINILM else f"model='{model}',"
    return f"bi_encoder({other}adapter='{adapters[0].name}')"
