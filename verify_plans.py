"""Guidance of a datacenter, and the least wait of jobs in it, checked exactly; see `verify.py`.

The plan is counted again, and no plan's arrival rate is above what the certificate's prices prove.
No policy can make jobs wait less than follows from prices of what machines have.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import Any, NamedTuple

try:
    from . import verify
except ImportError:  # beside verify.py, without slotwise
    import verify  # type: ignore[import-not-found, no-redef]

Object = dict[str, Any]
Say = Callable[[str], object]

TOLERANCE = Fraction(1, 10**9)
"""Claimed amounts are rounded numbers."""
BUCKETS = 64
"""Most different worths of jobs that are told apart."""
ZERO = Fraction(0)
MOST_JOBS = 1_000_000
"""Most jobs of a class on a machine: each number of them is tried."""
MOST_MACHINES, MOST_BINS, MOST_PLANS = 10_000, 5_000, 200_000
"""Most machines that are filled one by one, with most bins; most parts of plans at a time."""


def problem_of(document: Object) -> Datacenter:
    """A datacenter."""
    return Datacenter(document)


# 1. Guidance: how many machines of each configuration hold which jobs.


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
        """Whether a plan carries what it claims, or jobs wait as long as a simulation claims."""
        judge = judge_guidance if "bins" in claim else judge_waiting
        return judge(self, claim, certificate, say)


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
    prices = given_prices(proof["prices"], datacenter.classes)
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


def no_plan(datacenter: Datacenter, proof: Object, rate: Fraction, machines: int) -> bool:
    """Whether no plan in whole machines, on at most so many, carries arrivals at a rate.

    Machines get their bins one after the other, the most valuable machines first. Of what they end
    of a class, as much counts as arrives. A part of a plan is given up if all that it ends and all
    that the machines still to come can end are worth less than all that arrives. So machines get
    bins that are worth nearly as much as the best; and if none of the plans that remain ends all
    that arrives, there is none.
    """
    verify.fields(proof, "whole machines", ("proof", "prices"))
    prices = given_prices(proof["prices"], datacenter.classes)
    arriving = [rate * share for share in datacenter.share]
    unit = verify.common([*arriving, *(r for row in datacenter.rate for r in row)]) or Fraction(1)
    need = tuple(int(a / unit) for a in arriving)
    rates = [[int(r / unit) for r in row] for row in datacenter.rate]
    scale = math.lcm(*(p.denominator for p in prices))
    worth = [int(p * scale) for p in prices]
    values = [
        int(most_valuable(datacenter, j, prices) / unit * scale)
        for j in range(len(datacenter.count))
    ]
    if sum(datacenter.count) > MOST_MACHINES:
        verify.refuse("whole machines: there are too many")
    order = sorted(range(len(values)), key=lambda j: -values[j])
    fleet = [j for j in order for _ in range(datacenter.count[j])]
    best = list(accumulate((values[j] for j in fleet), initial=0))
    goal = sum(map(mul, worth, need))
    slack = best[min(machines, len(fleet))] - goal
    if slack < 0:
        return True
    ends = {j: bins_worth(datacenter, j, worth, rates, values[j] - slack) for j in set(fleet)}
    nothing = (0,) * len(need)
    plans = {(0, nothing)}  # machines that are used, and what they end
    for i, j in enumerate(fleet):
        longer = set[tuple[int, tuple[int, ...]]]()
        for used, ended in plans:
            for busy, more in ((0, nothing), *((1, a) for a in ends[j] if used < machines)):
                sums = tuple(min(a + b, c) for a, b, c in zip(ended, more, need, strict=True))
                last = min(len(fleet), i + 1 + machines - used - busy)
                if sum(map(mul, worth, sums)) + best[last] - best[i + 1] >= goal:
                    longer.add((used + busy, sums))
        plans = longer
        if len(plans) > MOST_PLANS:
            verify.refuse("whole machines: too many plans are worth enough")
    return all(ended != need for _, ended in plans)


def bins_worth(
    datacenter: Datacenter, j: int, worth: list[int], rates: list[list[int]], least: int
) -> list[tuple[int, ...]]:
    """What bins that are worth so much end of each class, if no other ends as much of every class.

    Bins with room for one more job of the last class are left out for that reason.
    """
    classes = [k for k, row in enumerate(rates) if row[j]]
    if any(not any(datacenter.request[k]) for k in classes):
        verify.refuse("whole machines: a class needs nothing")
    items = [(worth[k] * rates[k][j], datacenter.request[k]) for k in classes]
    densities = [best_densities(items[i:], len(datacenter.units)) for i in range(len(items))]
    found = set[tuple[int, ...]]()
    stack: list[tuple[tuple[int, ...], tuple[int, ...], int]] = [((), datacenter.capacity[j], 0)]
    while stack:
        numbers, room, value = stack.pop()
        i = len(numbers)
        if i == len(items):
            if value >= least:
                if len(found) >= MOST_BINS:
                    verify.refuse("whole machines: too many bins are worth enough")
                jobs = dict(zip(classes, numbers, strict=True))
                found.add(tuple(jobs.get(k, 0) * row[j] for k, row in enumerate(rates)))
            continue
        bounds = [room[r] * density for r, density in densities[i]]
        if bounds and value + min(bounds) < least:
            continue
        each, request = items[i]
        most = min(a // b for a, b in zip(room, request, strict=True) if b)
        if most > MOST_JOBS:
            verify.refuse("a machine holds too many jobs of a class")
        for n in range(most if i == len(items) - 1 else 0, most + 1):
            left = tuple(a - n * b for a, b in zip(room, request, strict=True))
            stack.append(((*numbers, n), left, value + n * each))
    return [
        a
        for a in found
        if not any(a != b and all(x <= y for x, y in zip(a, b, strict=True)) for b in found)
    ]


def judge_guidance(datacenter: Datacenter, guidance: Object, certificate: Object, say: Say) -> bool:
    """Whether the plan carries what it claims, and no plan carries more than its bound."""
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
    proofs = given_proofs(certificate, "class prices")
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
        if machines < least and excluded(datacenter, certificate, target, least - 1, say):
            machines = least
        holds += [machines >= least, rate >= target * (1 - TOLERANCE)]
        say(f"machines: no plan takes fewer than {machines}, claimed {least}: {said(holds[-2:])}")
    if guidance.get("integer_bound") is not None:
        whole = verify.amount(guidance["integer_bound"], "integer_bound")
        above, every = whole * (1 + verify.BOUND_TOLERANCE), sum(datacenter.count)
        if bound > above and excluded(datacenter, certificate, above, every, say):
            bound = above
        holds.append(bound <= above)
        say(
            f"whole machines: no plan carries more than {verify.decimal(bound)}, "
            f"claimed {verify.decimal(whole)}: {said(holds[-1:])}"
        )
    return all(holds)


def given_proofs(certificate: Object, name: str) -> list[Object]:
    """The first proofs of that name."""
    proofs = verify.rows(certificate.get("proofs"), None, "proofs")[:100]
    return [p for p in proofs if isinstance(p, dict) and p.get("proof") == name]


def excluded(
    datacenter: Datacenter, certificate: Object, rate: Fraction, machines: int, say: Say
) -> bool:
    """Whether a proof shows that no plan on so many machines carries arrivals at a rate."""
    for proof in given_proofs(certificate, "whole machines"):
        try:
            if no_plan(datacenter, proof, rate, machines):
                return True
        except verify.Refused as why:
            say(f"proof refused: {why}")
    return False


def said(holds: list[bool]) -> str:
    """What is said of claims."""
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


# 2. Waiting: jobs that arrive at given times, whoever decides what runs.


class Job(NamedTuple):
    """A job: its arrival, its shortest duration, its class, what it needs of each resource, in
    units, and the configurations that can hold it."""

    arrival: Fraction
    least: Fraction
    number: int
    need: list[Fraction]
    places: list[int]


def jobs_of(datacenter: Datacenter, text: str) -> list[Job]:
    """Jobs from lines of numbers: arrival, duration on the first configuration that can run the
    class, number of the class, and an amount of each resource."""
    jobs = []
    for line in text.splitlines():
        try:
            numbers = [verify.number(field) for field in line.split(" ")]
        except (ArithmeticError, ValueError):
            verify.refuse(f"a job: {line[:40]!a} are no numbers")
        if len(numbers) != 3 + len(datacenter.units) or not 0 <= min(numbers) <= verify.MOST:
            verify.refuse("a job: need arrival, duration, class, an amount of each resource")
        arrival, duration = map(Fraction, numbers[:2])
        k = verify.index(numbers[2], len(datacenter.classes), "class of a job")
        need = [Fraction(a / u) for a, u in zip(numbers[3:], datacenter.units, strict=True)]
        places = holders(datacenter, k, need)
        if not places:
            verify.refuse("a job fits no machine")
        rate = datacenter.rate[k]
        least = duration * next(filter(None, rate)) / max(rate[j] for j in places)
        jobs.append(Job(arrival, least, k, need, places))
    return jobs or verify.refuse("jobs: there are none")


def holders(datacenter: Datacenter, k: int, need: Iterable[Fraction | int]) -> list[int]:
    """Configurations that can run a class and hold so much, or nearly: more of them prove less."""
    need = list(need)
    return [
        j
        for j, capacity in enumerate(datacenter.capacity)
        if datacenter.rate[k][j] and datacenter.count[j]
        if all(a <= b * (1 + TOLERANCE) for a, b in zip(need, capacity, strict=True))
    ]


def worths(
    datacenter: Datacenter, proof: Object, jobs: list[Job]
) -> tuple[list[Fraction], Fraction]:
    """What each job is worth at given prices, and what all machines are worth.

    Jobs that run on one machine together are not worth more than it. With `prices` of resources by
    configuration, a job is worth what it needs, where that is cheapest, and a machine what it has.
    With `class prices` a machine is worth its most valuable bin, and a job the price of its class
    times the rate, where that is least, if it needs what its class does or more: such jobs are part
    of some bin. If it needs less, it is worth nothing.
    """
    if "class prices" in proof:
        prices = given_prices(proof["class prices"], datacenter.classes)
        values = [most_valuable(datacenter, j, prices) for j in range(len(datacenter.count))]
        least = [
            price * min((rate[j] for j in holders(datacenter, k, request)), default=ZERO)
            for k, (price, rate, request) in enumerate(
                zip(prices, datacenter.rate, datacenter.request, strict=True)
            )
        ]
        worth = [
            least[job.number]
            if all(a >= b for a, b in zip(job.need, datacenter.request[job.number], strict=True))
            else ZERO
            for job in jobs
        ]
    else:
        names = datacenter.configurations
        table = verify.fields(proof.get("prices"), "prices", (), names)
        rows = [given_prices(table.get(name, {}), datacenter.resources) for name in names]
        rows = [[p * u for p, u in zip(row, datacenter.units, strict=True)] for row in rows]
        values = [dot(*pair) for pair in zip(rows, datacenter.capacity, strict=True)]
        worth = [min(dot(rows[j], job.need) for j in job.places) for job in jobs]
    return worth, dot(values, datacenter.count)


def least_mean_wait(datacenter: Datacenter, proof: Object, jobs: list[Job]) -> Fraction:
    """No policy that does not interrupt jobs makes them wait less on average.

    A job is present from its arrival for its shortest duration at least. All that run at one time
    are not worth more than the machines. So those that are present and wait are worth at least what
    all present ones are worth above that; they are at least as many as it takes of the most
    valuable. The sum of all waits is the integral of their number over time.

    Worths are put into `BUCKETS` buckets, where each counts as the greatest of its bucket: then
    fewer suffice.
    """
    verify.fields(proof, "waiting", ("proof",), ("prices", "class prices"))
    exact, machines = worths(datacenter, proof, jobs)
    unit = verify.common([*exact, machines]) or Fraction(1)
    worth, capacity = [int(w / unit) for w in exact], int(machines / unit)
    rising, ranked = sorted(set(worth)), sorted(worth)
    if len(rising) > BUCKETS:
        last = len(ranked) - 1
        rising = sorted({ranked[-(-k * last // BUCKETS)] for k in range(1, BUCKETS + 1)})
    bucket = [bisect_left(rising, w) for w in worth]
    events = [(job.arrival, 1, i) for i, job in enumerate(jobs)]
    events += [(job.arrival + job.least, -1, i) for i, job in enumerate(jobs)]
    # Of each bucket: how many jobs are present, for how long all of them wait, and how much time
    # times worth waits of it where not all do.
    present = [0] * len(rising)
    all_wait, part_waits = [ZERO] * len(rising), [ZERO] * len(rising)
    demand, now = 0, ZERO
    for time, step, i in sorted(events):
        excess, b = demand - capacity, len(rising)
        while excess > 0 and time > now:
            b -= 1
            value = present[b] * rising[b]
            if value < excess:
                all_wait[b] += present[b] * (time - now)
            else:
                part_waits[b] += excess * (time - now)
            excess -= value
        now, demand = time, demand + step * worth[i]
        present[bucket[i]] += step
    waits = (
        Fraction(part) / value for part, value in zip(part_waits, rising, strict=True) if value
    )
    return (total(all_wait) + total(waits)) / len(jobs)


def given_prices(document: Any, names: Sequence[str]) -> list[Fraction]:
    """A price for each name, 0 where none is given."""
    given = verify.fields(document, "prices", (), names)
    return [verify.amount(given.get(name, 0), "a price") for name in names]


def dot(a: Sequence[Fraction], b: Sequence[Fraction | int]) -> Fraction:
    """The sum of the products."""
    return total(x * y for x, y in zip(a, b, strict=True))


PROOFS: dict[str, Callable[..., object]] = {
    "class prices": class_prices,
    "whole machines": no_plan,
    "waiting": least_mean_wait,
}
"""The theorems, by the names of their proofs."""


def judge_waiting(datacenter: Datacenter, claim: Object, certificate: Object, say: Say) -> bool:
    """Whether the jobs of a simulation wait at least as long as it claims of every policy."""
    claimed = verify.amount(claim.get("mean_wait_bound"), "mean_wait_bound")
    text = verify.need(certificate.get("jobs"), str, "jobs")
    if claim.get("jobs_sha256") != hashlib.sha256(text.encode()).hexdigest():
        verify.refuse("the certificate is about other jobs")
    jobs = jobs_of(datacenter, text)
    say(f"jobs: {len(jobs)}, listed in the certificate, whose digest the claim has")
    best = ZERO
    for proof in given_proofs(certificate, "waiting"):
        best = max(best, least_mean_wait(datacenter, proof, jobs))
    holds = best >= claimed * (1 - verify.BOUND_TOLERANCE)
    say(
        f"mean wait: at least {verify.decimal(best)} under every policy, "
        f"claimed {verify.decimal(claimed)}: {said([holds])}"
    )
    return holds
