"""Runs of experiments of the papers that nobody made, in the form in which they are compared."""

import json
from itertools import product

import pandas as pd

from slotwise.experiments.reproduction import mch

INTERVALS, HOURS = 30, 30 * 24

HMHS_METHODS = ("HMHS", "FIFO", "FIFO-Pri", "R-HMHS", "Min-Min")


def hmhs(factor, levels, makespans):
    """`makespans(workload, level, seed)` gives one for each method."""
    rows = [
        {"workload": workload, factor: level, "seed": seed, "method": method, "makespan": value}
        for workload, level, seed in product(("single", "hybrid"), levels, range(3))
        for method, value in zip(HMHS_METHODS, makespans(workload, level, seed), strict=True)
    ]
    return pd.DataFrame(rows)


def smso(growth, gammas=(0.0, 0.01, 0.02), stay=None):
    """Makespans of 100 without outages; `growth(nodes, gamma, seed)` is in %.

    If reduces stay it is `stay` of the same, or gamma in %.
    """
    other = stay or (lambda nodes, gamma, seed: gamma)
    return pd.DataFrame(
        [
            {
                "jobs": jobs,
                "nodes": nodes,
                "gamma": gamma,
                "seed": seed,
                "reduces": reduces,
                "makespan": 100 + (growth if reduces == "again" else other)(nodes, gamma, seed),
            }
            for jobs, nodes, gamma, seed, reduces in product(
                (20, 50), (10, 20, 50, 100), gammas, range(4), ("again", "stay")
            )
        ]
    )


def lotes_run(method, wait, first, **condition):
    """A run with a mean wait (s), and that of the first interval."""
    queue = [20_000.0, *[wait] * (8 * INTERVALS - 1)]
    return condition | {
        "method": method,
        "seed": 0,
        "time_unit": "s",
        "mean_wait": wait,
        "mean_wait_of_all": wait,
        "max_wait": 10 * wait,
        "interval": 3600.0 * HOURS / INTERVALS,
        "wait_over_time": json.dumps([first, *[wait] * (INTERVALS - 1)]),
        "queue_over_time": json.dumps(queue),
        "warnings": "",
    }


FIRST = {"lotes": 40.0, "greedy": 20.0, "tetris": 30.0, "best-fit": 50.0}
"""Waits (s) in the first interval of jobs that are drawn."""


def lotes_drawn(lotes, greedy, tetris, *, scale=1.0, first=FIRST):
    """The same waits with and without a batch, with and without noise."""
    waits = {"lotes": lotes, "greedy": greedy, "tetris": tetris, "best-fit": 2.0}
    return pd.DataFrame(
        lotes_run(name, wait, first[name], load=0.98, noise=noise, batch=batch,
                  durations="exponential", scale=scale)
        for (name, wait), noise, batch in product(waits.items(), (0.0, 0.3), (0, 30_000))
    )  # fmt: skip


def mch_times(seconds):
    """`seconds(name, nodes, tasks)` by name of the method and number of nodes, on every tree."""
    of_method = {name: key for key, name in mch.NAMES.items()}
    trees = [*product(mch.LEVELS, (40.0, 160.0)), *((n, 5.0 * 2**n) for n in (7, 10))]
    return pd.DataFrame(
        {
            "levels": levels,
            "capacity": 8.0 * tasks,
            "method": method,
            "update": given if method == "hdrf" else None,
            "resource": given if method == "ch" else None,
            "tasks": tasks,
            "seconds": seconds(name, 2.0 ** (levels + 1) - 2, tasks),
        }
        for (levels, tasks), (name, (method, given)) in product(trees, of_method.items())
    )
