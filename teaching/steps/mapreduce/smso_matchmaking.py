"""Task matchmaking of SMSO ([SMSO], Algorithm 1): slot by slot, group by group, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....core.arrays import FloatArray
from ....core.wording import listed
from ....heuristics.mapreduce.smso.reading import Load, Reading
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.security import ENCRYPTED
from ..record import Candidate, Fact, Step
from .board import Board, FactKeeper, few

HERE, UNENCRYPTED, ENCRYPTING = 0, 1, 2
"""How data gets to a slot: it is there, it moves as it is, it moves encrypted."""

WAYS = ("here", "unencrypted", "encrypted")
HOME, SPARED, ANY, IGNORED = 0, 1, 2, 3
"""The groups of Algorithm 1, and what is asked if data is ignored."""


@dataclass(frozen=True)
class View:
    """What a task sees when it looks for a slot; lists have an entry per map slot."""

    task: int
    lost: list[bool]
    allowed: list[bool]
    """`lost`, `allowed`: whether the slot is lost, and whether the task's priority allows it."""
    way: list[int]
    """How the task's data gets there."""
    load: list[float]
    given: list[float]
    """`load`, `given`: load of the slot, and the part of it that the tasks placed now have given
    it."""
    count: list[int]
    """How many tasks the slot has."""
    setup: list[float]
    """Setup time of the task there (s)."""
    free: list[float]
    """When the slot would have done what it has (s)."""
    threshold: float
    """Below this load given, a slot takes tasks of the first two groups."""
    unit: Load
    """What load is: seconds or tasks."""
    holders: tuple[str, ...]
    """Names of the nodes with the task's data."""

    @property
    def open(self) -> list[int]:
        return [k for k in range(len(self.load)) if self.allowed[k] and not self.lost[k]]

    def members(self, group: int) -> list[int]:
        if group in (ANY, IGNORED):
            return self.open
        return [k for k in self.open if self.way[k] <= group and self.given[k] < self.threshold]

    def choice(self, *, near: bool) -> tuple[int, int]:
        """The first group that is not empty, and the slot of it that takes the task."""
        if not near:
            return IGNORED, min(self.open, key=lambda k: (self.load[k], k))
        group = next(group for group in (HOME, SPARED, ANY) if self.members(group))
        return group, self.ranked(group)[0]

    def ranked(self, group: int) -> list[int]:
        """The slots of a group, the best first."""
        ways = self.way if group == ANY else [0] * len(self.way)
        return sorted(self.members(group), key=lambda k: (self.load[k], ways[k], k))


class Matchmaking:
    """What the map slots have so far, and what the next task sees.

    `instance`: the instance with the outages known so far.
    `reading`: how to read the paper.
    `setups`: setup time of each map task on each map slot (s).
    `tasks`: the tasks to be placed now.
    `queues`: the tasks that each slot has already.
    """

    def __init__(
        self,
        instance: Instance,
        reading: Reading,
        setups: FloatArray,
        tasks: Sequence[int],
        queues: Sequence[Sequence[int]],
    ) -> None:
        self.instance, self.reading, self.setups = instance, reading, setups
        slots = len(instance.cluster.map_slot_node)
        seconds = instance.map_processing
        self.work = seconds if reading.load == "seconds" else np.ones(instance.map_tasks)
        self.lost = [False] * slots
        if instance.outages is not None:
            self.lost = instance.outages.map.tolist()
        self.usable = self.lost.count(False)
        self.total = float(self.work[np.asarray(tasks, dtype=np.int64)].sum())
        self.threshold = reading.theta * self.total / max(self.usable, 1)
        self.queues = [list(queue) for queue in queues]
        self.load = [0.0] * slots
        # In the order of their numbers, as the heuristic adds them up.
        for task, k in sorted((task, k) for k, queue in enumerate(queues) for task in queue):
            self.load[k] += float(self.work[task])
        self.given = [0.0] * slots

    def view(self, task: int, free: Sequence[float]) -> View:
        """What a task sees.

        `free`: when each slot would have done what it has (s).
        """
        instance, security = self.instance, self.instance.security
        slots, names = len(self.load), instance.cluster.node_names
        first, last = instance.replica_offsets[task : task + 2]
        holders = instance.replicas[first:last].tolist()
        allowed = [True] * slots
        if security is not None:
            allowed = security.priorities[task].tolist()
        return View(
            task=task,
            lost=self.lost,
            allowed=allowed,
            way=[self._way(holders, k) for k in range(slots)],
            load=self.load[:],
            given=self.given[:],
            count=[len(queue) for queue in self.queues],
            setup=self.setups[task].tolist(),
            free=list(free),
            threshold=self.threshold,
            unit=self.reading.load,
            holders=tuple(names[node] for node in sorted(set(holders))),
        )

    def _way(self, holders: Sequence[int], k: int) -> int:
        """How data of these nodes gets to a slot."""
        if int(self.instance.cluster.map_slot_node[k]) in holders:
            return HERE
        security = self.instance.security
        if security is None:
            return UNENCRYPTED if holders else ENCRYPTING
        spared = any(security.levels[node, k] != ENCRYPTED for node in holders)
        return UNENCRYPTED if spared else ENCRYPTING

    def put(self, task: int, k: int) -> None:
        self.queues[k].append(task)
        self.load[k] += float(self.work[task])
        self.given[k] += float(self.work[task])


def amount(keeper: FactKeeper, name: str, value: float, unit: Load) -> str:
    if unit == "seconds":
        return keeper.seconds(name, value)
    return f"{keeper.number(name, value)} {'task' if value == 1 else 'tasks'}"


def threshold_step(matching: Matchmaking, tasks: int) -> Step:
    """The step that says how much a slot takes before it counts as full."""
    keeper, unit = FactKeeper(), matching.reading.load
    total = amount(keeper, "load of all", matching.total, unit)
    mean = amount(keeper, "mean load", matching.total / max(matching.usable, 1), unit)
    limit = amount(keeper, "threshold", matching.threshold, unit)
    slots = keeper.number("usable map slots", matching.usable)
    return Step(
        kind="order",
        title=f"A slot is full at {limit}",
        rule="threshold",
        text=(
            f"{keeper.number('map tasks to place', tasks)} map tasks are to be placed, with a load "
            f"of {total}. Shared by {slots} map slots that is {mean} each; times theta = "
            f"{keeper.number('theta', matching.reading.theta)} it is the threshold, {limit}. A "
            "slot that they have given so much is full: it takes more only where no other way is "
            "left."
        ),
        facts=keeper.facts,
        phase="map",
    )


def match_candidates(
    board: Board, view: View, chosen: int, loser: int | None
) -> tuple[tuple[Candidate, ...], int, int, int | None]:
    """The map slots as a task sees them, as far as they are shown."""
    time = float(board.instance.map_processing[view.task])
    candidates = []
    for k in range(len(view.load)):
        lane, label = board.lane("map", k), board.slot_name("map", k)
        if view.lost[k]:
            candidates.append(Candidate(lane, label, {"lost": True}))
            continue
        facts: dict[str, Fact] = {"load": view.load[k], "tasks": view.count[k]}
        if view.given[k] != view.load[k]:
            facts["given now"] = view.given[k]
        facts["below threshold"] = view.given[k] < view.threshold
        if not view.allowed[k]:
            candidates.append(Candidate(lane, label, {**facts, "allowed": False}))
            continue
        facts |= {"data": WAYS[view.way[k]], "setup": view.setup[k]}
        start = view.free[k]
        box = (start, start + view.setup[k] + time)
        candidates.append(Candidate(lane, label, facts, box))
    return few(candidates, chosen, loser)


RULES = (
    "data here and below the threshold: least load",
    "no encryption and below the threshold: least load",
    "any allowed slot: least load",
    "data ignored: least load",
)

MOST_REASONS = 3
"""So many slots that refuse a task are named."""


def rule_of(view: View, group: int) -> str:
    """Name of the rule that decided, with the tie rule if one was needed."""
    ranked = view.ranked(group)
    if len(ranked) < 2 or view.load[ranked[0]] != view.load[ranked[1]]:
        return RULES[group]
    if group == ANY and view.way[ranked[0]] != view.way[ranked[1]]:
        return f"{RULES[group]}, of equal ones the nearest to the data"
    return f"{RULES[group]}, of equal ones the lowest number"


def matching_text(
    board: Board, view: View, group: int, keeper: FactKeeper
) -> tuple[str, int | None]:
    """Why the best slot of a group takes the task, and the most tempting of the others."""
    loser = _loser(view, group)
    text = [_data(view)]
    forbidden = _forbidden(board, view) if group == HOME else []
    if forbidden:
        text.append(f"Its priority forbids {listed(forbidden)} there.")
    if group in (SPARED, ANY):
        text.append(_refused(board, view, keeper))
    if group == ANY:
        text.append(_encrypted(board, view))
    text.append(_winner(board, view, group, keeper))
    if loser is not None:
        text.append(_lost(board, view, group, loser, keeper))
    return " ".join(filter(None, text)), loser


def _loser(view: View, group: int) -> int | None:
    """The slot that one would rather take: nearer but full, or less loaded but farther."""
    ranked = view.ranked(group)
    chosen = ranked[0]
    nearer = [k for k in view.open if view.way[k] < view.way[chosen]]
    if nearer:
        return min(nearer, key=lambda k: (view.way[k], view.given[k], k))
    idler = [k for k in view.open if view.load[k] < view.load[chosen]]
    if idler:
        return min(idler, key=lambda k: (view.load[k], view.way[k], k))
    return ranked[1] if len(ranked) > 1 else None


def _data(view: View) -> str:
    if not view.holders:
        return "No node of the cluster holds data for it."
    return f"Its data is on {listed(view.holders)}."


def _forbidden(board: Board, view: View) -> list[str]:
    """The slots with the data that are left but not allowed."""
    home = [k for k, way in enumerate(view.way) if way == HERE and not view.lost[k]]
    return [board.slot_name("map", k) for k in home if not view.allowed[k]]


def _refused(board: Board, view: View, keeper: FactKeeper) -> str:
    """Why no slot with the data takes the task."""
    home = [k for k, way in enumerate(view.way) if way == HERE]
    lost = [board.slot_name("map", k) for k in home if view.lost[k]]
    reasons = [f"{listed(lost)} {'is' if len(lost) == 1 else 'are'} lost"] if lost else []
    forbidden = _forbidden(board, view)
    reasons += [f"its priority forbids {listed(forbidden)}"] if forbidden else []
    for k in home:
        name = board.slot_name("map", k)
        if k in view.open:
            given = amount(keeper, f"given to {name}", view.given[k], view.unit)
            over = view.given[k] - view.threshold
            by = f", {amount(keeper, f'{name} over by', over, view.unit)} over" if over else ","
            limit = amount(keeper, "threshold", view.threshold, view.unit)
            which = f"the threshold of {limit}" if over else "which is the threshold"
            reasons.append(f"{name} was given {given}{by} {which}")
    if not reasons:
        return "There is no map slot." if view.holders else ""
    if len(reasons) > MOST_REASONS:
        reasons = [*reasons[:MOST_REASONS], "the others are full, too"]
    return f"It cannot stay there: {'; '.join(reasons)}."


def _encrypted(board: Board, view: View) -> str:
    """Why no slot takes the data as it is."""
    if not view.holders:
        return ""
    spared = any(view.way[k] == UNENCRYPTED for k in view.open)
    if board.instance.security is None:
        return "Every other slot has reached the threshold, too." if spared else ""
    if spared:
        return "Every other slot that takes it without encryption has reached the threshold, too."
    return "No other allowed slot takes it without encryption."


def _winner(board: Board, view: View, group: int, keeper: FactKeeper) -> str:
    ranked = view.ranked(group)
    chosen = ranked[0]
    name = board.slot_name("map", chosen)
    load = amount(keeper, "load", view.load[chosen], view.unit)
    secure = board.instance.security is not None
    elsewhere = "below the threshold" + (" that {} it without encryption" if secure else "")
    if len(ranked) == 1:
        only = {HOME: "there that is below the threshold", SPARED: elsewhere.format("takes")}
        text = f"{name}, with a load of {load}, is the only slot "
        text += only.get(group, "that may run it")
    else:
        of = {
            HOME: "slots there below the threshold",
            SPARED: f"slots {elsewhere.format('take')}",
            ANY: "allowed slots",
            IGNORED: "allowed slots, wherever the data is,",
        }[group]
        slots = keeper.number("slots in the group", len(ranked))
        text = f"Of {slots} {of} {name} has the least load, {load}"
    setup = view.setup[chosen]
    if setup:
        coded = ", encryption included" if secure and view.way[chosen] == ENCRYPTING else ""
        text += f"; reading takes {keeper.seconds('setup', setup)} there{coded}"
    return f"{text}."


def _lost(board: Board, view: View, group: int, loser: int, keeper: FactKeeper) -> str:
    """How the most tempting other slot loses, and by how much."""
    chosen, name = view.ranked(group)[0], board.slot_name("map", loser)
    more = view.load[loser] - view.load[chosen]
    reads = view.setup[loser] - view.setup[chosen]
    if view.way[loser] < view.way[chosen]:
        saved = "be nearer to the data"
        if reads < 0:
            saved = f"save {keeper.seconds('would read less by', -reads)} of reading"
        if group == SPARED:
            return f"{name} would {saved}, were it not full."
        if not more:
            return f"{name} would {saved}, but with the same load it has a higher number."
        by = amount(keeper, "more load by", more, view.unit)
        return f"{name} would {saved}, but has {by} more load."
    if more < 0:
        by = amount(keeper, "less load by", -more, view.unit)
        why = "the data would have to move"
        if view.way[loser] <= group:
            why = "it has reached the threshold"
        elif group == SPARED:
            why = "the data would have to be encrypted"
        longer = f": {keeper.seconds('would read more by', reads)} more" if reads > 0 else ""
        return f"{name} has {by} less load, but {why}{longer}."
    if more:
        return f"Next comes {name} with {amount(keeper, 'more load by', more, view.unit)} more."
    if reads > 0 and group == ANY:
        extra = keeper.seconds("would read more by", reads)
        return f"{name} has the same load, but would read for {extra} more."
    return f"{name} has the same load; the lower number takes it."
