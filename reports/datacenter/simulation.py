"""Simulations for people: tables, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...core.wording import plural
from ...heuristics.datacenter.result import Simulation
from ...instances.datacenter.job_file import SECONDS
from .guidance import table_of


def simulation_view(
    simulations: Sequence[Simulation],
    bound: float | None = None,
    whole: int | None = None,
    pooled: float | None = None,
) -> Group:
    """Tables of the policies, and of the classes of the first one, with what they mean.

    `bound`: lower bound on the mean wait, see `waiting_bound`, or None.
    `whole`: number of machines of the datacenter of which these are a part, or None.
    `pooled`: mean wait on one machine with all resources, see `pooled_mean_wait`, or None.
    """
    first = simulations[0]
    unit, factor = wait_unit(first)
    remarks = [
        f"Waits are of {plural(first.measured, 'job')} after the warm-up. 99 %: what one job in a "
        "hundred exceeds.",
        "Fragmented: how many fewer jobs the free room holds than if it were all on one machine.",
        "Mev/s: million arrivals and departures a second.",
        length(first),
    ]
    if pooled is not None:
        load = _number(pooled * factor)
        remarks.append(
            f"On one machine with all resources these jobs wait {load} {unit} on average, first "
            "come with skipping: the part that is due to load, not to packing. It is no bound."
        )
    if bound is not None:
        limit = _number(bound * factor)
        remarks.append(f"No policy has a mean wait of all jobs below {limit} {unit}.")
    return Group(
        Text(f"{heading(first, whole)}\n"),
        waits_table(simulations),
        machines_table(simulations),
        classes_table(first),
        Text("\n".join(remarks)),
    )


def heading(simulation: Simulation, whole: int | None = None) -> str:
    """The datacenter, how many machines of how many, the jobs, and their part of the highest rate.

    `whole`: number of machines of the datacenter of which these are a part, or None.
    """
    data, load = simulation.datacenter, simulation.load
    part = data.machines / (whole or data.machines)
    of = "" if part == 1 else f" ({part:.2g} of {whole})"
    jobs = simulation.workload.source + ("" if load is None else f"; load {load:.4g}")
    return f"{data.name}: {plural(data.machines, 'machine')}{of}\n{jobs}"


def length(simulation: Simulation) -> str:
    """How long run and warm-up were, in mean durations."""
    mean, whole = simulation.mean_duration, float(simulation.workload.horizon)
    if mean <= 0:
        return ""
    unit, factor = time_unit(simulation, whole)
    own, parts = time_unit(simulation, mean)
    return (
        f"The run: {plural(simulation.all_jobs, 'job')} in {whole * factor:.3g} {unit}, "
        f"{_number(whole / mean)} mean durations of {mean * parts:.3g} {own}; the warm-up: "
        f"{_number(simulation.measured_from / mean)} of them."
    )


def time_unit(simulation: Simulation, time: float) -> tuple[str, float]:
    """The unit in which a person reads a time, and what the datacenter's own unit is in it."""
    own = simulation.datacenter.time_unit
    if own not in SECONDS:
        return own, 1.0
    fitting = [unit for unit in SECONDS if time * SECONDS[own] >= 2 * SECONDS[unit]]
    unit = fitting[-1] if fitting else "s"
    return unit, SECONDS[own] / SECONDS[unit]


def waits_table(simulations: Sequence[Simulation]) -> Table:
    """How long jobs wait, with one row per policy."""
    unit, factor = wait_unit(simulations[0])
    columns = (f"mean, {unit}", f"99 %, {unit}", f"longest, {unit}", "waited, %", "Mev/s")
    table = table_of("Waits", "policy", *columns)
    for simulation in simulations:
        waited = 1 - simulation.at_once.sum() / max(1, simulation.measured)
        rate = simulation.events_per_second / 1e6
        table.add_row(
            simulation.policy,
            _number(simulation.mean_wait * factor),
            _number(simulation.quantile(0.99) * factor),
            _number(simulation.max_wait * factor),
            f"{100 * waited:.1f}",
            f"{rate:.2f}" if rate >= 0.1 else f"{rate:.2g}",
        )
    return table


def machines_table(simulations: Sequence[Simulation]) -> Table:
    """What becomes of the machines, with one row per policy."""
    first = simulations[0]
    r = int(first.utilisation.argmax())
    used = f"{first.datacenter.resources[r]} in use, %"
    table = table_of("Machines", "policy", used, "fragmented, %")
    for simulation in simulations:
        cells = [simulation.utilisation[r], simulation.fragmentation]
        table.add_row(simulation.policy, *(f"{100 * cell:.1f}" for cell in cells))
    return table


def classes_table(simulation: Simulation) -> Table:
    unit, factor = wait_unit(simulation)
    columns = ("jobs", f"mean, {unit}", f"99 %, {unit}", f"longest, {unit}")
    table = table_of(f"{simulation.policy}, by class", "class", *columns)
    for k, name in enumerate(simulation.datacenter.classes):
        jobs = int(simulation.jobs[k])
        table.add_row(
            escape(name),
            str(jobs),
            _number(float(simulation.wait_sum[k]) / max(1, jobs) * factor),
            _number(simulation.quantile(0.99, k) * factor),
            _number(float(simulation.wait_max[k]) * factor),
        )
    return table


def wait_unit(simulation: Simulation) -> tuple[str, float]:
    """Waits are shown in seconds if the datacenter's unit is known."""
    unit = simulation.datacenter.time_unit
    return ("s", SECONDS[unit]) if unit in SECONDS else (unit, 1.0)


def _number(value: float) -> str:
    return "0" if value == 0 else f"{value:.3g}" if value < 1000 else f"{value:.0f}"
