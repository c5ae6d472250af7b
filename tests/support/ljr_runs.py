"""Runs of the experiments of [LJR] that nobody made: frames whose mean errors are known."""

from itertools import product

import numpy as np
import pandas as pd

from slotwise.experiments.reproduction import ljr as design
from slotwise.experiments.reproduction.ljr import printed_cells

BOUND = 1000.0
"""LB2 of every instance; the other bounds are less, and the best valid one is 2 % more."""


def frame_of(methods_and_omegas, nodes, jobs=design.JOBS, seeds=design.SEEDS, settings=None):
    """All runs of a design, with an error of 1 % each."""
    rows = product(seeds, methods_and_omegas, design.RATIOS, nodes, jobs)
    frame = pd.DataFrame(
        [(seed, method, omega, slots, n, j) for seed, (method, omega), slots, n, j in rows],
        columns=["seed", "method", "omega", "map_slots", "nodes", "jobs"],
    )
    settings = design.PUBLISHED if settings is None else settings
    frame = frame.assign(**settings, error_percent=1.0)
    return frame.assign(ratio=frame["map_slots"].map(design.RATIOS))


def finished(frame):
    """The columns that a campaign leaves, with makespans for the column `error_percent`."""
    frame = frame.assign(
        makespan=BOUND * (1 + frame["error_percent"] / 100),
        lower_bound=1.02 * BOUND,
        **{"bound LB1 as printed": 0.9 * BOUND, "bound LB2": BOUND},
    )
    frame["gap"] = frame["makespan"] / frame["lower_bound"] - 1
    return frame.drop(columns=["error_percent", "ratio"])


def as_printed(frame, spread=0.1):
    """Errors whose cell means are those of Table 2, apart by seed."""
    printed = printed_cells().stack()
    key = pd.MultiIndex.from_frame(frame[["ratio", "nodes", "jobs", "method"]])
    seeds = sorted(frame["seed"].unique())
    own = np.random.default_rng(0).normal(size=len(seeds))
    own = dict(zip(seeds, own - own.mean(), strict=True))
    away = 1 + spread * frame["seed"].map(own)
    return frame.assign(error_percent=printed.reindex(key).to_numpy() * away)


def comparison(**levels):
    """The runs of Tables 2 and 3 as they would be if they agreed with the print."""
    pairs = [(name, design.OMEGA) for name in design.METHODS]
    return finished(as_printed(frame_of(pairs, design.NODES, **levels)))


def calibration(**levels):
    """The runs of Figure 3: as printed at omega 0.7, and worse the farther from it."""
    pairs = list(product(design.CALIBRATED, design.OMEGAS))
    frame = as_printed(frame_of(pairs, design.NODES, **levels))
    worse = 1 + (frame["omega"] - design.OMEGA).abs()
    return finished(frame.assign(error_percent=frame["error_percent"] * worse))
