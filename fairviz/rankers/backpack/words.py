"""Words under a Backpack as tables: the nearest words of each sense, and which senses carry gender."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from fairviz.rankers.backpack.loading import FILE, Backpack, loaded, model_folder
from fairviz.rankers.backpack.neighbours import nearest
from fairviz.rankers.backpack.published import LanguageBackpack, is_published, load_published, predicted
from fairviz.rankers.backpack.sensitivity import Sensitivity, sensitivities

AnyBackpack = Backpack | LanguageBackpack


def any_model(name: str = "") -> AnyBackpack:
    """The model of this name or in this folder, be it one that ranks or the published language model. Raises as
    `loaded` and `load_published`."""
    folder = model_folder(name)
    if is_published(folder) and not (folder / FILE).exists():
        return load_published(Path(folder))
    return loaded(name)


def words_table(model: AnyBackpack, words: Sequence[str], count: int = 5) -> pd.DataFrame:
    """A row a word and sense: word, sense (from 1), and its nearest words with their cosine in the same sense; of a
    language model `predicted`, the tokens that the sense raises most. Raises FairvizError for a word of no token."""
    column = "nearest" if isinstance(model, Backpack) else "predicted"
    parts = []
    for word in words:
        found = nearest(model, word, count) if isinstance(model, Backpack) else predicted(model, word, count)
        shown = found["word"] + " " + found.iloc[:, -1].map("{:.2f}".format)
        joined = shown.groupby(found["sense"]).agg(", ".join)
        parts.append(pd.DataFrame({"word": word, "sense": joined.index, column: joined.to_numpy()}))
    return pd.concat(parts, ignore_index=True)


def sensitivity_table(
    model: AnyBackpack, pairs: Iterable[tuple[str, str]] | None = None, senses: int = 2
) -> pd.DataFrame:
    """`table_of` the model's senses over the pairs, None for the packaged ones. Raises as `sensitivities`."""
    return table_of(sensitivities(model, pairs), senses)


def table_of(found: Sensitivity, senses: int = 2) -> pd.DataFrame:
    """A row a sense: sense (from 1), sensitivity (equation 4: low carries gender), its interval over resamples of the
    pairs, how many pairs, and whether it is among the `senses` that the paper's policy scales."""
    scaled = set(found.order[:senses].tolist())
    return pd.DataFrame(
        {
            "sense": range(1, len(found.values) + 1),
            "sensitivity": found.values,
            "ci_low": found.low,
            "ci_high": found.high,
            "pairs": len(found.pairs),
            "scaled": ["yes" if sense in scaled else "no" for sense in range(len(found.values))],
        }
    )
