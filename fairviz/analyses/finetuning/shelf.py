"""Adapters trained on a study, by their cards."""

from fairviz.analyses.finetuning.card import outcome_of
from fairviz.errors import FairvizError
from fairviz.models.adapters import Adapter, adapter_names, open_adapter
from fairviz.study.record import Study


def adapters_of(study: Study) -> tuple[Adapter, ...]:
    """Return the measured adapters trained on the study of this name, the newest first, without broken ones."""
    adapters = []
    for name in adapter_names():
        try:
            adapter = open_adapter(name)
        except FairvizError:
            continue
        about = adapter.card.get("study")
        if isinstance(about, dict) and about.get("name") == study.name and not outcome_of(adapter.card).empty:
            adapters.append(adapter)
    return tuple(sorted(adapters, key=lambda one: str(one.card.get("made", "")), reverse=True))


def is_of_this_state(adapter: Adapter, study: Study) -> bool:
    """Return whether the study is unchanged since the adapter was trained."""
    return bool(adapter.card["study"].get("fingerprint") == study.fingerprint)
