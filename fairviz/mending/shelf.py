"""The adapters that were trained on a study, as their cards tell of them."""

from fairviz.errors import FairvizError
from fairviz.mending.card import outcome_of
from fairviz.models.adapters import Adapter, adapter_names, open_adapter
from fairviz.study.study import Study


def adapters_of(study: Study) -> tuple[Adapter, ...]:
    """Those trained on the study of this name and measured, the newest first; a broken one is left out."""
    found = []
    for name in adapter_names():
        try:
            adapter = open_adapter(name)
        except FairvizError:
            continue
        about = adapter.card.get("study")
        if isinstance(about, dict) and about.get("name") == study.name and not outcome_of(adapter.card).empty:
            found.append(adapter)
    return tuple(sorted(found, key=lambda one: str(one.card.get("made", "")), reverse=True))


def is_of_this_state(adapter: Adapter, study: Study) -> bool:
    """Whether the study is as it was when the adapter was trained."""
    return bool(adapter.card["study"].get("fingerprint") == study.fingerprint)
