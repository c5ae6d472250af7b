"""Guarantees and limits: `python benchmarks/limits.py [--nodes 1000000] [TREE ...]`.

Prints Markdown: CPU seconds of `exact` without and with guarantees and limits on one large tree of
each kind, two resources, in one run, and their ratio; `each` divides each resource for itself.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from time import process_time

import numpy as np

from slotwise.core.arrays import BoolArray, FloatArray, IntArray
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.quotas import DOMINANT, EACH, Quotas

LIMITED = 0.4
"""Probability that a node has a limit, and a guarantee where there are any, of a resource."""
GROUPS = 100
"""Groups of the flat tree."""


def ten_ary(q: int, rng: np.random.Generator) -> IntArray:
    return (np.arange(q) - 1) // 10


def random(q: int, rng: np.random.Generator) -> IntArray:
    return np.concatenate(([-1], (rng.random(q - 1) * np.arange(1, q)).astype(np.int64)))


def flat(q: int, rng: np.random.Generator) -> IntArray:
    nodes = np.arange(q)
    return np.where(nodes <= GROUPS, np.minimum(nodes, 1) - 1, 1 + nodes % GROUPS)


def deep(q: int, rng: np.random.Generator) -> IntArray:
    """A path, and a leaf beside each of its nodes."""
    nodes = np.arange(q)
    return np.where(nodes % 2 == 1, nodes - 1, nodes - 2).clip(-1)


TREES: dict[str, Callable[[int, np.random.Generator], IntArray]] = {
    "10-ary": ten_ary,
    "random": random,
    f"{GROUPS} groups": flat,
    "deep": deep,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Guarantees and limits.")
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--tasks", type=float, default=0.5, help="share of leaves with task limits")
    parser.add_argument("--trees", nargs="+", default=list(TREES), choices=list(TREES))
    options = parser.parse_args()
    columns = dict.fromkeys(measured(large("random", 1000, options.tasks), 1), "")
    print(f"| tree | leaves | {' | '.join(columns)} | limits that bind |")
    print("|---|" + "--:|" * (len(columns) + 2))
    for kind in options.trees:
        tree = large(kind, options.nodes, options.tasks)
        found = measured(tree, 2)
        least = found.pop("no limits, s")
        cells = [f"{least:.2f}", *(f"{time:.2f} ({time / least:.1f})" for time in found.values())]
        bind = int(exact(with_quotas(tree, 0)).nodes.full[1:].sum())
        print(f"| {kind} | {tree.leaves} | {' | '.join(cells)} | {bind} |", flush=True)


def measured(tree: Hierarchy, runs: int) -> dict[str, float]:
    """Least CPU seconds by what is computed."""
    trees = {
        "no limits, s": tree,
        "limits": with_quotas(tree, 0),
        "and guarantees": with_quotas(tree, 1),
        "at 5 heights": with_quotas(tree, 5),
        "each resource for itself": with_quotas(tree, 5, shares=EACH),
    }
    return {what: min(timed(each) for _ in range(runs)) for what, each in trees.items()}


def timed(tree: Hierarchy) -> float:
    """CPU seconds of one run on a fresh copy, without the checks of its arrays."""
    fresh = replace(tree)
    began = process_time()
    exact(fresh)
    return process_time() - began


def large(kind: str, q: int, limited: float) -> Hierarchy:
    """A tree without quotas of which half the leaves fill the cluster."""
    rng = np.random.default_rng(1)
    parent = TREES[kind](q, rng)
    leaf = np.setdiff1d(np.arange(1, q), parent)
    some = rng.random(len(leaf)) < limited
    return Hierarchy(
        resources=("cpu", "memory"),
        capacity=np.full(2, len(leaf) / 2),
        names=tuple(map(str, range(q))),
        parent=parent,
        weight=rng.uniform(1, 4, q),
        leaf=leaf,
        demand=rng.uniform(0.1, 1, (len(leaf), 2)),
        tasks=np.where(some, rng.uniform(0, 4, len(leaf)), np.inf),
    )


def with_quotas(tree: Hierarchy, heights: int, shares: str = DOMINANT) -> Hierarchy:
    """Limits and guarantees about what nodes use without them.

    `heights`: most guarantees within one another, but for those of leaves.
    """
    rng, used = np.random.default_rng(2), exact(tree).nodes.used
    scale = rng.uniform(0.5, 1.8, used.shape)
    limit = np.where(rng.random(used.shape) < LIMITED, used * scale, np.inf)
    limit[0] = np.inf
    stated = rng.random(tree.nodes) < LIMITED * (heights > 0)
    stated[0] = False
    stated &= within(tree, stated, heights)
    guarantee: FloatArray = np.where(stated[:, None], used * scale.min() / 2, 0.0)
    none = Quotas.none(*used.shape)
    return replace(tree, quotas=replace(none, limit=limit, guarantee=guarantee, shares=shares))


def within(tree: Hierarchy, stated: BoolArray, heights: int) -> BoolArray:
    """Nodes above which there are fewer stated guarantees than `heights`; all leaves."""
    above, also = [0] * tree.nodes, stated.tolist()
    for n, up in enumerate(tree.parent.tolist()[1:], 1):
        above[n] = above[up] + also[up]
    keep = np.array(above) < heights
    keep[tree.leaf] = True
    return keep


if __name__ == "__main__":
    main()
