"""Weights of a tree for a scheduler that takes none below one."""

import pytest

from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.kueue.writer import weights_from_one
from slotwise.instances.hierarchy.nodes import Group, Leaf

DEMAND = {"cpu": 1.0}


def test_each_group_of_siblings_is_scaled_by_itself() -> None:
    group = Group("a", [Leaf("x", DEMAND, 0.5), Leaf("y", DEMAND, 0.25)], 0.1)
    nested = Hierarchy.from_tree(
        {"cpu": 10.0, "memory": 100.0}, Group("root", [group, Leaf("b", DEMAND, 0.3)])
    )
    scaled = dict(zip(nested.names, weights_from_one(nested).tolist(), strict=True))
    assert [scaled[name] for name in "abxy"] == pytest.approx([1, 3, 2, 1])
