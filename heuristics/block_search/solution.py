"""What the search varies: an order of the jobs, a block of nodes and two weights per job."""

from __future__ import annotations

from typing import NamedTuple

from ...instances.arrays import IntArray
from ...instances.kernels.decorators import counted


class Solution(NamedTuple):
    """What is searched; one entry per job but `order`, the jobs in order.

    Map tasks on nodes `low` to `high` - 1; weights >= 0.
    """

    order: IntArray
    low: IntArray
    high: IntArray
    omega: IntArray
    beta: IntArray


@counted
def shift(order: IntArray, source: int, target: int) -> None:
    """Take the job at `source` out of the order and put it in at `target`."""
    job = order[source]
    step = 1 if target > source else -1
    for k in range(source, target, step):
        order[k] = order[k + step]
    order[target] = job
