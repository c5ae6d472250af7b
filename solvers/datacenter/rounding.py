"""From fractional to whole machines: the rounding of [LoTES] and a greedy one.

A plan is a list of arrays, `machines[j]`, shape (bins of configuration j,).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...instances.datacenter.datacenter import Datacenter

WHOLE = 1e-6
"""A number of machines this close to an integer is that integer; solvers leave such errors."""


def printed_rounding(
    bins: Sequence[IntArray], machines: Sequence[FloatArray]
) -> tuple[IntArray, ...]:
    """Round as in [LoTES], section 4.2: the q_j largest fractions of each configuration go up.

    q_j is the sum of the fractions. Ties go to the bin that is lexicographically first.
    """
    plan = []
    for rows, fractional in zip(bins, machines, strict=True):
        near = np.rint(fractional)
        settled = np.where(np.abs(fractional - near) < WHOLE, near, fractional)
        whole = np.floor(settled).astype(np.int64)
        fraction = np.round(settled - whole, 9)
        up = round(float(fraction.sum()))
        # The last key counts most; of the bin's counts the first.
        order = np.lexsort((*rows.T[::-1], -fraction))
        whole[order[:up]] += 1
        plan.append(whole)
    return tuple(plan)


def greedy_rounding(
    datacenter: Datacenter,
    bins: Sequence[IntArray],
    machines: Sequence[FloatArray],
    rate: float,
    *,
    all_machines: bool = True,
) -> tuple[IntArray, ...]:
    """Round down, then give each remaining machine the bin that serves best what is missing.

    Missing is the rate by which a class falls short; bins are rated by the relative shortfall that
    they remove.

    `rate`: arrival rate to carry (jobs per time unit).
    `all_machines`: whether every machine gets a bin. If not, it ends when nothing is missing and
    takes back machines that are not needed.
    """
    plan = [np.floor(fractional + WHOLE).astype(np.int64) for fractional in machines]
    values = [rows * datacenter.rate[:, j] for j, rows in enumerate(bins)]
    wanted = datacenter.share * rate
    weight = np.divide(1.0, wanted, out=np.zeros_like(wanted), where=wanted > 0)
    left = datacenter.count - np.array([whole.sum() for whole in plan])
    rates = served(datacenter, bins, plan)
    while left.any():
        missing = np.maximum(wanted - rates, 0.0)
        if not (all_machines or missing.any()):
            break
        # Once nothing is missing, all classes count alike.
        urgency = weight * (missing * weight + 1e-9)
        best = -1.0, 0, 0
        for j in np.flatnonzero(left).tolist():
            gains = np.minimum(values[j], missing) @ urgency + 1e-12 * (values[j] @ urgency)
            i = int(gains.argmax())
            best = max(best, (float(gains[i]), j, i), key=lambda entry: entry[0])
        _, j, i = best
        several = max(1, int(left[j]) // 8)  # of very many spare machines, not one by one
        plan[j][i] += several
        left[j] -= several
        rates = rates + several * values[j][i]
    if all_machines:
        return tuple(plan)
    # Take back machines as long as no class falls short, those that serve least first.
    spare = rates - wanted
    used = [
        (float(values[j][i] @ weight), j, i)
        for j, x in enumerate(plan)
        for i in np.flatnonzero(x).tolist()
    ]
    for _, j, i in sorted(used):
        row = values[j][i]
        inside = row > 0
        if (spare < 0).any() or not inside.any():
            continue
        taken = min(int(np.floor(spare[inside] / row[inside]).min()), int(plan[j][i]))
        plan[j][i] -= taken
        spare = spare - taken * row
    return tuple(plan)


def rate_of(
    datacenter: Datacenter, bins: Sequence[IntArray], machines: Sequence[FloatArray | IntArray]
) -> float:
    """The arrival rate that a plan carries (jobs per time unit)."""
    arriving = datacenter.share > 0
    rates = served(datacenter, bins, machines)
    return float((rates[arriving] / datacenter.share[arriving]).min())


def served(
    datacenter: Datacenter, bins: Sequence[IntArray], machines: Sequence[FloatArray | IntArray]
) -> FloatArray:
    """The rate at which a plan serves each class (jobs per time unit), shape (K,)."""
    rates: FloatArray = np.zeros(len(datacenter.classes))
    for j, (rows, plan) in enumerate(zip(bins, machines, strict=True)):
        rates = rates + plan @ (rows * datacenter.rate[:, j])
    return rates
