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
from ...instances.datacenter.guidance import Gains, Guidance, Prices
from ...instances.datacenter.rehearsal import Rehearsal
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


def explanation(guidance: Guidance) -> list[str]:
    """What the plan carries, what limits it and what would help, one or two sentences per line."""
    lines = [_plan(guidance)]
    if guidance.target_rate is not None:
        lines.append(_spare(guidance))
    if guidance.prices is not None:
        lines += _resources(guidance, guidance.prices)
        lines.append(_classes(guidance, guidance.prices))
        lines.append(_machines(guidance, guidance.prices))
    if guidance.rehearsal is not None:
        lines.append(_rehearsal(guidance.rehearsal, guidance.datacenter.time_unit))
    return lines


def _rehearsal(rehearsal: Rehearsal, unit: str) -> str:
    waits = [
        f"{row} {row.mean_wait:.3g}"
        + ("" if row.standard_error is None else f" ± {row.standard_error:.2g}")
        for row in rehearsal.candidates
    ]
    noise = f", demands vary by {rehearsal.noise:g}" if rehearsal.noise else ""
    on = "on given jobs" if rehearsal.load is None else f"at load {rehearsal.load:g}"
    return (
        f"Rehearsed {on}{noise}: follow {rehearsal.winner}. Mean waits "
        f"in {unit}, of those that stayed longest first: {'; '.join(waits)}."
    )


def guidance_view(guidance: Guidance, *more: str) -> Group:
    """The explanation, a table of configurations and one of bins."""
    text = Text("\n".join((*explanation(guidance), *more)) + "\n")
    datacenter, prices = guidance.datacenter, guidance.prices
    table = Table(title=escape(f"{datacenter.name}: {guidance.method}"), title_justify="left")
    table.add_column("configuration", no_wrap=True)
    table.add_column("machines", justify="right")
    table.add_column("bins", justify="right")
    if prices is not None:
        for resource in datacenter.resources:
            table.add_column(escape(f"limit: {resource}"), justify="right")
        table.add_column(escape(f"one more: jobs/{datacenter.time_unit}"), justify="right")
    for j, name in enumerate(datacenter.configurations):
        bins = int((guidance.bin_configuration == j).sum())
        row = [escape(name), str(int(datacenter.count[j])), str(bins)]
        if prices is not None:
            row += [NONE if share < 1e-6 else percent(share) for share in prices.resource[j]]
            row.append(_number(float(prices.machine[j])))
        table.add_row(*row)
    return Group(text, table, _bins_table(guidance))


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
    unit = f"jobs per {guidance.datacenter.time_unit}"
    if guidance.target_rate is not None:
        proof = f" ({guidance.integer_proof})" if guidance.integer_proof else ""
        return (
            f"{guidance.machines_needed} of {guidance.datacenter.machines} machines carry "
            f"{_number(guidance.target_rate)} {unit}; no plan does with fewer than "
            f"{guidance.machines_bound}{proof}."
        )
    return (
        f"The plan carries {_number(guidance.arrival_rate)} {unit}, {percent(guidance.gap)} below "
        f"{_number(guidance.arrival_rate_bound)}, which no plan of these classes exceeds "
        f"({guidance.bound_name}).{_loss(guidance)}"
    )


def rate_in_words(guidance: Guidance) -> str:
    """What the plan carries and how far below the bound that is, as a title."""
    unit = f"jobs per {guidance.datacenter.time_unit}"
    if guidance.target_rate is not None:
        return (
            f"{guidance.machines_needed} of {guidance.datacenter.machines} machines carry "
            f"{_number(guidance.target_rate)} {unit}"
        )
    rate = _number(guidance.arrival_rate)
    return f"{rate} {unit}, {percent(guidance.gap)} below what no plan of these classes exceeds"


def _loss(guidance: Guidance) -> str:
    """What a better plan of whole machines could bring."""
    loss, proof = guidance.loss, guidance.integer_proof
    if loss is None or guidance.integer_bound is None:
        return ""
    if loss <= OPTIMAL:
        return f" No plan of whole machines carries more ({proof})."
    if guidance.integer_bound >= guidance.arrival_rate_bound:
        return ""
    return (
        f" No plan of whole machines carries more than {_number(guidance.integer_bound)} "
        f"({proof}), so this one is at most {percent(loss)} below the best."
    )


def _spare(guidance: Guidance) -> str:
    names = guidance.datacenter.configurations
    idle = ~guidance.bin_jobs.any(axis=1)
    spare = [
        f"{machines} {names[j]}"
        for j, machines in zip(
            guidance.bin_configuration[idle].tolist(),
            guidance.bin_machines[idle].tolist(),
            strict=True,
        )
    ]
    return f"Not needed: {', '.join(spare)}." if spare else "Every machine is needed."


def _resources(guidance: Guidance, prices: Prices) -> list[str]:
    """One line for each resource, the most limiting first."""
    datacenter = guidance.datacenter
    lines = []
    for r in np.argsort(-prices.resource.sum(axis=0), kind="stable").tolist():
        resource, shares = datacenter.resources[r], prices.resource[:, r]
        total = float(shares.sum())
        if total < SMALL:
            lines.append(f"At the bound's prices {resource} is free.")
        else:
            where = _ranked(datacenter.configurations, shares)
            lines.append(f"Of what limits the rate, {percent(total)} is {resource}: {where}.")
        if prices.gains is not None:
            lines[-1] += more_of(datacenter, prices.gains, r)
    return lines


def _classes(guidance: Guidance, prices: Prices) -> str:
    return (
        "At these prices the classes take of the datacenter: "
        f"{_ranked(guidance.datacenter.classes, prices.work)}."
    )


def _machines(guidance: Guidance, prices: Prices) -> str:
    datacenter = guidance.datacenter
    # Rounded, so that equal gains stay in the order of the configurations.
    order = np.argsort([-float(f"{gain:.6g}") for gain in prices.machine], kind="stable").tolist()
    gains = [
        f"{datacenter.configurations[j]} {_number(float(prices.machine[j]))}"
        for j in order[:6]
        if prices.machine[j] > 0
    ]
    more = ", …" if np.count_nonzero(prices.machine > 0) > 6 else ""
    unit = f"jobs per {datacenter.time_unit}"
    if not gains:
        return "No single machine more of any configuration would raise the rate."
    return f"One more machine would bring, in {unit}: {', '.join(gains)}{more}."


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


def _bins_table(guidance: Guidance) -> Table:
    datacenter = guidance.datacenter
    total = len(guidance.bin_machines)
    caption = f"{total - MOST_BINS} more bins in the file" if total > MOST_BINS else None
    table = Table(title="Bins", title_justify="left", caption=caption, caption_justify="left")
    table.add_column("configuration")
    table.add_column("machines", justify="right")
    table.add_column("jobs on each")
    for b in range(min(total, MOST_BINS)):
        jobs = zip(datacenter.classes, guidance.bin_jobs[b].tolist(), strict=True)
        table.add_row(
            escape(datacenter.configurations[int(guidance.bin_configuration[b])]),
            str(int(guidance.bin_machines[b])),
            escape(", ".join(f"{n} {name}" for name, n in jobs if n)) or "none",
        )
    return table


def _number(value: float) -> str:
    """Enough digits to tell plan and bound apart: `4 730 543`, `0.00123`."""
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 10_000 else f"{value:.6g}"


MOST_NAMED = 3
"""Most configurations named in a sentence."""

EQUAL_DIGITS = 9
"""Gains that agree to so many digits after the point are equal."""


def more_of(datacenter: Datacenter, gains: Gains, r: int) -> str:
    """What more of one resource brings, as sentences that follow others.

    Returns the sentences, each after a space; empty if nothing was solved again.
    """
    gain, names = float(gains.everywhere[r]), datacenter.configurations
    resource = datacenter.resources[r]
    if np.isnan(gain):
        return ""
    if gain > 0:
        place = np.nan_to_num(gains.place[:, r])
        alone = [f"{names[j]} alone {percent(float(place[j]))}" for j in _best(place)]
        listed = f" ({', '.join(alone)})" if alone and len(names) > 1 else ""
        words = (
            f" Solved again, 1 % more {resource} on all machines brings {percent(gain)} more "
            f"jobs{listed}."
        )
    else:
        words = f" Solved again, 1 % more {resource} on all machines brings nothing."
        first = gains.first[datacenter.count > 0, r]
        if np.isinf(first).all():
            return f"{words} Nor does up to twice as much."
    least = np.nan_to_num(gains.first_gain[:, r])
    if not (least > 0).any():
        return words
    # Of equal gains the one for which least has to be added.
    j = np.lexsort((gains.first[:, r], -least.round(EQUAL_DIGITS)))[0]
    return (
        f"{words} {percent(float(gains.first[j, r]))} more {resource} on {names[j]} brings "
        f"{percent(float(least[j]))} more jobs; less there brings nothing."
    )


def _best(gain: FloatArray) -> list[int]:
    """The numbers of the largest gains above 0."""
    order = np.argsort(-gain, kind="stable")[:MOST_NAMED].tolist()
    return [j for j in order if gain[j] > 0]


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
