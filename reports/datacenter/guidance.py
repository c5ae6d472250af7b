"""Guidance for people: what limits a datacenter, in words and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...core.arrays import FloatArray
from ...core.wording import NONE, percent
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance, Prices
from ...instances.datacenter.work import WORK_TOLERANCE, work_of_classes, work_of_jobs
from ...instances.datacenter.workload import Workload
from ..plots import bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..plots import Where

MOST_BINS = 40
"""Most bins shown in the table; the file has all."""

OPTIMAL = 2e-6
"""A plan that loses at most this counts as optimal; solvers end a little before 0."""

SMALL = 0.0005
"""A share of the limit below this is not mentioned."""

MOST_IN_LEGEND = 20
"""Classes that a plot names."""

MOST_NAMED = 3
"""Most configurations named for what more of a resource brings there alone."""

EQUAL_DIGITS = 9
"""Gains that agree to so many digits after the point are equal."""


def explanation(guidance: Guidance) -> list[str]:
    """What the plan carries, what limits it and what would help, one or two sentences per line."""
    data, prices, rehearsal = guidance.datacenter, guidance.prices, guidance.rehearsal
    lines = [_plan(guidance)]
    if guidance.target_rate is not None:
        idle = np.flatnonzero(~guidance.bin_jobs.any(axis=1))
        spare = [
            f"{guidance.bin_machines[b]} {data.configurations[guidance.bin_configuration[b]]}"
            for b in idle
        ]
        lines.append(f"Not needed: {', '.join(spare)}." if spare else "Every machine is needed.")
    if prices is not None:
        order = np.argsort(-prices.resource.sum(axis=0), kind="stable")
        lines += [_resource(data, prices, r) for r in order.tolist()]
        lines.append(
            "At these prices the classes take of the datacenter: "
            f"{_ranked(data.classes, prices.work)}."
        )
        lines.append(_machines(data, prices))
    if rehearsal is not None:
        waits = [
            f"{row} {row.mean_wait:.3g}"
            + ("" if row.standard_error is None else f" ± {row.standard_error:.2g}")
            for row in rehearsal.candidates
        ]
        noise = f", demands vary by {rehearsal.noise:g}" if rehearsal.noise else ""
        on = "on given jobs" if rehearsal.load is None else f"at load {rehearsal.load:g}"
        lines.append(
            f"Rehearsed {on}{noise}: follow {rehearsal.winner}. Mean waits in {data.time_unit}: "
            f"{'; '.join(waits)}."
        )
    return lines


def guidance_view(guidance: Guidance, *more: str) -> Group:
    """The explanation, a table of configurations and one of bins."""
    text = Text("\n".join((*explanation(guidance), *more)) + "\n")
    data, prices = guidance.datacenter, guidance.prices
    columns = ["machines", "bins"]
    if prices is not None:
        columns += [f"limit: {resource}" for resource in data.resources]
        columns.append(f"one more: jobs/{data.time_unit}")
    table = table_of(f"{data.name}: {guidance.method}", "configuration", *columns)
    for j, name in enumerate(data.configurations):
        row = [str(int(data.count[j])), str(int((guidance.bin_configuration == j).sum()))]
        if prices is not None:
            row += [NONE if share < 1e-6 else percent(share) for share in prices.resource[j]]
            row.append(_number(float(prices.machine[j])))
        table.add_row(escape(name), *row)
    total = len(guidance.bin_machines)
    bins = table_of("Bins", "configuration", "machines")
    bins.caption = f"{total - MOST_BINS} more bins in the file" if total > MOST_BINS else None
    bins.caption_justify = "left"
    bins.add_column("jobs on each")
    for b in range(min(total, MOST_BINS)):
        jobs = zip(data.classes, guidance.bin_jobs[b].tolist(), strict=True)
        bins.add_row(
            escape(data.configurations[int(guidance.bin_configuration[b])]),
            str(int(guidance.bin_machines[b])),
            escape(", ".join(f"{n} {name}" for name, n in jobs if n)) or "none",
        )
    return Group(text, table, bins)


def table_of(title: str, first: str, *columns: str) -> Table:
    """A table whose first column holds names, and the others numbers."""
    table = Table(title=escape(title), title_justify="left")
    table.add_column(first, no_wrap=True)
    for name in columns:
        table.add_column(escape(name), justify="right")
    return table


def work_compared(workload: Workload) -> str:
    """What jobs and their classes hold of each resource, and how many jobs that allows."""
    datacenter = workload.datacenter
    jobs, classes = work_of_jobs(workload), work_of_classes(datacenter)
    held = [_held(*row) for row in zip(datacenter.resources, jobs, classes, strict=True)]
    capacity = datacenter.count @ datacenter.capacity
    most = np.divide(capacity, jobs, out=np.full(len(jobs), np.inf), where=jobs > 0)
    least, unit = int(most.argmin()), datacenter.time_unit
    return (
        f"Of these resources a job holds for how long (× {unit}), on average, in {workload.source} "
        f"and in the classes: {'; '.join(held)}. No plan carries more than {_number(most[least])} "
        f"of these jobs per {unit}: they would hold more {datacenter.resources[least]} than there "
        "is."
    )


def _held(resource: str, jobs: float, classes: float) -> str:
    if np.isclose(jobs, classes, rtol=WORK_TOLERANCE, atol=0.0):
        return f"{resource} {_number(jobs)} in both"
    more = f" ({percent(classes / jobs - 1)})" if jobs > 0 else ""
    return f"{resource} {_number(jobs)} and {_number(classes)}{more}"


def _plan(guidance: Guidance) -> str:
    if guidance.target_rate is not None:
        proof = f" ({guidance.integer_proof})" if guidance.integer_proof else ""
        fewest = f"no plan does with fewer than {guidance.machines_bound}{proof}"
        return f"{rate_in_words(guidance)}; {fewest}."
    unit, most = f"jobs per {guidance.datacenter.time_unit}", _number(guidance.arrival_rate_bound)
    if guidance.gap <= OPTIMAL:
        proof = f"proven: {guidance.bound_name}"
        return f"At most {most} {unit} are possible; this plan reaches that ({proof})."
    carries = (
        f"At most {most} {unit} are possible ({guidance.bound_name}); this plan carries "
        f"{_number(guidance.arrival_rate)}, {percent(guidance.gap)} less."
    )
    loss, proof, whole = guidance.loss, guidance.integer_proof, guidance.integer_bound
    if loss is None or whole is None:
        return carries
    if loss <= OPTIMAL:
        return f"{carries} No plan of whole machines carries more ({proof})."
    if whole >= guidance.arrival_rate_bound:
        return carries
    return (
        f"{carries} No plan of whole machines carries more than {_number(whole)} ({proof}), so "
        f"this one is at most {percent(loss)} below the best."
    )


def rate_in_words(guidance: Guidance) -> str:
    """What the plan carries and how far below the bound that is, as a title."""
    unit = f"jobs per {guidance.datacenter.time_unit}"
    if guidance.target_rate is not None:
        return (
            f"{guidance.machines_needed} of {guidance.datacenter.machines} machines carry "
            f"{_number(guidance.target_rate)} {unit}"
        )
    below = f"{percent(guidance.gap)} below what is possible"
    return f"{_number(guidance.arrival_rate)} {unit}, {below}"


def _resource(data: Datacenter, prices: Prices, r: int) -> str:
    """How much of the limit is a resource, and what more of it brings."""
    resource, names, shares = data.resources[r], data.configurations, prices.resource[:, r]
    total, gains = float(shares.sum()), prices.gains
    line = f"Of what limits the rate, {percent(total)} is {resource}: {_ranked(names, shares)}."
    if total < SMALL:
        line = f"The rate is not limited by {resource}."
    if gains is None or np.isnan(gains.everywhere[r]):
        return line
    gain, least = float(gains.everywhere[r]), np.nan_to_num(gains.first_gain[:, r])
    if gain > 0:
        place = np.nan_to_num(gains.place[:, r])
        best = [j for j in np.argsort(-place, kind="stable")[:MOST_NAMED] if place[j] > 0]
        alone = ", ".join(f"{names[j]} alone {percent(float(place[j]))}" for j in best)
        listed = f" ({alone})" if alone and len(names) > 1 else ""
        line += f" 1 % more {resource} on all machines brings {percent(gain)} more jobs{listed}."
    else:
        line += f" 1 % more {resource} on all machines brings nothing."
        if np.isinf(gains.first[data.count > 0, r]).all():
            return f"{line} Nor does up to twice as much."
    if not (least > 0).any():
        return line
    # Of equal gains the one for which least has to be added.
    j = np.lexsort((gains.first[:, r], -least.round(EQUAL_DIGITS)))[0]
    more = float(gains.first[j, r])
    amount = f"{more * data.capacity[j, r]:.3g} a machine"
    return (
        f"{line} {percent(more)} more {resource} on {names[j]} ({amount}) brings "
        f"{percent(float(least[j]))} more jobs; less there brings nothing."
    )


def _machines(data: Datacenter, prices: Prices) -> str:
    # Rounded, so that equal gains stay in the order of the configurations.
    order = np.argsort([-float(f"{gain:.6g}") for gain in prices.machine], kind="stable")
    gains = [
        f"{data.configurations[j]} {_number(float(prices.machine[j]))}"
        for j in order.tolist()
        if prices.machine[j] > 0
    ]
    if not gains:
        return "No single machine more of any configuration would raise the rate."
    shown = ", ".join([*gains[:6], *(["…"] if len(gains) > 6 else [])])
    return f"One more machine would bring, in jobs per {data.time_unit}: {shown}."


def _ranked(names: Sequence[str], shares: FloatArray) -> str:
    """`c1 50.6 %, c2 29.0 %, 4 others 1.2 %`."""
    order = np.argsort(-shares, kind="stable")
    shown = [k for k in order[:5].tolist() if shares[k] >= SMALL]
    parts = [f"{names[k]} {percent(float(shares[k]))}" for k in shown]
    rest = [k for k in order.tolist() if k not in shown and shares[k] > 0]
    others = float(shares[rest].sum())
    if others >= SMALL:
        label = names[rest[0]] if len(rest) == 1 else f"{len(rest)} others"
        parts.append(f"{label} {percent(others)}")
    return ", ".join(parts)


def _number(value: float) -> str:
    """Enough digits to tell plan and bound apart: `4 730 543`, `0.00123`."""
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 10_000 else f"{value:.6g}"


def draw_guidance(guidance: Guidance, ax: Where) -> Axes:
    """Running jobs of each class on one machine of each configuration, on average."""
    datacenter = guidance.datacenter
    per_machine = guidance.running / np.maximum(datacenter.count, 1)
    counts = zip(datacenter.configurations, datacenter.count.tolist(), strict=True)
    ax = bars(
        ax,
        [f"{name} × {count}" for name, count in counts],
        dict(zip(datacenter.classes, per_machine.tolist(), strict=True)),
        "running jobs per machine",
        f"{datacenter.name}: {rate_in_words(guidance)}",
    )
    if len(datacenter.classes) <= MOST_IN_LEGEND:
        ax.legend(frameon=False, title="class", loc="center left", bbox_to_anchor=(1, 0.5))
    return ax
