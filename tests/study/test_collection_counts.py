"""The lookup of wanted documents in files of word counts: each way against a dictionary."""

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.study import collection_counts
from fairviz.study.collection_counts import Lookup

IDS = st.lists(st.text("aé1\0", max_size=3), unique=True, max_size=20)


@pytest.mark.parametrize("different", [1 << 62, 3, 1])
@given(wanted=IDS, ids=IDS)
def test_a_lookup_gives_the_places_of_a_dictionary(different: int, wanted: list[str], ids: list[str]) -> None:
    """Also where many ids have the same hash."""
    with pytest.MonkeyPatch.context() as patch:
        hashes = collection_counts._hashes
        patch.setattr(collection_counts, "_hashes", lambda ids: hashes(ids) % different)
        found = Lookup(pd.Index(wanted, dtype="str")).places(pa.chunked_array([pa.array(ids, type=pa.string())]))
    place = {name: number for number, name in enumerate(wanted)}
    assert found.tolist() == [place.get(name, -1) for name in ids]
