"""What every slot offers a task, and which offer list scheduling takes ([LJR], section 4).

The plain statement of what `heuristics/mapreduce/list_scheduling` compiles: each task examines
each slot. The arithmetic is the kernel's to the last bit, so additions stand in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ....heuristics.mapreduce.list_scheduling.placement import AVAILABLE, LOCAL
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import map_factors, reduce_factors
from ....instances.mapreduce.setups import map_setup_matrix, output_share, reduce_setups
from .slots import Phase

Key = tuple[float, ...]


@dataclass(frozen=True)
class Offer:
    """What a slot offers a task; times in s."""

    slot: int
    """Its number within the phase."""
    free: float
    """When it becomes available."""
    start: float
    setup: float
    time: float
    end: float
    """`start`, `setup`, `time`, `end`: when the task would start there, how long it would read and
    run, and when it would end."""
    compared: float
    """What is compared where the end decides: the end of the reading if all slots are equally fast,
    because rounding must not tell equal slots apart."""
    allowed: bool = True
    """Whether the task's priority allows the slot."""
    local: bool = False
    """Whether the slot's node holds the task's input."""


@dataclass(frozen=True)
class Choice:
    """The slot that a rule chooses."""

    order: tuple[int, ...]
    """The allowed slots, the best first."""
    rule: str
    """Name of the rule, or of the tie rule, that put the first before the second."""
    ties: int
    """How many allowed slots the first rule could not tell from the best, that one included."""
    is_local: bool = False
    """Whether only slots with the task's input were asked."""


EARLIEST_FINISH, SHORTER_SETUP = "earliest finish", "shorter setup"
FIRST_AVAILABLE, LOWEST_NUMBER = "first available", "lowest number"
ONLY_SLOT = "only slot"


def chosen(offers: Sequence[Offer], rule: int, input_mb: float = 0.0) -> Choice:
    """The slot that a rule of `placement` chooses.

    `input_mb`: input of a map task (MB); a task without any is local everywhere.
    """
    allowed = [offer for offer in offers if offer.allowed]
    near = [offer for offer in allowed if offer.local]
    is_local = rule == LOCAL and input_mb > 0 and bool(near)
    by_end = rule != AVAILABLE and not is_local

    def key(offer: Offer) -> Key:
        after = (offer.free, offer.slot)
        return (offer.compared, offer.setup, *after) if by_end else after

    order = sorted(near if is_local else allowed, key=key)
    names = [FIRST_AVAILABLE, LOWEST_NUMBER]
    if by_end:
        names = [EARLIEST_FINISH, SHORTER_SETUP, *names]
    if len(order) == 1:
        return Choice((order[0].slot,), ONLY_SLOT, 1, is_local)
    best, second = key(order[0]), key(order[1])
    decided = next(name for name, a, b in zip(names, best, second, strict=True) if a != b)
    ties = sum(key(offer)[0] == best[0] for offer in order)
    return Choice(tuple(offer.slot for offer in order), decided, ties, is_local)


class MapPhase:
    """The map phase while its tasks are placed."""

    def __init__(self, instance: Instance) -> None:
        self.instance, self.placed = instance, Phase(instance.map_tasks)
        cluster = instance.cluster
        self.node: list[int] = cluster.map_slot_node.tolist()
        self.free = [0.0] * len(self.node)
        self.setups, self.factors = map_setup_matrix(instance), map_factors(instance)

    def copies(self, task: int) -> list[int]:
        """The nodes that hold a task's input."""
        first = self.instance.replica_offsets
        nodes: list[int] = self.instance.replicas[first[task] : first[task + 1]].tolist()
        return nodes

    def offers(self, task: int) -> list[Offer]:
        """What every map slot offers a task."""
        copies, job = self.copies(task), int(self.instance.map_job[task])
        security = self.instance.security
        processing = float(self.instance.map_processing[task])
        offers = []
        for slot, node in enumerate(self.node):
            free, setup = self.free[slot], float(self.setups[task, slot])
            time = processing * float(self.factors[job, slot])
            ready = free + setup
            offers.append(
                Offer(
                    slot,
                    free,
                    free,
                    setup,
                    time,
                    ready + time,
                    ready if self.instance.speed_factors is None else ready + time,
                    security is None or bool(security.priorities[task, slot]),
                    node in copies,
                )
            )
        return offers

    def put(self, task: int, offer: Offer) -> None:
        self.placed.put(task, offer.slot, offer.start, offer.setup, offer.end)
        self.free[offer.slot] = offer.end


class ReducePhase:
    """The reduce phase while its tasks are placed.

    `map_slot`: slot of each map task.
    `release`: end of each job's map phase (s).
    """

    def __init__(
        self, instance: Instance, map_slot: Sequence[int], release: Sequence[float]
    ) -> None:
        self.instance, self.release = instance, release
        self.placed = Phase(instance.reduce_tasks)
        cluster = instance.cluster
        node = cluster.reduce_slot_node
        self.free = [0.0] * len(node)
        self.setups = reduce_setups(instance, cluster.map_slot_node[map_slot])[:, node]
        self.factors = reduce_factors(instance)
        self.share: list[float] = output_share(instance).tolist()

    def read_mb(self, job: int) -> float:
        """What each reduce task of a job reads (MB)."""
        first, end = self.instance.map_offsets[job : job + 2]
        return float(sum(self.share[first:end]))

    def offers(self, task: int) -> list[Offer]:
        """What every reduce slot offers a task."""
        job = int(self.instance.reduce_job[task])
        release, setups = self.release[job], self.setups[job].tolist()
        processing = float(self.instance.reduce_processing[task])
        offers = []
        for slot, free in enumerate(self.free):
            time = processing * float(self.factors[job, slot])
            start, setup = max(free, release), setups[slot]
            ready = start + setup
            compared = ready if self.instance.speed_factors is None else ready + time
            offers.append(Offer(slot, free, start, setup, time, ready + time, compared))
        return offers

    def put(self, task: int, offer: Offer) -> None:
        self.placed.put(task, offer.slot, offer.start, offer.setup, offer.end)
        self.free[offer.slot] = offer.end
