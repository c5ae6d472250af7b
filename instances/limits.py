"""How large numbers may be, so that no sum or product of them overflows."""

MOST = 1e24
"""Times in s, data in MB, rates, amounts: more than any cluster has or does."""
LEAST = 1e-24
"""The least that a number may be that must be positive."""
MOST_SLOTS = 10_000_000
"""Slots of a cluster, and machines of a datacenter that is simulated."""


def bounds_of(value: float) -> str:
    """What to add to a message on a number that is right but for its size."""
    return f" (from {LEAST:g} to {MOST:g})" if value > 0 else ""
