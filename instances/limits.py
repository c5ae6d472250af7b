"""How large numbers may be, so that no sum or product of them overflows."""

MOST = 1e18
"""Times in s, data in MB, rates, amounts: more than any cluster has or does."""
LEAST = 1e-18
"""The least that a number may be that must be positive."""
MOST_SLOTS = 10_000_000
"""Slots of a cluster, and machines of a datacenter that is simulated."""
