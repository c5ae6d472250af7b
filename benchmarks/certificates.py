"""Certificates: `python benchmarks/certificates.py [--instances 300] [--grid | --data FOLDER]`.

Prints Markdown. Small instances of every generator, a third of them with whole seconds: how many
results the verifier alone confirms, how many optima exactly, with which proofs, how long the
certificates are and how long a bare interpreter takes. `--grid`: cells of Table 2 of [LJR].
`--data`: the hours of FB-2009 and Hadoop's own traces, found below a folder as by `certified.py`.
`--seconds` is the time limit of a solve; a proof gets a tenth of it, or 5 s.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from certified_classes import facebook_hours, gridmix

import slotwise
from slotwise.core.clock import Clock
from slotwise.instances.mapreduce.generators import smso
from slotwise.instances.mapreduce.instance import Instance
from slotwise.solvers.mapreduce.proofs.certify import certify_result

MOST_TASKS = 30
SHARE, LEAST_SECONDS = 0.1, 5.0
"""Of the time limit, for a certificate."""
GRID = [
    (jobs, nodes, slots)
    for jobs, nodes in ((50, 10), (50, 30), (150, 20), (250, 10), (250, 30))
    for slots in (2, 4, 6, 8)
]
"""Jobs, nodes and map slots of a node."""


@dataclass(frozen=True)
class Case:
    """What became of a result."""

    kind: str
    optimal: bool
    confirmed: bool
    exactly: bool
    proof: str
    proved: float
    """Proved bound as a part of the claimed one."""
    size: int
    """Bytes of the certificate."""
    certify: float
    """Seconds of wall time for the proofs."""
    verify: float
    """Seconds of processor time of the verifier, reading included."""


def small(seed: int) -> tuple[str, Instance]:
    """A small instance with any optional part."""
    rng = random.Random(seed)
    kinds = ("ljr", "hmhs", "smso", "two-stage", "smso with lost slots")
    kind = kinds[seed % len(kinds)]
    jobs = rng.randint(2, 5)
    if kind == "smso with lost slots":
        instance = smso.generate(
            2, 3, seed=seed, gamma=0.3, outages="slots", maps_range=(1, 4), reduces_range=(1, 3)
        )
    elif kind == "ljr":
        nodes = rng.randint(2, 4)
        instance = slotwise.generate("ljr-small", seed=seed, jobs=jobs, nodes=nodes)
    else:
        name = kind if kind == "two-stage" else f"{kind}-small"
        instance = slotwise.generate(name, seed=seed, jobs=jobs)
    if seed % 3 == 0:
        instance = replace(
            instance,
            map_processing=np.ceil(instance.map_processing),
            reduce_processing=np.ceil(instance.reduce_processing),
        )
    return kind, instance


def drawn(count: int) -> Iterator[tuple[str, Instance]]:
    """So many instances of at most `MOST_TASKS` tasks."""
    seed = 0
    while count:
        kind, instance = small(seed)
        seed += 1
        if instance.map_tasks + instance.reduce_tasks <= MOST_TASKS:
            count -= 1
            yield kind, instance


def grid() -> Iterator[tuple[str, Instance]]:
    """Cells of Table 2."""
    for jobs, nodes, slots in GRID:
        settings = {"racks": "as published", "block_scale": 1.19}
        yield (
            f"{jobs} jobs, {nodes} nodes, {slots} slots",
            slotwise.generate("ljr", seed=0, jobs=jobs, nodes=nodes, map_slots=slots, **settings),
        )


def real(data: Path) -> Iterator[tuple[str, Instance]]:
    """Real traces."""
    for a_set in (*facebook_hours(data), *gridmix(data)):
        for instance in a_set.instances():
            yield a_set.name, instance


def judged(kind: str, instance: Instance, seconds: float, folder: Path) -> Case:
    """Solve, prove, and let a bare interpreter check."""
    result = slotwise.solve(instance, time_limit=seconds)
    began = perf_counter()
    certificate = certify_result(result, Clock(max(LEAST_SECONDS, SHARE * seconds)))
    certify = perf_counter() - began
    things = {"instance": instance, "result": result, "certificate": certificate}
    for name, thing in things.items():
        slotwise.write(thing, folder / f"{name}.json")
    program = Path(slotwise.__file__).with_name("verifier")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    files = (folder / f"{name}.json" for name in things)
    end = subprocess.run([sys.executable, "-I", program, *files], capture_output=True, text=True)
    verify = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    proofs = [proof["proof"] for proof in certificate.proofs if proof["proof"] != "attested"]
    return Case(
        kind=kind,
        optimal=result.status == "optimal",
        confirmed=end.returncode == 0,
        exactly=certificate.exactly,
        proof=proofs[-1] if proofs else "none",
        proved=(certificate.proved_bound or 0.0) / result.lower_bound if result.lower_bound else 1,
        size=(folder / "certificate.json").stat().st_size,
        certify=certify,
        verify=verify,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Certificates.")
    parser.add_argument("--instances", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    by_kind: dict[str, list[Case]] = defaultdict(list)
    with TemporaryDirectory() as folder:
        small_ones = grid() if options.grid else drawn(options.instances)
        for kind, instance in real(options.data) if options.data else small_ones:
            case = judged(kind, instance, options.seconds, Path(folder))
            by_kind[kind].append(case)
            by_kind["all"].append(case)
            print(case, file=sys.stderr, flush=True)
    by_kind["all"] = by_kind.pop("all")
    print(
        "| | results | confirmed | optima | exactly | least part proved | longest certificate, KB "
        "| certify, s | verify, s: median, most |\n|---|---|---|---|---|---|---|---|---|"
    )
    for kind, cases in by_kind.items():
        optima = [case for case in cases if case.optimal]
        print(
            f"| {kind} | {len(cases)} | {sum(c.confirmed for c in cases)} | {len(optima)} "
            f"| {sum(c.exactly for c in optima)} | {min(c.proved for c in cases):.4f} "
            f"| {max(c.size for c in cases) / 1000:.1f} | {max(c.certify for c in cases):.1f} "
            f"| {median(c.verify for c in cases):.2f}, {max(c.verify for c in cases):.2f} |"
        )
    counted = Counter(case.proof for case in by_kind["all"])
    print("\nProofs:", ", ".join(f"{name} {n}" for name, n in counted.most_common()))


if __name__ == "__main__":
    main()
