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

`verify_prices.py` has the theorems whose certificates are prices, `verify_search.py` those whose
certificates are trees; both have to lie beside this file.
"""

import gzip
import hashlib
import importlib.util
import json
import math
import signal
import sys
import zlib
from fractions import Fraction
from heapq import heapify, heappushpop
from pathlib import Path

MAKESPAN_TOLERANCE = Fraction(1, 10**9)
"""A claimed makespan is a rounded number."""
BOUND_TOLERANCE = Fraction(1, 10**6)
"""A bound counts as confirmed, and a gap as closed, up to this part of it."""


class Refused(Exception):
    """A file or a proof is not what it has to be."""


class OutOfTime(BaseException):
    """The reader's time is up."""


# 1. Reading. Every file may come from an enemy.


def read(path):
    """The content of a JSON file and the SHA-256 of its text."""
    data = Path(path).read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return parsed(data), hashlib.sha256(data).hexdigest()


def parsed(text):
    """The object that a JSON text holds."""
    document = json.loads(
        text,
        parse_float=number,
        parse_int=number,
        parse_constant=lambda name: refuse(f"{name} is no number"),
        object_pairs_hook=without_repetition,
    )
    return need(document, dict, "the file")


def number(text):
    """A decimal number, exactly: an int if it is written as one, else a fraction."""
    digits, _, exponent = text.lower().partition("e")
    if len(digits) > 400 or len(exponent) > 4:
        refuse("a number has too many digits")
    return int(text) if text.lstrip("-").isdigit() else Fraction(text)


def without_repetition(pairs):
    if len(dict(pairs)) < len(pairs):
        refuse("a key comes twice in one object")
    return dict(pairs)


def refuse(why):
    raise Refused(why)


def need(value, kind, what):
    """The value, if it is of the kind: dict, list, str, int, or Fraction for any number."""
    kinds = (int, Fraction) if kind is Fraction else (kind,)
    if isinstance(value, bool) or not isinstance(value, kinds):
        refuse(f"{what}: must be {'a number' if kind is Fraction else kind.__name__}")
    return value


def amount(value, what, above=False):
    """A number that is at least 0, or above 0."""
    if need(value, Fraction, what) < 0 or (above and value == 0):
        refuse(f"{what}: must be {'above' if above else 'at least'} 0")
    return Fraction(value)


def index(value, size, what):
    """A whole number from 0 to size - 1."""
    if not 0 <= need(value, int, what) < size:
        refuse(f"{what}: must be from 0 to {size - 1}")
    return value


def rows(value, count, what):
    """A list of so many entries."""
    if len(need(value, list, what)) != count:
        refuse(f"{what}: must have {count} entries")
    return value


def fields(document, what, must=(), may=()):
    """The document, if it has what it must have and nothing that is not understood."""
    for key in need(document, dict, what):
        if key not in must and key not in may:
            refuse(f"{what}: {key!r} is not understood")
    for key in must:
        if key not in document:
            refuse(f"{what}: {key!r} is missing")
    return document


def common(numbers):
    """The greatest number of which all the given ones are whole multiples."""
    numbers = set(numbers)
    denominator = math.lcm(*(Fraction(number).denominator for number in numbers))
    return Fraction(math.gcd(*(int(number * denominator) for number in numbers)), denominator)


# 2. The problem.


class Phase:
    """The tasks and the slots of one phase, map or reduce. Slots that are lost are left out.

    Per task: `job` and `processing` (seconds). Per job: `tasks`, a range, and `factors`, one per
    slot. Per slot: `node`, and `number`, for which lost slots count. `place` is the slot by the
    name of its node and its number there.
    """

    def __init__(self):
        self.job, self.processing, self.tasks, self.factors = [], [], [], []
        self.node, self.number, self.place, self.counted = [], [], {}, 0

    def time(self, task, slot):
        """Seconds that a task runs on a slot, without its setup."""
        return self.processing[task] * self.factors[self.job[task]][slot]


class Shop:
    """The problem: jobs of map tasks and reduce tasks on the slots of a cluster.

    A slot runs one task at a time, setup first, then processing. No reduce task starts, setup
    included, before all map tasks of its job have ended. The setup of a map task reads its input
    from the replica that is cheapest for its slot. The setup of a reduce task reads its part of
    what every map task of its job left on the node on which that task ran.

    Every duration is a whole multiple of `unit` seconds. `least_map` and `least_reduce` are the
    tasks' least durations over all slots, in units; a reduce task then reads from the nearest node.
    """

    def __init__(self, document):
        optional = ("source", "speed_factors", "security", "outages", "history")
        fields(document, "the instance", ("format", "name", "cluster", "jobs"), optional)
        if document["format"] != "slotwise/mapreduce/1":
            refuse("the instance: format must be slotwise/mapreduce/1")
        self.name = document["name"]
        self.maps, self.reduces = Phase(), Phase()
        self.phases = {"map": self.maps, "reduce": self.reduces}
        self._read_cluster(document["cluster"], document.get("outages") or [])
        self._read_jobs(document["jobs"])
        self._read_factors(document.get("speed_factors"))
        self.security = document.get("security")
        if self.security:
            self._read_security(self.security)
        self._prepare()
        self.unit = self._unit()
        self.least_map = [self._least_map(t) for t in range(len(self.maps.job))]
        self.least_reduce = [self._least_reduce(w) for w in range(len(self.reduces.job))]

    def _read_cluster(self, cluster, outages):
        fields(cluster, "the cluster", ("nodes", "rates"))
        rates = fields(cluster["rates"], "rates", ("node", "rack", "remote"))
        node, rack, remote = (amount(rates[k], k, above=True) for k in ("node", "rack", "remote"))
        if not node >= rack >= remote:
            refuse("rates: need node >= rack >= remote")
        self.read_cost = [1 / node, 1 / rack, 1 / remote]  # seconds per MB
        lost = set()
        for outage in need(outages, list, "outages"):
            fields(outage, "an outage", ("node",), ("phase", "slot"))
            lost.add((outage["node"], outage.get("phase"), outage.get("slot")))
        self.nodes, self.rack = {}, []
        for entry in need(cluster["nodes"], list, "nodes"):
            fields(entry, "a node", ("name", "rack", "map_slots", "reduce_slots"))
            name = need(entry["name"], str, "name of a node")
            if name in self.nodes:
                refuse(f"two nodes have the name {name!r}")
            self.nodes[name] = len(self.nodes)
            self.rack.append(need(entry["rack"], str, "rack of a node"))
            for kind, phase in self.phases.items():
                for k in range(index(entry[f"{kind}_slots"], 100_001, "slots of a node")):
                    if lost.isdisjoint((name, p, s) for p in (None, kind) for s in (None, k)):
                        phase.place[name, k] = len(phase.node)
                        phase.node.append(self.nodes[name])
                        phase.number.append(phase.counted)
                    phase.counted += 1

    def _read_jobs(self, jobs):
        self.jobs, self.replicas, self.input, self.output = [], [], [], []
        for job in need(jobs, list, "jobs"):
            fields(job, "a job", ("name",), ("output_ratio", "map_tasks", "reduce_tasks"))
            maps = need(job.get("map_tasks", []), list, "map_tasks")
            reduces = need(job.get("reduce_tasks", []), list, "reduce_tasks")
            ratio = amount(job.get("output_ratio", 0), "output_ratio") / max(len(reduces), 1)
            for task in maps:
                fields(task, "a map task", ("processing",), ("input_mb", "replicas"))
                replicas = need(task.get("replicas", []), list, "replicas")
                if not all(isinstance(node, str) and node in self.nodes for node in replicas):
                    refuse(f"job {job['name']!r}: a replica lies on no node of the cluster")
                self.replicas.append({self.nodes[node] for node in replicas})
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

    def _read_factors(self, document):
        if document is None:
            for phase in self.phases.values():
                phase.factors = [[1] * len(phase.node)] * len(self.jobs)
            return
        fields(document, "speed_factors", ("map", "reduce"))
        for kind, phase in self.phases.items():
            for row in rows(document[kind], len(self.jobs), "speed_factors"):
                row = rows(row, phase.counted, "a row of speed_factors")
                phase.factors.append([amount(row[k], "a factor", above=True) for k in phase.number])

    def _read_security(self, document):
        """Where each map task may run, and whether data of a node reaches a slot in plain text."""
        may = ("transfer_rate", "encryption_rate")
        fields(document, "security", ("levels", "priorities"), may)
        transfer = amount(document.get("transfer_rate", 100), "transfer_rate", above=True)
        encryption = amount(document.get("encryption_rate", 50), "encryption_rate", above=True)
        self.read_cost = [1 / transfer] * 3
        self.encrypted_cost = 1 / transfer + 1 / encryption
        self.plain, self.allowed, slots = [], [], self.maps.counted
        for row in rows(document["levels"], len(self.nodes), "levels"):
            row = rows(row, slots, "a row of levels")
            self.plain.append([row[k] == 1 for k in self.maps.number])
        table = rows(document["priorities"], len(self.jobs), "priorities")
        for tasks, of_job in zip(self.maps.tasks, table):
            for digits in rows(of_job, len(tasks), "priorities of a job"):
                if len(need(digits, str, "priorities")) != slots:
                    refuse("priorities: a task must have a digit per map slot")
                self.allowed.append([digits[k] == "1" for k in self.maps.number])

    def _prepare(self):
        self.jobs_by_name = {name: i for i, name in enumerate(self.jobs)}
        self.output_of = [sum(self.output[t] for t in tasks) for tasks in self.maps.tasks]
        self._least_factors = {}
        maps, reduces = set(self.maps.node), set(self.reduces.node)
        racks = {self.rack[n] for n in maps} & {self.rack[n] for n in reduces}
        self.nearest = 0 if maps & reduces else 1 if racks else 2

    def _unit(self):
        """The greatest common divisor of all durations: the gcd of products is that of the gcds."""
        costs = self.read_cost + ([self.encrypted_cost] if self.security else [])
        parts = [common(self.input) * common(costs), common(self.output) * common(self.read_cost)]
        for phase in self.phases.values():
            for tasks, factors in zip(phase.tasks, phase.factors):
                of_job = common(phase.processing[t] for t in tasks)
                parts.append(of_job * common(set(factors)))
        return common(parts) or Fraction(1)

    def may_run(self, task, slot):
        """Whether a map task may run on a map slot."""
        return not self.security or self.allowed[task][slot]

    def map_time(self, task, slot):
        """Setup and processing of a map task on a map slot, in units."""
        node, replicas = self.maps.node[slot], self.replicas[task]
        if self.security:
            plain = any(self.plain[holder][slot] for holder in replicas)
            cost = 0 if node in replicas else self.read_cost[0] if plain else self.encrypted_cost
        else:
            cost = self.read_cost[min((self.distance(node, r) for r in replicas), default=2)]
        return self.whole(self.input[task] * cost + self.maps.time(task, slot))

    def reduce_time(self, task, slot):
        """Processing of a reduce task on a reduce slot, in units; its setup is apart."""
        return self.whole(self.reduces.time(task, slot))

    def read_time(self, task, node, reader):
        """Units for which a reduce task on node `reader` reads what map task `task` left."""
        return self.whole(self.output[task] * self.read_cost[self.distance(node, reader)])

    def distance(self, a, b):
        """0 within a node, 1 within a rack, 2 beyond."""
        return 0 if a == b else 1 if self.rack[a] == self.rack[b] else 2

    def whole(self, seconds):
        units = seconds / self.unit
        assert units.denominator == 1
        return units.numerator

    def _least_map(self, task):
        """None if the task may run nowhere."""
        if self.security:
            slots = [k for k, may in enumerate(self.allowed[task]) if may]
            return min((self.map_time(task, k) for k in slots), default=None)
        # Whoever holds a replica reads at its rate, its rack at the rack's, all others from afar.
        fastest, racks = self._fastest(self.maps, self.maps.job[task]), self.rack
        places = [("node", n, 0) for n in self.replicas[task]]
        places += [("rack", racks[n], 1) for n in self.replicas[task]] + [("all", None, 2)]
        durations = [
            self.input[task] * self.read_cost[far]
            + self.maps.processing[task] * fastest[kind, name]
            for kind, name, far in places
            if (kind, name) in fastest
        ]
        return self.whole(min(durations)) if durations else None

    def _least_reduce(self, task):
        """None if no slot is left."""
        job = self.reduces.job[task]
        fastest = self._fastest(self.reduces, job)
        if not fastest:
            return None
        read = self.output_of[job] * self.read_cost[self.nearest]
        return self.whole(self.reduces.processing[task] * fastest["all", None] + read)

    def _fastest(self, phase, job):
        """Least factor of a job on the slots of every node, of every rack, and of all."""
        factors = phase.factors[job]
        if id(factors) not in self._least_factors:
            least = self._least_factors[id(factors)] = {}
            for node, factor in zip(phase.node, factors):
                for key in (("node", node), ("rack", self.rack[node]), ("all", None)):
                    least[key] = min(factor, least.get(key, factor))
        return self._least_factors[id(factors)]


# 3. The schedule. Only slot and order of each task are believed.


def shortest(shop, schedule):
    """The makespan, in units, if every task starts as early as the order on its slot allows.

    The tasks that a slot runs follow each other without a wait, but a reduce task waits for the map
    tasks of its job. So nothing overlaps, whatever the starts that the schedule claims.
    """
    fields(schedule, "the schedule", ("format", "instance", "tasks"), ("makespan",))
    order = {"map": {}, "reduce": {}}
    for entry in need(schedule["tasks"], list, "tasks"):
        fields(entry, "a task", ("job", "phase", "task", "node", "slot", "start"), ("setup", "end"))
        if entry["job"] not in shop.jobs_by_name or entry["phase"] not in shop.phases:
            refuse("the schedule: a task of no job, or of no phase")
        phase, job = shop.phases[entry["phase"]], shop.jobs_by_name[entry["job"]]
        task = phase.tasks[job][index(entry["task"], len(phase.tasks[job]), "task")]
        slot = phase.place.get((entry["node"], need(entry["slot"], int, "slot")))
        if slot is None or (phase is shop.maps and not shop.may_run(task, slot)):
            refuse(f"{entry['job']} {entry['phase']} {entry['task']} may not run where it is")
        if task in order[entry["phase"]]:
            refuse(f"{entry['job']} {entry['phase']} {entry['task']} comes twice")
        start = need(entry["start"], Fraction, "start")
        end = need(entry.get("end", start), Fraction, "end")
        order[entry["phase"]][task] = (start, end, slot)
    for name, phase in shop.phases.items():
        if len(order[name]) < len(phase.job):
            refuse(f"the schedule: {name} tasks are missing")

    free, done, output = {}, [0] * len(shop.jobs), {}
    for task, (_, _, slot) in sorted(order["map"].items(), key=lambda item: item[1]):
        job, node = shop.maps.job[task], shop.maps.node[slot]
        free[slot] = free.get(slot, 0) + shop.map_time(task, slot)
        done[job] = max(done[job], free[slot])
        for place in (node, shop.rack[node]):
            output[job, place] = output.get((job, place), 0) + shop.output[task]
    ends, free = list(done), {}
    for task, (_, _, slot) in sorted(order["reduce"].items(), key=lambda item: item[1]):
        job, node = shop.reduces.job[task], shop.reduces.node[slot]
        near = output.get((job, node), 0)
        rack = output.get((job, shop.rack[node]), 0)
        amounts = (near, rack - near, shop.output_of[job] - rack)
        read = sum(mb * cost for mb, cost in zip(amounts, shop.read_cost))
        start = max(free.get(slot, 0), done[job])
        free[slot] = start + shop.whole(read) + shop.reduce_time(task, slot)
        ends[job] = max(ends[job], free[slot])
    return max(ends, default=0)


# 4. Lower bounds in closed form: times in units; every task counts with its least duration.


def least_span(shop, phase, least):
    """Per job: no schedule of its tasks of one phase is shorter.

    One task takes as long as the longest; the slots share the work; and of k S + 1 tasks one of S
    slots runs k + 1 or more, so at least as long as the k + 1 shortest of them.
    """
    slots, spans = len(phase.node), []
    for tasks in phase.tasks:
        lengths = sorted((least[t] for t in tasks), reverse=True)
        span = Fraction(sum(lengths), slots) if lengths else 0
        for k in range((len(lengths) + slots - 1) // slots if lengths else 0):
            span = max(span, sum(lengths[k * slots - k : k * slots + 1]))
        spans.append(span)
    return spans


def waiting_phases(shop):
    """Both phases with what their tasks wait for: (phase, least durations, waits by job).

    Reduce tasks wait for the map phase of their job. Read backwards, a schedule is one in which map
    tasks wait for the reduce phase of their job.
    """
    heads = least_span(shop, shop.maps, shop.least_map)
    tails = least_span(shop, shop.reduces, shop.least_reduce)
    return {
        "reduce": (shop.reduces, shop.least_reduce, heads),
        "map": (shop.maps, shop.least_map, tails),
    }


def waits(shop, proof):
    """One job takes its head and its tail. And the slots wait on average for the least waits.

    Let U be S or more tasks of a phase with S slots. The first task of U on a slot starts after its
    job's wait. A slot without a task of U can be charged the wait of any other task: the makespan is
    longer. So S times the makespan is at least the sum of all of U and of its S least waits. U is
    all tasks that wait longest, and the S longest (wait and duration) of those that wait less.
    """
    fields(proof, "waits", ("proof",))
    phases = waiting_phases(shop)
    heads, tails = phases["reduce"][2], phases["map"][2]
    best = max((head + tail for head, tail in zip(heads, tails)), default=0)
    for phase, least, wait in phases.values():
        slots = len(phase.node)
        tasks = sorted((wait[job], length) for job, length in zip(phase.job, least))
        if len(tasks) < slots or not slots:
            continue
        top = [a + b for a, b in tasks[:slots]]
        heapify(top)
        total, later = sum(top), sum(length for _, length in tasks[slots:])
        best = max(best, Fraction(total + later, slots))
        for a, b in tasks[slots:]:
            total += a + b - heappushpop(top, a + b)
            later -= b
            best = max(best, Fraction(total + later, slots))
    return best


def pigeonhole(shop, proof):
    """Of k S + 1 tasks that wait as long as a job, a slot runs k + 1, after the least wait.

    The k S + 1 longest of the tasks whose wait is at least that of `job`; the k + 1 shortest of
    them follow each other on some slot.
    """
    fields(proof, "pigeonhole", ("proof", "phase", "job", "k"))
    if proof["phase"] not in shop.phases:
        refuse("pigeonhole: no such phase")
    phase, least, wait = waiting_phases(shop)[proof["phase"]]
    after = wait[index(proof["job"], len(shop.jobs), "job")]
    tasks = [(length, wait[job]) for job, length in zip(phase.job, least) if wait[job] >= after]
    tasks.sort(key=lambda task: -task[0])
    slots = len(phase.node)
    k = index(proof["k"], (len(tasks) - 1) // max(slots, 1) + 1, "k")
    chosen = tasks[: k * slots + 1]
    return min(w for _, w in chosen) + sum(length for length, _ in chosen[k * (slots - 1) :])


def johnson(shop, proof):
    """A flow shop of two machines, each as fast as all slots of a phase, is not slower.

    Its shortest schedule takes first the jobs with less work on the first machine than on the
    second, by rising work on the first; then the others, by falling work on the second.
    """
    fields(proof, "johnson", ("proof",))
    pairs = []
    for maps, reduces in zip(shop.maps.tasks, shop.reduces.tasks):
        sides = (shop.maps, shop.least_map, maps), (shop.reduces, shop.least_reduce, reduces)
        pairs.append(
            [
                Fraction(sum(least[t] for t in tasks), max(1, min(len(phase.node), len(phase.job))))
                for phase, least, tasks in sides
            ]
        )
    pairs.sort(key=lambda pair: (0, pair[0]) if pair[0] <= pair[1] else (1, -pair[1]))
    first = second = 0
    for a, b in pairs:
        first += a
        second = max(first, second) + b
    return max(first, second)


PROOFS = {"waits": waits, "pigeonhole": pigeonhole, "johnson": johnson}
"""Theorem by name: a function from the problem and the certificate's numbers to a bound."""


# 5. The verdict.


def lower_bound(shop, proof):
    """What a proof of a certificate shows, in whole units.

    Some shortest schedule has no needless wait. Its makespan is a sum of durations, hence a whole
    number of units: bounds are rounded up for free.
    """
    name = need(need(proof, dict, "a proof").get("proof"), str, "a proof's name")
    if name in PROOFS:
        return math.ceil(PROOFS[name](shop, proof))
    for module in ("verify_prices", "verify_search"):
        if name in beside(module).PROOFS:
            return math.ceil(beside(module).PROOFS[name](shop, proof))
    return refuse(f"no theorem is called {name!r}")


def beside(name):
    """A file beside this one, as a module."""
    if __package__:
        return importlib.import_module(f".{name}", __package__)
    if name not in sys.modules:
        # `python3 -I` looks for no module here, neither for that file nor, from there, for this one.
        sys.modules.setdefault("verify", sys.modules[__name__])
        path = Path(__file__).with_name(f"{name}.py")
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def judge(shop, result, certificate, digest="", say=print):
    """Whether all that a result claims is confirmed; every finding is said in a line."""
    if result.get("instance") != shop.name or certificate.get("instance") != shop.name:
        refuse("the three files are not about one instance")
    if certificate.get("format") != "slotwise/certificate/1":
        refuse("the certificate: format must be slotwise/certificate/1")
    if digest and certificate.get("instance_sha256") != digest:
        say("note: the certificate was made from another text of the instance")
    claimed, bound = result.get("makespan"), result.get("lower_bound")
    confirmed = True
    if None in shop.least_map or None in shop.least_reduce:
        say("no schedule exists: a task may run on no slot")
        return result.get("status") == "infeasible" and claimed is None
    makespan = None
    if claimed is not None:
        makespan = shortest(shop, result.get("schedule"))
        holds = makespan * shop.unit <= need(claimed, Fraction, "makespan") * (
            1 + MAKESPAN_TOLERANCE
        )
        ends = seconds(shop, makespan)
        say(f"schedule: ends at {ends}, claimed {decimal(claimed)} s: {word(holds)}")
        confirmed &= holds
    best = 0
    try:
        for proof in need(certificate.get("proofs"), list, "proofs")[:1000]:
            if isinstance(proof, dict) and proof.get("proof") == "attested":
                say(f"attested, not proved: {proof.get('bound')} s by {proof.get('by')}")
                continue
            try:
                shown = lower_bound(shop, proof)
                say(f"proof {proof['proof']!r}: no schedule ends before {seconds(shop, shown)}")
                best = max(best, shown)
            except Refused as why:
                say(f"proof refused: {why}")
    except OutOfTime:
        say("stopped: the time is up")
    if bound is not None:
        holds = best * shop.unit >= need(bound, Fraction, "lower_bound") * (1 - BOUND_TOLERANCE)
        say(f"lower bound: {seconds(shop, best)} proved, claimed {decimal(bound)} s: {word(holds)}")
        confirmed &= holds
    if result.get("status") == "optimal":
        holds = makespan is not None and makespan <= best * (1 + BOUND_TOLERANCE)
        exactly = "exactly" if makespan == best else f"within {float(BOUND_TOLERANCE):g}"
        say(f"optimal, {exactly}: {word(holds)}")
        confirmed &= holds
    elif result.get("status") not in ("feasible", "unknown"):
        confirmed = False
    return confirmed


def judged(instance, result, certificate, say=print):
    """As `judge`, from the texts of the three files."""
    problem, claim, proofs = (parsed(text) for text in (instance, result, certificate))
    if problem.get("format") != "slotwise/mapreduce/1":
        return beside("verify_plans").judge(problem, claim, proofs, say)
    return judge(Shop(problem), claim, proofs, hashlib.sha256(instance).hexdigest(), say)


def word(holds):
    return "confirmed" if holds else "NOT CONFIRMED"


def seconds(shop, units):
    return f"{decimal(units * shop.unit)} s"


def decimal(value):
    """A number in at most 15 digits, with a sign that it goes on."""
    text = f"{float(value):.15g}"
    return text if Fraction(text) == value else f"{text}..."


def main(arguments):
    limit = 0.0
    if "--limit" in arguments:
        at = arguments.index("--limit")
        limit = float(arguments[at + 1])
        del arguments[at : at + 2]
    if len(arguments) != 3:
        print("usage: verify.py INSTANCE RESULT CERTIFICATE [--limit SECONDS]", file=sys.stderr)
        return 2
    if limit and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, out_of_time)
        signal.setitimer(signal.ITIMER_REAL, limit)
    documents = []
    for path in arguments:
        try:
            documents.append(read(path))
        except (OSError, EOFError, zlib.error, ValueError, RecursionError, Refused) as problem:
            print(f"{path}: {problem}", file=sys.stderr)
            return 2
    (instance, digest), (result, _), (certificate, _) = documents
    try:
        confirmed = judge(Shop(instance), result, certificate, digest)
    except (Refused, OutOfTime) as problem:
        print(f"refused: {problem}")
        confirmed = False
    print("CONFIRMED" if confirmed else "NOT CONFIRMED")
    return 0 if confirmed else 1


def out_of_time(*_):
    raise OutOfTime("the time is up")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
