"""A lower bound from what slots wait for after their last map tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from typing import Any

from .closed_forms import spans
from .documents import Document, fields, need, refuse
from .problem import LOCAL, Shop
from .reads import JobReads


def last_jobs(shop: Shop, proof: Document) -> Fraction:
    """A slot waits after its last map task for that job's reduces, which read from many nodes.

    Let u map slots be used, s of them ended by job i. u times the makespan C is at least the map
    work W and what follows: V_i(s) for each job, see `LastJob`. For any price p of a slot the sum
    of V_i(s) is at least u p - F, where F is the sum over jobs of the greatest s p - V_i(s). Hence
    u (C - p) >= W - F, with 1 <= u <= the slots that can be used.
    """
    fields(proof, "proof price")
    price = Fraction(need(proof["price"], Fraction))
    usable = min(len(shop.maps.node), len(shop.maps.job))
    if not usable or price < 0:
        refuse("need map tasks, and a price from 0")
    _, tails = spans(shop)
    earned = Fraction(0)
    for job, tasks in enumerate(shop.maps.tasks):
        if tasks and tails[job] < price:  # V_i(s) is s tails at least
            last = LastJob(shop, job, tails[job])
            most = min(len(tasks), usable)
            earned += max(s * price - last.cost(s) for s in range(most + 1))
    left = separate_work(shop, range(len(shop.input))) - earned
    return price + left / (usable if left > 0 else 1)


def separate_work(shop: Shop, tasks: range) -> int:
    """Of map tasks: the least read and the least processing, perhaps on different slots.

    What a task reads beyond its least read is then beyond this. With security all that is added
    for reads elsewhere is 0.
    """
    if shop.secure:
        return sum(shop.maps.least[task] for task in tasks)
    work = 0
    for task in tasks:
        factor = shop.fastest(shop.maps, shop.maps.job[task])[None]
        work += shop.nearest_input(task) + shop.maps.processing[task] * factor
    return work


class LastJob:
    """The least that slots wait, and map tasks take beyond their least, if a job ends s slots.

    Of the s last tasks, one a slot, those beyond the slots of a rack (or of j nodes) lie elsewhere.
    With T the time from the end of the map phase to the end of the job, e what each reduce task
    reads off its rack beyond a read on it, and t = T - e: the share of a node that runs reduce
    tasks is so great that they end in time, or T is longer. To gather shares beyond those of the
    input that are there costs map time. The minimum over T and e is in closed form, for every
    number k of reduce tasks that a slot may run; docs/formulations/bounds.md has it step by step.
    """

    def __init__(self, shop: Shop, job: int, tail: int) -> None:
        self.tail = tail
        tasks = shop.maps.tasks[job]
        self.reads = bool(shop.output_of[job] and shop.reduces.tasks[job])
        if not self.reads:
            return
        reads = JobReads(shop, job)
        self.near, self.rack, total = reads.near, reads.rack, reads.whole
        local = reads.far - reads.near - reads.rack
        self.ratio = Fraction(total * shop.cost[LOCAL], local)
        # By number of tasks, one a slot: their least share.
        self.least = [Fraction(0), *accumulate(sorted(Fraction(n, total) for n in reads.sizes))]
        maps, reducing = Counter(shop.maps.node), Counter(shop.reduces.node)
        both = [node for node in maps if node in reducing]
        self.map_slots = [0, *accumulate(sorted((maps[n] for n in both), reverse=True))]
        self.reduce_slots = [0, *accumulate(sorted((reducing[n] for n in both), reverse=True))]
        racks = {shop.rack[node] for node in reducing}
        in_rack = Counter(shop.rack[node] for node in shop.maps.node)
        self.rack_slots = max((in_rack[name] for name in racks), default=0)
        held = input_at(shop, tasks, int)
        near = input_at(shop, tasks, shop.rack.__getitem__)
        here = sorted((Fraction(held[node], total) for node in both), reverse=True)
        self.on_nodes = [Fraction(0), *accumulate(here)]
        self.on_rack = max((Fraction(near[name], total) for name in racks), default=Fraction(0))
        self.apart = [p + local + self.near for p in reads.processing]
        self.worked = [0, *accumulate(p + local for p in reversed(reads.processing))]
        # With fewer tasks a slot that also end within the tail nothing is gained.
        off = self.rack * self.least[max(0, len(tasks) - self.rack_slots)]
        ends = [k for k, w in enumerate(self.worked) if w + k * off <= tail]
        self.first = max(1, ends[-1])

    def cost(self, slots: int) -> Fraction:
        if not self.reads or not slots:
            return Fraction(slots * self.tail)
        best = self._cost(slots, self.first)
        for k in range(self.first + 1, len(self.worked)):
            if slots * self.worked[k] >= best:
                break
            best = min(best, self._cost(slots, k))
        return best

    def _cost(self, slots: int, k: int) -> Fraction:
        least_off = self.rack * self.least[max(0, slots - self.rack_slots)]
        free_off = self.rack * (1 - self.on_rack)
        least_time = max(self.tail, self.worked[k] + k * least_off)
        least_near, needed, gathered = Fraction(0), Fraction(0), [(0, Fraction(0))]
        for j, first in enumerate((k * count for count in self.reduce_slots), 1):
            if first >= len(self.apart):
                break
            if j == len(self.reduce_slots):  # there is no j-th node
                least_near = max(least_near, self.apart[first])
                break
            needed += self.apart[first]
            share = self.least[max(0, slots - self.map_slots[j])]
            least_near = max(least_near, (needed - self.near * (1 - share)) / j)
            gathered.append((j, (needed - self.near * self.on_nodes[j]) / j))
        time = max(least_time, least_near + least_off)
        more = Fraction(0)
        for j, free in gathered:
            here = min(slots, j * self.ratio) * max(0, free - time + least_off)
            off = free_off - max(least_off, least_time - max(least_near, free))
            more = max(more, here + min(slots, self.ratio) * max(0, off))
        cost: Fraction = slots * time + more
        return cost


def input_at(shop: Shop, tasks: range, place: Callable[[int], Any]) -> dict[Any, int]:
    """The input that places hold; what no place with map slots holds counts everywhere."""
    usable = set(map(place, shop.map_nodes))
    held = dict.fromkeys(map(place, range(len(shop.rack))), 0)
    everywhere = 0
    for task in tasks:
        places = {place(node) for node in shop.replicas[task]}
        if places.isdisjoint(usable):
            everywhere += shop.input[task]
        else:
            for name in places:
                held[name] += shop.input[task]
    return {name: value + everywhere for name, value in held.items()}
