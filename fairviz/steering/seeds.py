"""Which models here differ in their seed alone: the spread of a result over them is what chance in training does."""

from dataclasses import dataclass
from itertools import count

from fairviz.errors import FairvizError
from fairviz.rankers.backpack.loading import FILE, SHIPPED, loaded, trained_names
from fairviz.rankers.backpack.texts import OF_STUDY, PACKAGED
from fairviz.rankers.backpack.training import Recipe, name_of

WANTED = 5
SAME = ("sources", "senses", "distillation")  # of a card


def known_models() -> tuple[str, ...]:
    """The models that can rank: the packaged one, under the empty name, where it is there, and those trained here."""
    packaged = ("",) if (SHIPPED / FILE).is_file() else ()
    return (*packaged, *trained_names())


def siblings(name: str) -> tuple[str, ...]:
    """The other models that were trained on the same texts in the same way from another seed, one a seed. A model
    whose file cannot be read is none of them. Raises as `loaded` for the model itself."""
    card = loaded(name).card
    found: dict[object, str] = {}
    for other in known_models():
        try:
            theirs = loaded(other).card if other != name else {}
        except FairvizError:
            continue
        same = bool(theirs) and all(theirs.get(part) == card.get(part) for part in SAME)
        if same and theirs.get("seed") != card.get("seed"):
            found.setdefault(theirs.get("seed"), other)
    return tuple(found.values())


@dataclass(frozen=True)
class Another:
    """What trains a model like one that is there from another seed: the studies by name, and the recipe."""

    studies: tuple[str, ...]
    recipe: Recipe


def another(name: str) -> Another | None:
    """What trains the model's next sibling, from the lowest seed that nobody has used; None where there are enough of
    them, and where the model has no card or learnt from files, whose paths no card holds. Raises as `loaded`."""
    card, others = loaded(name).card, siblings(name)
    named = [str(one.get("name", "")) for one in card.get("sources", [])]
    studies = tuple(one.removeprefix(OF_STUDY) for one in named if one.startswith(OF_STUDY))
    if 1 + len(others) >= WANTED or not studies or named != [*(f"{OF_STUDY}{study}" for study in studies), PACKAGED]:
        return None
    used = {card.get("seed"), *(loaded(other).card.get("seed") for other in others)}
    there = trained_names()
    for seed in count():
        recipe = Recipe(int(card.get("senses", 8)), float(card.get("minutes", 5)), seed)
        if seed not in used and name_of(recipe, studies) not in there:
            break
    return Another(studies, recipe)


def told(name: str) -> list[tuple[str, str]]:
    """What the model's card says, as pairs of a heading and a text: what it was trained on, how and under which
    licences. Raises as `loaded`."""
    card = loaded(name).card
    if not card:
        return [("Model", "This model has no card: what it was trained on is not known.")]
    sources = "; ".join(map(_source, card.get("sources", [])))
    held, steps = card.get("held_out", {}), card.get("steps", {})
    return [
        ("Trained on", f"{sources or 'not stated'}. Not seen: {card.get('not_seen', 'not stated')}."),
        ("Teacher", str(card.get("teacher", "not stated"))),
        ("Distilled by", str(card.get("distillation", "not stated"))),
        (
            "Size and quality",
            f"{card.get('senses', 0)} senses, {card.get('weights', 0):,} weights, seed {card.get('seed', '?')}; "
            f"{steps.get('taken', 0):,} steps, cosine to the teacher on held-out text "
            f"{held.get('cosine_to_teacher', float('nan')):.3f}",
        ),
    ]


def _source(one: dict) -> str:
    licence = str(one.get("licence", "licence not stated")).rstrip(".")
    return f"{one.get('name', 'unnamed')} ({one.get('passages', 0):,} passages; {licence})"
