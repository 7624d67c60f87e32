"""The card of an adapter: training data, plan, losses and outcome."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.analyses.finetuning.pairs import HELD_OUT, TRAIN, Pairs
from fairviz.analyses.finetuning.plan import Plan
from fairviz.analyses.finetuning.training import Progressed, planned_steps
from fairviz.home import __version__, write_whole
from fairviz.models.sentence_encoder import CARD, Adapter, adapters_trained_on
from fairviz.study.record import Study

PACKAGES = ("torch", "peft", "transformers", "sentence-transformers")


def card_of(study: Study, pairs: Pairs, plan: Plan, model: Mapping[str, str], progress: Progressed) -> dict[str, Any]:
    """Return the card before the outcome is known. model: name and key."""
    return {
        "name": plan.name,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "study": {
            "name": study.name,
            "title": study.title,
            "fingerprint": study.fingerprint,
            "pairs": {part: len(pairs.of(part)) for part in (TRAIN, HELD_OUT)},
            "source": pairs.source,
            "shared": pairs.shared,
        },
        "model": dict(model),
        "plan": {name: getattr(plan, name) for name in ("rank", "strength", "minutes", "steps", "seed")},
        "split": {
            part: sorted(name for name, held in pairs.split.items() if held == part) for part in (TRAIN, HELD_OUT)
        },
        "training": {"steps": progress.step, "planned": planned_steps(plan), "seconds": round(progress.seconds, 1)},
        "losses": [dict(zip(("step", "loss", "aim", "hold"), row, strict=True)) for row in progress.losses],
        "digest": progress.key,
        "versions": {"fairviz": __version__} | {name: _version(name) for name in PACKAGES},
    }


def with_outcome(card: Mapping[str, Any], table: pd.DataFrame) -> dict[str, Any]:
    """Return the card with the table before and after; undefined values become null."""
    return {**card, "outcome": json.loads(table.to_json(orient="records", double_precision=15))}


def outcome_of(card: Mapping[str, Any]) -> pd.DataFrame:
    """Return the table in a card; empty without one."""
    table = pd.DataFrame(card.get("outcome", []))
    if not table.empty and "tests" not in table:  # of an older version: Holm over the rows of each part
        table["tests"] = "paired t, Holm"
    texts = [name for name in ("split", "measure", "tests") if name in table]
    numbers = [name for name in table.columns if name not in (*texts, "queries")]
    return table.astype(dict.fromkeys(texts, "str") | dict.fromkeys(numbers, float))


def adapters_of(study: Study) -> tuple[Adapter, ...]:
    """Return the measured adapters trained on the study of this name, the newest first, without broken ones."""
    return tuple(adapter for adapter in adapters_trained_on(study.name) if not outcome_of(adapter.card).empty)


def is_of_this_state(adapter: Adapter, study: Study) -> bool:
    """Return whether the study is unchanged since the adapter was trained."""
    return bool(adapter.card["study"].get("fingerprint") == study.fingerprint)


def write_card(folder: Path, card: Mapping[str, Any]) -> None:
    """Write the card into the adapter's folder. Raises OSError."""
    write_whole(folder / CARD, json.dumps(card, ensure_ascii=False, indent=1) + "\n")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
