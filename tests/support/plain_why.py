"""Who stands in a leaf's way, by the definition: plain loops over paths."""

from slotwise.instances.hierarchy.allocation import Allocation


def plain_holders(allocation: Allocation, path: str) -> dict[str, dict[str, dict[str, float]]]:
    """By full resource that the leaf needs: parts of the other leaves, and of groups it is not in.

    A resource is full if nothing of it is left but rounding; with whole tasks, if the leaf's next
    task needs more than what is left.
    """
    tree = allocation.hierarchy
    me = tree.paths.index(path)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for j, resource in enumerate(tree.resources):
        part = {
            other: allocation.tasks[k] * tree.demand[k, j] / tree.capacity[j]
            for k, other in enumerate(tree.paths)
        }
        need = tree.demand[me, j] / tree.capacity[j]
        left = 1 - sum(part.values())
        if need == 0 or left >= (need if allocation.whole else 0) + 1e-9:
            continue
        groups: dict[str, float] = {}
        for other, amount in part.items():
            steps = other.split("/")
            for k in range(1, len(steps)):
                group = "/".join(steps[:k])
                if not path.startswith(group + "/"):
                    groups[group] = groups.get(group, 0.0) + amount
        found[resource] = {
            "leaves": {other: a for other, a in part.items() if a > 0 and other != path},
            "groups": {group: a for group, a in groups.items() if a > 0},
        }
    return found
