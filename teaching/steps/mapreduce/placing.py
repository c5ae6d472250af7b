"""A phase while its tasks are placed: what slots offer a task, which offer is taken, and why.

A method is a search over offers with named criteria. The rule that decided is the first criterion
that separates the best offer from the second; the sentences come from the offers themselves. The
arithmetic is the kernels' to the last bit, so additions stand in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from ....core.wording import listed, plural, sentences
from ....instances.mapreduce.schedule import PhaseSchedule
from ....instances.mapreduce.setups import map_setup_matrix, output_share, reduce_setups
from ..record import Candidate, Fact, Step
from ..telling import FactKeeper, few
from .board import Board, PhaseName, blank, map_ends, put


@dataclass(frozen=True)
class Offer:
    """What a slot offers a task: when it is free; start, setup, processing and end there (s)."""

    task: int
    slot: int
    free: float
    start: float
    setup: float
    time: float
    end: float

    def facts(self) -> dict[str, Fact]:
        """What a step shows of it."""
        return {
            "free": self.free,
            "start": self.start,
            "setup": self.setup,
            "processing": self.time,
            "end": self.end,
        }


class Criterion(NamedTuple):
    """What is compared: the offer of least value wins."""

    rule: str
    """Its name where it decides."""
    value: Callable[[Any], float]
    shown: Callable[[Any], float] = float
    """What is said of it."""
    alone: str = ""
    """What no other does where the best offer has no equal."""
    same: str = ""
    """What equal ones do, with what is shown for {}."""


FREE = Criterion(
    "first available", lambda o: o.free, lambda o: o.free, "is free as early", "are free at {} s"
)
FINISH = Criterion(
    "earliest finish", lambda o: o.end, lambda o: o.end, "would end as early", "would end at {} s"
)
READ = FINISH._replace(value=lambda o: o.start + o.setup)
"""Where all slots are equally fast the end of reading decides, so that rounding does not."""
SETUP = Criterion("shorter setup", lambda o: o.setup)
SLOT = Criterion("lowest number", lambda o: o.slot)
TASK = Criterion("lowest task number", lambda o: o.task)

ONLY = "only slot"


class Phase:
    """One phase of a board while its tasks are placed.

    `name`: map or reduce.
    `arrival`: when each job may start (s), shape (jobs,).
    `setups`, `times`: setup and processing time of each task on each slot (s).
    `allowed`: whether each task may run on each slot.
    """

    def __init__(
        self,
        board: Board,
        name: PhaseName,
        arrival: FloatArray,
        setups: FloatArray,
        times: FloatArray,
        allowed: BoolArray | None = None,
    ) -> None:
        self.board, self.name, self.arrival = board, name, arrival.tolist()
        self.setups, self.times = setups, times
        self.allowed = np.ones(times.shape, dtype=bool) if allowed is None else allowed
        self.job_of: list[int] = (
            board.instance.map_job if name == "map" else board.instance.reduce_job
        ).tolist()
        self.tasks, self.slots = times.shape
        self.free, self.placed = [0.0] * self.slots, blank(self.tasks)

    def offer(self, t: int, k: int) -> Offer:
        """What slot k offers task t."""
        start = max(self.free[k], self.arrival[self.job_of[t]])
        setup, time = float(self.setups[t, k]), float(self.times[t, k])
        return Offer(t, k, self.free[k], start, setup, time, start + setup + time)

    def offers(self, t: int) -> list[Offer]:
        """What every slot offers that the task may use."""
        return [self.offer(t, k) for k in np.flatnonzero(self.allowed[t]).tolist()]

    def put(self, best: Offer) -> None:
        """Place a task without a step."""
        put(self.placed, best.task, best.slot, (best.start, best.setup, best.end))
        self.free[best.slot] = best.end

    def place(
        self,
        asked: Sequence[Offer],
        criteria: Sequence[Criterion],
        others: Sequence[Offer] = (),
        *,
        keeper: FactKeeper,
        within: str = "",
        tempting: tuple[Offer | None, str] | None = None,
        unasked: str = "",
        source: int | None = None,
    ) -> Offer:
        """Take the best of the offers asked, tell why, and place it.

        `others`: offers that the method does not ask, of which one may be tempting; `unasked` says
        why it is not asked.
        `keeper`: what has been said of it.
        `within`: what narrowed the slots down to those asked.
        `tempting`: an offer that one would rather take and how it loses; else it is looked for.
        `source`: the slot that had the task before.
        """
        board, name = self.board, self.name
        ranked = sorted(asked, key=lambda o: [criterion.value(o) for criterion in criteria])
        best, taken = ranked[0], {(o.task, o.slot) for o in asked}
        every = [*ranked, *(o for o in others if (o.task, o.slot) not in taken)]
        decided, how = self._decided(ranked, criteria, len(every) == 1, keeper)
        loser, text = tempting or self._tempting(
            ranked, every[len(ranked) :], criteria[0], unasked, keeper
        )
        self.put(best)
        several = len({o.task for o in every}) > 1
        shown = few(
            [
                Candidate(
                    board.lane(name, o.slot), self._called(o, several), o.facts(), (o.start, o.end)
                )
                for o in every
            ],
            0,
            None if loser is None else every.index(loser),
        )
        task, moves = board.task_name(name, best.task), source not in (None, best.slot)
        if source is not None and moves:
            task += f" moves from {board.slot_name(name, source)}"
        board.add(
            Step(
                kind="move" if moves else "place",
                title=f"{task} to {board.slot_name(name, best.slot)}",
                rule=f"{within}: {decided}" if within and len(asked) > 1 else within or decided,
                text=sentences(*keeper.said, self._where(best, keeper), how, text),
                **shown,
                facts=keeper.facts,
                rows=board.rows(name, [best.task], self.placed),
            ),
            (name, best.task),
        )
        return best

    def tell_needs(self, t: int, keeper: FactKeeper) -> None:
        """Say what a task reads, how long it runs, and how many slots it may not use."""
        i, job = self.board.instance, self.job_of[t]
        if self.name == "map":
            mb, time = float(i.input_mb[t]), float(i.map_processing[t])
            names = [i.cluster.node_names[n] for n in self.holders(t)]
            where = listed(names) or "no node of the cluster"
            reads = f"It reads {keeper.number('input', mb)} MB that lie on {where}"
        else:
            first, last = i.map_offsets[job : job + 2]
            mb, time = float(output_share(i)[first:last].sum()), float(i.reduce_processing[t])
            reads = f"It reads {keeper.number('input', mb)} MB of {i.job_names[job]}'s map output"
        runs = f"runs for {keeper.seconds('processing', time)}"
        forbidden = int((~self.allowed[t]).sum())
        not_on = ""
        if forbidden:
            keeper.number("forbidden", forbidden)
            not_on = f"; it may not run on {plural(forbidden, 'slot')}"
        keeper.say(f"{reads if mb else 'It reads nothing'} and {runs}{not_on}")

    def holders(self, t: int) -> list[int]:
        """The nodes with the data of a map task."""
        i = self.board.instance
        return list(dict.fromkeys(i.replicas[slice(*i.replica_offsets[t : t + 2])].tolist()))

    def _called(self, o: Offer, several: bool) -> str:
        slot = self.board.slot_name(self.name, o.slot)
        return f"{self.board.task_name(self.name, o.task)} on {slot}" if several else slot

    def _where(self, best: Offer, keeper: FactKeeper) -> str:
        slot, job = self.board.slot_name(self.name, best.slot), self.job_of[best.task]
        text = f"On {slot} it starts at {keeper.seconds('start', best.start)}"
        if best.start > best.free:
            text += f", when {self.board.instance.job_names[job]}'s last map task ends,"
        if best.setup:
            text += f"{'' if text.endswith(',') else ','} reads for "
            text += keeper.seconds("setup", best.setup)
        return f"{text} and ends at {keeper.seconds('end', best.end)}"

    def _decided(
        self,
        ranked: Sequence[Offer],
        criteria: Sequence[Criterion],
        alone: bool,
        keeper: FactKeeper,
    ) -> tuple[str, str]:
        """The rule that separates the best offer from the next, and its sentence."""
        best, first = ranked[0], criteria[0]
        if len(ranked) == 1:
            return ONLY, "No other slot may run it" if alone else ""
        decided = next(one.rule for one in criteria if one.value(best) != one.value(ranked[1]))
        ties = sum(first.value(o) == first.value(best) for o in ranked)
        noun = "slot" if len({o.task for o in ranked}) == 1 else "task"
        if ties == 1:
            return decided, f"No other {noun} {first.alone}"
        same = first.same.format(keeper.number(first.rule, first.shown(best)))
        return decided, f"{keeper.number('ties', ties)} {noun}s {same}; the {decided} wins"

    def _tempting(
        self,
        ranked: Sequence[Offer],
        rest: Sequence[Offer],
        first: Criterion,
        unasked: str,
        keeper: FactKeeper,
    ) -> tuple[Offer | None, str]:
        """The offer that another rule would take, or the next one, and how it loses."""
        best, several = ranked[0], len({o.task for o in ranked}) > 1
        others = [o for o in (*ranked[1:], *rest) if o.task == best.task]
        loser, text = None, ""
        if others and first is FREE:
            other = min(others, key=lambda o: (o.end, o.slot))
            if other.end < best.end:
                loser, text = other, self._sooner(other, best, unasked * (other in rest), keeper)
        elif others:
            other = min(others, key=lambda o: (o.free, o.slot))
            if other.free < best.free:
                loser, text = other, self._earlier(other, best, keeper)
        behind = [o for o in ranked[1:] if first.value(o) > first.value(best)] or ranked[1:]
        behind = behind or sorted(rest, key=lambda o: o.end)
        if behind and (several or loser is None):
            loser = behind[0]
            later = loser.end - best.end
            by = f"{keeper.seconds('next later by', later)} later" if later else "at the same time"
            free = keeper.seconds("next is free", loser.free)
            name = self._called(loser, several or loser.task != best.task)
            text = sentences(f"Next comes {name}, free at {free}: it would end {by}", text)
        return loser, text

    def _sooner(self, other: Offer, best: Offer, unasked: str, keeper: FactKeeper) -> str:
        """How the slot loses that would end the task first."""
        by = keeper.seconds("sooner by", best.end - other.end)
        text = f"{self.board.slot_name(self.name, other.slot)} would end it {by} sooner, at "
        text += keeper.seconds("sooner end", other.end)
        for verb, less in (("reads", best.setup - other.setup), ("runs", best.time - other.time)):
            if less > 0:
                because = " and" if "because" in text else ", because it"
                text += f"{because} {verb} for {keeper.seconds(f'{verb} less by', less)} less"
        if unasked:
            return f"{text}, but {unasked}"
        why = "has a higher number"
        if other.free > best.free:
            why = f"is not free before {keeper.seconds('not free before', other.free)}"
        return f"{text}, but {why}; {self.board.method} does not look at the end"

    def _earlier(self, other: Offer, best: Offer, keeper: FactKeeper) -> str:
        """How the slot loses that is free first."""
        later = other.end - best.end
        what = f"start it at {keeper.seconds('would start', other.start)}"
        if other.setup > best.setup:
            what = f"read for {keeper.seconds('would read for', other.setup)}"
        elif other.time > best.time:
            what = f"run it for {keeper.seconds('would run for', other.time)}"
        end = f"end it {keeper.seconds('later by', later)} later" if later else "end it no sooner"
        free = keeper.seconds("free earlier", other.free)
        name = self.board.slot_name(self.name, other.slot)
        return f"{name} is free earlier, at {free}, but would {what} and {end}"


def map_phase(board: Board) -> Phase:
    """The map phase with nothing placed."""
    i = board.instance
    allowed = None if i.security is None else i.security.priorities
    return Phase(
        board, "map", np.zeros(i.jobs), map_setup_matrix(i), i.phases.map.matrix(), allowed
    )


def reduce_phase(board: Board, maps: PhaseSchedule) -> Phase:
    """The reduce phase after a map phase."""
    i, cluster = board.instance, board.instance.cluster
    setups = reduce_setups(i, cluster.map_slot_node[maps.slot])
    setups = setups[i.reduce_job][:, cluster.reduce_slot_node]
    return Phase(board, "reduce", map_ends(i, maps), setups, i.phases.reduce.matrix())
