"""Fairness of splits, and splits that are proposed."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brat.model import Document
from evaluator.leakage.components import join
from evaluator.leakage.copies import Copy, find_copies
from evaluator.leakage.fairness import Difference, compare_attribute, compare_labels
from evaluator.leakage.split import Proposal, Request, propose
from tests.evaluator.leakage.documents import ddi, document

IDS = [f"d{i}" for i in range(20)]


def _copies(*pairs: tuple[str, str]) -> list[Copy]:
    return [Copy(splits=("all", "all"), documents=each, jaccard=0.9, exact=False) for each in pairs]


def test_labels_over_splits() -> None:
    found = compare_labels(
        {
            "train": [document("a b c d", ("X", "a"), ("X", "b"), ("X", "c"), ("Y", "d"))],
            "dev": [],
            "test": [document("a b", ("X", "a"), ("Z", "b"))],
        }
    )

    assert (found.name, found.values, found.counts) == ("label", ("X", "Y", "Z"), ((3, 0, 1), (1, 0, 0), (0, 0, 1)))
    assert found.shares[0] == (0.75, None, 0.5)
    assert found.largest == Difference(value="Z", splits=("test", "train"), difference=0.5)


def test_an_attribute_over_splits_leaves_out_what_is_not_known() -> None:
    found = compare_attribute("ipc", {"train": ["a", "b", "c"], "test": ["d", "e"]}, {"a": "C07", "b": "A61", "d": "C07"})

    assert (found.values, found.counts, found.unknown) == (("A61", "C07"), ((1, 0), (1, 1)), (1, 1))
    assert found.largest == Difference(value="A61", splits=("train", "test"), difference=0.5)
    assert compare_attribute("ipc", {"train": ["a"], "test": ["d"]}, {}).largest is None


def test_documents_are_joined_by_source_and_by_copies_and_by_chains_of_both() -> None:
    sources = {"a": "P", "b": "P", "c": "Q", "d": "Q"}

    assert join("edcba", sources, [("b", "c")]) == [("a", "b", "c", "d"), ("e",)]
    assert join("edcba", {}, []) == [("a",), ("b",), ("c",), ("d",), ("e",)]
    assert join([], {}, []) == []


@given(
    st.dictionaries(st.sampled_from(IDS), st.sampled_from("PQRS")),
    st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(IDS)), max_size=10),
    st.integers(0, 3),
)
@settings(deadline=None)  # the first example imports scipy
def test_nothing_that_belongs_together_is_parted(sources: dict[str, str], pairs: list[tuple[str, str]], seed: int) -> None:
    documents = {id_: document("a b", (f"L{i % 3}", "a"), id_=id_) for i, id_ in enumerate(IDS)}
    found = propose(documents, sources, _copies(*pairs), Request(seed=seed))
    part = {id_: each.name for each in found.parts for id_ in each.documents}

    assert sorted(part) == sorted(IDS)
    assert all(part[one] == part[other] for one, other in pairs)
    assert len({(source, part[id_]) for id_, source in sources.items()}) == len(set(sources.values()))
    assert sum(each.groups for each in found.parts) == found.groups
    assert found == propose(documents, sources, _copies(*pairs), Request(seed=seed))


def _together(documents: Mapping[str, Document], sources: Mapping[str, str]) -> Proposal:
    copies = find_copies({"all": {id_: each.text or "" for id_, each in documents.items()}})
    return propose(documents, sources, copies)


def test_labels_are_spread_and_sizes_kept_where_that_can_be() -> None:
    documents = {**ddi("train").documents, **ddi("test").documents}
    found = _together(documents, {})

    assert [len(each.documents) for each in found.parts] == [610, 153, 254]
    assert found.misplaced == 0
    assert found.fairness.largest is not None
    assert found.fairness.largest.difference < 0.004  # as even as ChEMU's random split, section 3.6
    part = {id_: each.name for each in found.parts for id_ in each.documents}
    assert part["Secobarbital"] == part["Hexobarbital_ddi"]


def test_what_large_sources_cost_is_told() -> None:
    documents = {id_: document("a", ("X", "a"), id_=id_) for id_ in IDS}
    found = propose(documents, dict.fromkeys(IDS[:18], "P"), [])

    assert (found.groups, found.largest) == (3, 18)
    assert [(each.name, each.asked, each.cost) for each in found.parts] == [("train", 12, 6), ("dev", 3, -2), ("test", 5, -4)]
    assert found.misplaced == found.to_json()["misplaced"] == 6
    assert [each["cost"] for each in found.to_json()["parts"]] == [6, -2, -4]


def test_other_parts_and_no_documents() -> None:
    found = propose({}, {}, [], Request(shares={"one": 0.5, "two": 0.5}))

    assert [(each.name, each.documents, each.cost) for each in found.parts] == [("one", (), 0), ("two", (), 0)]


@pytest.mark.parametrize("shares", [{}, {"train": 1.1}, {"train": 0.5, "test": 0.4}, {"train": 1.0, "test": 0.0}])
def test_shares_that_make_no_whole(shares: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        Request(shares=shares)
