"""Guidance of a datacenter, checked exactly; see `verify.py`.

The plan is counted again, and no plan's arrival rate is above what the certificate's prices prove.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

try:
    from . import verify
except ImportError:  # beside verify.py, without slotwise
    import verify  # type: ignore[import-not-found, no-redef]

Object = dict[str, Any]
Say = Callable[[str], object]

TOLERANCE = Fraction(1, 10**9)
"""Claimed amounts are rounded numbers."""
MOST_JOBS = 1_000_000
"""Most jobs of a class on a machine: each number of them is tried."""


def problem_of(document: Object) -> Datacenter:
    return Datacenter(document)


class Datacenter:
    """Configurations of machines and classes of jobs; amounts are whole numbers of some unit.

    `capacity[j]` and `request[k]` are tuples, an entry per resource; `rate[k][j]` is how many jobs
    of a class a place on a machine ends per time unit, 0 where the class cannot run.
    """

    def __init__(self, document: Object) -> None:
        may = ("source", "time_unit", "classifier")  # which say nothing of plans
        must = ("format", "name", "resources", "configurations", "classes")
        verify.fields(document, "the datacenter", must, may)
        resources = verify.need(document["resources"], list, "resources")
        self.configurations: list[str] = []
        self.count: list[int] = []
        capacity: list[list[Fraction]] = []
        for entry in verify.need(document["configurations"], list, "configurations"):
            verify.fields(entry, "a configuration", ("name", "count", "capacity"))
            self.configurations.append(verify.need(entry["name"], str, "name"))
            self.count.append(verify.index(entry["count"], 10**9, "count"))
            capacity.append(amounts(entry["capacity"], resources))
        self.classes: list[str] = []
        self.share: list[Fraction] = []
        self.rate: list[list[Fraction]] = []
        request: list[list[Fraction]] = []
        for entry in verify.need(document["classes"], list, "classes"):
            verify.fields(entry, "a class", ("name", "share", "mean_time", "request"))
            self.classes.append(verify.need(entry["name"], str, "name"))
            self.share.append(verify.amount(entry["share"], "share"))
            self.rate.append([rate_on(entry["mean_time"], name) for name in self.configurations])
            request.append(amounts(entry["request"], resources))
        self.resources: list[str] = resources
        # One unit per resource, the greatest of which all amounts are multiples.
        self.units = [
            verify.common(row) or Fraction(1) for row in zip(*capacity, *request, strict=True)
        ]
        self.capacity, self.request = (
            [tuple(int(a / u) for a, u in zip(row, self.units, strict=True)) for row in table]
            for table in (capacity, request)
        )

    def judge(self, claim: Object, certificate: Object, say: Say) -> bool:
        """Whether a plan carries what it claims, and no plan carries more than its bound."""
        return judge_guidance(self, claim, certificate, say)


def total(parts: Iterable[Fraction]) -> Fraction:
    """A sum that is a fraction, also of nothing."""
    return sum(parts, Fraction(0))


def amounts(document: Any, resources: list[str]) -> list[Fraction]:
    """An amount of each resource, 0 where none is given."""
    verify.fields(document, "amounts", (), tuple(resources))
    return [verify.amount(document.get(name, 0), name) for name in resources]


def rate_on(mean_time: Any, configuration: str) -> Fraction:
    """How many jobs a place on a machine ends per time unit, 0 if the class cannot run there."""
    if isinstance(mean_time, dict):
        mean_time = mean_time.get(configuration)
        if mean_time is None:
            return Fraction(0)
    return 1 / verify.amount(mean_time, "mean_time", above=True)


def served(datacenter: Datacenter, guidance: Object) -> list[list[Fraction]]:
    """Jobs of each class that a plan ends per time unit on each configuration.

    Every machine holds what one of the plan's bins says, and every bin fits its machines.
    """
    where = {name: j for j, name in enumerate(datacenter.configurations)}
    number = {name: k for k, name in enumerate(datacenter.classes)}
    machines = [0] * len(where)
    rates = [[Fraction(0)] * len(where) for _ in number]
    for entry in verify.need(guidance.get("bins"), list, "bins"):
        verify.fields(entry, "a bin", ("configuration", "machines", "jobs"))
        j = where.get(entry["configuration"])
        if j is None or any(
            name not in number for name in verify.need(entry["jobs"], dict, "jobs")
        ):
            verify.refuse("a bin of a configuration, or with a class, that there is none of")
        count = verify.index(entry["machines"], 10**9, "machines")
        jobs = {number[k]: verify.index(n, 10**9, "jobs") for k, n in entry["jobs"].items()}
        for r, capacity in enumerate(datacenter.capacity[j]):
            if sum(n * datacenter.request[k][r] for k, n in jobs.items()) > capacity:
                verify.refuse(f"a bin does not fit {entry['configuration']!r}")
        machines[j] += count
        for k, n in jobs.items():
            if n and not datacenter.rate[k][j]:
                verify.refuse(f"{datacenter.classes[k]!r} cannot run on {entry['configuration']!r}")
            rates[k][j] += count * n * datacenter.rate[k][j]
    if machines != datacenter.count:
        verify.refuse("the machines of the bins are not those that there are")
    return rates


def class_prices(datacenter: Datacenter, proof: Object) -> tuple[list[Fraction], Fraction]:
    """No plan has a greater arrival rate: jobs at given prices are worth more than machines hold.

    Let a job of class k be worth p_k where it ends. A machine of configuration j ends work of V_j
    per time unit at most, V_j being the worth of its most valuable bin. Arrivals at rate r bring r
    times the mean price. So r is at most the sum of all V_j over the mean price.

    Returns every V_j, and the mean price.
    """
    verify.fields(proof, "class prices", ("proof", "prices"))
    given = verify.fields(proof["prices"], "prices", (), datacenter.classes)
    prices = [verify.amount(given.get(name, 0), "a price") for name in datacenter.classes]
    mean = total(s * p for s, p in zip(datacenter.share, prices, strict=True))
    if not mean:
        verify.refuse("prices: the classes that arrive are worth nothing")
    return [most_valuable(datacenter, j, prices) for j in range(len(datacenter.count))], mean


def greatest_rate(datacenter: Datacenter, proof: Object) -> Fraction:
    """No plan carries arrivals at a greater rate."""
    values, mean = class_prices(datacenter, proof)
    return dot(values, datacenter.count) / mean


def most_valuable(datacenter: Datacenter, j: int, prices: list[Fraction]) -> Fraction:
    """The worth of the most valuable bin of a configuration, by branching on numbers of jobs.

    What the rest of a machine can hold is worth at most the room in any resource, times the best
    worth per unit of it among the classes that are left.
    """
    room = datacenter.capacity[j]
    worths = [price * datacenter.rate[k][j] for k, price in enumerate(prices)]
    scale = math.lcm(*(worth.denominator for worth in worths))
    items = [
        (int(worth * scale), request)
        for worth, request in zip(worths, datacenter.request, strict=True)
        if worth and all(a <= b for a, b in zip(request, room, strict=True))
    ]
    if any(not any(request) for _, request in items):
        verify.refuse("prices: a class that needs nothing is worth something")
    filling = {q: max(Fraction(a, b) for a, b in zip(q, room, strict=True) if b) for _, q in items}
    items.sort(key=lambda item: -item[0] / filling[item[1]])
    densities = [best_densities(items[i:], len(room)) for i in range(len(items))]
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
            verify.refuse("a machine holds too many jobs of a class")
        for n in range(most + 1):  # the last that is pushed, the most jobs, is looked at first
            left = tuple(a - n * b for a, b in zip(room, request, strict=True))
            stack.append((i + 1, left, value + n * worth))
    return Fraction(best, scale)


def best_densities(
    items: list[tuple[int, tuple[int, ...]]], resources: int
) -> list[tuple[int, Fraction]]:
    """The best worth per unit of each resource that all of these items need."""
    return [
        (r, max(Fraction(worth, request[r]) for worth, request in items))
        for r in range(resources)
        if all(request[r] for _, request in items)
    ]


def judge_guidance(datacenter: Datacenter, guidance: Object, certificate: Object, say: Say) -> bool:
    """Whether the plan carries what it claims, and no plan carries more than its bound."""
    proofs = proofs_by_prices(certificate, say)
    rates = served(datacenter, guidance)
    totals = [total(row) for row in rates]
    carried = min(
        (t / s for t, s in zip(totals, datacenter.share, strict=True) if s), default=Fraction(0)
    )
    rate, claimed = (
        verify.amount(guidance.get(name), name) for name in ("arrival_rate", "arrival_rate_bound")
    )
    holds = [rate <= carried * (1 + TOLERANCE), proportions_hold(datacenter, guidance, rates)]
    say(f"plan: carries {verify.decimal(carried)}, claimed {verify.decimal(rate)}: {said(holds)}")
    if not proofs:
        say("arrival_rate_bound: attested, not proved")
        return False
    priced = [class_prices(datacenter, proof) for proof in proofs]
    bound = min(dot(values, datacenter.count) / mean for values, mean in priced)
    holds.append(bound <= claimed * (1 + verify.BOUND_TOLERANCE))
    say(
        f"bound: no plan carries more than {verify.decimal(bound)}, "
        f"claimed {verify.decimal(claimed)}: {said(holds[-1:])}"
    )
    if guidance.get("target_rate") is not None:
        target = verify.amount(guidance["target_rate"], "target_rate")
        machines = max(fewest(datacenter, values, mean * target) for values, mean in priced)
        least = verify.index(guidance.get("machines_bound", 0), 10**12, "machines_bound")
        holds += [machines >= least, rate >= target * (1 - TOLERANCE)]
        say(f"machines: no plan takes fewer than {machines}, claimed {least}: {said(holds[-2:])}")
    if guidance.get("integer_bound") is not None:
        whole = verify.amount(guidance["integer_bound"], "integer_bound")
        holds.append(bound <= whole * (1 + verify.BOUND_TOLERANCE))
        say(
            f"whole machines: no plan carries more than {verify.decimal(bound)}, "
            f"claimed {verify.decimal(whole)}: {said(holds[-1:])}"
        )
    return all(holds)


def proofs_by_prices(certificate: Object, say: Say) -> list[Object]:
    """The first proofs by class prices; of others it is said that they show nothing."""
    found = []
    for proof in verify.rows(certificate.get("proofs"), None, "proofs")[:100]:
        name = proof.get("proof") if isinstance(proof, dict) else None
        try:
            if name == "class prices":
                found.append(proof)
            elif name == "attested":
                bound = verify.decimal(verify.amount(proof.get("bound"), "bound"))
                say(f"attested, not proved: {bound} by {ascii(proof.get('by'))[:200]}")
            else:
                verify.refuse_gone(name)
        except verify.Refused as why:
            say(f"proof refused: {why}")
    return found


def said(holds: list[bool]) -> str:
    return verify.word(all(holds))


def proportions_hold(datacenter: Datacenter, guidance: Object, rates: list[list[Fraction]]) -> bool:
    """Whether the parts of each class that the configurations serve are those of the bins."""
    table = verify.mapping(guidance.get("proportions"), "proportions")
    holds = not set(table) - set(datacenter.classes)
    for name, row in zip(datacenter.classes, rates, strict=True):
        total = sum(row)
        given = verify.fields(table.get(name, {}), "proportions", (), datacenter.configurations)
        for configuration, rate in zip(datacenter.configurations, row, strict=True):
            part = verify.amount(given.get(configuration, 0), "a proportion")
            holds = holds and abs(part - (rate / total if total else 0)) <= TOLERANCE
    return holds


def fewest(datacenter: Datacenter, values: list[Fraction], worth: Fraction) -> int:
    """Machines that together end work of so much worth: the most valuable ones first."""
    machines = 0
    for value, count in sorted(zip(values, datacenter.count, strict=True), reverse=True):
        if value and worth > 0:
            taken = min(count, math.ceil(worth / value))
            machines, worth = machines + taken, worth - taken * value
    return machines


def dot(a: Sequence[Fraction], b: Sequence[Fraction | int]) -> Fraction:
    return total(x * y for x, y in zip(a, b, strict=True))


PROOFS: dict[str, Callable[..., object]] = {
    "class prices": class_prices,
}
"""The theorems, by the names of their proofs."""
