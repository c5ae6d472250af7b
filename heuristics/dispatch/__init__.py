"""Online dispatching: policies that decide where and when jobs start, listed in `POLICIES`.

A policy's entry loads a function from a `Setting` and a `System` to the policy's arrays.
"""

from ...instances.registry import Entry, Registry

POLICIES = Registry(
    "policy",
    "slotwise.policies",
    (
        Entry(
            "lotes",
            "heuristics.dispatch.policies.lotes:restricted",
            "LoTES, section 4.3",
            "nearest to the machine's bin; on exits only classes of the plan",
        ),
        Entry(
            "lotes-unrestricted",
            "heuristics.dispatch.policies.lotes:unrestricted",
            "LoTES, section 4.3, without the restriction on exits",
            "nearest to the machine's bin; on exits any class",
        ),
        Entry(
            "greedy",
            "heuristics.dispatch.policies.greedy:policy",
            "LoTES, section 5.2",
            "first machine with room, else the machine with the shortest queue",
        ),
        Entry(
            "tetris",
            "heuristics.dispatch.policies.tetris:policy",
            "Tetris (Grandl et al. 2014), as in LoTES, section 5.2",
            "largest product of demand and free resources, minus remaining work",
        ),
        Entry(
            "first-fit",
            "heuristics.dispatch.policies.first_fit:policy",
            "slotwise",
            "first machine with room, one queue that skips what does not fit",
        ),
        Entry(
            "best-fit",
            "heuristics.dispatch.policies.best_fit:policy",
            "slotwise",
            "machine with the least left, one queue that skips what does not fit",
        ),
    ),
)
