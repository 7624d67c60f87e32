"""Models that differ in their seed only: the spread of a result over them shows the randomness of training."""

from dataclasses import dataclass
from itertools import count

from fairviz.errors import FairvizError
from fairviz.extensions.backpack.corpus import OF_STUDY, PACKAGED
from fairviz.extensions.backpack.loading import FILE, SHIPPED, loaded, trained_names
from fairviz.extensions.backpack.training import Recipe, name_of

WANTED = 5
SAME = ("sources", "senses", "distillation")  # fields of a card


def known_models() -> tuple[str, ...]:
    """Return the models that can rank: the packaged one, "", if it is installed, and those trained here."""
    packaged = ("",) if (SHIPPED / FILE).is_file() else ()
    return (*packaged, *trained_names())


def siblings(name: str) -> tuple[str, ...]:
    """Return the models trained on the same texts in the same way with another seed, one per seed.

    Models whose file cannot be read are left out. Raises: see `loaded`, for the model itself.
    """
    card = loaded(name).card
    name_by_seed: dict[object, str] = {}
    for candidate in known_models():
        try:
            other_card = loaded(candidate).card if candidate != name else {}
        except FairvizError:
            continue
        is_same = bool(other_card) and all(other_card.get(part) == card.get(part) for part in SAME)
        if is_same and other_card.get("seed") != card.get("seed"):
            name_by_seed.setdefault(other_card.get("seed"), candidate)
    return tuple(name_by_seed.values())


@dataclass(frozen=True)
class Another:
    """The training of a further sibling of a model: the studies by name, and the recipe."""

    studies: tuple[str, ...]
    recipe: Recipe


def another(name: str) -> Another | None:
    """Return the training of the model's next sibling, with the lowest unused seed.

    None if there are enough of them, and if the model has no card or was trained on files, whose paths are not in the
    card. Raises: see `loaded`.
    """
    card, sibling_names = loaded(name).card, siblings(name)
    source_names = [str(one.get("name", "")) for one in card.get("sources", [])]
    studies = tuple(one.removeprefix(OF_STUDY) for one in source_names if one.startswith(OF_STUDY))
    if (
        1 + len(sibling_names) >= WANTED
        or not studies
        or source_names != [*(f"{OF_STUDY}{study}" for study in studies), PACKAGED]
    ):
        return None
    used_seeds = {card.get("seed"), *(loaded(other).card.get("seed") for other in sibling_names)}
    trained = trained_names()
    for seed in count():
        recipe = Recipe(int(card.get("senses", 8)), float(card.get("minutes", 5)), seed)
        if seed not in used_seeds and name_of(recipe, studies) not in trained:
            break
    return Another(studies, recipe)


def card_facts(name: str) -> list[tuple[str, str]]:
    """Return the content of the model's card as pairs of heading and text: training data, training and licences.

    Raises: see `loaded`.
    """
    card = loaded(name).card
    if not card:
        return [("Model", "This model has no card: what it was trained on is not known.")]
    sources = "; ".join(map(_source_text, card.get("sources", [])))
    held_out, steps = card.get("held_out", {}), card.get("steps", {})
    return [
        ("Trained on", f"{sources or 'not stated'}. Not seen: {card.get('not_seen', 'not stated')}."),
        ("Teacher", str(card.get("teacher", "not stated"))),
        ("Distilled by", str(card.get("distillation", "not stated"))),
        (
            "Size and quality",
            f"{card.get('senses', 0)} senses, {card.get('weights', 0):,} weights, seed {card.get('seed', '?')}; "
            f"{steps.get('taken', 0):,} steps, cosine to the teacher on held-out text "
            f"{held_out.get('cosine_to_teacher', float('nan')):.3f}",
        ),
    ]


def _source_text(source: dict) -> str:
    licence = str(source.get("licence", "licence not stated")).rstrip(".")
    return f"{source.get('name', 'unnamed')} ({source.get('passages', 0):,} passages; {licence})"
