"""SMSO and SMSO-Johnson ([SMSO], Algorithms 1 to 4 as intended), one task after another.

Map tasks are matched with slots, the queues are ordered, reduce tasks follow. Then each heartbeat
tells which slots are lost: their tasks move, and the queues are ordered again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....core.arrays import IntArray
from ....core.errors import InputError
from ....core.wording import listed, plural, sentences
from ....heuristics.mapreduce.list_scheduling.orders import OMEGA
from ....heuristics.mapreduce.smso.outage_verifying import Move, moves_in_words
from ....heuristics.mapreduce.smso.reading import THETA, Data, Load, Reading, Reduces, Theta
from ....heuristics.mapreduce.smso.smso import idle_settings
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule
from ....instances.mapreduce.security import ENCRYPTED, Outages
from ..record import Candidate, Fact, Step, Steps
from ..telling import FactKeeper
from .board import Board, blank
from .orders import by_johnson, by_map_ends, regrouped
from .placing import FREE, SLOT, Criterion, Offer, Phase, map_phase, reduce_phase

HERE, UNENCRYPTED, ENCRYPTING = 0, 1, 2
"""How data gets to a slot: it is there, it moves as it is, it moves encrypted."""

MOST_REASONS = 3
"""So many slots that refuse a task are named."""

WAYS = ("here", "unencrypted", "encrypted")
GROUPS = (
    "data here and below the threshold",
    "no encryption and below the threshold",
    "any allowed slot",
)
FROM_GROUPS = (
    "Slots with its data come first, if they are below the threshold",
    "Next come slots that take it without encryption, if they are below the threshold",
    "Any slot that may run it will do",
)


def smso(
    instance: Instance,
    *,
    theta: Theta = THETA,
    load: Load = "seconds",
    data: Data = "near",
    reduces: Reduces = "stay",
) -> Steps:
    """Record SMSO."""
    return recorded(instance, Reading(theta, load, data, reduces))


def smso_johnson(
    instance: Instance,
    *,
    theta: Theta = THETA,
    load: Load = "seconds",
    data: Data = "near",
    reduces: Reduces = "stay",
) -> Steps:
    """Record SMSO-Johnson."""
    return recorded(instance, Reading(theta, load, data, reduces), jobs_first=True)


def recorded(
    instance: Instance,
    reading: Reading,
    heartbeats: Sequence[Outages] | None = None,
    *,
    jobs_first: bool = False,
) -> Steps:
    """Record SMSO with any heartbeats.

    `heartbeats`: the outages that each heartbeat reports; by default one with the instance's
    outages.
    `jobs_first`: whether each slot runs the jobs in Johnson's order instead of all tasks by LPT.
    Raises `InputError` if the outages leave a task without an eligible slot.
    """
    beats = heartbeats
    if beats is None:
        beats = [] if instance.outages is None else [instance.outages]
    board = Board("SMSO-Johnson" if jobs_first else "SMSO", instance)
    plan = _Plan(board, replace(board.instance, outages=None), reading, jobs_first)
    plan.match(range(instance.map_tasks))
    plan.reduces = placed_reduces(board, plan.here, plan.maps, reading)
    for beat, outages in enumerate(beats):
        plan.lose(outages, beat)
    notes = moves_in_words(instance, plan.here.outages, plan.moves)
    if heartbeats is None:
        notes += idle_settings(instance, reading)
    return board.finished(plan.maps, plan.reduces, notes)


@dataclass(frozen=True)
class _Slot(Offer):
    """What a task sees of a slot: its load, what the tasks placed now gave it, the data's way."""

    load: float
    given: float
    way: int
    full: bool

    def facts(self) -> dict[str, Fact]:
        """What a step shows of it."""
        facts: dict[str, Fact] = {"load": self.load, "given now": self.given}
        return facts | {
            "below threshold": not self.full,
            "data": WAYS[self.way],
            "setup": self.setup,
        }

    @property
    def group(self) -> int:
        """The first group of Algorithm 1 that has it."""
        return 2 if self.full else self.way


class _Plan:
    """The schedule so far.

    `here` is the instance with the outages known so far, `queues` are the tasks of each map slot in
    the order in which they run, `maps` and `reduces` the phases.
    """

    def __init__(
        self, board: Board, instance: Instance, reading: Reading, jobs_first: bool
    ) -> None:
        self.board, self.here, self.reading = board, instance, reading
        self.maps = blank(instance.map_tasks)
        self.reduces = blank(instance.reduce_tasks)
        self.queues: list[list[int]] = [[] for _ in instance.cluster.map_slot_node]
        self.moves: list[Move] = []
        self.work = instance.map_processing.tolist()
        if reading.load == "tasks":
            self.work = [1.0] * instance.map_tasks
        self.rule, self.rank = "LPT", [0] * instance.jobs
        if jobs_first and instance.map_tasks:
            self.rule = "Johnson's order"
            for place, job in enumerate(by_johnson(board, OMEGA)):
                self.rank[job] = place

    def amount(self, keeper: FactKeeper, name: str, value: float) -> str:
        """A load in its unit."""
        if self.reading.load == "seconds":
            return keeper.seconds(name, value)
        return f"{keeper.number(name, value)} {'task' if value == 1 else 'tasks'}"

    def match(self, tasks: Sequence[int], source: Sequence[int] | None = None) -> None:
        """Match tasks with slots, and order the queue of each slot.

        `source`: where tasks were that have to move.
        """
        reading, phase = self.reading, map_phase(self.board)
        phase.placed = self.maps
        phase.free = [max((float(self.maps.end[t]) for t in q), default=0.0) for q in self.queues]
        slots = len(self.queues)
        usable = np.ones(slots, dtype=bool)
        if self.here.outages is not None:
            usable = ~self.here.outages.map
        phase.allowed = phase.allowed & usable
        total = float(np.asarray(self.work)[np.asarray(tasks, dtype=np.int64)].sum())
        mean = total / max(int(usable.sum()), 1)
        threshold, near = reading.theta * mean, reading.data == "near"
        if near and len(tasks):
            self._threshold_step(len(tasks), total, mean, int(usable.sum()))
        load, given = [0.0] * slots, [0.0] * slots
        # In the order of their numbers, as the heuristic adds them up.
        for t, k in sorted((t, k) for k, queue in enumerate(self.queues) for t in queue):
            load[k] += self.work[t]
        same = f"have a load of {{}} {'s' if reading.load == 'seconds' else 'tasks'}"
        of = "of these has as little load"
        least = Criterion("least load", lambda o: o.load, lambda o: o.load, of, same)
        nearest = Criterion("nearest to the data", lambda o: o.way)
        for place, t in enumerate(tasks):
            keeper, ways = FactKeeper(), self._ways(phase, t)
            offers = [
                _Slot(
                    **vars(o),
                    load=load[o.slot],
                    given=given[o.slot],
                    way=ways[o.slot],
                    full=given[o.slot] >= threshold,
                )
                for o in phase.offers(t)
            ]
            group = min((o.group for o in offers), default=0) if near else 2
            asked = [o for o in offers if o.group == group] if near else offers
            criteria = (least, nearest, SLOT) if near else (least, SLOT)
            best = min(asked, key=lambda o: [one.value(o) for one in criteria])
            phase.tell_needs(t, keeper)
            if near and group:
                self._tell_refused(ways, offers, group, threshold, keeper)
            keeper.say(FROM_GROUPS[group])
            loser = self._tempting(best, offers, keeper)
            phase.place(
                asked,
                criteria,
                offers,
                within=GROUPS[group] if near else "data ignored",
                tempting=loser,
                source=None if source is None else source[place],
                keeper=keeper,
            )
            self.queues[best.slot].append(t)
            load[best.slot] += self.work[t]
            given[best.slot] += self.work[t]
        self._order()

    def _threshold_step(self, tasks: int, total: float, mean: float, slots: int) -> None:
        """The step that says how much a slot takes before it counts as full."""
        keeper, theta = FactKeeper(), self.reading.theta
        limit = self.amount(keeper, "threshold", theta * mean)
        text = (
            f"{keeper.number('map tasks to place', tasks)} map tasks are to be placed, with a load "
            f"of {self.amount(keeper, 'load of all', total)}. Shared by "
            f"{keeper.number('usable map slots', slots)} map slots that is "
            f"{self.amount(keeper, 'mean load', mean)} each; times theta = "
            f"{keeper.number('theta', theta)} it is the threshold, {limit}. A slot that they have "
            "given so much is full: it takes more only where no other way is left."
        )
        self.board.add(
            Step("order", f"A slot is full at {limit}", "threshold", text, facts=keeper.facts)
        )

    def _ways(self, phase: Phase, t: int) -> list[int]:
        """How the data of a task gets to each slot."""
        security, holders = self.here.security, phase.holders(t)
        found = []
        for k, node in enumerate(self.here.cluster.map_slot_node.tolist()):
            plain = (
                bool(holders)
                if security is None
                else any(security.levels[holder, k] != ENCRYPTED for holder in holders)
            )
            found.append(HERE if node in holders else UNENCRYPTED if plain else ENCRYPTING)
        return found

    def _tell_refused(
        self,
        ways: Sequence[int],
        offers: Sequence[_Slot],
        group: int,
        threshold: float,
        keeper: FactKeeper,
    ) -> None:
        """Say why no slot with the data takes the task, and none without encryption."""
        board, security = self.board, self.here.security
        reasons = []
        open_slots = {o.slot: o for o in offers}
        home = [k for k, way in enumerate(ways) if way == HERE]
        for k in home:
            name, o = board.slot_name("map", k), open_slots.get(k)
            if o is not None:
                given = self.amount(keeper, f"given to {name}", o.given)
                limit = self.amount(keeper, "threshold", threshold)
                reasons.append(f"{name} was given {given}, the threshold is {limit}")
            elif self.here.outages is not None and self.here.outages.map[k]:
                reasons.append(f"{name} is lost")
            else:
                reasons.append(f"its priority forbids {name}")
        if len(reasons) > MOST_REASONS:
            reasons = [*reasons[:MOST_REASONS], "the others are full, too"]
        if reasons:
            keeper.say(f"It cannot stay with its data: {'; '.join(reasons)}")
        if group == len(GROUPS) - 1 and home:
            spared = any(o.way == UNENCRYPTED for o in offers)
            plain = " that takes it without encryption" if security is not None else ""
            if spared:
                keeper.say(f"Every other slot{plain} has reached the threshold, too")
            elif security is not None:
                keeper.say("No other allowed slot takes it without encryption")

    def _tempting(
        self, best: _Slot, offers: Sequence[_Slot], keeper: FactKeeper
    ) -> tuple[Offer | None, str]:
        """A slot nearer to the data, or with less load, and how it loses."""
        others = [o for o in offers if o is not best]
        nearer = [o for o in others if o.way < best.way]
        idler = [o for o in others if o.load < best.load]
        if nearer:
            other = min(nearer, key=lambda o: (o.way, o.given, o.slot))
            name = self.board.slot_name("map", other.slot)
            saved = "be nearer to the data"
            if other.setup < best.setup:
                less = keeper.seconds("would read less by", best.setup - other.setup)
                saved = f"save {less} of reading"
            if best.group < other.group:
                return other, f"{name} would {saved}, were it not full"
            more = self.amount(keeper, "more load by", other.load - best.load)
            return other, f"{name} would {saved}, but has {more} more load"
        if idler:
            other = min(idler, key=lambda o: (o.load, o.way, o.slot))
            less = self.amount(keeper, "less load by", best.load - other.load)
            why = "it has reached the threshold"
            if other.way > best.way:
                moves = ("be there", "move", "be encrypted")[other.way]
                why = f"its data would have to {moves}"
            return (
                other,
                f"{self.board.slot_name('map', other.slot)} has {less} less load, but {why}",
            )
        after = sorted(others, key=lambda o: (o.group, o.load, o.way, o.slot))
        if not after:
            return None, ""
        name, load = self.board.slot_name("map", after[0].slot), after[0].load - best.load
        more = f"{self.amount(keeper, 'more load by', load)} more load" if load else "the same load"
        return after[0], f"Next comes {name} with {more}"

    def _order(self) -> None:
        """Order the queue of each map slot, with a step for each slot that changes."""
        i = self.board.instance
        seconds = i.map_processing.tolist()

        def key(t: int) -> tuple[float, ...]:
            return (self.rank[int(i.map_job[t])], -seconds[t], t)

        placed = [t for queue in self.queues for t in queue]
        self.maps = regrouped(self.board, self.maps, placed, seconds, self.rule, key)
        self.queues = [sorted(queue, key=key) for queue in self.queues]

    def lose(self, outages: Outages, beat: int) -> None:
        """A heartbeat: slots are lost, their tasks move, the reduce tasks follow again."""
        known = self.here.outages
        if known is not None:
            outages = Outages(known.map | outages.map, known.reduce | outages.reduce)
        self.here = replace(self.here, outages=outages)
        why = impossible(self.here)
        if why is not None:
            raise InputError(f"{self.here.name}: {why}")
        planned = self.reduces.slot.copy()
        moving = np.flatnonzero(outages.map[self.maps.slot]).tolist()
        source = [int(self.maps.slot[t]) for t in moving]
        self._heartbeat_step(outages, moving)
        if moving:
            self.queues = [[t for t in queue if t not in moving] for queue in self.queues]
            self.match(moving, source)
        self.reduces = placed_reduces(self.board, self.here, self.maps, self.reading, planned)
        self.moves += [
            Move("map", t, a, int(self.maps.slot[t]), beat)
            for t, a in zip(moving, source, strict=True)
        ]
        self.moves += [
            Move("reduce", w, int(a), int(b), beat)
            for w, (a, b) in enumerate(zip(planned, self.reduces.slot, strict=True))
            if a != b
        ]

    def _heartbeat_step(self, outages: Outages, tasks: Sequence[int]) -> None:
        """The step that tells which slots do not answer; it takes away what moves or follows."""
        board, keeper = self.board, FactKeeper()
        later = np.flatnonzero(outages.reduce[self.reduces.slot]).tolist()
        names = [board.slot_name("map", k) for k in np.flatnonzero(outages.map).tolist()]
        names += [board.slot_name("reduce", k) for k in np.flatnonzero(outages.reduce).tolist()]
        text = "Every node answers: nothing moves"
        if names:
            keeper.number("slots lost", len(names))
            lost = plural(len(names), "slot")
            maps = keeper.number("map tasks to move", len(tasks))
            reduces = keeper.number("reduce tasks to move", len(later))
            text = (
                f"No answer from {lost}: {listed(names, 8)}. {maps} map and {reduces} reduce tasks "
                "have to move; all others stay. The reduce tasks follow again when the map tasks "
                "are placed"
            )
        rows = board.rows("map", tasks, self.maps) + board.rows("reduce", later, self.reduces)
        board.add(
            Step(
                kind="move",
                title=f"Heartbeat: {plural(len(names), 'slot')} lost"
                if names
                else "Heartbeat: no outage",
                rule="outage verifying",
                text=sentences(text),
                candidates=tuple(
                    Candidate(
                        row.slot,
                        f"{row.job} {row.phase} {row.task}",
                        {"lost slot": board.lanes[row.slot]},
                        (row.start, row.end),
                    )
                    for row in rows
                ),
                facts=keeper.facts,
                removes=board.drawn("map", tasks)
                + board.drawn("reduce", range(len(self.reduces.slot))),
            )
        )


def placed_reduces(
    board: Board,
    instance: Instance,
    maps: PhaseSchedule,
    reading: Reading,
    planned: IntArray | None = None,
    *,
    job_on_one_slot: bool = False,
) -> PhaseSchedule:
    """Place the reduce tasks, jobs as their maps end, the longest task of a job first.

    `planned`: the slot of each task before the last heartbeat, None if there was none.
    `job_on_one_slot`: whether one slot takes all reduce tasks of a job, as the algorithm says
    literally.
    """
    phase = reduce_phase(board, maps)
    if instance.outages is not None:
        phase.allowed &= ~instance.outages.reduce
    seconds = instance.reduce_processing.tolist()
    rank = {job: place for place, job in enumerate(by_map_ends(board, phase.arrival))}
    order = sorted(range(phase.tasks), key=lambda w: (rank[phase.job_of[w]], -seconds[w], w))
    slot_of_job: dict[int, int] = {}
    staying: list[int] = []
    for w in order:
        before = None if planned is None else int(planned[w])
        if reading.reduces == "stay" and before is not None and phase.allowed[w, before]:
            phase.put(phase.offer(w, before))
            staying.append(w)
            continue
        _add_staying(phase, staying)
        staying = []
        keeper, offers = FactKeeper(), phase.offers(w)
        asked, within = offers, ""
        if job_on_one_slot and phase.job_of[w] in slot_of_job:
            k = slot_of_job[phase.job_of[w]]
            asked, within = [o for o in offers if o.slot == k], "one slot for a job"
        best = phase.place(
            asked,
            (FREE, SLOT),
            offers,
            within=within,
            unasked=f"{keeper.name('listing', 'Algorithm 2')} looks for a slot once for a job",
            source=before,
            keeper=keeper,
        )
        slot_of_job[phase.job_of[w]] = best.slot
    _add_staying(phase, staying)
    return phase.placed


def _add_staying(phase: Phase, tasks: Sequence[int]) -> None:
    """One step for tasks that stay on their slots, one after another."""
    if not tasks:
        return
    board, keeper, placed = phase.board, FactKeeper(), phase.placed
    names = [board.task_name("reduce", w) for w in tasks]
    last = max(tasks, key=lambda w: (placed.end[w], w))
    end = keeper.seconds("last end", float(placed.end[last]))
    where = "stays on its slot" if len(tasks) == 1 else "stay on their slots"
    board.add(
        Step(
            kind="place",
            title=f"{listed(names, 3)} {where}",
            rule="tasks of slots that are left stay",
            text=(
                f"{listed(names)} {where}, in turn after the map tasks of the job. The last to end "
                f"is {board.task_name('reduce', last)}, at {end}."
            ),
            facts=keeper.facts,
            rows=board.rows("reduce", tasks, placed),
            phase="reduce",
        )
    )
