"""What the search varies: the order of the jobs, and a block of nodes and two weights per job."""

from __future__ import annotations

from typing import NamedTuple

from ...instances.arrays import IntArray


class Solution(NamedTuple):
    """A solution of the search.

    Parameters
    ----------
    order
        The jobs in order, shape (jobs,).
    low, high
        Block of each job: its map tasks run on the nodes `low` to `high` - 1, shape (jobs,).
    omega
        Weight of the setup time of each job's map tasks, >= 0, shape (jobs,).
    beta
        Weight of the read time of each job's reduce tasks, >= 0, shape (jobs,).
    """

    order: IntArray
    low: IntArray
    high: IntArray
    omega: IntArray
    beta: IntArray
