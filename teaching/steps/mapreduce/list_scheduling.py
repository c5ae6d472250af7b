"""EASS, EFSS and EFSS-L of [LJR], section 4, one task after another.

`heuristics/mapreduce/list_scheduling` says what they do; here it is again, plain, with
a reason for each slot.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....core.arrays import IntArray
from ....heuristics.mapreduce.list_scheduling.orders import OMEGA, Omega, map_lengths
from ....heuristics.mapreduce.list_scheduling.placement import AVAILABLE, FINISHING, LOCAL
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule
from ..record import Candidate, Fact, Step, Steps
from .job_orders import johnson_step, release_step
from .offers import Choice, MapPhase, Offer, ReducePhase, chosen
from .reasons import map_needs, reduce_needs, why
from .slots import MOST_CANDIDATES, Slots, check_small, scheduled, shortlist


def eass(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of EASS ([LJR], Algorithm 1)."""
    return _job_based("EASS", instance, omega, (AVAILABLE, AVAILABLE))


def efss(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of EFSS ([LJR], section 4.2)."""
    return _job_based("EFSS", instance, omega, (FINISHING, FINISHING))


def efss_local(instance: Instance, *, omega: Omega = OMEGA) -> Steps:
    """Steps of EFSS-L ([LJR], section 4.4)."""
    return _job_based("EFSS-L", instance, omega, (LOCAL, FINISHING))


def _job_based(method: str, instance: Instance, omega: float, rules: tuple[int, int]) -> Steps:
    check_small(method, instance)
    slots = Slots(instance, without_lost=True)
    instance = slots.instance
    jobs, first = johnson_step(instance, omega)
    lengths = map_lengths(instance).tolist()
    order = [t for i in jobs for t in longest_first(lengths, tasks_of(instance.map_offsets, i))]
    placing = Placing(slots, [first])
    maps = placing.maps(order, rules[0])
    return placing.finished(method, maps, rules[1])


class Placing:
    """Places tasks one after another and keeps a step for each.

    `slots`: names and lanes of the instance.
    `steps`: the steps so far.
    """

    def __init__(self, slots: Slots, steps: list[Step]) -> None:
        self.slots, self.instance, self.steps = slots, slots.instance, steps
        self.most = MOST_CANDIDATES if slots.are_many() else None

    def maps(self, order: Sequence[int], rule: int) -> PhaseSchedule:
        phase, instance = MapPhase(self.instance), self.instance
        for task in order:
            offers = phase.offers(task)
            mb, time = float(instance.input_mb[task]), float(instance.map_processing[task])
            holders = [instance.cluster.node_names[n] for n in dict.fromkeys(phase.copies(task))]
            needs = map_needs(mb, holders, time, secure=instance.security is not None)
            facts: dict[str, Fact] = {"input": mb, "processing": time}
            choice = chosen(offers, rule, mb)
            self._place("map", task, (offers, choice, rule), needs, facts)
            phase.put(task, offers[choice.order[0]])
        return phase.placed.schedule()

    def reduces(self, maps: PhaseSchedule, rule: int) -> PhaseSchedule:
        """Order the jobs by map completion and place their reduce tasks."""
        instance = self.instance
        jobs, release, step = release_step(instance, maps.end.tolist())
        phase = ReducePhase(instance, maps.slot.tolist(), release)
        if step is not None:
            self.steps.append(step)
        lengths = instance.reduce_processing.tolist()
        for job in jobs:
            for task in longest_first(lengths, tasks_of(instance.reduce_offsets, job)):
                offers = phase.offers(task)
                choice = chosen(offers, rule)
                best = offers[choice.order[0]]
                mb, time = phase.read_mb(job), lengths[task]
                waited = release[job] if release[job] > best.free else None
                needs = reduce_needs(mb, time, instance.job_names[job], waited)
                facts: dict[str, Fact] = {
                    "reads": mb,
                    "processing": time,
                    "last map": release[job],
                }
                self._place("reduce", task, (offers, choice, rule), needs, facts)
                phase.put(task, best)
        return phase.placed.schedule()

    def finished(self, method: str, maps: PhaseSchedule, rule: int) -> Steps:
        """The steps with those of the reduce phase."""
        outcome = scheduled(self.instance, maps, self.reduces(maps, rule))
        return self.slots.steps(method, self.steps, outcome)

    def _place(
        self,
        phase: str,
        task: int,
        decision: tuple[Sequence[Offer], Choice, int],
        needs: str,
        facts: dict[str, Fact],
    ) -> None:
        offers, choice, rule = decision
        slots, best = self.slots, choice.order[0]
        lanes = [slots.lane(phase, each.slot) for each in offers]
        names = [slots.lanes[lane] for lane in lanes]
        text, more, loser = why(offers, choice, rule, names)
        allowed = [each.slot for each in offers if each.allowed]
        candidates = [_candidate(offers[k], lanes[k], names[k]) for k in allowed]
        place = {slot: k for k, slot in enumerate(allowed)}
        shown, number, left_out = shortlist(
            candidates,
            [place[slot] for slot in choice.order],
            [place[best]] if loser is None else [place[best], place[loser]],
            self.most,
        )
        offer = offers[best]
        job = self.instance.job_names[slots.job(phase, task)]
        self.steps.append(
            Step(
                kind="place",
                title=f"{slots.task(phase, task)} goes to {names[best]}",
                rule=choice.rule,
                text=f"{needs}. {text}",
                candidates=shown,
                chosen=number[place[best]],
                loser=None if loser is None else number[place[loser]],
                left_out=left_out,
                facts=facts | more,
                rows=(slots.row(phase, task, best, (offer.start, offer.setup, offer.end)),),
                job=job,
                phase=phase,
                task=slots.number(phase, task),
            )
        )


def _candidate(offer: Offer, lane: int, name: str) -> Candidate:
    times: dict[str, Fact] = {
        "free": offer.free,
        "start": offer.start,
        "setup": offer.setup,
        "processing": offer.time,
        "end": offer.end,
    }
    return Candidate(lane, name, times, (offer.start, offer.end))


def tasks_of(offsets: IntArray, job: int) -> range:
    return range(int(offsets[job]), int(offsets[job + 1]))


def longest_first(lengths: Sequence[float], tasks: Sequence[int]) -> list[int]:
    """LPT: the longest task first, of equal ones the lower number.

    `lengths`: length of every task (s).
    """
    return sorted(tasks, key=lambda t: (-lengths[t], t))
