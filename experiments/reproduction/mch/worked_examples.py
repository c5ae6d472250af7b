"""The worked examples of [MCH], section III-A: normalised demands, and Figures 2 and 3.

Both figures have the root's children n1 and n2, and n2's children n2,1 and n2,2. Weights of the
flat tree are meant to give every leaf what the hierarchy gives it; the exact allocation is that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....heuristics.hierarchy import fair
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.plain_tree import Group, Leaf
from ..experiment import Claim
from ..verdicts import ordering

RESOURCES = ("cpu", "memory")

POOL, NEED = (10.0, 12.0), (2.0, 3.0)
"""Capacity, and demand of a task, of the example of a normalised demand."""

TASK_SHARE, NORMALISED = 1 / 4, (4 / 5, 1.0)
"""What the paper has of it."""

EQUAL = 100.0

Needs = tuple[tuple[float, float], ...]
"""Demands of n1, n2,1 and n2,2."""

FULL_TYPE: tuple[Needs, ...] = (
    ((3, 1), (1, 1), (1, 2)),
    ((1, 1), (2, 1), (1, 3)),
    ((1, 3), (3, 1), (1, 2)),
    ((2, 1), (2, 1), (3, 2)),
)
"""Figure 2: all leaves need both resources. The paper has no numbers."""

PARTIAL_TYPE: tuple[Needs, ...] = (
    ((2, 1), (3, 1), (0, 1)),
    ((1, 3), (1, 2), (0, 1)),
    ((3, 1), (1, 1), (0, 1)),
    ((4, 1), (2, 1), (0, 1)),
)
"""Figure 3: n2,2 needs memory only, which is full first in the second case only; in the third the
flat weight 1 of n2,2 makes it full first all the same."""


class Worked(NamedTuple):
    """What the examples come to."""

    task_share: float
    normalised: tuple[float, ...]
    """`task_share`, `normalised`: of the leaf that needs `NEED` of `POOL`."""
    full: tuple[tuple[Sequence[float], Sequence[float]], ...]
    partial: tuple[tuple[Sequence[float], Sequence[float]], ...]
    """`full`, `partial`: dominant shares of the leaves in Figure 2 and in Figure 3: flat, and
    exact."""


def worked() -> Worked:
    need = Leaf("n1", _by_resource(NEED))
    example = Hierarchy.from_tree(_by_resource(POOL), Group("root", [need]))
    return Worked(
        float(example.task_share[0]),
        tuple(example.normalised[0].tolist()),
        tuple(map(_both, FULL_TYPE)),
        tuple(map(_both, PARTIAL_TYPE)),
    )


def claims_of(seen: Worked) -> list[Claim]:
    """Claims 11 to 13."""
    own = (seen.task_share, *seen.normalised)
    right = [abs(a - b) < 1e-12 for a, b in zip(own, (TASK_SHARE, *NORMALISED), strict=True)]
    note = f"share of a task {own[0]:g}, normalised demand {', '.join(f'{x:g}' for x in own[1:])}"
    return [
        ordering("mch-11", right, holds=1, note=note),
        _alike("mch-12", seen.full),
        _alike("mch-13", seen.partial),
    ]


def figure(needs: Needs) -> Hierarchy:
    """The hierarchy of Figures 2 and 3."""
    first, second, third = map(_by_resource, needs)
    below = Group("n2", [Leaf("n2,1", second), Leaf("n2,2", third)])
    return Hierarchy.from_tree(
        _by_resource((EQUAL, EQUAL)), Group("root", [Leaf("n1", first), below])
    )


def _both(needs: Needs) -> tuple[Sequence[float], Sequence[float]]:
    tree = figure(needs)
    flat, exact = (fair(tree, method).share.tolist() for method in ("mch", "exact"))
    return flat, exact


def _alike(identifier: str, cases: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Claim:
    """Whether the flat tree gives the leaves what the hierarchy gives them, in every case."""
    same = [bool(np.allclose(flat, exact, atol=1e-9)) for flat, exact in cases]
    away = [case for case, good in zip(cases, same, strict=True) if not good]
    difference = "; ".join(f"{_list(flat)}, exact {_list(exact)}" for flat, exact in away[:1])
    return ordering(identifier, same, holds=1, note=f"flat {difference}" if difference else "")


def _by_resource(amounts: Sequence[float]) -> dict[str, float]:
    return dict(zip(RESOURCES, map(float, amounts), strict=True))


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.3f}" for value in values)
