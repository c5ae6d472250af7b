"""Runs of experiments of the papers that nobody made, in the form in which they are compared."""

import json
from itertools import product

import pandas as pd

from slotwise.experiments.reproduction.mch import figure_5

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


def lotes_run(method, wait, first, tail, **condition):
    """A run with a mean wait (s), that of the first interval, and jobs that wait for ever (%)."""
    queue = [20_000.0, *[wait] * (8 * INTERVALS - 1)]
    return condition | {
        "method": method,
        "seed": 0,
        "time_unit": "s",
        "mean_wait": wait,
        "mean_wait_of_all": wait,
        "max_wait": 10 * wait,
        "p99_wait": 7 * 3600.0 if method == "tetris" else 17 * 3600.0,
        "interval": 3600.0 * HOURS / INTERVALS,
        "wait_over_time": json.dumps([first, *[wait] * (INTERVALS - 1)]),
        "queue_over_time": json.dumps(queue),
        "share_waiting_longer": json.dumps([tail / 100] * 37),
        "class_shares": "[0.5, 0.3, 0.1, 0.1]",
        "warnings": "",
    }


FIRST = {"lotes": 40.0, "greedy": 20.0, "tetris": 30.0, "best-fit": 50.0}
"""Waits (s) in the first interval of jobs that are drawn."""


def lotes_drawn(lotes, greedy, tetris, *, scale=1.0, first=FIRST):
    """The same waits with and without a batch, with and without noise."""
    waits = {"lotes": lotes, "greedy": greedy, "tetris": tetris, "best-fit": 2.0}
    return pd.DataFrame(
        lotes_run(name, wait, first[name], 0.5, load=0.98, noise=noise, batch=batch,
                  durations="exponential", scale=scale)
        for (name, wait), noise, batch in product(waits.items(), (0.0, 0.3), (0, 30_000))
    )  # fmt: skip


def lotes_month():
    """A trace with what the paper tells of the month."""
    waits = {"lotes": 1e-4, "greedy": 17 * 60.0, "tetris": 1e-3, "best-fit": 2.0}
    frame = pd.DataFrame(
        lotes_run(name, wait, 5.0 if name == "greedy" else 9.0, 0.5, trace="jobs.csv")
        for name, wait in waits.items()
    )
    of_tetris = frame["method"] == "tetris"
    values = json.loads(frame.loc[of_tetris, "wait_over_time"].iloc[0])
    values[int(200 / (HOURS / INTERVALS))] = 30.0
    frame.loc[of_tetris, "wait_over_time"] = json.dumps(values)
    return frame


def mch_times(seconds):
    """`seconds(name, nodes, tasks)` by name of the method and number of nodes, on every tree."""
    of_method = {name: key for key, name in figure_5.NAMES.items()}
    trees = [*product(figure_5.LEVELS, (40.0, 160.0)), *((n, 5.0 * 2**n) for n in (7, 10))]
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
