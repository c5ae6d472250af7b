"""Weights of a tree as whole numbers, for schedulers that take no others."""

import numpy as np
import pytest

from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.plain_tree import Group, Leaf
from slotwise.instances.hierarchy.schedulers.weights import weights_from_one, whole_weights
from slotwise.instances.hierarchy.slurm.writer import MOST_SHARES

CAPACITY = {"cpu": 10.0, "memory": 100.0}
DEMAND = {"cpu": 1.0}


def tree(*children, weight: float = 1.0) -> Hierarchy:
    return Hierarchy.from_tree(CAPACITY, Group("root", children, weight))


def test_whole_weights_by_hand() -> None:
    # 0.5 : 1.5 is 1 : 3 exactly; thirds are exact too; pi is not, and is cut at the most.
    exact = tree(Leaf("a", DEMAND, 0.5), Leaf("b", DEMAND, 1.5))
    assert whole_weights(exact, MOST_SHARES).weight.tolist() == [1, 1, 3]
    assert whole_weights(exact, MOST_SHARES).error == 0
    thirds = tree(Leaf("a", DEMAND, 1 / 3), Leaf("b", DEMAND, 1))
    assert whole_weights(thirds, MOST_SHARES).weight.tolist() == [1, 1, 3]
    rounded = whole_weights(tree(Leaf("a", DEMAND, np.pi), Leaf("b", DEMAND, 1)), 100)
    assert rounded.weight.tolist() == [1, 100, 32]
    # Shares were pi / (pi + 1) and 1 / (pi + 1), they are 100/132 and 32/132.
    assert rounded.error == pytest.approx(32 / 132 * (np.pi + 1) - 1)
    large = tree(Leaf("a", DEMAND, 70_000), Leaf("b", DEMAND, 140_000))
    assert whole_weights(large, 65535).weight.tolist() == [1, 1, 2]


def siblings(*weights: float) -> Hierarchy:
    return tree(*(Leaf(f"q{k}", DEMAND, weight) for k, weight in enumerate(weights)))


@pytest.mark.parametrize(
    ("weights", "most", "whole"),
    [
        ((3, 5), 10, (3, 5)),  # whole already, and kept although 6 : 10 would fit
        ((0.3, 0.5), 10, (3, 5)),
        ((1.5, 2.25), 100, (6, 9)),  # the first factor that makes both whole is 4
        ((1.5, 2.25), 8, (2, 3)),  # too large, so divided by what they have in common
        ((0.001, 0.5), 10**6, (1, 500)),  # by a thousand, the last factor that is tried
        ((1 / 1001, 3 / 1001), 10, (3, 10)),  # one more would be needed: rounded
        ((0.001, 1), 999, (1, 999)),  # a thousand is too much: rounded
        ((0.000999, 1), 10**6, (999, 10**6)),  # no factor up to a thousand: rounded
        ((1e-9, 1), 100, (1, 100)),  # nobody gets nothing
        ((10, 11), 10, (9, 10)),  # without a common divisor: 9.09 is rounded
        ((7, 7, 7), 1, (1, 1, 1)),
        ((1, 3), 1, (1, 1)),
        ((1 + 1e-12, 2), 5, (1, 2)),  # rounding is no fraction
        ((1 + 1e-7, 2), 100, (50, 100)),
    ],
)
def test_whole_weights(weights: tuple[float, ...], most: int, whole: tuple[int, ...]) -> None:
    rounded = whole_weights(siblings(*weights), most)
    assert rounded.weight.tolist() == [1, *whole]
    true = np.array(weights) / sum(weights)
    error = np.abs(np.array(whole) / sum(whole) / true - 1).max()
    assert rounded.error == pytest.approx(error)


def test_each_group_of_siblings_is_scaled_by_itself() -> None:
    nested = tree(
        Group("a", [Leaf("x", DEMAND, 0.5), Leaf("y", DEMAND, 0.25)], 0.1), Leaf("b", DEMAND, 0.3)
    )
    rounded = whole_weights(nested, 10)
    weights = dict(zip(nested.names, rounded.weight.tolist(), strict=True))
    assert (weights["a"], weights["b"], weights["x"], weights["y"]) == (1, 3, 2, 1)
    assert rounded.error == pytest.approx(0, abs=1e-12)
    scaled = dict(zip(nested.names, weights_from_one(nested).weight.tolist(), strict=True))
    assert [scaled[name] for name in "abxy"] == pytest.approx([1, 3, 2, 1])
