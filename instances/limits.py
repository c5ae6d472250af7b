"""Limits of numbers, so that no sum or product overflows and memory suffices."""

MOST = 1e24
"""Greatest time (s), data (MB), rate or amount."""
LEAST = 1e-24
"""Least value of a number that must be positive."""
MOST_SLOTS = 10_000_000
"""Slots of a cluster, and machines of a datacenter that is simulated."""
MOST_NAMED = 1_000_000
"""Most jobs, and nodes, of a generated instance."""
MOST_TASKS = 5_000_000
"""Most map tasks, and reduce tasks, of a generated instance."""
MOST_ENTRIES = 20_000_000
"""Most entries of a generated table, such as speed factors by job and machine."""
MOST_RESOURCES = 1000
MOST_ARRIVALS = 1_000_000_000
"""Most jobs of a simulation, which holds few at a time."""
MOST_AT_ONCE = 10_000_000
"""Most jobs of a simulation that arrive, or run, at time 0."""


def bounds_of(value: float) -> str:
    """Addition to a message on a number that is wrong only because of its size."""
    return f" (from {LEAST:g} to {MOST:g})" if value > 0 else ""
