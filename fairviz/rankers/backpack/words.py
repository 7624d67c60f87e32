"""Tables of words under a Backpack: the nearest words of each sense, and the senses that carry gender."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from fairviz.rankers.backpack.loading import FILE, Backpack, loaded, model_folder
from fairviz.rankers.backpack.neighbours import nearest
from fairviz.rankers.backpack.published import LanguageBackpack, is_published, load_published, predicted
from fairviz.rankers.backpack.sensitivity import Sensitivity, sensitivities

AnyBackpack = Backpack | LanguageBackpack


def any_model(name: str = "") -> AnyBackpack:
    """Return the model of this name or in this folder, either one that ranks or the published language model. Raises:
    see `loaded` and `load_published`."""
    folder = model_folder(name)
    if is_published(folder) and not (folder / FILE).exists():
        return load_published(Path(folder))
    return loaded(name)


def words_table(model: AnyBackpack, words: Sequence[str], count: int = 5) -> pd.DataFrame:
    """Return a row for each word and sense: word, sense (from 1), and its nearest words with their cosine in that
    sense; for a language model `predicted`, the tokens with the highest scores. Raises FairvizError for a word without
    a token."""
    column = "nearest" if isinstance(model, Backpack) else "predicted"
    parts = []
    for word in words:
        neighbours = nearest(model, word, count) if isinstance(model, Backpack) else predicted(model, word, count)
        texts = neighbours["word"] + " " + neighbours.iloc[:, -1].map("{:.2f}".format)
        joined = texts.groupby(neighbours["sense"]).agg(", ".join)
        parts.append(pd.DataFrame({"word": word, "sense": joined.index, column: joined.to_numpy()}))
    return pd.concat(parts, ignore_index=True)


def sensitivity_table(
    model: AnyBackpack, pairs: Iterable[tuple[str, str]] | None = None, senses: int = 2
) -> pd.DataFrame:
    """Return `table_of` the model's senses over the pairs, None for the packaged ones. Raises: see `sensitivities`."""
    return table_of(sensitivities(model, pairs), senses)


def table_of(sensitivity: Sensitivity, senses: int = 2) -> pd.DataFrame:
    """Return a row for each sense: sense (from 1), sensitivity (equation 4: low carries gender), its interval over
    resamples of the pairs, the number of pairs, and whether it is among the `senses` that the paper's policy scales."""
    scaled = set(sensitivity.order[:senses].tolist())
    return pd.DataFrame(
        {
            "sense": range(1, len(sensitivity.values) + 1),
            "sensitivity": sensitivity.values,
            "ci_low": sensitivity.low,
            "ci_high": sensitivity.high,
            "pairs": len(sensitivity.pairs),
            "scaled": ["yes" if sense in scaled else "no" for sense in range(len(sensitivity.values))],
        }
    )
