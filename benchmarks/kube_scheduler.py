"""What of bid-price is left in kube-scheduler's queue, and what weights of its own scoring do.

python benchmarks/kube_scheduler.py --results kube.jsonl

Random datacenters that are full at time 0, two seeds of jobs each, and Tables 1 and 2 at a
twentieth. Runs are kept in the file of results and not repeated.

A scheduler extender chooses the node, but not which pod starts when another one ends:
kube-scheduler tries its waiting pods in order. `extender` is bid-price with such exits: a job that
finds no room where it belongs takes any other, and a machine starts whatever fits, the first first.
`most-allocated` is what `slotwise guide --export kubernetes` writes.
"""

import argparse
import json
import math
import sys
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from statistics import fmean

from bid_price import NOISE, Run, Setting, planned

from slotwise.core.kernels.decorators import inlined
from slotwise.heuristics.datacenter.engine.columns import (
    JOB_CLASS,
    NO_MACHINE,
    QUEUES_FULL,
    WAITING,
)
from slotwise.heuristics.datacenter.machines.shapes import take_out
from slotwise.heuristics.datacenter.policies import bid_price as rule
from slotwise.heuristics.datacenter.policies.bid_price_state import BidPrice, look_at, make, renew
from slotwise.heuristics.datacenter.policies.home_queues import home_queue
from slotwise.heuristics.datacenter.policies.most_allocated import MOST_ALLOCATED
from slotwise.heuristics.datacenter.policy import CompiledPolicy
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.heuristics.datacenter.waiting.class_queues import add_job, has_room, remove_job
from slotwise.instances.datacenter.job_file import SECONDS
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter.prices import with_spread

FIRST_DATACENTER = 9000
"""Seed of the first random datacenter; none had a part in choosing a rule."""

LEAST = 1e-3
"""Waits (s) below count as this much in ratios."""


@inlined
def _arrive(policy, system, slot):
    k = system.info[slot, JOB_CLASS]
    anywhere = len(policy.belongs) + k
    m = NO_MACHINE
    if system.tally[WAITING] > 1:  # this job counts as waiting, too
        home = home_queue(policy.belongs, system.capacity, system.info, slot)
        m = rule._cheapest(policy, system, slot, home)
    if m == NO_MACHINE:
        m = rule._cheapest(policy, system, slot, anywhere)
    if m != NO_MACHINE:
        take_out(policy.shapes, policy.score, m)
        rule._start(policy, system, slot, m)
        look_at(policy, system, m)
        return
    add_job(policy.queues, anywhere, system.info, slot, 0.0)
    if not has_room(policy.queues, anywhere):
        system.tally[QUEUES_FULL] = 1


@inlined
def _depart(policy, system, slot, m):
    take_out(policy.shapes, policy.score, m)
    policy.score[m, system.info[slot, JOB_CLASS]] += 1
    while system.tally[WAITING] > 0:
        q, leaf = rule._next_of(policy, system, m, False)
        if q < 0:
            break
        chosen = policy.queues.job[policy.queues.base[q] + leaf]
        remove_job(policy.queues, q, leaf)
        rule._start(policy, system, chosen, m)
    look_at(policy, system, m)


EXTENDER = CompiledPolicy(BidPrice, make, _arrive, _depart, renew=renew)
OURS = {"extender": EXTENDER, "most-allocated": MOST_ALLOCATED}
RIVALS = ("best-fit", "bf-js", "first-fit", "lotes", "lotes-unrestricted")
POLICIES = ("bid-price", *OURS, *RIVALS)


def measure(setting, policies):
    """Run the policies on the jobs of one setting."""
    plan = with_spread(planned(setting.kind, setting.datacenter), setting.noise)
    workload = poisson(
        plan.datacenter,
        setting.load * plan.arrival_rate_bound,
        setting.jobs,
        seed=setting.seed,
        noise=setting.noise,
        full=True,
        plan=plan,
    )
    for name in policies:
        options = {"guidance": plan, "seed": setting.seed, "warm_up": setting.warm_up}
        run = simulate(workload, OURS.get(name, name), **options)
        wait = SECONDS[plan.datacenter.time_unit] * run.mean_wait
        yield Run(setting, name, wait, run.events_per_second, "; ".join(run.warnings))


def settings(datacenters, jobs):
    """All workloads."""
    for load in (0.95, 0.97):
        for noise in (0.0, NOISE):
            for seed in (0, 1):
                for number in range(FIRST_DATACENTER, FIRST_DATACENTER + datacenters):
                    yield Setting("random", number, load, noise, seed, jobs, full=True)
                yield Setting("tables", 0.05, load, noise, seed, 8 * jobs, full=True)


def report(runs):
    """Ratios of waits by kind, load and noise."""
    cells = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        s = run.setting
        cells[s.kind, s.load, s.noise][s.datacenter, s.seed][run.policy] = max(run.mean_wait, LEAST)
    for (kind, load, noise), waits in sorted(cells.items()):
        print(f"{kind}, {load}, {'noisy' if noise else 'exact'}, {len(waits)} runs; ratios to")
        for name in POLICIES:
            told = [f"  {name:18s}"]
            for other in ("bid-price", "best-fit", "best rival"):
                ratios = {
                    at: seen[name] / (seen.get(other) or min(seen[rival] for rival in RIVALS))
                    for at, seen in waits.items()
                }
                mean = math.exp(fmean(map(math.log, ratios.values())))
                worst = max(ratios, key=ratios.get)
                worse = sum(ratio > 1.05 for ratio in ratios.values())
                told.append(
                    f"{other} {mean:.3g}, worse {worse}, worst {ratios[worst]:.3g} "
                    f"({waits[worst][name]:.3g} s, {worst[0]}/{worst[1]})"
                )
            print("; ".join(told))


def main():
    """Measure what is missing, and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--datacenters", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=40_000)
    options = parser.parse_args()
    done = {}
    if options.results.exists():
        for line in options.results.read_text().splitlines():
            entry = json.loads(line)
            run = Run(**(entry | {"setting": Setting(**entry["setting"])}))
            done[run.setting, run.policy] = run
    wanted = list(settings(options.datacenters, options.jobs))
    with options.results.open("a") as file:
        for setting in wanted:
            for run in measure(setting, [n for n in POLICIES if (setting, n) not in done]):
                done[setting, run.policy] = run
                file.write(json.dumps(asdict(run)) + "\n")
                file.flush()
            print(setting, file=sys.stderr, flush=True)
    report([done[setting, name] for setting in wanted for name in POLICIES])


if __name__ == "__main__":
    main()
