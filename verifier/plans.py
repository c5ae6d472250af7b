"""Plans for a datacenter: one is counted again, and no plan carries more than prices prove."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from .claims import BOUND_TOLERANCE, ROUNDING, Say, decimal, shown_by, word
from .documents import Document, Number, amount, fields, need, parts, refuse, whole

MOST_JOBS = 1_000_000
"""Most jobs of a class on a machine: each number of them is tried."""

Bound = tuple[list[Fraction], Fraction]
"""What work a machine of each configuration ends per time unit at most, and what a job is worth."""


class Datacenter:
    """Configurations of machines and classes of jobs; amounts are whole numbers of some unit.

    `capacity[j]` and `request[k]` are tuples, an entry per resource; `rate[k][j]` is how many jobs
    of a class a place on a machine ends per time unit, 0 where the class cannot run.
    """

    def __init__(self, document: Document) -> None:
        # What may be left out says nothing of plans.
        fields(
            document, "format name resources configurations classes source? time_unit? classifier?"
        )
        resources = need(document["resources"], list)
        self.configurations: dict[str, int] = {}
        self.count: list[int] = []
        amounts: list[list[Fraction]] = []
        for entry in need(document["configurations"], list):
            fields(entry, "name count capacity")
            self.configurations[need(entry["name"], str)] = len(self.count)
            self.count.append(whole(entry["count"], 10**9))
            amounts.append(listed(entry["capacity"], resources))
        self.classes: dict[str, int] = {}
        self.share: list[Fraction] = []
        self.rate: list[list[Fraction]] = []
        for entry in need(document["classes"], list):
            fields(entry, "name share mean_time request")
            self.classes[need(entry["name"], str)] = len(self.share)
            self.share.append(amount(entry["share"]))
            times = entry["mean_time"]
            if not isinstance(times, dict):
                times = dict.fromkeys(self.configurations, times)
            rates = {name: 1 / amount(time, above=True) for name, time in times.items()}
            self.rate.append([rates.get(name, Fraction(0)) for name in self.configurations])
            amounts.append(listed(entry["request"], resources))
        if len(self.configurations) < len(self.count) or len(self.classes) < len(self.share):
            refuse("a name comes twice")
        columns = [parts(column)[1] for column in zip(*amounts, strict=True)]
        rows = [tuple(column[i] for column in columns) for i in range(len(amounts))]
        self.capacity, self.request = rows[: len(self.count)], rows[len(self.count) :]

    def served(self, bins: Any) -> list[list[Fraction]]:
        """Jobs of each class that a plan ends per time unit on each configuration.

        Every machine holds what one of the plan's bins says, and every bin fits its machines.
        """
        machines = [0] * len(self.count)
        rates = [[Fraction(0)] * len(self.count) for _ in self.share]
        for entry in need(bins, list):
            fields(entry, "configuration machines jobs")
            j, count = self.configurations[entry["configuration"]], whole(entry["machines"], 10**9)
            machines[j] += count
            jobs = {
                self.classes[name]: whole(n, 10**9) for name, n in need(entry["jobs"], dict).items()
            }
            used = (
                sum(n * self.request[k][r] for k, n in jobs.items())
                for r in range(len(self.capacity[j]))
            )
            if any(a > b for a, b in zip(used, self.capacity[j], strict=True)):
                refuse(f"a bin does not fit {entry['configuration']!a}")
            for k, n in jobs.items():
                if n and not self.rate[k][j]:
                    refuse(f"a class cannot run on {entry['configuration']!a}")
                rates[k][j] += count * n * self.rate[k][j]
        if machines != self.count:
            refuse("the machines of the bins are not those that there are")
        return rates


def listed(document: Any, names: Iterable[str]) -> list[Fraction]:
    """An amount for each name, 0 where none is given."""
    names = list(names)
    if not need(document, dict).keys() <= set(names):
        refuse(f"need amounts of some of {ascii(names)[:200]}")
    return [amount(document.get(name, 0)) for name in names]


def class_prices(datacenter: Datacenter, proof: Document) -> Bound:
    """No plan has a greater arrival rate: jobs at given prices are worth more than machines hold.

    Let a job of class k be worth p_k where it ends. A machine of configuration j ends work of V_j
    per time unit at most, V_j being the worth of its most valuable bin. Arrivals at rate r bring r
    times the mean price. So r is at most the sum of all V_j over the mean price.
    """
    fields(proof, "proof prices")
    prices = listed(proof["prices"], datacenter.classes)
    mean = dot(datacenter.share, prices)
    if not mean:
        refuse("the classes that arrive are worth nothing")
    return [most_valuable(datacenter, j, prices) for j in range(len(datacenter.count))], mean


def greatest_rate(datacenter: Datacenter, proof: Document) -> Fraction:
    """No plan carries arrivals at a greater rate."""
    values, mean = class_prices(datacenter, proof)
    return dot(values, datacenter.count) / mean


def most_valuable(datacenter: Datacenter, j: int, prices: list[Fraction]) -> Fraction:
    """The worth of the most valuable bin of a configuration, by branching on numbers of jobs.

    What the rest of a machine can hold is worth at most the room in any resource, times the best
    worth per unit of it among the classes that are left.
    """
    room: tuple[int, ...] = datacenter.capacity[j]
    step, worths = parts(price * datacenter.rate[k][j] for k, price in enumerate(prices))
    items = [
        (worth, request)
        for worth, request in zip(worths, datacenter.request, strict=True)
        if worth and all(a <= b for a, b in zip(request, room, strict=True))
    ]
    if any(not any(request) for _, request in items):
        refuse("a class that needs nothing is worth something")
    filling = {q: max(Fraction(a, b) for a, b in zip(q, room, strict=True) if b) for _, q in items}
    items.sort(key=lambda item: -item[0] / filling[item[1]])
    # Of the items from each on: the best worth per unit of the resources that all of them need.
    densities = [
        [
            (r, max(Fraction(worth, request[r]) for worth, request in items[i:]))
            for r in range(len(room))
            if all(request[r] for _, request in items[i:])
        ]
        for i in range(len(items))
    ]
    best = 0
    seen: dict[tuple[int, tuple[int, ...]], int] = {}
    stack = [(0, room, 0)]
    while stack:
        i, room, value = stack.pop()
        best = max(best, value)
        if i == len(items) or seen.get((i, room), -1) >= value:
            continue
        seen[i, room] = value
        bounds = [room[r] * density for r, density in densities[i]]
        if bounds and value + min(bounds) <= best:
            continue
        worth, request = items[i]
        most = min(a // b for a, b in zip(room, request, strict=True) if b)
        if most > MOST_JOBS:
            refuse("a machine holds too many jobs of a class")
        for n in range(most + 1):  # the last that is pushed, the most jobs, is looked at first
            left = tuple(a - n * b for a, b in zip(room, request, strict=True))
            stack.append((i + 1, left, value + n * worth))
    return best * step


def judge(datacenter: Datacenter, guidance: Document, certificate: Document, say: Say) -> bool:
    """Whether the plan carries what it claims, and no plan carries more than its bound."""
    theorems = {"class prices": class_prices}
    priced = shown_by(certificate, lambda proof: theorems[proof["proof"]](datacenter, proof), say)
    rates = datacenter.served(guidance["bins"])
    shares = zip(map(sum, rates), datacenter.share, strict=True)
    carried = min((rate / share for rate, share in shares if share), default=Fraction(0))
    rate, most = amount(guidance["arrival_rate"]), amount(guidance["arrival_rate_bound"])
    holds = proportions_hold(datacenter, guidance["proportions"], rates)
    holds = holds and rate <= carried * (1 + ROUNDING)
    findings = [(f"plan: carries {decimal(carried)}", rate, holds)]
    if priced:
        bound = min(dot(values, datacenter.count) / mean for values, mean in priced)
        no_more = f"no plan carries more than {decimal(bound)}"
        findings.append((f"bound: {no_more}", most, bound <= most * (1 + BOUND_TOLERANCE)))
        if guidance.get("target_rate") is not None:
            target = amount(guidance["target_rate"])
            machines = max(fewest(datacenter, values, mean * target) for values, mean in priced)
            least = Fraction(whole(guidance.get("machines_bound", 0), 10**12))
            holds = machines >= least and rate >= target * (1 - ROUNDING)
            findings.append((f"machines: no plan takes fewer than {machines}", least, holds))
        if guidance.get("integer_bound") is not None:
            most = amount(guidance["integer_bound"])
            holds = bound <= most * (1 + BOUND_TOLERANCE)
            findings.append((f"whole machines: {no_more}", most, holds))
    for text, claimed, holds in findings:
        say(f"{text}, claimed {decimal(claimed)}: {word(holds)}")
    if not priced:
        say("arrival_rate_bound: attested, not proved")
    return bool(priced) and all(holds for *_, holds in findings)


def proportions_hold(datacenter: Datacenter, table: Any, rates: list[list[Fraction]]) -> bool:
    """Whether the parts of each class that the configurations serve are those of the bins."""
    holds: bool = need(table, dict).keys() <= datacenter.classes.keys()
    for name, row in zip(datacenter.classes, rates, strict=True):
        total = sum(row)
        given = listed(table.get(name, {}), datacenter.configurations)
        for part, rate in zip(given, row, strict=True):
            holds = holds and abs(part - (rate / total if total else 0)) <= ROUNDING
    return holds


def fewest(datacenter: Datacenter, values: list[Fraction], worth: Fraction) -> int:
    """Machines that together end work of so much worth: the most valuable ones first."""
    machines = 0
    for value, count in sorted(zip(values, datacenter.count, strict=True), reverse=True):
        if value and worth > 0:
            taken = min(count, math.ceil(worth / value))
            machines, worth = machines + taken, worth - taken * value
    return machines


def dot(a: Sequence[Fraction], b: Sequence[Number]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))
