"""Job orders that the search begins with."""

from __future__ import annotations

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ..list_scheduling.johnson import johnson
from .scaled_instance import BlockProblem

LAST_JOBS = (5, 2, 12)
"""Numbers of jobs with the shortest tails that are put last."""

LARGE_JOBS_AFTER = (0.3, 0.5, 0.1)
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
    tails: IntArray = problem.longest + np.minimum(output * mean, 2.0**60).astype(np.int64)
    tails[np.diff(problem.reduce_begin) == 0] = 0
    return tails


def first_orders(problem: BlockProblem) -> IntArray:
    """Orders that suit different kinds of instances, shape (orders, jobs)."""
    jobs = len(problem.longest)
    job = np.repeat(np.arange(jobs), np.diff(problem.map_begin))
    lengths = problem.map_time + problem.map_setup[:, 0]
    maps: FloatArray = np.bincount(job, lengths, jobs) / max(int(problem.map_slots[-1]), 1)
    reduces = problem.least_work / max(int(problem.reduce_slots[-1]), 1)
    johnsons, by_ratio = johnson(maps, reduces), np.argsort(maps / np.maximum(reduces, 1.0))
    by_tail = np.argsort(-spread_tails(problem))
    large = np.isin(johnsons, np.flatnonzero(problem.longest > 2 * np.median(problem.longest)))
    middle = [_with_large_after(johnsons, large, share) for share in LARGE_JOBS_AFTER]
    short = [by_tail[max(0, jobs - count) :] for count in LAST_JOBS]
    ends = [np.append(johnsons[~np.isin(johnsons, last)], last) for last in short]
    orders = [johnsons, middle[0], by_ratio, middle[1], ends[0], middle[2], *ends[1:], by_tail]
    return np.ascontiguousarray(np.stack(orders).astype(np.int64))


def _with_large_after(order: IntArray, large: BoolArray, share: float) -> IntArray:
    """The large jobs after a share of the others."""
    many = order[~large]
    cut = int(share * len(many))
    return np.concatenate((many[:cut], order[large], many[cut:]))
