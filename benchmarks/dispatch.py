"""Dispatching: how fast the simulator is, and which policy waits least.

python benchmarks/dispatch.py speed
python benchmarks/dispatch.py peers [--cloudsimpy FOLDER]
python benchmarks/dispatch.py waits --seeds 10
python benchmarks/dispatch.py trace NODES.csv PODS.csv.gz
"""

import argparse
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from slotwise.formulations.datacenter.waiting_bound import waiting_bound
from slotwise.heuristics.datacenter import POLICIES
from slotwise.heuristics.datacenter.result import Simulation
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.generators.lotes import google_2011
from slotwise.instances.datacenter.importers.job_table import write_jobs
from slotwise.instances.datacenter.importers.openb import read_openb
from slotwise.instances.datacenter.job_file import SECONDS
from slotwise.instances.datacenter.spread import spread_of
from slotwise.instances.datacenter.workload import poisson, replay
from slotwise.reports.datacenter.simulation_plots import longer_than, write_plot
from slotwise.reports.plots import policy_styles
from slotwise.solvers.datacenter.guide import guide
from slotwise.solvers.datacenter.prices import with_spread

FOLDER = Path(__file__).parent
NAMES = [entry.name for entry in POLICIES if entry.name != "guided"]
NOISE = 0.3
QUIET = 10_000_000.0
"""Seconds of the openb trace in which only one pod in a hundred arrives."""

T_975 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 8: 2.36, 10: 2.26, 20: 2.09}
"""Of Student's distribution, by number of seeds."""


def speed(jobs: int, loads: Sequence[float]) -> None:
    """12 583 machines; events per second of processor time, the best of two runs."""
    problem = google_2011()
    plan = guide(problem, time_limit=10.0)
    print("| policy | " + " | ".join(f"{load} | {load} noisy" for load in loads) + " |")
    print("|---|" + "---|" * 2 * len(loads))
    for name in NAMES:
        row = []
        for load in loads:
            for noise in (0.0, NOISE):
                rate = load * plan.arrival_rate_bound
                workload = poisson(problem, rate, jobs, seed=0, noise=noise)
                known = with_spread(plan, noise)
                runs = [simulate(workload, name, guidance=known) for _ in range(2)]
                row.append(max(run.events_per_second for run in runs) / 1e6)
        print(f"| {name} | " + " | ".join(f"{rate:.2f}" for rate in row) + " |", flush=True)


def waits(seeds: int, jobs: int, loads: Sequence[float]) -> None:
    """A twentieth of the machines; mean wait in s with a 95 % interval over seeds."""
    problem = google_2011(0.05)
    plan = guide(problem, time_limit=20.0)
    print(f"Plan: {plan.arrival_rate:.0f} of at most {plan.arrival_rate_bound:.0f} jobs/h\n")
    print("| load | demands | " + " | ".join(NAMES) + " | bound |")
    print("|---|---|" + "---|" * (len(NAMES) + 1))
    half_width = T_975[seeds] / math.sqrt(seeds)
    tails: dict[tuple[float, float], list[Simulation]] = {}
    for load in loads:
        for noise in (0.0, NOISE):
            means: dict[str, list[float]] = {name: [] for name in [*NAMES, "bound"]}
            for seed in range(seeds):
                rate = load * plan.arrival_rate_bound
                workload = poisson(problem, rate, jobs, seed=seed, noise=noise)
                known = with_spread(plan, noise)
                runs = [
                    simulate(workload, name, guidance=known, seed=seed, warm_up=0.2)
                    for name in NAMES
                ]
                for run in runs:
                    means[run.policy].append(3600 * run.mean_wait)
                means["bound"].append(3600 * waiting_bound(workload, plan).mean_wait)
                tails.setdefault((load, noise), runs)
            cells = [
                f"{np.mean(values):.3g} ± {half_width * np.std(values, ddof=1):.1g}"
                for values in means.values()
            ]
            kind = "noisy" if noise else "exact"
            print(f"| {load} | {kind} | " + " | ".join(cells) + " |", flush=True)
    _plot_tails(tails)


def _plot_tails(tails: dict[tuple[float, float], list[Simulation]]) -> None:
    figure = Figure(figsize=(12, 6.5), layout="constrained")
    columns = len(tails) // 2
    axes = figure.subplots(2, columns, sharex=True, sharey=True, squeeze=False)
    for place, ((load, noise), runs) in enumerate(tails.items()):
        ax: Axes = axes[place % 2, place // 2]
        for run, (colour, style) in zip(runs, policy_styles(NAMES), strict=True):
            times, share = longer_than(run)
            ax.plot(3600 * times, share, color=colour, ls=style, label=run.policy)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.grid(alpha=0.3)
        ax.set_title(f"{load} of the highest rate, {'noisy' if noise else 'exact'} demands")
    for ax in axes[-1]:
        ax.set_xlabel("wait, s")
    for ax in axes[:, 0]:
        ax.set_ylabel("part of the jobs that wait longer")
    handles = axes[0, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=len(NAMES))
    figure.savefig(FOLDER / "dispatch-waits.png", dpi=110)


def trace(nodes: Path, pods: Path, scale: float, speeds: Sequence[float]) -> None:
    """The openb pods on a part of the nodes, faster and faster; mean wait in s."""
    with tempfile.TemporaryDirectory() as folder:
        imported = read_openb(nodes, pods, window=(QUIET, np.inf))
        problem, jobs, job_class = imported.made, imported.jobs, imported.job_class
        table = Path(folder) / "jobs.csv"
        write_jobs(table, problem, jobs, job_class)
        count = [max(1, round(n * scale)) for n in problem.count.tolist()]
        problem = problem.with_count(np.array(count))
        plan = guide(problem, time_limit=10.0)
        second = SECONDS[problem.time_unit]
        print("| arrivals | " + " | ".join(NAMES) + " | bound | GPUs in use |")
        print("|---|" + "---|" * (len(NAMES) + 2))
        for fast in speeds:
            workload = replay(problem, table, compress=fast)
            plan = with_spread(plan, spread_of(workload))
            runs = [simulate(workload, name, guidance=plan, warm_up=0.2) for name in NAMES]
            cells = [f"{second * run.mean_wait:.0f}" for run in runs]
            cells.append(f"{second * waiting_bound(workload, plan).mean_wait:.3g}")
            cells.append(f"{runs[-1].utilisation[-1]:.1%}")
            print(f"| x {fast:g} | " + " | ".join(cells) + " |", flush=True)
    write_plot(runs, FOLDER / "dispatch-openb.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    for name, count in (("speed", 2_000_000), ("waits", 300_000)):
        part = parts.add_parser(name)
        part.add_argument("--jobs", type=int, default=count)
        part.add_argument("--loads", type=float, nargs="+")
        if name == "waits":
            part.add_argument("--seeds", type=int, default=10, choices=T_975)
    part = parts.add_parser("trace")
    part.add_argument("nodes", type=Path)
    part.add_argument("pods", type=Path)
    part.add_argument("--scale", type=float, default=0.1)
    part.add_argument("--speeds", type=float, nargs="+", default=[40, 80, 120, 160, 240])
    part = parts.add_parser("peers")
    part.add_argument("--cloudsimpy", type=Path, help="a copy of FengcunLi/CloudSimPy")
    part.add_argument("--machines", type=int, default=1000)
    part.add_argument("--tasks", type=int, default=20_000)
    chosen = parser.parse_args()
    if chosen.part == "speed":
        speed(chosen.jobs, chosen.loads or [0.95, 0.98, 1.02])
    elif chosen.part == "waits":
        waits(chosen.seeds, chosen.jobs, chosen.loads or [0.90, 0.95, 0.98])
    elif chosen.part == "trace":
        trace(chosen.nodes, chosen.pods, chosen.scale, chosen.speeds)
    else:
        from dispatch_peers import compare

        compare(chosen.machines, chosen.tasks, chosen.cloudsimpy)


if __name__ == "__main__":
    main()
