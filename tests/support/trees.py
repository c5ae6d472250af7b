"""Small hierarchies that several tests use; resources are called c and m."""

from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.nodes import Group, Leaf


def leaf(name, c, m, **more):
    return Leaf(name, {"c": c, "m": m}, **more)


def tree(*children, capacity=(1, 1)) -> Hierarchy:
    return Hierarchy.from_tree(dict(zip("cm", capacity, strict=True)), Group("root", children))


def figure_4(capacity=200, tasks=float("inf")) -> Hierarchy:
    """MCH, Figure 4a."""
    cpu = [leaf(name, 1, 0, tasks=tasks) for name in ("n11", "n21", "n22", "n31")]
    memory = [leaf(name, 0, 1, tasks=tasks) for name in ("n12", "n23")]
    return tree(
        Group("n1", [cpu[0], memory[0]]),
        Group("n2", [cpu[1], cpu[2], memory[1]]),
        Group("n3", [cpu[3]]),
        capacity=(capacity, capacity),
    )


FIGURE_4_SHARES = [1 / 3, 1 / 2, 1 / 6, 1 / 6, 1 / 2, 1 / 3]


def idle_cpu() -> Hierarchy:
    """The smallest tree in which MCH as printed is not exact."""
    return tree(leaf("a", 3, 1), Group("n2", [leaf("b", 0, 1), leaf("c", 1, 1)]))


def broken_guarantee() -> Hierarchy:
    """A tree in which MCH as printed gives leaf a less than its guarantee of 1/2."""
    return tree(
        leaf("a", 2, 1),
        Group("n2", [leaf("b", 2, 1), Group("n3", [leaf("c", 0, 1), leaf("d", 0, 1)])]),
    )
