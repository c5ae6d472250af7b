"""The problem, in whole units of time: jobs of map tasks and reduce tasks on slots of a cluster.

A slot runs one task at a time, setup first, then processing. No reduce task starts, setup included,
before all map tasks of its job have ended. The setup of a map task reads its input from the replica
that is cheapest for its slot. The setup of a reduce task reads its part of what every map task of
its job left on the node on which that task ran.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .documents import Document, amount, fields, need, parts, refuse, whole

MOST_SLOTS = 2_000_000

LOCAL, NEAR, FAR, ENCRYPTED = range(4)
"""Ways to read, by rising cost: on the node, within its rack, beyond; with security, encrypted."""


class Phase:
    """The tasks and the slots of one phase, map or reduce. Slots that are lost are left out.

    Per task: `job`, `processing`, and `least`, its least duration over all slots, None if it may
    run on none. Per job: `tasks`, a range, and `factors`, one per slot, times which the processing
    is in units. Per slot: `node`, and `number`, for which lost slots count. `place` is the slot by
    the name of its node and its number there.
    """

    def __init__(self) -> None:
        self.job: list[int] = []
        self.processing: list[int] = []
        self.least: list[Any] = []
        self.tasks: list[range] = []
        self.factors: list[list[int]] = []
        self.node: list[int] = []
        self.number: list[int] = []
        self.place: dict[tuple[str, int], int] = {}
        self.counted = 0

    def time(self, task: int, slot: int) -> int:
        """Units for which a task runs on a slot, without its setup."""
        return self.processing[task] * self.factors[self.job[task]][slot]


class Shop:
    """The problem. Every duration is a whole multiple of `unit` seconds.

    Per map task: `replicas`, nodes; `input`, and `output` for one reduce task of its job, in parts
    each of which is read in `cost` units, by the way to read. A reduce task's least duration is
    that with all reads from the nearest node.
    """

    def __init__(self, document: Document) -> None:
        fields(
            document, "format name cluster jobs source? speed_factors? security? outages? history?"
        )
        if document["format"] != "slotwise/mapreduce/1":
            refuse("format must be slotwise/mapreduce/1")
        self.name: str = need(document["name"], str)
        self.maps, self.reduces = Phase(), Phase()
        self.phases = {"map": self.maps, "reduce": self.reduces}
        seconds_per_mb = self._read_cluster(document["cluster"], document.get("outages"))
        megabytes, seconds = self._read_jobs(document["jobs"])
        self.equal = document.get("speed_factors") is None
        steps = self._read_factors(document.get("speed_factors"))
        self.secure = document.get("security") is not None
        if self.secure:
            seconds_per_mb = self._read_security(document["security"])
        self._count_units(seconds_per_mb, megabytes, seconds, steps)
        self._fastest: dict[int, dict[Any, int]] = {}
        self.map_nodes, reduces = set(self.maps.node), set(self.reduces.node)
        # How far the nearest node of a reduce task is that can have run a map task.
        racks = {self.rack[n] for n in self.map_nodes} & {self.rack[n] for n in reduces}
        self.nearest = LOCAL if self.map_nodes & reduces else NEAR if racks else FAR
        for task, work in enumerate(self.maps.processing):
            where = self.costs_and_factors(task)
            times = (self.input[task] * cost + work * factor for cost, factor in where)
            self.maps.least.append(min(times, default=None))
        for job, work in zip(self.reduces.job, self.reduces.processing, strict=True):
            factor = self.fastest(self.reduces, job).get(None)
            least = None if factor is None else self.nearest_read(job) + work * factor
            self.reduces.least.append(least)

    def _read_cluster(self, document: Any, outages: Any) -> list[Fraction]:
        """What is lost is a node, its slots of one phase, or one of these. Returns s per MB."""
        lost: set[tuple[str, str | None, int | None]] = set()
        for outage in [] if outages is None else need(outages, list):
            fields(outage, "node phase? slot?")
            name, of, slot = need(outage["node"], str), outage.get("phase"), outage.get("slot")
            if of not in (None, *self.phases) or (slot is not None and of is None):
                refuse("an outage is of a node, of a phase there, or of a slot of that phase")
            lost.add((name, of, None if slot is None else whole(slot)))
        cluster = fields(document, "nodes rates")
        rates = fields(cluster["rates"], "node rack remote")
        costs = [1 / amount(rates[k], above=True) for k in ("node", "rack", "remote")]
        if costs != sorted(costs):
            refuse("rates: need node >= rack >= remote")
        self.nodes: dict[str, int] = {}
        self.rack: list[str] = []
        for entry in need(cluster["nodes"], list):
            fields(entry, "name rack map_slots reduce_slots")
            name = need(entry["name"], str)
            if name in self.nodes:
                refuse(f"two nodes have the name {name!a}")
            self.nodes[name] = len(self.nodes)
            self.rack.append(need(entry["rack"], str))
            for kind, phase in self.phases.items():
                for k in range(whole(entry[f"{kind}_slots"], 100_001)):
                    if lost.isdisjoint((name, p, s) for p in (None, kind) for s in (None, k)):
                        phase.place[name, k] = len(phase.node)
                        phase.node.append(self.nodes[name])
                        phase.number.append(phase.counted)
                    phase.counted += 1
                if phase.counted > MOST_SLOTS:
                    refuse("the cluster has too many slots")
        if not {name for name, _, _ in lost} <= self.nodes.keys():
            refuse("an outage of a node that there is not")
        return costs

    def _read_jobs(self, document: Any) -> tuple[list[Fraction], list[list[Fraction]]]:
        """Input and then output of all map tasks (MB); by phase the processing times (s)."""
        self.jobs: dict[str, int] = {}
        self.replicas: list[set[int]] = []
        inputs: list[Fraction] = []
        outputs: list[Fraction] = []
        seconds: list[list[Fraction]] = [[], []]
        for job in need(document, list):
            for gone in sorted({"release", "weight"} & need(job, dict).keys()):
                refuse(f"job {str(job.get('name'))[:40]!a}: {gone} is gone: leave it out")
            fields(job, "name output_ratio? map_tasks? reduce_tasks?")
            name = need(job["name"], str)
            if name in self.jobs:
                refuse(f"two jobs have the name {name!a}")
            maps, reduces = need(job.get("map_tasks", []), list), job.get("reduce_tasks", [])
            ratio = amount(job.get("output_ratio", 0)) / max(len(need(reduces, list)), 1)
            for task in maps:
                fields(task, "processing input_mb? replicas?")
                replicas = need(task.get("replicas", []), list)
                self.replicas.append({self.nodes[node] for node in replicas})
                inputs.append(amount(task.get("input_mb", 0)))
                outputs.append(ratio * inputs[-1])
            for task in reduces:
                fields(task, "processing")
            for phase, tasks, times in zip(
                self.phases.values(), (maps, reduces), seconds, strict=True
            ):
                phase.tasks.append(range(len(phase.job), len(phase.job) + len(tasks)))
                phase.job += [len(self.jobs)] * len(tasks)
                times += [amount(task["processing"]) for task in tasks]
            self.jobs[name] = len(self.jobs)
        return inputs + outputs, seconds

    def _read_factors(self, document: Any) -> list[list[Fraction]]:
        """Speed factors multiply processing times. Returns by phase and job their common part."""
        if document is None:
            for phase in self.phases.values():
                phase.factors = [[1] * len(phase.node)] * len(self.jobs)
            return [[Fraction(1)] * len(self.jobs)] * 2
        steps: list[list[Fraction]] = [[], []]
        fields(document, "map reduce")
        for (kind, phase), of_phase in zip(self.phases.items(), steps, strict=True):
            for row in need(document[kind], list, len(self.jobs)):
                need(row, list, phase.counted)
                step, factors = parts([amount(row[k], above=True) for k in phase.number])
                of_phase.append(step)
                phase.factors.append(factors)
        return steps

    def _read_security(self, document: Any) -> list[Fraction]:
        """Sets of map slots, a bit for each: where data of a node goes in plain text (`plain`),
        which are on it (`on_node`), and where a map task may run (`allowed`). Returns s per MB."""
        fields(document, "levels priorities transfer_rate? encryption_rate?")
        transfer = 1 / amount(document.get("transfer_rate", 100), above=True)
        encryption = 1 / amount(document.get("encryption_rate", 50), above=True)
        slots, numbers = self.maps.counted, self.maps.number

        def bits(digits: str) -> int:
            if len(digits) != slots or set(digits) - {"0", "1"}:
                refuse("security: need a whole level, and a priority of 0 or 1, for each map slot")
            kept = digits if len(numbers) == slots else "".join(digits[k] for k in numbers)
            return int("0" + kept[::-1], 2)

        self.plain: list[int] = []
        for row in need(document["levels"], list, len(self.nodes)):
            levels = [need(level, int) for level in need(row, list)]
            self.plain.append(bits("".join("01"[level == 1] for level in levels)))
        priorities = need(document["priorities"], list, len(self.jobs))
        self.allowed: list[int] = []
        for tasks, rows in zip(self.maps.tasks, priorities, strict=True):
            self.allowed += [bits(need(digits, str)) for digits in need(rows, list, len(tasks))]
        self.on_node = [0] * len(self.nodes)
        for slot, node in enumerate(self.maps.node):
            self.on_node[node] |= 1 << slot
        return [transfer] * 3 + [transfer + encryption]

    def _count_units(
        self,
        seconds_per_mb: list[Fraction],
        megabytes: list[Fraction],
        seconds: list[list[Fraction]],
        factors: list[list[Fraction]],
    ) -> None:
        """The unit is what all durations have in common; all becomes whole numbers.

        What all products of two sets of numbers have in common is the product of what each has.
        """
        (second, cost), (mb, sizes) = parts(seconds_per_mb), parts(megabytes)
        self.input, self.output = sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :]
        self.output_of = [sum(self.output[t] for t in tasks) for tasks in self.maps.tasks]
        steps: list[Fraction] = []
        for phase, times, of_jobs in zip(self.phases.values(), seconds, factors, strict=True):
            for tasks, factor in zip(phase.tasks, of_jobs, strict=True):
                step, multiples = parts(times[tasks.start : tasks.stop])
                phase.processing += multiples
                steps.append(step * factor)
        self.unit = parts([mb * second, *steps])[0] or Fraction(1)
        self.cost = [int(mb * second / self.unit) * k for k in cost]
        in_units = iter(steps)
        for phase in self.phases.values():
            for tasks in phase.tasks:
                times_unit = int(next(in_units) / self.unit)
                for t in tasks:
                    phase.processing[t] *= times_unit

    @property
    def impossible(self) -> bool:
        """Whether some task may run on no slot."""
        return None in self.maps.least or None in self.reduces.least

    def distance(self, a: int, b: int) -> int:
        return LOCAL if a == b else NEAR if self.rack[a] == self.rack[b] else FAR

    def may_run(self, task: int, slot: int) -> bool:
        return not self.secure or bool(self.allowed[task] >> slot & 1)

    def map_time(self, task: int, slot: int) -> int:
        """Setup and processing of a map task on a map slot."""
        node, replicas, cost = self.maps.node[slot], self.replicas[task], 0
        if not self.secure:
            cost = self.cost[min((self.distance(node, r) for r in replicas), default=FAR)]
        elif node not in replicas:
            plain = any(self.plain[holder] >> slot & 1 for holder in replicas)
            cost = self.cost[LOCAL if plain else ENCRYPTED]
        return self.input[task] * cost + self.maps.time(task, slot)

    def read_time(self, task: int, node: int, reader: int) -> int:
        """Units for which a reduce task on node `reader` reads what a map task left on a node."""
        return self.output[task] * self.cost[self.distance(node, reader)]

    def nearest_read(self, job: int) -> int:
        """Units for which a reduce task of a job reads at least."""
        return self.output_of[job] * self.cost[self.nearest]

    def fastest(self, phase: Phase, job: int) -> dict[Any, int]:
        """Least factor of a job on the slots of each node, of each rack, and of all (None)."""
        factors = phase.factors[job]
        least = self._fastest.setdefault(id(factors), {})
        if not least:
            for node, factor in zip(phase.node, factors, strict=True):
                for place in (node, self.rack[node], None):
                    least[place] = min(factor, least.get(place, factor))
        return least

    def costs_and_factors(self, task: int) -> Iterator[tuple[int, int]]:
        """What a part of a map task's input costs, and the job's least factor, where it may run.

        Whoever holds a replica reads at its rate, its rack at the rack's, all slots from afar. With
        security data does not move, moves in plain text, or is encrypted. Slots with less cost
        are also among those with more, which changes no least duration.
        """
        job, replicas = self.maps.job[task], self.replicas[task]
        if not self.secure:
            fastest = self.fastest(self.maps, job)
            near = {self.rack[node]: NEAR for node in replicas} | dict.fromkeys(replicas, LOCAL)
            for place, far in ({None: FAR} | near).items():
                if place in fastest:
                    yield self.cost[far], fastest[place]
            return
        local = plain = 0
        for node in replicas:
            local, plain = local | self.on_node[node], plain | self.plain[node]
        for some, cost in ((local, 0), (plain, self.cost[LOCAL]), (-1, self.cost[ENCRYPTED])):
            may = some & self.allowed[task]
            if may:
                factors = self.maps.factors[job]
                there = (factor for k, factor in enumerate(factors) if may >> k & 1)
                yield cost, 1 if self.equal else min(there)

    def nearest_input(self, task: int) -> int:
        """Units for which a map task reads its input at least."""
        return self.input[task] * min(cost for cost, _ in self.costs_and_factors(task))
