"""How large numbers may be, so that no sum or product overflows and memory suffices."""

MOST = 1e24
"""Times in s, data in MB, rates, amounts: more than any cluster has or does."""
LEAST = 1e-24
"""The least that a number may be that must be positive."""
MOST_SLOTS = 10_000_000
"""Slots of a cluster, and machines of a datacenter that is simulated."""
MOST_NAMED = 1_000_000
"""Jobs, and nodes, of an instance that is made from numbers."""
MOST_TASKS = 5_000_000
"""Map tasks, and reduce tasks, of the same."""
MOST_ENTRIES = 20_000_000
"""Entries of a table, such as speed factors by job and machine, of the same."""
MOST_TREE = 2_100_000
"""Nodes of a hierarchy that is made from numbers: a full binary tree has 20 levels."""
MOST_RESOURCES = 1000
MOST_MACHINES = 1_000_000_000
"""Machines of a datacenter that is made from numbers; they are only counted."""
MOST_ARRIVALS = 1_000_000_000
"""Jobs of a simulation, which holds few at a time."""
MOST_HELD = 50_000_000
"""Jobs of a workload of which all are held at once."""
MOST_THREADS = 1024


def bounds_of(value: float) -> str:
    """What to add to a message on a number that is right but for its size."""
    return f" (from {LEAST:g} to {MOST:g})" if value > 0 else ""
