"""Where a job waits: in the queue of its class, or with those too large for the machines of that.

With K classes queue k is that of class k; queue K + k has its jobs that fit no machine that looks
at queue k.
"""

from __future__ import annotations

from ....core.arrays import IntArray
from ....core.kernels.decorators import kernel
from ..engine.columns import FIRST_DEMAND, JOB_CLASS


@kernel
def home_queue(serves: IntArray, capacity: IntArray, info: IntArray, slot: int) -> int:
    """Return the class's queue if some machine looks there that the job fits, else its other one.

    `serves` (K, M): whether machines of the configuration look at the class's queue.
    `capacity` (M, R): of one machine, in units.
    `info` (slots, 3 + R): the jobs, as in `System`.
    """
    k = int(info[slot, JOB_CLASS])
    for j in range(len(capacity)):
        if serves[k, j] != 0:
            inside = True
            for r in range(capacity.shape[1]):
                inside &= info[slot, FIRST_DEMAND + r] <= capacity[j, r]
            if inside:
                return k
    return len(serves) + k
