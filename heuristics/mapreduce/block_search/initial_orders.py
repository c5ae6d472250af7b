"""Job orders that the search begins with."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ..list_scheduling.johnson import johnson
from .scaled_instance import BlockProblem

LAST_JOBS = (2, 5, 12)
"""Numbers of jobs with the shortest tails that are put last."""

LARGE_JOBS_AFTER = (0.1, 0.3, 0.5)
"""Shares of the other jobs after which the large jobs come."""


def spread_tails(problem: BlockProblem) -> IntArray:
    """Time from the end of each job's map phase to the end of the job, shape (jobs,).

    The map tasks of a job are assumed to be spread over all nodes.
    """
    job = np.repeat(np.arange(len(problem.longest)), np.diff(problem.map_begin))
    output = np.bincount(job, problem.output, len(problem.longest))
    nodes = len(problem.rack_of)
    racks = np.diff(problem.rack_begin)
    near, rack, far = problem.rates
    mean = (near + (racks.max() - 1) * rack + (nodes - racks.max()) * far) / nodes
    tails: IntArray = problem.longest + (output * mean).astype(np.int64)
    tails[np.diff(problem.reduce_begin) == 0] = 0
    return tails


def first_orders(problem: BlockProblem) -> IntArray:
    """Orders that suit different kinds of instances, shape (orders, jobs)."""
    jobs = len(problem.longest)
    job = np.repeat(np.arange(jobs), np.diff(problem.map_begin))
    lengths = problem.map_time + problem.map_setup[:, 0]
    maps: FloatArray = np.bincount(job, lengths, jobs) / max(int(problem.map_slots[-1]), 1)
    reduces = problem.least_work / max(int(problem.reduce_slots[-1]), 1)
    tails = spread_tails(problem)
    johnsons = johnson(maps, reduces)
    orders = [johnsons, np.argsort(maps / np.maximum(reduces, 1.0)), np.argsort(-tails)]
    for count in LAST_JOBS:
        last = np.argsort(-tails)[max(0, jobs - count) :]
        orders += [np.concatenate((o[~np.isin(o, last)], last)) for o in (johnsons, orders[2])]
    large = np.isin(johnsons, np.flatnonzero(problem.longest > 2 * np.median(problem.longest)))
    few, many = johnsons[large], johnsons[~large]
    for share in LARGE_JOBS_AFTER:
        cut = int(share * len(many))
        orders.append(np.concatenate((many[:cut], few, many[cut:])))
    return np.ascontiguousarray(np.stack(orders).astype(np.int64))
