"""Best fit that starts the largest job on exits: BF-J/S of [BF-JS].

- *Arrival.* As in `best_fit`: of the machines that can run the job and have room, the one with the
  least free takes it, on ties the lowest number. If none has room, the job waits.
- *Exit.* The machine that a job left starts the largest waiting job that fits, and so on as long as
  one does. The size of a job is measured as best fit measures what is free: the sum over the
  resources of the demand in parts of the largest machine; on ties the first that arrived.

In the source jobs need one resource, and time goes in steps: in each the machines that jobs have
left choose first, then the jobs that have just arrived. Here time is continuous, and every event is
a step of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from ....core.arrays import FloatArray
from ....core.kernels.decorators import inlined, inner
from ..engine import event_loop as events
from ..engine.columns import JOB_CLASS, NUMBER, QUEUES_FULL, WAITING
from ..engine.state import System
from ..machines.free_capacity_grid import Grid, move
from ..policy import CompiledPolicy, Setting
from ..waiting.size_queues import (
    NO_NODE,
    SIZE,
    SizeQueues,
    add_job,
    empty_size_queues,
    largest_fitting,
    remove_job,
    with_more_nodes,
)
from .best_fit import free_share, fullest_with_room, grid_by_free_share


class BfJs(NamedTuple):
    grid: Grid
    """Machines by what they have free, the fullest cells first."""
    floor: FloatArray
    """Shape (cells,). The least `free_share` of a machine in the cell at each place of the order.
    """
    queues: SizeQueues
    """A queue for each class, by size."""


def make(setting: Setting, system: System) -> BfJs:
    grid, floor = grid_by_free_share(setting, system)
    return BfJs(grid, floor, empty_size_queues(len(system.runs), system.free.shape[1]))


def make_room(policy: BfJs, system: System) -> BfJs:
    return policy._replace(queues=with_more_nodes(policy.queues))


@inner
def _largest(policy: BfJs, system: System, m: int) -> tuple[int, int]:
    """Class and node of the largest waiting job that fits machine m, or -1 and -1."""
    queues, info = policy.queues, system.info
    j = system.configuration[m]
    share = free_share(system.free, system.weight, m)
    best, best_node, size = -1, NO_NODE, -1.0
    for k in range(len(queues.root)):
        if queues.root[k] == NO_NODE or system.runs[k, j] == 0:
            continue
        node = largest_fitting(queues, k, info, system.free, m, share)
        if node != NO_NODE and (
            queues.key[node, SIZE] > size
            or (
                queues.key[node, SIZE] == size
                and info[queues.slot[node], NUMBER] < info[queues.slot[best_node], NUMBER]
            )
        ):
            best, best_node, size = k, node, queues.key[node, SIZE]
    return best, best_node


@inlined
def _arrive(policy: BfJs, system: System, slot: int) -> None:
    m = fullest_with_room(policy.grid, policy.floor, system, slot)
    if m >= 0:
        events.start(system, slot, m)
        move(policy.grid, system.free, m)
        return
    queues = policy.queues
    add_job(queues, system.info[slot, JOB_CLASS], system.info, system.weight, slot)
    if queues.spares[0] == 0:
        system.tally[QUEUES_FULL] = 1


@inlined
def _depart(policy: BfJs, system: System, slot: int, m: int) -> None:
    while system.tally[WAITING] > 0:
        k, node = _largest(policy, system, m)
        if k < 0:
            break
        events.start(system, remove_job(policy.queues, k, system.info, node), m)
    move(policy.grid, system.free, m)


BF_JS = CompiledPolicy(BfJs, make, _arrive, _depart, make_room, stay=("queues",))
"""BF-J/S, for `simulate`."""
