"""Online dispatching: policies that decide where and when jobs start, listed in `POLICIES`.

A policy's entry loads a subclass of `Policy`, or a function without arguments that makes one; those
of this package are rules that are compiled.
"""

from ...core.registry import Entry, Registry

POLICIES = Registry(
    "policy",
    "slotwise.policies",
    (
        Entry(
            "lotes",
            "heuristics.datacenter.policy:LOTES",
            "LoTES, section 4.3",
            "nearest to the machine's bin; on exits only classes of the plan",
        ),
        Entry(
            "lotes-unrestricted",
            "heuristics.datacenter.policy:LOTES_UNRESTRICTED",
            "LoTES, section 4.3, without the restriction on exits",
            "nearest to the machine's bin; on exits any class",
        ),
        Entry(
            "bid-price",
            "heuristics.datacenter.policy:BID_PRICE",
            "slotwise",
            "where the job takes the least worth of room, at the plan's prices",
        ),
        Entry(
            "greedy",
            "heuristics.datacenter.policy:GREEDY",
            "LoTES, section 5.2",
            "first machine with room, else the machine with the shortest queue",
        ),
        Entry(
            "tetris",
            "heuristics.datacenter.policy:TETRIS",
            "Tetris (Grandl et al. 2014), as in LoTES, section 5.2",
            "largest product of demand and free resources, minus remaining work",
        ),
        Entry(
            "first-fit",
            "heuristics.datacenter.policy:FIRST_FIT",
            "slotwise",
            "first machine with room, one queue that skips what does not fit",
        ),
        Entry(
            "best-fit",
            "heuristics.datacenter.policy:BEST_FIT",
            "slotwise",
            "machine with the least left, one queue that skips what does not fit",
        ),
        Entry(
            "bf-js",
            "heuristics.datacenter.policy:BF_JS",
            "Psychas and Ghaderi 2019, BF-J/S",
            "machine with the least left; on exits the largest job that fits",
        ),
        Entry(
            "fgd",
            "heuristics.datacenter.policy:FGD",
            "Weng et al. 2023, fragmentation gradient descent",
            "machine where least of what stays free is lost to other classes",
        ),
        Entry(
            "guided",
            "heuristics.datacenter.guided:Guided",
            "slotwise",
            "what waited least in the plan's rehearsal (slotwise guide --rehearse)",
        ),
    ),
)

WARM_UP = 0.2
"""Part of the jobs, the first ones, that is usually not measured."""

DEFAULT_LOAD = 0.95
"""Arrivals as a part of the highest rate, unless somebody says otherwise."""

REHEARSAL_SEEDS, REHEARSAL_TIME = 6, 60.0
"""Runs of those that stay to the end of a rehearsal, and its time limit (s)."""

GAMMA_UNITS = ("scaled", "s", "min", "h", "d")
"""Units of remaining work in Tetris's score; the first is none, see docs/heuristics/dispatch.md."""
