"""Who can take back what a node holds above its guarantee."""

from __future__ import annotations

from dataclasses import dataclass

from ....core.wording import listed
from ....instances.hierarchy.allocation import Allocation

LEAST = 1e-9
"""Least fraction of the capacity that counts as borrowed or idle."""


@dataclass(frozen=True)
class Reclaim:
    """What of a resource a node borrows, and whose it is."""

    resource: str
    """The resource."""
    borrowed: float
    """What it uses above its guaranteed part, in the units of the capacity."""
    owners: dict[str, float]
    """What others are guaranteed and do not use, by path."""

    def __str__(self) -> str:
        begin = f"Borrows {self.borrowed:.6g} {self.resource} above what it is guaranteed"
        if not self.owners:
            return f"{begin}; nobody else's guarantee lies idle."
        owners = listed([f"{path} up to {amount:.6g}" for path, amount in self.owners.items()])
        return f"{begin}; who wants what is guaranteed to it can take it back: {owners}."


def reclaims(allocation: Allocation, node: int) -> tuple[Reclaim, ...]:
    """What a node borrows, resource by resource, and who can take it back.

    Nothing is borrowed where nothing is guaranteed to anybody.
    """
    tree, shares = allocation.hierarchy, allocation.nodes
    if not shares.quotas.guarantee.any():
        return ()
    inside = tree.inside(node)
    above, n = set(), node
    while n >= 0:
        above.add(n)
        n = int(tree.parent[n])
    result = []
    for j, resource in enumerate(tree.resources):
        borrowed = float(shares.used[node, j] - shares.guaranteed[node, j])
        least = LEAST * float(tree.capacity[j])
        if borrowed <= least:
            continue
        counts = tree.counted in (-1, j)
        idle = shares.quotas.guarantee[:, j] * counts - shares.used[:, j]
        below = [0.0] * tree.nodes
        owners = {}
        for n in range(tree.nodes - 1, 0, -1):
            own = 0.0 if inside[n] or n in above else float(idle[n]) - below[n]
            if own > least:
                owners[tree.path(n)] = own
            below[int(tree.parent[n])] += max(own, 0.0) + below[n]
        ordered = sorted(owners.items(), key=lambda each: -each[1])
        result.append(Reclaim(resource, borrowed, dict(ordered)))
    return tuple(result)
