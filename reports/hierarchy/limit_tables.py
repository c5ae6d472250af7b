"""Shares under guarantees and limits for people: nodes, and what would change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.console import Group
from rich.markup import escape
from rich.table import Table

from ...core.wording import percent, plural
from ...heuristics.hierarchy.questions import WhatIf
from ...instances.hierarchy.allocation import TOLERANCE, Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.hierarchy.quotas import TOTAL
from .fair_shares import dropped, with_lines

MOST_ROWS = 60
"""Most rows that a table shows; it tells how many more there are."""

ROUNDING = 1e-12
"""Part of the capacity that is shown as none."""

MOST_NAMED = 6
"""Most guarantees that the verdict names."""


def node_table(
    allocation: Allocation, *, leaves_only: bool = False, depth: int | None = None
) -> Group:
    """Groups and leaves, a row for each resource: what they use, are guaranteed and may hold."""
    tree, shares = allocation.hierarchy, allocation.nodes
    table = Table(title=f"Fair shares by {allocation.method}", title_justify="left")
    table.add_column("node", overflow="fold")
    table.add_column("resource", overflow="fold")
    for name in ("used", "guaranteed", "limit", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("limited by", overflow="fold")
    shown = list(_nodes(tree, leaves_only=leaves_only, depth=depth))
    for n, name in shown[:MOST_ROWS]:
        for j, resource in enumerate(tree.resources):
            limit, used = float(shares.quotas.limit[n, j]), float(shares.used[n, j])
            used = used if used > ROUNDING * tree.capacity[j] else 0.0
            table.add_row(
                escape(name) if j == 0 else "",
                escape(resource),
                f"{used:.6g}",
                f"{shares.guaranteed[n, j]:.6g}",
                "" if limit == float("inf") else f"{limit:.6g}",
                percent(used / float(tree.capacity[j])),
                escape(", ".join(shares.limited_by(n))) if j == 0 else "",
            )
    below = [f"… and {len(shown) - MOST_ROWS} more nodes"] if len(shown) > MOST_ROWS else []
    return with_lines(table, [*below, _verdict(allocation), _weights(tree), *dropped(tree)])


def _nodes(tree: Hierarchy, *, leaves_only: bool, depth: int | None) -> Iterator[tuple[int, str]]:
    """Nodes in the order of the tree, with their names, indented by their depth."""
    children: dict[int, list[int]] = {}
    for n, up in enumerate(tree.parent.tolist()):
        children.setdefault(up, []).append(n)
    is_leaf = set(tree.leaf.tolist())
    stack = [(n, 1) for n in reversed(children.get(0, []))]
    while stack:
        n, level = stack.pop()
        if leaves_only:
            if n in is_leaf:
                yield n, tree.path(n)
        elif depth is None or level <= depth:
            yield n, "  " * (level - 1) + tree.names[n]
        stack.extend((c, level + 1) for c in reversed(children.get(n, [])))


def _verdict(allocation: Allocation) -> str:
    tree = allocation.hierarchy
    if not tree.active[0]:
        return "nothing to divide: no leaf has tasks"
    used = ", ".join(
        f"{name} {percent(part)}"
        for name, part in zip(tree.resources, allocation.used.tolist(), strict=True)
    )
    shares, counted = allocation.nodes, tree.counted
    own = shares.quotas.guarantee * [counted in (-1, j) for j in range(len(tree.resources))]
    stated = int((own > 0).any(axis=1).sum())
    if not stated:
        return f"used: {used}; the file states no guarantee; every limit holds"
    short = shares.guaranteed < np.minimum(own, tree.wanted) * (1 - TOLERANCE)
    less = [
        f"{tree.path(n)} {shares.guaranteed[n, j]:.6g} of {own[n, j]:.6g} {tree.resources[j]}"
        for n, j in np.argwhere(short).tolist()
    ]
    more = f" and {len(less) - MOST_NAMED} more" if len(less) > MOST_NAMED else ""
    kept = f"tasks hold {', '.join(less[:MOST_NAMED])}{more}" if less else "all are kept"
    return (
        f"used: {used}; guarantees stated for {plural(stated, 'node')}: {kept}; every limit holds"
    )


def _weights(tree: Hierarchy) -> str:
    quotas = tree.quotas
    if quotas is None:
        return ""
    divides = "everything" if quotas.surplus == TOTAL else "what lies above the guarantees"
    counted = {"dominant": "by dominant shares", "each": "each resource for itself"}
    by = counted.get(quotas.shares, f"by {quotas.shares} alone")
    return f"weights divide {divides}, {by}"


def what_if_table(answer: WhatIf) -> Group:
    """Before, after and difference of every node that changes."""
    table = Table(title="What if " + ", ".join(answer.said), title_justify="left")
    for name in ("node", "resource"):
        table.add_column(name, overflow="fold")
    for name in ("before", "after", "difference"):
        table.add_column(name, justify="right", no_wrap=True)
    for node, resource, before, after in answer.changes[:MOST_ROWS]:
        amounts = f"{before:.6g}", f"{after:.6g}", f"{after - before:+.4g}"
        table.add_row(escape(node), escape(resource), *amounts)
    more = len(answer.changes) - MOST_ROWS
    below = [f"… and {more} more changes"] if more > 0 else []
    return with_lines(table, below if answer.changes else ["nothing changes"])
