"""Sources and how splits share them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator.leakage.sources import SharedSource, find_overlap, sources_by_folder, sources_by_pattern

SPLITS = ("train", "dev", "test")
CHEMU = {  # the sectors of Figure 16, as the text of section 9.1 has them: 180, 101, 81, 69 and 13
    ("train",): 180 - 101 - 81 + 69,
    ("test",): 13,
    ("train", "dev"): 81 - 69,
    ("train", "test"): 101 - 69,
    ("train", "dev", "test"): 69,
}


def test_the_numbers_of_figure_16() -> None:
    sources = {split: {} for split in SPLITS}
    for sector, count in CHEMU.items():
        for i in range(count):
            for split in sector:
                sources[split][f"{split}-{'+'.join(sector)}-{i}"] = f"{'+'.join(sector)}-{i}"
    sources["test"]["one more"] = "test-0"
    found = find_overlap(sources)

    assert found.unique == {"train": 180, "dev": 81, "test": 114}
    assert {each.splits: each.sources for each in found.sectors if each.sources} == CHEMU
    assert (found.in_all("train", "test"), found.in_all("train", "dev"), found.in_all(*SPLITS)) == (101, 81, 69)
    assert (found.new_sources, len(found.new)) == (13, 14)


def test_a_document_without_a_source_is_neither_new_nor_seen() -> None:
    found = find_overlap({"train": {"a": "P1", "b": None}, "test": {"x": "P1", "y": None, "z": "P2", "v": "P1"}})

    assert found.new == ("z",)
    assert found.unknown == {"train": ("b",), "test": ("y",)}
    assert found.shared == (SharedSource(source="P1", documents=(1, 2)),)
    assert [(each.splits, each.sources) for each in found.sectors] == [(("train",), 0), (("test",), 1), (("train", "test"), 1)]


@given(st.fixed_dictionaries({split: st.dictionaries(st.text("ab", max_size=3), st.sampled_from("PQRST")) for split in SPLITS}))
@settings(deadline=None)
def test_sectors_add_up(sources: dict[str, dict[str, str]]) -> None:
    found = find_overlap(sources)

    assert sum(each.sources for each in found.sectors) == len({one for each in sources.values() for one in each.values()})
    for split in SPLITS:
        assert found.in_all(split) == found.unique[split]
    rest = {one for split in ("train", "dev") for one in sources[split].values()}
    assert set(found.new) == {id_ for id_, source in sources["test"].items() if source not in rest}


def test_sources_from_names_and_folders() -> None:
    assert sources_by_pattern(["US1-3", "US2-1", "x"], r"^(US\d+)-") == {"US1-3": "US1", "US2-1": "US2"}
    assert sources_by_pattern(["US1-3"], r"US\d") == {"US1-3": "US1"}
    assert sources_by_folder({"a": "DrugBank/a", "b": "x/y/b", "c": "c"}) == {"a": "DrugBank", "b": "x/y"}
    with pytest.raises(ValueError, match="not a regular expression"):
        sources_by_pattern([], "(")
