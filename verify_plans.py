"""Guidance of a datacenter, and fair shares of a tree of queues, checked exactly; see `verify.py`.

The plan of guidance is counted again, and no plan's arrival rate is above what the certificate's
prices prove. Fair shares are computed anew, event by event, in fractions.
"""

import math
from fractions import Fraction

try:
    from . import verify
except ImportError:  # beside verify.py, without slotwise
    import verify

TOLERANCE = Fraction(1, 10**9)
"""Claimed amounts are rounded numbers."""


def judge(problem, claim, certificate, say):
    """Whether all that a plan or an allocation claims is confirmed."""
    if problem.get("format") == "slotwise/datacenter/1":
        return judge_guidance(Datacenter(problem), claim, certificate, say)
    return judge_shares(problem, claim, say)


# 1. Guidance: how many machines of each configuration hold which jobs.


class Datacenter:
    """Configurations of machines and classes of jobs; amounts are whole numbers of some unit.

    `capacity[j]` and `request[k]` are tuples, an entry per resource; `rate[k][j]` is how many jobs
    of a class a place on a machine ends per time unit, 0 where the class cannot run.
    """

    def __init__(self, document):
        may = ("source", "time_unit")
        must = ("format", "name", "resources", "configurations", "classes")
        verify.fields(document, "the datacenter", must, may)
        resources = verify.need(document["resources"], list, "resources")
        self.configurations, self.count, capacity = [], [], []
        for entry in verify.need(document["configurations"], list, "configurations"):
            verify.fields(entry, "a configuration", ("name", "count", "capacity"))
            self.configurations.append(verify.need(entry["name"], str, "name"))
            self.count.append(verify.index(entry["count"], 10**9, "count"))
            capacity.append(amounts(entry["capacity"], resources))
        self.classes, self.share, self.rate, request = [], [], [], []
        for entry in verify.need(document["classes"], list, "classes"):
            verify.fields(entry, "a class", ("name", "share", "mean_time", "request"))
            self.classes.append(verify.need(entry["name"], str, "name"))
            self.share.append(verify.amount(entry["share"], "share"))
            self.rate.append([rate_on(entry["mean_time"], name) for name in self.configurations])
            request.append(amounts(entry["request"], resources))
        # One unit per resource, the greatest of which all amounts are multiples.
        units = [verify.common(column) or 1 for column in zip(*capacity, *request, strict=True)]
        self.capacity, self.request = (
            [tuple(int(a / u) for a, u in zip(row, units, strict=True)) for row in table]
            for table in (capacity, request)
        )


def amounts(document, resources):
    verify.fields(document, "amounts", (), tuple(resources))
    return [verify.amount(document.get(name, 0), name) for name in resources]


def rate_on(mean_time, configuration):
    if isinstance(mean_time, dict):
        mean_time = mean_time.get(configuration)
        if mean_time is None:
            return Fraction(0)
    return 1 / verify.amount(mean_time, "mean_time", above=True)


def served(datacenter, guidance):
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


def class_prices(datacenter, proof):
    """No plan has a greater arrival rate: jobs at given prices are worth more than machines hold.

    Let a job of class k be worth p_k where it ends. A machine of configuration j ends work of V_j
    per time unit at most, V_j being the worth of its most valuable bin. Arrivals at rate r bring r
    times the mean price. So r is at most the sum of all V_j over the mean price.
    """
    verify.fields(proof, "class prices", ("proof", "prices"))
    given = verify.fields(proof["prices"], "prices", (), tuple(datacenter.classes))
    prices = [verify.amount(given.get(name, 0), "a price") for name in datacenter.classes]
    mean = sum(s * p for s, p in zip(datacenter.share, prices, strict=True))
    if not mean:
        verify.refuse("prices: the classes that arrive are worth nothing")
    return [most_valuable(datacenter, j, prices) for j in range(len(datacenter.count))], mean


def greatest_rate(datacenter, proof):
    """No plan carries arrivals at a greater rate."""
    values, mean = class_prices(datacenter, proof)
    return sum(n * v for n, v in zip(datacenter.count, values, strict=True)) / mean


def most_valuable(datacenter, j, prices):
    """The worth of the most valuable bin of a configuration, by branching on numbers of jobs.

    What the rest of a machine can hold is worth at most the room in any resource, times the best
    worth per unit of it among the classes that are left.
    """
    room = datacenter.capacity[j]
    worth = [
        (price * datacenter.rate[k][j], datacenter.request[k]) for k, price in enumerate(prices)
    ]
    items = [item for item in worth if item[0] and all(a <= b for a, b in zip(item[1], room))]
    if any(not any(request) for _, request in items):
        verify.refuse("a class that needs nothing: a bin has no end")
    items.sort(key=lambda item: -item[0] / sum(Fraction(a, b) for a, b in zip(item[1], room) if b))
    scale = math.lcm(*(value.denominator for value, _ in items))
    items = [(int(value * scale), request) for value, request in items]
    # Best worth per unit of each resource from an item on; None if one of them needs none of it.
    densities = [
        [
            max(Fraction(v, q[r]) for v, q in items[i:])
            if all(q[r] for _, q in items[i:])
            else None
            for r in range(len(room))
        ]
        for i in range(len(items))
    ]
    best, seen = 0, {}
    stack = [(0, room, 0)]
    while stack:
        i, room, value = stack.pop()
        best = max(best, value)
        if i == len(items) or seen.get((i, room), -1) >= value:
            continue
        seen[i, room] = value
        bounds = [room[r] * d for r, d in enumerate(densities[i]) if d is not None]
        if bounds and value + min(bounds) <= best:
            continue
        worth, request = items[i]
        most = min(a // b for a, b in zip(room, request) if b)
        for n in range(most + 1):  # the last that is pushed, the most jobs, is looked at first
            left = tuple(a - n * b for a, b in zip(room, request))
            stack.append((i + 1, left, value + n * worth))
    return Fraction(best, scale)


def judge_guidance(datacenter, guidance, certificate, say):
    rates = served(datacenter, guidance)
    totals = [sum(row) for row in rates]
    carried = min(t / s for t, s in zip(totals, datacenter.share, strict=True) if s)
    claimed = verify.need(guidance.get("arrival_rate"), Fraction, "arrival_rate")
    confirmed = claimed <= carried * (1 + TOLERANCE)
    say(
        f"plan: carries {verify.decimal(carried)}, claimed {verify.decimal(claimed)}: "
        f"{verify.word(confirmed)}"
    )
    proportions = verify.need(guidance.get("proportions"), dict, "proportions")
    for name, row, total in zip(datacenter.classes, rates, totals, strict=True):
        of_class = verify.need(proportions.get(name, {}), dict, "proportions of a class")
        for configuration, rate in zip(datacenter.configurations, row, strict=True):
            said = verify.need(of_class.get(configuration, 0), Fraction, "a proportion")
            if abs(said - (rate / total if total else 0)) > TOLERANCE:
                verify.refuse(f"proportions of {name!r}: not as the bins have it")
    target, machines = guidance.get("target_rate"), None
    bound = None
    for proof in verify.need(certificate.get("proofs"), list, "proofs")[:100]:
        if not isinstance(proof, dict) or proof.get("proof") != "class prices":
            say("attested, not proved: what a solver says")
            continue
        rate = greatest_rate(datacenter, proof)
        bound = rate if bound is None else min(bound, rate)
        if target is not None:
            values, mean = class_prices(datacenter, proof)
            machines = fewest(datacenter, values, mean * verify.need(target, Fraction, "target"))
    if bound is None:
        say("arrival_rate_bound: nothing is proved")
        return False
    claimed = verify.need(guidance.get("arrival_rate_bound"), Fraction, "arrival_rate_bound")
    holds = bound <= claimed * (1 + verify.BOUND_TOLERANCE)
    say(
        f"bound: no plan carries more than {verify.decimal(bound)}, claimed "
        f"{verify.decimal(claimed)}: {verify.word(holds)}"
    )
    confirmed = confirmed and holds
    if target is not None:
        least = guidance.get("machines_bound") or 0
        holds = machines >= verify.need(least, int, "machines_bound")
        say(f"machines: no plan takes fewer than {machines}, claimed {least}: {verify.word(holds)}")
        confirmed = confirmed and holds and claimed_target(guidance, carried, target)
    whole = guidance.get("integer_bound")
    if whole is not None:
        holds = bound <= verify.need(whole, Fraction, "integer_bound") * (
            1 + verify.BOUND_TOLERANCE
        )
        word = "confirmed" if holds else "attested, not proved"
        say(f"whole machines: at most {verify.decimal(whole)} claimed: {word}")
    return confirmed


def claimed_target(guidance, carried, target):
    return carried >= target * (1 - TOLERANCE) and guidance["arrival_rate"] >= target * (
        1 - TOLERANCE
    )


def fewest(datacenter, values, worth):
    """Machines that together end work of so much worth: the most valuable ones first."""
    machines = 0
    for value, count in sorted(zip(values, datacenter.count, strict=True), reverse=True):
        if value and worth > 0:
            taken = min(count, math.ceil(worth / value))
            machines, worth = machines + taken, worth - taken * value
    return machines


# 2. Fair shares: every queue rises by its weight until a resource that it needs is full.


class Tree:
    """Queues. Nodes are numbered from the root (0) down, parents before children.

    Per node: `parent`, `weight`. Per leaf, by its node: `need` of each resource for a dominant share
    of 1, as fractions of the capacity, hence with a largest entry of 1; `size`, the dominant share
    of one task; `most`, the dominant share of all its tasks, None without end; `path`.
    """

    def __init__(self, document):
        may = ("name", "source", "dropped_limits")
        verify.fields(document, "the hierarchy", ("format", "capacity", "root"), may)
        if document["format"] != "slotwise/hierarchy/1":
            verify.refuse("shares with guarantees and limits cannot be proved yet")
        capacity = verify.need(document["capacity"], dict, "capacity")
        self.resources = list(capacity)
        room = [verify.amount(capacity[name], name, above=True) for name in capacity]
        self.parent, self.weight, self.path = [-1], [Fraction(1)], [""]
        self.need, self.size, self.most = {}, {}, {}
        stack = [(child, 0) for child in reversed(children(document["root"]))]
        while stack:
            entry, parent = stack.pop()
            n = len(self.parent)
            name = verify.need(entry.get("name"), str, "name of a node")
            self.parent.append(parent)
            self.path.append(f"{self.path[parent]}/{name}" if parent else name)
            self.weight.append(verify.amount(entry.get("weight", 1), "weight", above=True))
            if "children" in entry:
                verify.fields(entry, "a group", ("name", "children"), ("weight", "demand"))
                stack += [(child, n) for child in reversed(children(entry))]
                continue
            verify.fields(entry, "a leaf", ("name", "demand"), ("weight", "tasks"))
            demand = [
                a / b for a, b in zip(amounts(entry["demand"], self.resources), room, strict=True)
            ]
            if not any(demand):
                verify.refuse(f"leaf {name!r} needs nothing")
            self.size[n] = max(demand)
            self.need[n] = [a / self.size[n] for a in demand]
            tasks = entry.get("tasks")
            self.most[n] = None if tasks is None else verify.amount(tasks, "tasks") * self.size[n]
        if len(set(self.path)) < len(self.path):
            verify.refuse("two nodes have one path")


def children(entry):
    below = verify.need(entry, dict, "a node").get("children")
    return [verify.need(child, dict, "a node") for child in verify.need(below, list, "children")]


def fair_shares(tree):
    """Dominant shares of the leaves, and of each the resource that stopped it (None: its tasks).

    In a stage every leaf that needs no full resource has a target that rises from 0. Children of a
    node rise in the ratio of their weights. A group is charged, per unit of its children's level,
    the largest entry of what they need together. A leaf has what it had before until its target is
    there; it rises with it until it has all its tasks. A full resource ends the stage: who needs it
    has all that it gets, and the next stage is without it. Between two events all is linear.
    """
    share = dict.fromkeys(tree.need, Fraction(0))
    stopped, full = {}, set()
    while True:
        rising = [
            n
            for n in tree.need
            if n not in stopped and (tree.most[n] is None or share[n] < tree.most[n])
        ]
        if not rising:
            return share, stopped
        charged = [
            n for n in tree.need if not any(tree.need[n][r] for r in full) and tree.most[n] != 0
        ]
        newly = stage(tree, share, charged, full)
        full |= newly
        for n in rising:
            reasons = [r for r in sorted(newly) if tree.need[n][r]]
            if reasons and (tree.most[n] is None or share[n] < tree.most[n]):
                stopped[n] = reasons[0]


def stage(tree, share, charged, full):
    """Raise the shares until a resource is full; returns those that are then, none at the end."""
    target = dict.fromkeys(charged, Fraction(0))
    resources = range(len(tree.resources))
    load = [sum(share[n] * tree.need[n][r] for n in share) for r in resources]
    while True:
        going = [n for n in charged if tree.most[n] is None or target[n] < tree.most[n]]
        if not going:
            return set()
        speed = speeds(tree, going)
        moving = [n for n in going if target[n] >= share[n]]
        filling = [sum(speed[n] * tree.need[n][r] for n in moving) for r in resources]
        wanted = {r for r in resources if r not in full and any(tree.need[n][r] for n in charged)}
        steps = [(1 - load[r]) / filling[r] for r in wanted if filling[r]]
        for n in going:
            goals = [share[n]] if target[n] < share[n] else []
            goals += [] if tree.most[n] is None else [tree.most[n]]
            steps += [(goal - target[n]) / speed[n] for goal in goals]
        step = min(steps)
        for n in going:
            target[n] += step * speed[n]
        for n in moving:
            share[n] += step * speed[n]
        load = [a + step * b for a, b in zip(load, filling, strict=True)]
        newly = {r for r in wanted if filling[r] and load[r] >= 1}
        if newly:
            return {r for r in wanted if load[r] >= 1}


def speeds(tree, going):
    """How fast the target of each of these leaves rises with the level of the root's children."""
    rate = {}  # what the children of a node need together per unit of their level
    up = {}
    for n in going:
        up[n] = tree.need[n]
    for n in range(len(tree.parent) - 1, 0, -1):
        if n in rate:
            charge = max(rate[n])
            up[n] = [a / charge for a in rate[n]]
        if n in up:
            together = rate.setdefault(tree.parent[n], [0] * len(tree.resources))
            rate[tree.parent[n]] = [
                a + tree.weight[n] * b for a, b in zip(together, up[n], strict=True)
            ]
    level = {0: Fraction(1)}  # speed of the children's level, per node
    speed = {}
    for n in range(1, len(tree.parent)):
        if n in up:
            own = level[tree.parent[n]] * tree.weight[n]
            if n in rate:
                level[n] = own / max(rate[n])
            else:
                speed[n] = own
    return speed


def judge_shares(document, allocation, say):
    tree = Tree(document)
    share, stopped = fair_shares(tree)
    leaves = verify.need(allocation.get("leaves"), dict, "leaves")
    paths = {tree.path[n]: n for n in tree.need}
    if set(leaves) - set(paths):
        verify.refuse("the allocation has a leaf that the hierarchy has not")
    load = [Fraction(0)] * len(tree.resources)
    wrong = []
    for path, n in paths.items():
        row = verify.need(leaves.get(path, {}), dict, "a leaf")
        tasks = verify.amount(row.get("tasks", 0), "tasks")
        claimed = verify.amount(row.get("dominant_share", 0), "dominant_share")
        for r, need in enumerate(tree.need[n]):
            load[r] += tasks * tree.size[n] * need
        slack = TOLERANCE * max(share[n], TOLERANCE)
        if max(abs(tasks * tree.size[n] - share[n]), abs(claimed - share[n])) > slack:
            wrong.append(
                f"{path}: {verify.decimal(share[n])} is its dominant share, not "
                f"{verify.decimal(claimed)}, {verify.decimal(tasks)} tasks"
            )
    for line in wrong[:20]:
        say(line)
    fits = max(load) <= 1 + TOLERANCE
    say(f"capacity: {verify.decimal(max(load))} of the fullest resource: {verify.word(fits)}")
    say(f"exact fair shares of {len(paths)} leaves: {verify.word(not wrong)}")
    return fits and not wrong
