#!/usr/bin/env python3
"""Check a schedule, and a lower bound of every schedule's makespan, without believing anybody.

    python3 -I verify.py INSTANCE RESULT CERTIFICATE [--limit SECONDS]

INSTANCE is the problem (slotwise/mapreduce/1), RESULT what somebody claims to have found
(slotwise/result/1), CERTIFICATE the proofs (slotwise/certificate/1). Exit code 0: all that RESULT
claims is confirmed. 1: it is not; what is proved is printed. 2: a file cannot be read.

This file needs a bare Python, no solver and nothing of slotwise. Numbers are read as the decimal
fractions that they are, and all times are whole multiples of one unit, so nothing is rounded.
A certificate only says which theorems to apply, with what numbers. What the theorems speak of is
computed here, from the text of the instance. Wrong numbers prove less, never something false.

`verify_prices.py`, `verify_patterns.py` and `verify_spread.py` have the theorems whose
certificates are prices, `verify_slots.py` that of what slots wait for, `verify_search.py` the one
that tries everything; they have to lie beside this file.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib.util
import io
import json
import math
import signal
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from decimal import Decimal
from fractions import Fraction
from heapq import heapify, heappushpop
from pathlib import Path
from typing import Any, NoReturn

Number = int | Fraction

MAKESPAN_TOLERANCE = Fraction(1, 10**9)
"""A claimed makespan is a rounded number."""
BOUND_TOLERANCE = Fraction(1, 10**6)
"""A bound counts as confirmed, and a gap as closed, up to this part of it."""
MOST = 10**24
"""Greatest amount; one over it is the least of those that must be positive."""
MOST_BYTES, MOST_SLOTS, MOST_PROOFS = 10**9, 2_000_000, 1000


class Refused(Exception):
    """A file or a proof is not what it has to be."""


class OutOfTime(BaseException):
    """The reader's time is up."""


# 1. Reading. Every file may come from an enemy.


def read(path: str | Path) -> tuple[dict[str, Any], str]:
    """The object in a JSON file, which may be compressed, and the SHA-256 of its text."""
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if data[:2] == b"\x1f\x8b":
        data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        refuse("the file is too large")
    return parsed(data), hashlib.sha256(data).hexdigest()


def parsed(text: str | bytes) -> dict[str, Any]:
    """The object that a JSON text holds."""
    document = json.loads(
        text,
        parse_float=number,
        parse_int=number,
        parse_constant=lambda name: refuse(f"{name} is no number"),
        object_pairs_hook=without_repetition,
    )
    return mapping(document, "the file")


def number(text: str) -> Number:
    """A decimal number, exactly: an int if it is written as one, else a fraction."""
    digits, _, exponent = text.lower().partition("e")
    if len(digits) > 300 or len(exponent) > 4:
        refuse("a number has too many digits")
    if digits == text and "." not in text:
        return int(text)
    value = Decimal(text)
    if value.adjusted() >= 300:
        refuse("a number is too large")
    return Fraction(value)


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, if no key comes twice in it."""
    if len(dict(pairs)) < len(pairs):
        refuse("a key comes twice in one object")
    return dict(pairs)


def refuse(why: str) -> NoReturn:
    """Say why this proves nothing."""
    raise Refused(why)


def need(value: Any, kind: type, what: str) -> Any:
    """The value, if it is of the kind: dict, list, str, int, or Fraction for any number."""
    kinds = (int, Fraction) if kind is Fraction else (kind,)
    if isinstance(value, bool) or not isinstance(value, kinds):
        words = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
        refuse(f"{what}: must be {words.get(kind, 'a number')}")
    return value


def mapping(value: Any, what: str) -> dict[str, Any]:
    return need(value, dict, what)  # type: ignore[no-any-return]


def amount(value: Any, what: str, above: bool = False) -> Fraction:
    """A number that is at least 0, or above 0."""
    value = need(value, Fraction, what)
    over, under = value.numerator, value.denominator
    if not 0 <= over <= MOST * under or (above and over * MOST < under):
        refuse(f"{what}: must be {'above' if above else 'at least'} 0, and at most 1e24")
    return Fraction(value)


def index(value: Any, size: int, what: str) -> int:
    """A whole number from 0 to size - 1."""
    if not 0 <= need(value, int, what) < size:
        refuse(f"{what}: must be from 0 to {size - 1}")
    return int(value)


def choice(value: Any, names: Collection[str], what: str) -> str:
    if need(value, str, what) not in names:
        refuse(f"{what}: there is no {value[:40]!a}")
    return str(value)


def rows(value: Any, count: int | None, what: str) -> list[Any]:
    if count not in (None, len(need(value, list, what))):
        refuse(f"{what}: must have {count} entries")
    return value  # type: ignore[no-any-return]


def fields(
    document: Any, what: str, must: Collection[str] = (), may: Collection[str] = ()
) -> dict[str, Any]:
    """The object, if it has what it must have and nothing that is not understood."""
    for key in mapping(document, what):
        if key not in must and key not in may:
            refuse(f"{what}: {key[:40]!a} is not understood")
    for key in must:
        if key not in document:
            refuse(f"{what}: {key!a} is missing")
    return mapping(document, what)


def parts(numbers: Iterable[Number]) -> tuple[Fraction, list[int]]:
    """The greatest part of which all the numbers are whole multiples, and these multiples.

    The part is 0 if all numbers are.
    """
    numbers = list(numbers)
    denominator = math.lcm(*{number.denominator for number in numbers})
    whole = [number.numerator * (denominator // number.denominator) for number in numbers]
    part = math.gcd(*whole)
    return Fraction(part, denominator), [number // (part or 1) for number in whole]


def common(numbers: Iterable[Number]) -> Fraction:
    """The greatest number of which all the given ones are whole multiples, 0 if all are 0."""
    return parts(numbers)[0]


# 2. The problem.


class Phase:
    """The tasks and the slots of one phase, map or reduce. Slots that are lost are left out.

    Per task: `job` and `processing`. Per job: `tasks`, a range, and `factors`, one per slot, times
    which the processing is in units. Per slot: `node`, and `number`, for which lost slots count.
    `place` is the slot by the name of its node and its number there.
    """

    def __init__(self) -> None:
        self.job: list[int] = []
        self.processing: list[Any] = []  # seconds while it is read, then whole numbers
        self.tasks: list[range] = []
        self.factors: list[list[Any]] = []
        self.node: list[int] = []
        self.number: list[int] = []
        self.place: dict[tuple[str, int], int] = {}
        self.counted = 0

    def time(self, task: int, slot: int) -> int:
        """Units for which a task runs on a slot, without its setup."""
        time: int = self.processing[task] * self.factors[self.job[task]][slot]
        return time


class Shop:
    """The problem: jobs of map tasks and reduce tasks on the slots of a cluster.

    A slot runs one task at a time, setup first, then processing. No reduce task starts, setup
    included, before all map tasks of its job have ended. The setup of a map task reads its input
    from the replica that is cheapest for its slot. The setup of a reduce task reads its part of
    what every map task of its job left on the node on which that task ran.

    Every duration is a whole multiple of `unit` seconds. `least_map` and `least_reduce` are the
    tasks' least durations over all slots, in units; a reduce task then reads from the nearest node.
    Per map task: `replicas`, nodes; `input`, and `output` for one reduce task of its job, in parts
    that are read in whole units each: `input_cost` and `output_cost` by distance.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        optional = ("source", "speed_factors", "security", "outages", "history")
        fields(document, "the instance", ("format", "name", "cluster", "jobs"), optional)
        if document["format"] != "slotwise/mapreduce/1":
            refuse("the instance: format must be slotwise/mapreduce/1")
        self.name: str = need(document["name"], str, "name of the instance")
        self.maps, self.reduces = Phase(), Phase()
        self.phases = {"map": self.maps, "reduce": self.reduces}
        lost = self._read_outages(document.get("outages"))
        self._read_cluster(document["cluster"], lost)
        self._read_jobs(document["jobs"])
        self._read_factors(document.get("speed_factors"))
        self.security = document.get("security")
        if self.security is not None:
            self._read_security(self.security)
        self.jobs_by_name = {name: i for i, name in enumerate(self.jobs)}
        self._least_factors: dict[int, dict[Any, int]] = {}
        self.map_nodes, reduces = set(self.maps.node), set(self.reduces.node)
        self.map_racks = {self.rack[n] for n in self.map_nodes}
        # How far the nearest node of a reduce task is that can have run a map task.
        racks = self.map_racks & {self.rack[n] for n in reduces}
        self.nearest = 0 if self.map_nodes & reduces else 1 if racks else 2
        self._count_units()
        self.least_map: list[Any] = [self._least_map(t) for t in range(len(self.maps.job))]
        self.least_reduce: list[Any] = [self._least_reduce(w) for w in range(len(self.reduces.job))]

    def _read_outages(self, document: Any) -> set[tuple[str, str | None, int | None]]:
        """What is lost: a node, its slots of one phase, or one of these."""
        lost = set()
        for outage in rows([] if document is None else document, None, "outages"):
            fields(outage, "an outage", ("node",), ("phase", "slot"))
            phase, slot = outage.get("phase"), outage.get("slot")
            if phase is not None:
                choice(phase, self.phases, "phase of an outage")
            if slot is not None and (need(slot, int, "slot of an outage") < 0 or phase is None):
                refuse("an outage: a slot needs a phase, and a number from 0")
            lost.add((need(outage["node"], str, "node of an outage"), phase, slot))
        return lost

    def _read_cluster(self, document: Any, lost: set[tuple[str, str | None, int | None]]) -> None:
        cluster = fields(document, "the cluster", ("nodes", "rates"))
        rates = fields(cluster["rates"], "rates", ("node", "rack", "remote"))
        node, rack, remote = (amount(rates[k], k, above=True) for k in ("node", "rack", "remote"))
        if not node >= rack >= remote:
            refuse("rates: need node >= rack >= remote")
        self.seconds_per_mb = [1 / node, 1 / rack, 1 / remote]
        self.nodes: dict[str, int] = {}
        self.rack: list[str] = []
        for entry in rows(cluster["nodes"], None, "nodes"):
            fields(entry, "a node", ("name", "rack", "map_slots", "reduce_slots"))
            name = need(entry["name"], str, "name of a node")
            if name in self.nodes:
                refuse(f"two nodes have the name {name!a}")
            self.nodes[name] = len(self.nodes)
            self.rack.append(need(entry["rack"], str, "rack of a node"))
            for kind, phase in self.phases.items():
                for k in range(index(entry[f"{kind}_slots"], 100_001, "slots of a node")):
                    if lost.isdisjoint((name, p, s) for p in (None, kind) for s in (None, k)):
                        phase.place[name, k] = len(phase.node)
                        phase.node.append(self.nodes[name])
                        phase.number.append(phase.counted)
                    phase.counted += 1
                if phase.counted > MOST_SLOTS:
                    refuse("the cluster: too many slots")
        for name, _, _ in lost:
            choice(name, self.nodes, "node of an outage")

    def _read_jobs(self, document: Any) -> None:
        self.jobs: list[str] = []
        self.replicas: list[set[int]] = []
        self.input: list[Any] = []  # MB while it is read, as is the output
        self.output: list[Any] = []
        for job in rows(document, None, "jobs"):
            for gone in sorted({"release", "weight"} & mapping(job, "a job").keys()):
                refuse(f"job {str(job.get('name'))[:40]!a}: {gone} is gone: leave it out")
            fields(job, "a job", ("name",), ("output_ratio", "map_tasks", "reduce_tasks"))
            maps = rows(job.get("map_tasks", []), None, "map_tasks")
            reduces = rows(job.get("reduce_tasks", []), None, "reduce_tasks")
            ratio = amount(job.get("output_ratio", 0), "output_ratio") / max(len(reduces), 1)
            for task in maps:
                fields(task, "a map task", ("processing",), ("input_mb", "replicas"))
                replicas = rows(task.get("replicas", []), None, "replicas")
                self.replicas.append(
                    {self.nodes[choice(node, self.nodes, "a replica's node")] for node in replicas}
                )
                self.input.append(amount(task.get("input_mb", 0), "input_mb"))
                self.output.append(ratio * self.input[-1])
            for task in reduces:
                fields(task, "a reduce task", ("processing",))
            for phase, tasks in ((self.maps, maps), (self.reduces, reduces)):
                first = len(phase.job)
                phase.tasks.append(range(first, first + len(tasks)))
                phase.job += [len(self.jobs)] * len(tasks)
                phase.processing += [amount(task["processing"], "processing") for task in tasks]
            self.jobs.append(need(job["name"], str, "name of a job"))
        if len(set(self.jobs)) < len(self.jobs):
            refuse("two jobs have one name")

    def _read_factors(self, document: Any) -> None:
        """Speed factors multiply processing times."""
        self.equal = document is None
        if document is None:
            for phase in self.phases.values():
                equal: list[Number] = [1] * len(phase.node)
                phase.factors = [equal] * len(self.jobs)
            return
        fields(document, "speed_factors", ("map", "reduce"))
        for kind, phase in self.phases.items():
            for row in rows(document[kind], len(self.jobs), "speed_factors"):
                row = rows(row, phase.counted, "a row of speed_factors")
                phase.factors.append([amount(row[k], "a factor", above=True) for k in phase.number])

    def _read_security(self, document: Any) -> None:
        """Where each map task may run, and whether data of a node reaches a slot in plain text."""
        may = ("transfer_rate", "encryption_rate")
        fields(document, "security", ("levels", "priorities"), may)
        transfer = amount(document.get("transfer_rate", 100), "transfer_rate", above=True)
        encryption = amount(document.get("encryption_rate", 50), "encryption_rate", above=True)
        self.seconds_per_mb = [1 / transfer] * 3 + [1 / transfer + 1 / encryption]
        # Sets of map slots, a bit for each: where data of a node goes in plain text, and where a
        # map task may run.
        self.plain: list[int] = []
        self.allowed: list[int] = []
        slots = self.maps.counted
        for row in rows(document["levels"], len(self.nodes), "levels"):
            levels = [need(level, int, "a level") for level in rows(row, slots, "a row of levels")]
            self.plain.append(self._slots("".join("01"[level == 1] for level in levels)))
        table = rows(document["priorities"], len(self.jobs), "priorities")
        for tasks, of_job in zip(self.maps.tasks, table, strict=True):
            for digits in rows(of_job, len(tasks), "priorities of a job"):
                if len(need(digits, str, "priorities")) != slots or set(digits) - {"0", "1"}:
                    refuse("priorities: a task must have 0 or 1 for each map slot")
                self.allowed.append(self._slots(digits))
        self.on_node = [0] * len(self.nodes)
        for slot, node in enumerate(self.maps.node):
            self.on_node[node] |= 1 << slot

    def _slots(self, digits: str) -> int:
        """The map slots whose digit is 1, lost ones left out."""
        if len(self.maps.number) < len(digits):
            digits = "".join(digits[k] for k in self.maps.number)
        return int("0" + digits[::-1], 2)

    def _count_units(self) -> None:
        """The unit is what all durations have in common; all becomes whole numbers.

        What all products of two sets of numbers have in common is the product of what each has.
        """
        second, cost = parts(self.seconds_per_mb)
        inputs, self.input = parts(self.input)
        outputs, self.output = parts(self.output)
        durations = [inputs * second, outputs * second]
        steps: list[tuple[Phase, int, Fraction]] = []
        for phase in self.phases.values():
            for job, tasks in enumerate(phase.tasks):
                step, phase.processing[tasks.start : tasks.stop] = parts(
                    phase.processing[t] for t in tasks
                )
                if not self.equal:
                    least, phase.factors[job] = parts(phase.factors[job])
                    step *= least
                steps.append((phase, job, step))
                durations.append(step)
        self.unit = common(durations) or Fraction(1)
        for phase, job, step in steps:
            times = int(step / self.unit)
            for t in phase.tasks[job]:
                phase.processing[t] *= times
        self.input_cost = [int(inputs * second / self.unit) * k for k in cost]
        self.output_cost = [int(outputs * second / self.unit) * k for k in cost]
        self.output_of: list[int] = [
            sum(self.output[tasks.start : tasks.stop]) for tasks in self.maps.tasks
        ]

    def may_run(self, task: int, slot: int) -> bool:
        return self.security is None or bool(self.allowed[task] >> slot & 1)

    def map_time(self, task: int, slot: int) -> int:
        """Setup and processing of a map task on a map slot, in units."""
        node, replicas = self.maps.node[slot], self.replicas[task]
        if self.security is None:
            cost = self.input_cost[min((self.distance(node, r) for r in replicas), default=2)]
        elif node in replicas:
            cost = 0
        else:
            plain = any(self.plain[holder] >> slot & 1 for holder in replicas)
            cost = self.input_cost[0 if plain else 3]
        time: int = self.input[task] * cost + self.maps.time(task, slot)
        return time

    def reduce_time(self, task: int, slot: int) -> int:
        """Processing of a reduce task on a reduce slot, in units; its setup is apart."""
        return self.reduces.time(task, slot)

    def read_time(self, task: int, node: int, reader: int) -> int:
        """Units for which a reduce task on node `reader` reads what map task `task` left."""
        time: int = self.output[task] * self.output_cost[self.distance(node, reader)]
        return time

    def nearest_read(self, job: int) -> int:
        """Units for which a reduce task of a job reads at least."""
        return self.output_of[job] * self.output_cost[self.nearest]

    def nearest_input(self, task: int) -> int:
        """Units for which a map task reads its input at least, without security."""
        replicas, racks = self.replicas[task], {self.rack[node] for node in self.replicas[task]}
        far = 2 if self.map_racks.isdisjoint(racks) else int(self.map_nodes.isdisjoint(replicas))
        units: int = self.input[task] * self.input_cost[far]
        return units

    def distance(self, a: int, b: int) -> int:
        """0 within a node, 1 within a rack, 2 beyond."""
        return 0 if a == b else 1 if self.rack[a] == self.rack[b] else 2

    def _least_map(self, task: int) -> int | None:
        """None if the task may run nowhere."""
        if self.security is not None:
            return self._least_secure(task)
        if self.equal:
            work: int = self.nearest_input(task) + self.maps.processing[task]
            return work if self.maps.node else None
        # Whoever holds a replica reads at its rate, its rack at the rack's, all others from afar.
        fastest, size = self.fastest(self.maps, self.maps.job[task]), self.input[task]
        places: list[tuple[Any, int]] = [("all", 2)]
        for node in self.replicas[task]:
            places += [(("node", node), 0), (("rack", self.rack[node]), 1)]
        durations = (
            size * self.input_cost[far] + self.maps.processing[task] * fastest[place]
            for place, far in places
            if place in fastest
        )
        return min(durations, default=None)

    def _least_secure(self, task: int) -> int | None:
        """The same with security: data does not move, moves in plain text, or is encrypted."""
        local = plain = 0
        for node in self.replicas[task]:
            local, plain = local | self.on_node[node], plain | self.plain[node]
        factors = self.maps.factors[self.maps.job[task]]
        durations = []
        ways = (local, 0), (plain, self.input_cost[0]), (-1, self.input_cost[3])
        for some, cost in ways:
            may = some & self.allowed[task]
            if may:
                there = (f for k, f in enumerate(factors) if may >> k & 1)
                factor = 1 if self.equal else min(there)
                work = self.maps.processing[task] * factor
                durations.append(self.input[task] * cost + work)
        return min(durations, default=None)

    def _least_reduce(self, task: int) -> int | None:
        """None if no slot is left."""
        job = self.reduces.job[task]
        fastest = self.fastest(self.reduces, job)
        if not fastest:
            return None
        work: int = self.reduces.processing[task] * fastest["all"]
        return self.nearest_read(job) + work

    def fastest(self, phase: Phase, job: int) -> dict[Any, int]:
        """Least factor of a job on the slots of each node, of each rack, and of all."""
        factors = phase.factors[job]
        least = self._least_factors.setdefault(id(factors), {})
        if not least:
            for node, factor in zip(phase.node, factors, strict=True):
                for place in (("node", node), ("rack", self.rack[node]), "all"):
                    least[place] = min(factor, least.get(place, factor))
        return least


Proof = dict[str, Any]
Theorem = Callable[[Shop, Proof], Number]


# 3. The schedule. Only slot and order of each task are believed.


def shortest(shop: Shop, schedule: Any) -> int:
    """The makespan, in units, if every task starts as early as the order on its slot allows.

    The tasks that a slot runs follow each other without a wait, but a reduce task waits for the map
    tasks of its job. So nothing overlaps, whatever the starts that the schedule claims, and nothing
    ends later than in a valid schedule with the same order.
    """
    order = read_order(shop, schedule)
    free: dict[int, int] = {}
    output: dict[tuple[int, int | str], int] = {}
    done = [0] * len(shop.jobs)
    for task, slot in order["map"]:
        job, node = shop.maps.job[task], shop.maps.node[slot]
        free[slot] = free.get(slot, 0) + shop.map_time(task, slot)
        done[job] = max(done[job], free[slot])
        for place in (node, shop.rack[node]):
            output[job, place] = output.get((job, place), 0) + shop.output[task]
    ends, free = list(done), {}
    for task, slot in order["reduce"]:
        job, node = shop.reduces.job[task], shop.reduces.node[slot]
        near, rack = output.get((job, node), 0), output.get((job, shop.rack[node]), 0)
        sizes = near, rack - near, shop.output_of[job] - rack
        read = sum(size * cost for size, cost in zip(sizes, shop.output_cost, strict=False))
        start = max(free.get(slot, 0), done[job])
        free[slot] = start + read + shop.reduce_time(task, slot)
        ends[job] = max(ends[job], free[slot])
    return max(ends, default=0)


def read_order(shop: Shop, schedule: Any) -> dict[str, list[tuple[int, int]]]:
    """By phase: each task once, with its slot, by the start that the schedule claims."""
    fields(schedule, "the schedule", ("format", "instance", "tasks"), ("makespan",))
    must = ("job", "phase", "task", "node", "slot", "start")
    claims: dict[str, dict[int, tuple[Number, Number, int]]] = {"map": {}, "reduce": {}}
    for entry in rows(schedule["tasks"], None, "tasks"):
        fields(entry, "a task of the schedule", must, ("setup", "end"))
        job = choice(entry["job"], shop.jobs_by_name, "job")
        kind = choice(entry["phase"], shop.phases, "phase")
        tasks, phase = shop.phases[kind].tasks[shop.jobs_by_name[job]], shop.phases[kind]
        task = tasks[index(entry["task"], len(tasks), "task")]
        place = choice(entry["node"], shop.nodes, "node"), need(entry["slot"], int, "slot")
        slot = phase.place.get(place)
        if slot is None or (phase is shop.maps and not shop.may_run(task, slot)):
            refuse(f"{kind} task {entry['task']} of {job!a} may not run where it is")
        if task in claims[kind]:
            refuse(f"{kind} task {entry['task']} of {job!a} comes twice")
        start = need(entry["start"], Fraction, "start")
        claims[kind][task] = start, need(entry.get("end", start), Fraction, "end"), slot
    for kind, phase in shop.phases.items():
        if len(claims[kind]) < len(phase.job):
            refuse(f"{kind} tasks are missing")
    return {
        kind: [(task, of_task[task][2]) for task in sorted(of_task, key=of_task.__getitem__)]
        for kind, of_task in claims.items()
    }


# 4. Lower bounds in closed form: times in units; every task counts with its least duration.
# Some shortest schedule has no needless wait, so all its times are whole: bounds are rounded up.


def span(lengths: Iterable[int], slots: int) -> int:
    """No schedule of such tasks on so many slots is shorter.

    One task takes as long as the longest; the slots share the work; and of k S + 1 tasks one of S
    slots runs k + 1 or more, so at least as long as the k + 1 shortest of them.
    """
    falling = sorted(lengths, reverse=True)
    if not falling:
        return 0
    turns = range((len(falling) - 1) // slots + 1)
    bounds = (sum(falling[k * slots - k : k * slots + 1]) for k in turns)
    return max(-(-sum(falling) // slots), *bounds)


def span_of_equals(times: dict[int, int], tasks: int) -> int:
    """No schedule of so many tasks is shorter if each takes the time of its slot, or longer.

    `times` counts slots by time. By T a slot has finished floor(T / time) tasks at most.
    """
    low, high = -1, tasks * min(times)
    while min(times) and high - low > 1:
        middle = (low + high) // 2
        enough = sum(slots * (middle // time) for time, slots in times.items()) >= tasks
        low, high = (low, middle) if enough else (middle, high)
    return high


def job_spans(shop: Shop, kind: str) -> list[int]:
    """Least duration of each job's map (or reduce) phase; with speed factors each task counts
    once with its own least time, once with the shortest of its job on every slot."""
    phase = shop.phases[kind]
    least = shop.least_map if kind == "map" else shop.least_reduce
    spans = [span((least[t] for t in tasks), len(phase.node)) for tasks in phase.tasks]
    for job, tasks in enumerate(phase.tasks):
        factors = Counter(phase.factors[job])
        if tasks and len(factors) > 1:
            shortest = min(phase.processing[t] for t in tasks)
            read = shop.nearest_read(job) if kind == "reduce" else 0
            times = Counter[int]()
            for factor, slots in factors.items():
                times[read + shortest * factor] += slots
            spans[job] = max(spans[job], span_of_equals(times, len(tasks)))
    return spans


def waiting_phases(shop: Shop) -> dict[str, tuple[Phase, list[int], list[int]]]:
    """By phase: the phase, its tasks' least durations, and how long each job's tasks wait.

    Reduce tasks wait for the map phase of their job. Read backwards, a schedule is one in which map
    tasks wait for the reduce phase of their job.
    """
    if None in shop.least_map or None in shop.least_reduce:
        refuse("a task may run on no slot")
    return {
        "reduce": (shop.reduces, shop.least_reduce, job_spans(shop, "map")),
        "map": (shop.maps, shop.least_map, job_spans(shop, "reduce")),
    }


def waits(shop: Shop, proof: Proof) -> int:
    """One job takes its head and its tail. And the slots wait on average for the least waits.

    Let U be S or more tasks of a phase with S slots. The first task of U on a slot starts after its
    job's wait. A slot without a task of U can be charged the wait of any other task: the makespan
    is no shorter. So S times the makespan is at least the sum of all of U and of its S least waits.
    U is all tasks that wait longest, and the S longest (wait and duration) of those that wait less.
    """
    fields(proof, "waits", ("proof",))
    phases = waiting_phases(shop)
    heads, tails = phases["reduce"][2], phases["map"][2]
    best = max((head + tail for head, tail in zip(heads, tails, strict=True)), default=0)
    for phase, least, wait in phases.values():
        slots = len(phase.node)
        tasks = sorted((wait[job], length) for job, length in zip(phase.job, least, strict=True))
        if len(tasks) < slots or not slots:
            continue  # tasks wait and run as long as their job, or less
        top = [a + b for a, b in tasks[:slots]]
        heapify(top)
        total = sum(top) + sum(length for _, length in tasks[slots:])
        best = max(best, -(-total // slots))
        for a, b in tasks[slots:]:
            total += a - heappushpop(top, a + b)
            best = max(best, -(-total // slots))
    return best


def pigeonhole(shop: Shop, proof: Proof) -> int:
    """Of k S + 1 tasks that wait as long as a job, a slot runs k + 1, after the least wait.

    The k S + 1 longest of the tasks whose wait is at least that of `job`; the k + 1 shortest of
    them follow each other on some slot, or longer ones do.
    """
    fields(proof, "pigeonhole", ("proof", "phase", "job", "k"))
    kind = choice(proof["phase"], shop.phases, "pigeonhole: phase")
    phase, least, wait = waiting_phases(shop)[kind]
    after = wait[index(proof["job"], len(shop.jobs), "pigeonhole: job")]
    tasks = [
        (length, wait[job])
        for job, length in zip(phase.job, least, strict=True)
        if wait[job] >= after
    ]
    tasks.sort(key=lambda task: -task[0])
    slots = len(phase.node)
    k = index(proof["k"], (len(tasks) - 1) // max(slots, 1) + 1, "pigeonhole: k")
    chosen = tasks[: k * slots + 1]
    return min(w for _, w in chosen) + sum(length for length, _ in chosen[k * (slots - 1) :])


def johnson(shop: Shop, proof: Proof) -> Number:
    """A flow shop of two machines, each as fast as all slots of a phase, is not slower.

    When a map phase ends, the map work of all jobs whose map phase has ended is done, and the
    reduce work of this job and of those that follow is to come. In the flow shop of these works the
    shortest schedule takes first the jobs with less work on the first machine than on the second,
    by rising work on the first; then the others, by falling work on the second [Johnson 1954].
    """
    fields(proof, "johnson", ("proof",))
    works = []
    for phase, least, _ in waiting_phases(shop).values():
        usable = max(1, min(len(phase.node), len(phase.job)))
        works.append([Fraction(sum(least[t] for t in tasks), usable) for tasks in phase.tasks])
    pairs = sorted(
        zip(works[1], works[0], strict=True),
        key=lambda pair: (0, pair[0]) if pair[0] <= pair[1] else (1, -pair[1]),
    )
    first = second = Fraction(0)
    for a, b in pairs:
        first += a
        second = max(first, second) + b
    return max(first, second)


PROOFS: dict[str, Theorem] = {
    "waits": waits,
    "pigeonhole": pigeonhole,
    "johnson": johnson,
}
"""From the problem and the numbers of a certificate to a bound in units, by name."""
BESIDE = "verify_prices", "verify_search", "verify_slots", "verify_spread", "verify_patterns"
"""Files that have more of these."""
GONE = {
    **dict.fromkeys(
        ("tree", "unrelated machines", "ends of map phases", "orders of all jobs", "crowded ends"),
        "a new certificate says what else proves it",
    ),
    "late work": "waits shows as much",
    "stages": "slotwise check HIERARCHY ALLOCATION says whether shares are fair",
    "waiting": "simulate --bound computes the bound, nothing proves it",
    "whole machines": "guide --certificate says who attests the bound",
}
"""Theorems of older certificates that are no longer there, and what there is instead."""


# 5. The verdict.


def lower_bound(shop: Shop, proof: Any) -> int:
    """What a proof of a certificate shows, in whole units.

    Some shortest schedule has no needless wait. Its makespan is a sum of durations, hence a whole
    number of units: bounds are rounded up for free.
    """
    return math.ceil(theorem(mapping(proof, "a proof").get("proof"))(shop, proof))


def theorem(name: Any) -> Theorem:
    """A theorem of this file or of one beside it."""
    refuse_gone(name)
    theorems = dict(PROOFS)
    for module in BESIDE:
        if need(name, str, "name of a proof") not in theorems:
            theorems.update(beside(module).PROOFS)
    return theorems[choice(name, theorems, "name of a proof")]


def refuse_gone(name: Any) -> None:
    if isinstance(name, str) and name in GONE:
        refuse(f"{name} is no longer a theorem: {GONE[name]}")


def beside(name: str) -> Any:
    """A file beside this one, as a module; for it, this file is the module `verify`."""
    if __package__:
        sys.modules.setdefault(f"{__package__}.verify", sys.modules[__name__])
        return importlib.import_module(f".{name}", __package__)
    if name not in sys.modules:
        # `python3 -I` looks for no module here, neither that file nor, from there, this one.
        sys.modules.setdefault("verify", sys.modules[__name__])
        path = Path(__file__).with_name(f"{name}.py")
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None or not path.is_file():
            refuse(f"{name}.py has to lie beside this file")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def problem_of(document: dict[str, Any]) -> Any:
    """A problem: a shop here, a datacenter of `verify_plans.py`."""
    kind = document.get("format")
    if kind == "slotwise/datacenter/1":
        return beside("verify_plans").problem_of(document)
    if kind in ("slotwise/hierarchy/1", "slotwise/hierarchy/2"):
        refuse_gone("stages")
    return Shop(document)


def confirmed(
    problem: Any,
    claim: dict[str, Any],
    certificate: dict[str, Any],
    digest: str = "",
    say: Callable[[str], object] = print,
) -> bool:
    """Whether all that is claimed of a problem is confirmed; every finding is said in a line."""
    if isinstance(problem, Shop):
        return judge(problem, claim, certificate, digest, say)
    judged: bool = problem.judge(claim, certificate, say)
    return judged


def judge(
    shop: Shop,
    result: dict[str, Any],
    certificate: dict[str, Any],
    digest: str = "",
    say: Callable[[str], object] = print,
) -> bool:
    """Whether all that a result claims is confirmed; every finding is said in a line."""
    if result.get("instance") != shop.name or certificate.get("instance") != shop.name:
        refuse("the three files are not about one instance")
    if result.get("format") != "slotwise/result/1":
        refuse("the result: format must be slotwise/result/1")
    if result.get("objective", "makespan") != "makespan":
        refuse("objective: certificates are of makespans, so solve the instance again")
    if certificate.get("format") != "slotwise/certificate/1":
        refuse("the certificate: format must be slotwise/certificate/1")
    if digest and certificate.get("instance_sha256") != digest:
        say("note: the certificate was made from another text of the instance")
    status = choice(
        result.get("status"), ("optimal", "feasible", "infeasible", "unknown"), "status"
    )
    claimed, bound, gap = (result.get(name) for name in ("makespan", "lower_bound", "gap"))
    for value, name in ((claimed, "makespan"), (bound, "lower_bound"), (gap, "gap")):
        if value is not None and need(value, Fraction, name) < 0:
            refuse(f"{name}: must be at least 0")
    if None in shop.least_map or None in shop.least_reduce:
        say("no schedule exists: a task may run on no slot")
        return status == "infeasible" and claimed is None
    makespan = None if claimed is None else checked_schedule(shop, result, claimed, say)
    best = best_proof(shop, certificate, say)
    verdicts = {}
    if claimed is not None:
        limit = claimed * (1 + MAKESPAN_TOLERANCE)
        verdicts["schedule"] = makespan is not None and makespan * shop.unit <= limit
    if bound is not None:
        say(f"lower bound: {seconds(shop, best)} proved, claimed {decimal(bound)} s")
        verdicts["lower bound"] = best * shop.unit >= bound * (1 - BOUND_TOLERANCE)
    if gap is not None:
        least = None if claimed is None or not bound else (claimed - bound) / bound
        verdicts["gap"] = claimed == gap == 0 or (
            least is not None and gap >= least - BOUND_TOLERANCE
        )
    if status == "optimal":
        close = best * (1 + BOUND_TOLERANCE)
        verdicts["optimal, exactly" if makespan == best else "optimal, within 1e-6"] = (
            makespan is not None
            and claimed is not None
            and makespan <= close
            and claimed <= close * shop.unit
        )
    else:
        verdicts[status] = status == ("unknown" if claimed is None else "feasible")
    for name, holds in verdicts.items():
        say(f"{name}: {word(holds)}")
    return all(verdicts.values())


def checked_schedule(
    shop: Shop, result: dict[str, Any], claimed: Number, say: Callable[[str], object]
) -> int | None:
    """The makespan of the result's schedule, in units; None if it is no schedule."""
    try:
        makespan = shortest(shop, result.get("schedule"))
    except Refused as why:
        say(f"schedule refused: {why}")
        return None
    say(f"schedule: ends at {seconds(shop, makespan)}, claimed {decimal(claimed)} s")
    return makespan


def best_proof(shop: Shop, certificate: dict[str, Any], say: Callable[[str], object]) -> int:
    """The greatest bound that the proofs show, in units; a wrong one shows nothing."""
    best = 0
    try:
        for proof in rows(certificate.get("proofs"), None, "proofs")[:MOST_PROOFS]:
            try:
                if isinstance(proof, dict) and proof.get("proof") == "attested":
                    said = decimal(amount(proof.get("bound"), "bound"))
                    say(f"attested, not proved: {said} s by {ascii(proof.get('by'))[:200]}")
                    continue
                shown = lower_bound(shop, proof)
                say(f"proof {proof['proof']!a}: no schedule ends before {seconds(shop, shown)}")
                best = max(best, shown)
            except (Refused, RecursionError) as why:
                say(f"proof refused: {why}")
    except OutOfTime:
        say("stopped: the time is up")
    return best


def word(holds: bool) -> str:
    return "confirmed" if holds else "NOT CONFIRMED"


def seconds(shop: Shop, units: int) -> str:
    """A time in units, as text."""
    return f"{decimal(units * shop.unit)} s"


def decimal(value: Number) -> str:
    """A number in at most 15 digits, with a sign that it goes on."""
    text = f"{float(value):.15g}"
    return text if Fraction(text) == value else f"{text}..."


def main(arguments: list[str]) -> int:
    """Check three files; the exit code."""
    parser = argparse.ArgumentParser(description="Check a result and the proof of its bound.")
    for name in ("instance", "result", "certificate"):
        parser.add_argument(name)
    parser.add_argument("--limit", type=float, default=0.0, help="stop after so many seconds")
    asked = parser.parse_args(arguments)
    limited = 0 < asked.limit < 1e9 and hasattr(signal, "setitimer")
    try:
        if limited:
            signal.signal(signal.SIGALRM, out_of_time)
            signal.setitimer(signal.ITIMER_REAL, asked.limit)
        return check(asked.instance, asked.result, asked.certificate)
    except OutOfTime:
        print("NOT CONFIRMED: the time is up")
        return 1
    finally:
        if limited:
            signal.setitimer(signal.ITIMER_REAL, 0)


def check(instance: str, result: str, certificate: str) -> int:
    """Read and judge three files; the exit code."""
    documents = []
    for path in (instance, result, certificate):
        try:
            documents.append(read(path))
        except (OSError, EOFError, zlib.error, ValueError, RecursionError, Refused) as problem:
            print(f"{path}: {ascii(str(problem))[1:-1]}", file=sys.stderr)
            return 2
    try:
        known = problem_of(documents[0][0])
    except Refused as why:
        print(f"{instance}: {why}", file=sys.stderr)
        return 2
    try:
        holds = confirmed(known, documents[1][0], documents[2][0], documents[0][1])
    except Refused as why:
        print(f"refused: {why}")
        holds = False
    print("CONFIRMED" if holds else "NOT CONFIRMED")
    return 0 if holds else 1


def out_of_time(*_: Any) -> NoReturn:
    raise OutOfTime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
