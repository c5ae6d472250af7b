"""Claims of [LoTES] on its first two stages: bins, classes, rounding and seconds, at full size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from time import process_time
from typing import NamedTuple

import numpy as np

from ...core.wording import percent
from ...formulations.datacenter.allocation import model as allocation
from ...formulations.datacenter.machine_assignment import model as machine_assignment
from ...formulations.datacenter.machine_assignment.bins import (
    algorithm_1,
    all_non_dominated,
    non_dominated,
)
from ...instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from ...instances.datacenter.generators.lotes import google_2011
from ...solvers.backends import highs
from ...solvers.datacenter.guide import IN_USE, guide
from ...solvers.datacenter.rounding import printed_rounding, rate_of
from .claims import Claim, inside, of_share, ordering, said, table, with_scale, within

ALL_MACHINES = int(google_2011().count.sum())

ON_ALL = f"all {ALL_MACHINES:,} machines"

ONE_OR_TWO = 2
"""Classes with positive delta of all configurations but one."""


class Stages(NamedTuple):
    """What the stages come to."""

    classes: tuple[int, ...]
    """Classes with positive delta of each configuration."""
    bins: int
    all_bins: int
    """`bins`, `all_bins`: non-dominated bins of these classes, and of all classes."""
    bin_seconds: float
    seconds: float
    """`bin_seconds`, `seconds`: processor time of the bins, and of both programs with the bins."""
    loss: float
    own_loss: float
    """`loss`, `own_loss`: part of the arrival rate (%) that the printed rounding loses, and that
    our plan does."""


@cache
def stages() -> Stages:
    """Both stages on Tables 1 and 2."""
    _solved(google_2011(0.01))  # what is compiled then does not count
    own = guide(google_2011())
    return _solved(google_2011())._replace(
        own_loss=100 * (1 - own.arrival_rate / own.arrival_rate_bound)
    )


def _solved(datacenter: Datacenter) -> Stages:
    began = process_time()
    first = allocation.build(datacenter, as_printed=True)
    highs.solve(first)
    used = allocation.delta(first).max(axis=2) > IN_USE
    kept = [np.flatnonzero(row).tolist() for row in used]
    bins_began = process_time()
    restricted = [non_dominated(datacenter, j, own) for j, own in enumerate(kept)]
    bins = all_non_dominated(datacenter)
    bin_seconds = process_time() - bins_began
    second = machine_assignment.build(datacenter, bins)
    most = highs.solve(second).incumbent or 0.0
    plan = printed_rounding(bins, machine_assignment.machines(second))
    seconds = process_time() - began
    loss = 100 * (1 - rate_of(datacenter, bins, plan) / most)
    return Stages(
        tuple(map(len, kept)),
        sum(map(len, restricted)),
        sum(map(len, bins)),
        bin_seconds,
        seconds,
        loss,
        loss,
    )


def algorithm_1_bins() -> tuple[int, int]:
    """Bins that Algorithm 1 makes of as many classes as Table 1 prints: fewest and most.

    Which classes they are is not printed.
    """
    datacenter, low, high = google_2011(), 0, 0
    every = range(len(datacenter.classes))
    for j, number in enumerate(table("lotes_table1")["job_classes_with_positive_delta"]):
        made = [len(algorithm_1(datacenter, j, own)) for own in combinations(every, int(number))]
        low, high = low + min(made), high + max(made)
    return low, high


@dataclass(frozen=True)
class Bins:
    """Bins of jobs on one machine with one resource: Figure 5."""

    capacity: float
    requests: tuple[float, ...]
    """`capacity`, `requests`: of the machine, and of a job of each class."""
    bins: tuple[tuple[int, ...], ...]
    """Jobs of each class in each non-dominated bin."""


def figure_5() -> Bins:
    """The bins of the machine that Figure 5 shows."""
    capacity, requests = 7.0, (2.0, 3.0)
    machine = one_machine(capacity, requests)
    rows = (tuple(row) for row in non_dominated(machine, 0).tolist())
    return Bins(capacity, requests, tuple(sorted(rows)))


def one_machine(capacity: float, requests: Sequence[float]) -> Datacenter:
    """A machine with one resource, and as many jobs of each class."""
    classes = [
        JobClass(f"k{k}", 1 / len(requests), 1.0, {"cores": need})
        for k, need in enumerate(requests, 1)
    ]
    machines = [Configuration("c1", 1, {"cores": capacity})]
    return Datacenter.from_classes("figure-5", ["cores"], machines, classes)


def stage_claims() -> list[Claim]:
    """Claims 1 to 5, 7 and 19."""
    return claims_of(stages(), algorithm_1_bins(), figure_5())


def claims_of(seen: Stages, printed_bins: tuple[int, int], figure: Bins) -> list[Claim]:
    few = [number <= ONE_OR_TWO for number in seen.classes]
    printed = table("lotes_table1")["job_classes_with_positive_delta"].tolist()
    classes = ", ".join(map(str, seen.classes))
    claims = [
        within("lotes-01", seen.bin_seconds, note="processor time of this machine"),
        inside(
            "lotes-02",
            printed_bins,
            note="fewest and most that Algorithm 1 makes of as many classes as Table 1 has; "
            f"{seen.bins} are not dominated of the classes in our optimum",
        ),
        within(
            "lotes-03",
            float(seen.all_bins),
            note="all bins of Tables 1 and 2 that are not dominated",
        ),
        said(
            "lotes-04",
            of_share(sum(few) / len(few), 1 - 1 / len(few)),
            float(sum(few)),
            None,
            f"{sum(few)} of {len(few)} configurations have at most two: {classes} (printed "
            f"{', '.join(map(str, printed))}); the program has many optima, and each has others",
        ),
        within(
            "lotes-05",
            seen.loss,
            note=f"printed rounding; our plan loses {percent(seen.own_loss / 100)}",
        ),
        within("lotes-07", seen.seconds, note="processor time of this machine"),
    ]
    return [*with_scale(claims, ON_ALL), _on_the_boundary(figure)]


def _on_the_boundary(figure: Bins) -> Claim:
    """A bin is on the boundary of the feasible region if it is full or lacks a class."""
    need = np.array(figure.bins) @ np.array(figure.requests)
    cases = [
        full or 0 in row for full, row in zip(need == figure.capacity, figure.bins, strict=True)
    ]
    bins = ", ".join(f"({', '.join(map(str, row))})" for row in figure.bins)
    (claim,) = with_scale(
        [ordering("lotes-19", cases, holds=1, note=bins)],
        f"one machine with {figure.capacity:g} cores",
    )
    return claim
