"""A stage of the plain simulation: the level rises until a resource is full."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.kernels.decorators import inner

STANDING, ON_FLOOR, RISING, STILL = 0, 1, 2, 3
"""States of a leaf: on its guaranteed part, on what it had, rising, and stopped for good."""

LAST = int(np.iinfo(np.int64).min)
"""A class below all."""


class Tree(NamedTuple):
    """What the simulation knows of a tree; arrays over nodes but for those of leaves."""

    parent: IntArray
    weight: FloatArray
    rank: IntArray
    """Class among the siblings; the highest goes first."""
    leaf_of: IntArray
    need: FloatArray
    """Of each leaf per unit of share, fractions of the capacity, shape (leaves, resources)."""
    size: FloatArray
    """Share of one task of each leaf, shape (leaves,)."""
    most: FloatArray
    """Share of each leaf with all its tasks, shape (leaves,)."""
    charged: BoolArray
    """Resources that count as a charge, shape (resources,)."""
    guarantee: FloatArray
    """Shape (nodes, resources)."""
    limit: FloatArray
    """Shape (nodes, resources)."""
    reserve: FloatArray
    """Shape (nodes, resources)."""
    total: bool
    """Whether weights divide everything, not what lies above the guarantees."""


class Scratch(NamedTuple):
    """What the simulation writes to, as its kernels make no arrays."""

    base: FloatArray
    share: FloatArray
    most: FloatArray
    base_now: FloatArray
    most_now: FloatArray
    rising: BoolArray
    state: IntArray
    inside: BoolArray
    start: FloatArray
    target: FloatArray
    speed: FloatArray
    level_rate: FloatArray
    target_rate: FloatArray
    front: IntArray
    begun: BoolArray
    awake: BoolArray
    moves: BoolArray
    fresh: BoolArray
    below: BoolArray
    limit: FloatArray
    held: FloatArray
    kept: FloatArray
    use: FloatArray
    rate: FloatArray
    need: FloatArray
    capacity: FloatArray
    fastest: FloatArray
    full: BoolArray


def scratch_of(tree: Tree) -> Scratch:
    (leaves, m), nodes = tree.need.shape, len(tree.parent)
    of_nodes = {"front": np.int64} | dict.fromkeys(
        ("inside", "begun", "awake", "moves", "fresh", "below"), np.bool_
    )
    arrays: dict[str, Any] = {
        "base": np.zeros(leaves),
        "share": np.zeros(leaves),
        "most": tree.most.copy(),
        "base_now": np.zeros(leaves),
        "most_now": np.zeros(leaves),
        "rising": np.zeros(leaves, np.bool_),
        "state": np.zeros(leaves, np.int64),
        "capacity": np.zeros(m),
        "fastest": np.zeros(m),
        "full": np.zeros(m, np.bool_),
    }
    for name in ("start", "target", "speed", "level_rate", "target_rate", *of_nodes):
        arrays[name] = np.zeros(nodes, of_nodes.get(name, np.float64))
    for name in ("limit", "held", "kept", "use", "rate", "need"):
        arrays[name] = np.zeros((nodes, m))
    return Scratch(**arrays)


@inner
def fit(
    parent: IntArray,
    leaf_of: IntArray,
    need: FloatArray,
    charged: BoolArray,
    limit: FloatArray,
    base: FloatArray,
    part: FloatArray,
) -> None:
    """Cut guaranteed parts to what limits permit of resources that do not count.

    All leaves below a limit that need the resource lose the same part, from the lowest limits up.
    `part`: scratch of the nodes.
    """
    for j in range(need.shape[1]):
        if charged[j]:
            continue
        for n in range(len(parent)):
            part[n] = 0.0
        for n in range(len(parent) - 1, -1, -1):
            use = part[n] if leaf_of[n] < 0 else base[leaf_of[n]] * need[leaf_of[n], j]
            most = limit[n, j] if n > 0 else 1.0
            if n > 0:
                part[parent[n]] += min(use, most)
            part[n] = most / use if use > most else 1.0
        for n in range(1, len(parent)):
            part[n] *= part[parent[n]]
            if leaf_of[n] >= 0 and need[leaf_of[n], j] > 0:
                base[leaf_of[n]] *= part[n]


@inner
def stage(
    tree: Tree, at: Scratch, root: int, base: FloatArray, share: FloatArray, most: FloatArray
) -> int:
    """Raise the level below `root` until a resource is full; return it, or -1 if all stand still.

    `share` and `most` are changed: a leaf under a full limit has no more to get than it has.
    """
    leaves, m = tree.need.shape
    nodes = len(tree.parent)
    inside, rising, state, capacity, limit = at.inside, at.rising, at.state, at.capacity, at.limit
    use, rate, need, speed, held, kept = at.use, at.rate, at.need, at.speed, at.held, at.kept
    level_rate, target_rate, start, target = at.level_rate, at.target_rate, at.start, at.target
    begun, awake, front, fastest = at.begun, at.awake, at.front, at.fastest
    for i in range(leaves):
        state[i] = STILL
        if rising[i]:
            state[i] = STANDING if tree.total and base[i] > 0 else ON_FLOOR
    for n in range(nodes):
        start[n] = target[n] = 0.0
        for j in range(m):
            held[n, j], kept[n, j] = 0.0, tree.reserve[n, j]
    # In total, a group stands until its target is what its guaranteed parts are charged.
    if tree.total:
        for n in range(nodes - 1, root, -1):
            if not inside[n]:
                continue
            i = tree.leaf_of[n]
            if i >= 0:
                for j in range(m):
                    held[n, j] = base[i] * tree.need[i, j]
                start[n] = base[i]
            else:
                for j in range(m):
                    if tree.charged[j]:
                        start[n] = max(start[n], held[n, j])
            for j in range(m):
                held[tree.parent[n], j] += max(held[n, j], tree.reserve[n, j])
    for n in range(nodes):
        begun[n] = n == root or start[n] <= 0
    above = 0.0 if tree.total else 1.0
    while True:
        # Leaves whose targets have come to what they wait for.
        for n in range(root + 1, nodes):
            i = tree.leaf_of[n]
            if i < 0 or not inside[n]:
                continue
            if state[i] == STANDING and begun[n]:
                state[i] = ON_FLOOR
            if state[i] == ON_FLOOR and target[n] >= share[i] - above * base[i]:
                state[i] = RISING if share[i] < most[i] else STILL
        _wake(tree, at, root)
        # From the leaves up: what rises, and what it is charged.
        for n in range(nodes):
            level_rate[n] = target_rate[n] = 0.0
            for j in range(m):
                use[n, j] = rate[n, j] = need[n, j] = 0.0
        for n in range(nodes - 1, root - 1, -1):
            if not inside[n]:
                continue
            i = tree.leaf_of[n]
            speed[n] = 0.0
            if i >= 0:
                if state[i] == ON_FLOOR or state[i] == RISING:
                    speed[n] = 1.0
                for j in range(m):
                    use[n, j] = share[i] * tree.need[i, j]
                    need[n, j] = speed[n] * tree.need[i, j]
            else:
                top = 0.0
                for j in range(m):
                    if tree.charged[j]:
                        top = max(top, need[n, j])
                speed[n] = top
                for j in range(m):
                    need[n, j] /= top or 1.0
            up = tree.parent[n]
            if n > root:
                for j in range(m):
                    use[up, j] += max(use[n, j], kept[n, j])
                if awake[n] and begun[n] and speed[n] > 0 and tree.rank[n] == front[up]:
                    for j in range(m):
                        need[up, j] += tree.weight[n] * need[n, j]
        if speed[root] <= 0:
            return -1
        # From the root down: how fast targets rise when the root's children do by one.
        level_rate[root] = 1.0
        for n in range(root + 1, nodes):
            up = tree.parent[n]
            if not inside[n] or not awake[n] or tree.rank[n] != front[up]:
                continue
            target_rate[n] = tree.weight[n] * level_rate[up]
            if tree.leaf_of[n] < 0 and begun[n] and speed[n] > 0:
                level_rate[n] = target_rate[n] / speed[n]
        # From the leaves up: how fast use rises. What is kept is used already.
        for n in range(nodes - 1, root, -1):
            if not inside[n]:
                continue
            i, up = tree.leaf_of[n], tree.parent[n]
            for j in range(m):
                if i >= 0 and state[i] == RISING:
                    rate[n, j] = target_rate[n] * tree.need[i, j]
                if use[n, j] >= kept[n, j]:
                    rate[up, j] += rate[n, j]
        # The next event.
        step = np.inf
        for j in range(m):
            fastest[j] = 0.0
            for n in range(root, nodes):
                if inside[n]:
                    fastest[j] = max(fastest[j], rate[n, j])
        what, where = -1, -1
        for n in range(root + 1, nodes):
            if not inside[n]:
                continue
            if target_rate[n] > 0:
                i, goal = tree.leaf_of[n], np.inf
                if not begun[n]:
                    goal = start[n]
                elif i >= 0 and state[i] == ON_FLOOR:
                    goal = share[i] - above * base[i]
                elif i >= 0 and state[i] == RISING:
                    goal = most[i] - above * base[i]
                wait = max(0.0, goal - target[n]) / target_rate[n]
                if wait < step:
                    step, what, where = wait, 0, n
            for j in range(m):
                if rate[n, j] > 1e-15 * fastest[j]:
                    if use[n, j] < kept[n, j]:
                        wait = (kept[n, j] - use[n, j]) / rate[n, j]
                        if wait < step:
                            step, what, where = wait, 2, n * m + j
                    elif limit[n, j] < np.inf:
                        wait = max(0.0, limit[n, j] - use[n, j]) / rate[n, j]
                        if wait < step:
                            step, what, where = wait, 1, n * m + j
        for j in range(m):
            if rate[root, j] > 1e-15 * fastest[j]:
                if root == 0:
                    wait = max(0.0, capacity[j] - use[root, j]) / rate[root, j]
                    if wait <= step:
                        step, what, where = wait, 3, j
                else:
                    wait = max(0.0, limit[root, j] - use[root, j]) / rate[root, j]
                    if wait < step:
                        step, what, where = wait, 1, root * m + j
        if what < 0:
            return -1
        for n in range(root + 1, nodes):
            if not inside[n] or target_rate[n] <= 0:
                continue
            target[n] += step * target_rate[n]
            i = tree.leaf_of[n]
            if i >= 0 and state[i] == RISING:
                share[i] = min(most[i], max(share[i], above * base[i] + target[n]))
        if what == 3:
            return where
        if what == 0:
            i = tree.leaf_of[where]
            if not begun[where]:
                begun[where] = True
                target[where] = max(target[where], start[where])
            elif i >= 0 and state[i] == ON_FLOOR:
                target[where] = max(target[where], share[i] - above * base[i])
            else:
                share[i] = most[i]
                state[i] = STILL
        elif what == 2:
            kept[where // m, where % m] = 0.0
        else:
            _stop_below(tree, at, where // m, where % m, share, most)


@inner
def _wake(tree: Tree, at: Scratch, root: int) -> None:
    """Find who can still rise, the class that goes first in each group, and pass empty levels.

    A level at which nobody in a begun group rises yet is passed free of charge, the deepest groups
    first.
    """
    nodes = len(tree.parent)
    inside, state, start, target = at.inside, at.state, at.start, at.target
    begun, awake, front, moves = at.begun, at.awake, at.front, at.moves
    for n in range(nodes):
        moves[n] = awake[n] = False
        front[n] = LAST
    for n in range(nodes - 1, root - 1, -1):
        if not inside[n]:
            continue
        i = tree.leaf_of[n]
        if i >= 0:
            awake[n] = state[i] != STILL
            moves[n] = state[i] == ON_FLOOR or state[i] == RISING
        elif awake[n] and begun[n] and not moves[n]:
            # Children come after their parents, and all of them are decided.
            least = np.inf
            for c in range(n + 1, nodes):
                if tree.parent[c] == n and awake[c] and tree.rank[c] == front[n] and not begun[c]:
                    least = min(least, (start[c] - target[c]) / tree.weight[c])
            for c in range(n + 1, nodes):
                if tree.parent[c] == n and awake[c] and tree.rank[c] == front[n] and not begun[c]:
                    wait = (start[c] - target[c]) / tree.weight[c]
                    target[c] += least * tree.weight[c]
                    if wait <= least:
                        target[c] = start[c]
                        begun[c] = True
                        if tree.leaf_of[c] >= 0:
                            state[tree.leaf_of[c]] = ON_FLOOR
                        else:
                            _begin(tree, at, c)
            moves[n] = True
        if n > root and awake[n]:
            up = tree.parent[n]
            awake[up] = True
            if tree.rank[n] > front[up]:
                front[up] = tree.rank[n]
                moves[up] = False
            if tree.rank[n] == front[up]:
                moves[up] = moves[up] or (moves[n] and begun[n])


@inner
def _begin(tree: Tree, at: Scratch, group: int) -> None:
    """Let the first of those below a group that has begun begin, too."""
    nodes = len(tree.parent)
    state, start, target, begun = at.state, at.start, at.target, at.begun
    awake, front, fresh = at.awake, at.front, at.fresh
    for n in range(nodes):
        fresh[n] = n == group
    for n in range(group, nodes):
        if not fresh[n] or tree.leaf_of[n] >= 0:
            continue
        least, moving = np.inf, False
        for c in range(n + 1, nodes):
            if tree.parent[c] == n and awake[c] and tree.rank[c] == front[n]:
                if begun[c]:
                    moving = True
                else:
                    least = min(least, (start[c] - target[c]) / tree.weight[c])
        if moving:
            continue
        for c in range(n + 1, nodes):
            if tree.parent[c] == n and awake[c] and tree.rank[c] == front[n]:
                wait = (start[c] - target[c]) / tree.weight[c]
                target[c] += least * tree.weight[c]
                if wait <= least:
                    target[c] = start[c]
                    begun[c] = True
                    fresh[c] = True
                    if tree.leaf_of[c] >= 0:
                        state[tree.leaf_of[c]] = ON_FLOOR


@inner
def _stop_below(
    tree: Tree, at: Scratch, node: int, j: int, share: FloatArray, most: FloatArray
) -> None:
    """A limit is full: the leaves below that need it have all that they can get."""
    inside, state, below = at.inside, at.state, at.below
    for n in range(node, len(tree.parent)):
        above = tree.parent[n]
        below[n] = n == node or (inside[n] and above >= node and below[above])
        i = tree.leaf_of[n]
        if i >= 0 and below[n] and state[i] != STILL and tree.need[i, j] > 0:
            most[i] = share[i]
            if state[i] == RISING:
                state[i] = STILL
