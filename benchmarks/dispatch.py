"""Dispatching: how fast policies are, who waits least on a real trace, and the service under load.

    python benchmarks/dispatch.py speed
    python benchmarks/dispatch.py trace openb_node_list_all_node.csv openb_pod_list_default.csv.gz
    python benchmarks/dispatch.py service [--per-second 300] [--seconds 60]

Waits on drawn jobs: `slotwise campaign benchmarks/waits.toml`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import slotwise
from slotwise.heuristics.datacenter import POLICIES
from slotwise.instances.datacenter.importers.openb import read_openb
from slotwise.instances.datacenter.job_file import SECONDS, write_jobs
from slotwise.instances.datacenter.work import spread_of
from slotwise.instances.datacenter.workload import poisson, replay
from slotwise.solvers.datacenter.prices import with_spread

NAMES = [entry.name for entry in POLICIES if entry.name != "guided"]
NOISE = 0.3
QUIET = 10_000_000.0
"""Seconds of the openb trace in which only one pod in a hundred arrives."""


def speed(jobs: int, loads: list[float]) -> None:
    """12 583 machines; million events per second of processor time, the best of two runs."""
    problem = slotwise.generate("google-2011")
    plan = slotwise.guide(problem, time_limit=10.0)
    row("policy", *(f"{load}{noisy}" for load in loads for noisy in ("", " noisy")))
    row(*("---" for _ in range(1 + 2 * len(loads))))
    for name in NAMES:
        cells = []
        for load in loads:
            for noise in (0.0, NOISE):
                rate = load * plan.arrival_rate_bound
                workload = poisson(problem, rate, jobs, seed=0, noise=noise)
                known = with_spread(plan, noise)
                runs = [slotwise.simulate(workload, name, guidance=known) for _ in range(2)]
                cells.append(f"{max(run.events_per_second for run in runs) / 1e6:.2f}")
        row(name, *cells)


def trace(nodes: Path, pods: Path, scale: float, speeds: list[float]) -> None:
    """The openb pods on a part of the nodes, faster and faster; mean wait in s."""
    with TemporaryDirectory() as folder:
        imported = read_openb(nodes, pods, window=(QUIET, np.inf))
        assert imported.jobs is not None
        assert imported.job_class is not None
        table = Path(folder) / "jobs.csv"
        write_jobs(table, imported.made, imported.jobs, imported.job_class)
        count = [max(1, round(n * scale)) for n in imported.made.count.tolist()]
        problem = imported.made.with_count(np.array(count))
        plan = slotwise.guide(problem, time_limit=10.0)
        second = SECONDS[problem.time_unit]
        row("arrivals", *NAMES, "last resource in use")
        row(*("---" for _ in range(len(NAMES) + 2)))
        for fast in speeds:
            workload = replay(problem, table, compress=fast)
            plan = with_spread(plan, spread_of(workload))
            runs = [slotwise.simulate(workload, name, guidance=plan, warm_up=0.2) for name in NAMES]
            waits = [f"{second * run.mean_wait:.0f}" for run in runs]
            row(f"x {fast:g}", *waits, f"{runs[-1].utilisation[-1]:.1%}")


def service(scale: float, per_second: float, seconds: float) -> None:
    """How long `slotwise serve` takes to answer: each job ends a second after it came."""
    problem = slotwise.generate("google-2011", scale=scale)
    with TemporaryDirectory() as name:
        folder = Path(name)
        slotwise.write(slotwise.guide(problem, time_limit=20.0), folder / "plan.json")
        words = ["serve", str(folder / "plan.json"), "--port", "0", "--state", str(folder / "kept")]
        with subprocess.Popen(
            [sys.executable, "-m", "slotwise", *words, "--json"], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            base = json.loads(server.stdout.readline())["url"]
            try:
                _load(base, problem, int(per_second * seconds), per_second)
            finally:
                server.terminate()


def _load(base: str, problem: Any, jobs: int, per_second: float) -> None:
    draw = np.random.default_rng(0)
    kinds = draw.choice(len(problem.classes), size=jobs, p=problem.share)
    taken, began = [], time.monotonic()

    def ask(method: str, path: str, body: dict[str, Any] | None = None) -> None:
        request = urllib.request.Request(f"{base}{path}", method=method)
        request.add_header("Content-Type", "application/json")
        data = None if body is None else json.dumps(body).encode()
        sent = time.monotonic()
        with urllib.request.urlopen(request, data) as answer:
            answer.read()
        taken.append(time.monotonic() - sent)

    for number, kind in enumerate(kinds.tolist()):
        time.sleep(max(0.0, began + number / per_second - time.monotonic()))
        ask("POST", "/v1/jobs", {"id": f"j{number}", "class": problem.classes[kind]})
        if number >= per_second:
            ask("DELETE", f"/v1/jobs/j{number - int(per_second)}")
    wall = time.monotonic() - began
    cuts = quantiles(taken, n=100)
    print(
        f"{problem.machines} machines: {len(taken) / wall:.0f} requests a second, median "
        f"{1e3 * cuts[49]:.1f} ms, 99th percentile {1e3 * cuts[98]:.1f} ms"
    )


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("speed")
    part.add_argument("--jobs", type=int, default=2_000_000)
    part.add_argument("--loads", type=float, nargs="+", default=[0.95, 0.98, 1.02])
    part = parts.add_parser("trace")
    part.add_argument("nodes", type=Path)
    part.add_argument("pods", type=Path)
    part.add_argument("--scale", type=float, default=0.1)
    part.add_argument("--speeds", type=float, nargs="+", default=[80, 120, 160, 240])
    part = parts.add_parser("service")
    part.add_argument("--scale", type=float, default=0.05, help="of Google's 12 583 machines")
    part.add_argument("--per-second", type=float, default=300.0)
    part.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    if chosen.part == "speed":
        speed(chosen.jobs, chosen.loads)
    elif chosen.part == "trace":
        trace(chosen.nodes, chosen.pods, chosen.scale, chosen.speeds)
    else:
        service(chosen.scale, chosen.per_second, chosen.seconds)


if __name__ == "__main__":
    main()
