"""What guidance costs and what it loses: programs, roundings, column generation.

python benchmarks/guide.py
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from slotwise.core.clock import Clock
from slotwise.core.errors import InputError
from slotwise.formulations.datacenter.allocation import model as allocation
from slotwise.formulations.datacenter.machine_assignment import model as machine_assignment
from slotwise.formulations.datacenter.machine_assignment.bins import (
    algorithm_1,
    all_non_dominated,
    non_dominated,
)
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.solvers.backends import highs
from slotwise.solvers.datacenter.column_generation import generate_columns
from slotwise.solvers.datacenter.guide import guide
from slotwise.solvers.datacenter.knapsack import warm_up
from slotwise.solvers.datacenter.rounding import greedy_rounding, printed_rounding, rate_of
from slotwise.solvers.datacenter.whole_machines import whole_plan

EXAMPLE = Path(__file__).parents[1] / "examples" / "google-2011.json"
MOST = 1_000_000


def timed(work: Callable[[], object]) -> tuple[object, float]:
    began = perf_counter()
    result = work()
    return result, perf_counter() - began


def tables_1_and_2(scale: float) -> None:
    """Every road on the paper's datacenter; losses are against the column generation's bound."""
    data = google_2011(scale)
    columns, seconds = timed(lambda: generate_columns(data))
    bound, rows = columns.bound, [("column generation, bound", columns.bound, seconds)]

    def lp(name: str, build: Callable[[], object]) -> object:
        model, building = timed(build)
        outcome = highs.solve(model)
        rows.append((name, outcome.incumbent, building + outcome.seconds))
        return model

    lp("allocation program as printed", lambda: allocation.build(data, as_printed=True))
    first = lp("allocation program, fit rule", lambda: allocation.build(data))
    bins = all_non_dominated(data)
    lp(f"machine assignment, all {sum(map(len, bins))} bins",
       lambda: machine_assignment.build(data, bins))  # fmt: skip
    used = allocation.delta(first).max(axis=2) > 1e-9
    few = [algorithm_1(data, j, np.flatnonzero(used[j]).tolist()) for j in range(len(bins))]
    few = [np.unique(made, axis=0) for made in few]
    vertex = lp(f"machine assignment, {sum(map(len, few))} bins of one vertex",
                lambda: machine_assignment.build(data, few))  # fmt: skip
    parts = machine_assignment.machines(vertex)
    rows.append(("  rounded as printed", rate_of(data, few, printed_rounding(few, parts)), 0.0))
    generated, parts = columns.bins, columns.machines
    printed, seconds = timed(lambda: printed_rounding(generated, parts))
    rows.append(("generated bins, rounded as printed", rate_of(data, generated, printed), seconds))
    greedy, seconds = timed(lambda: greedy_rounding(data, generated, parts, columns.value))
    rows.append(("generated bins, greedy", rate_of(data, generated, greedy), seconds))
    plan, seconds = timed(lambda: whole_plan(data, columns, Clock(5)))
    rows.append((plan.method[-45:], rate_of(data, plan.bins, plan.machines), seconds))
    print(f"\n{data}\n{'':45}{'jobs/h':>14}{'below bound':>14}{'seconds':>10}")
    for name, rate, seconds in rows:
        print(f"{name:45}{rate:14.2f}{1 - rate / bound:14.1e}{seconds:10.3f}")


def bins_by_configuration() -> None:
    """Non-dominated bins of Tables 1 and 2 beside those that Algorithm 1 emits."""
    data = google_2011()
    print("\nbins by configuration: all non-dominated, Algorithm 1 as printed, with the reset")
    for row in (
        all_non_dominated(data),
        [algorithm_1(data, j) for j in range(10)],
        [algorithm_1(data, j, reset=True) for j in range(10)],
    ):
        print("".join(f"{len(bins):8}" for bins in row), f"total {sum(map(len, row))}")


def random_datacenters() -> None:
    """Column generation where enumeration is hopeless."""
    head = "".join(f"{word:>12}" for word in ("bins", "columns", "gap", "seconds"))
    print(f"\n{'':26}{head}{'plan below':>12}{'guide s':>12}")
    for parameters in (
        {"seed": 1},
        {"seed": 2},
        {"seed": 3, "speed": (0.5, 2.0)},
        {"seed": 4, "resources": 4},
        {"seed": 5, "request": (0.05, 0.25)},
        {"seed": 6, "request": (0.001, 0.1)},
        {"seed": 7, "classes": 100, "configurations": 100},
    ):
        data = generate(**parameters)
        columns, seconds = timed(lambda data=data: generate_columns(data))
        guidance, total = timed(lambda data=data: guide(data))
        print(
            f"{data.name:26}{_bins(data):>12}{columns.columns:12}{columns.gap:12.0e}"
            f"{seconds:12.2f}{guidance.gap:12.1e}{total:12.2f}"
        )


def small_clusters(number: int = 100) -> None:
    """Plans of clusters under 60 machines against the best plan of whole machines.

    The best is that of the integer program over all non-dominated bins, in 20 s, or its bound. The
    second hundred has speeds and permissions by configuration.
    """
    print(
        f"\n{number} clusters under 60 machines each, {'loss, mean':>12}{'worst':>9}"
        f"{'within 0.5 %':>14}{'proven 0.5 %':>14}{'proven 1e-6':>13}{'seconds':>9}{'most':>7}"
    )
    for name, extra in (
        ("same speed everywhere", {}),
        ("speeds 0.5 to 2, 70 % allowed", {"speed": (0.5, 2.0), "allowed": 0.7}),
    ):
        losses, proven, times = [], [], []
        for seed in range(number):
            data = _small(seed, extra)
            guidance, seconds = timed(lambda data=data: guide(data))
            losses.append(1 - guidance.arrival_rate / _best(data, guidance))
            proven.append(guidance.loss)
            times.append(seconds)
            if guidance.loss > 0.005:
                print(f"  {data.name}, {data.machines} machines: proven {guidance.loss:.2%}, "
                      f"loss at most {losses[-1]:.2%}")  # fmt: skip
        lost, sure = np.array(losses), np.array(proven)
        print(
            f"{name:34}{lost.mean():12.1e}{lost.max():9.1e}{(lost <= 0.005).sum():14}"
            f"{(sure <= 0.005).sum():14}{(sure <= 2e-6).sum():13}"
            f"{np.mean(times):9.2f}{max(times):7.2f}"
        )


def _small(seed: int, extra: dict[str, object]) -> Datacenter:
    rng = np.random.default_rng((seed, len(extra)))
    configurations, classes = int(rng.integers(1, 5)), int(rng.integers(2, 5))
    machines = int(rng.integers(max(3, configurations), 60))
    return generate(
        classes, configurations, int(rng.integers(1, 4)), machines,
        seed=seed, request=(0.04, 0.25), **extra,
    )  # fmt: skip


def _best(data: Datacenter, guidance: Guidance) -> float:
    """The arrival rate of the best plan, or what none exceeds, by an integer program of its own."""
    # What is proven is only to be confirmed.
    time_limit = 5.0 if guidance.loss <= 2e-6 else 20.0
    model = machine_assignment.build(data, all_non_dominated(data), integer=True)
    settings = highs.HighsSettings(relative_gap=1e-6)
    outcome = highs.solve(model, time_limit=time_limit, settings=settings)
    best = outcome.incumbent or 0.0
    assert best <= guidance.integer_bound * (1 + 2e-6), (data.name, best, guidance.integer_bound)
    return max(best, guidance.arrival_rate, min(outcome.bound, guidance.integer_bound))


def _bins(data: Datacenter) -> str:
    """How many non-dominated bins there are, as far as it is worth counting."""
    total = 0
    for j in range(len(data.configurations)):
        try:
            total += len(non_dominated(data, j, most=MOST - total))
        except InputError:
            return f"> {MOST:,}"
    return f"{total:,}"


def command() -> None:
    """Wall time of the command in a process of its own, kernels compiled."""
    words = [sys.executable, "-m", "slotwise", "guide", str(EXAMPLE), "--quiet"]
    times = [timed(lambda: subprocess.run(words, check=True))[1] for _ in range(3)]
    print(f"\nslotwise guide example:google-2011: {min(times):.2f} s")


if __name__ == "__main__":
    warm_up()
    bins_by_configuration()
    tables_1_and_2(1.0)
    tables_1_and_2(1 / 20)
    random_datacenters()
    small_clusters()
    command()
