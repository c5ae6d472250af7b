"""What the search varies: the order of the jobs, and a block of nodes and two weights per job."""

from __future__ import annotations

from typing import NamedTuple

from ....core.arrays import IntArray


class Solution(NamedTuple):
    """A solution of the search."""

    order: IntArray
    """The jobs in order, shape (jobs,)."""
    low: IntArray
    high: IntArray
    """`low`, `high`: block of each job: its map tasks run on the nodes `low` to `high` - 1, shape
    (jobs,)."""
    omega: IntArray
    """Weight of the setup time of each job's map tasks, >= 0, shape (jobs,)."""
    beta: IntArray
    """Weight of the read time of each job's reduce tasks, >= 0, shape (jobs,)."""
