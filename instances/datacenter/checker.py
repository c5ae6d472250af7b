"""The independent checker of guidance: everything is computed anew from the datacenter."""

from __future__ import annotations

from ...core.calls import checked
from ..verdict import Verdict
from .datacenter import FIT_TOLERANCE
from .guidance import Guidance

RATE_TOLERANCE = 1e-9


@checked
def check_guidance(guidance: Guidance) -> Verdict:
    """Check guidance against its datacenter.

    Bins must fit their machines, the machines of each configuration must add up to its count, and
    the bins must carry the arrival rate, which is not above a bound and not below a target.

    Parameters
    ----------
    guidance
        The guidance, which knows its datacenter.
    """
    datacenter = guidance.datacenter
    violations: list[str] = []
    machines = [0] * len(datacenter.configurations)
    served = [0.0] * len(datacenter.classes)
    for b, (j, count) in enumerate(
        zip(guidance.bin_configuration.tolist(), guidance.bin_machines.tolist(), strict=True)
    ):
        jobs = guidance.bin_jobs[b].tolist()
        name = datacenter.configurations[j]
        if count < 0 or min(jobs) < 0:
            violations.append(f"bin {b} on {name!r}: negative number of machines or jobs")
        machines[j] += count
        for r, resource in enumerate(datacenter.resources):
            need = sum(n * float(datacenter.request[k, r]) for k, n in enumerate(jobs))
            capacity = float(datacenter.capacity[j, r])
            if need > capacity * (1 + 2 * FIT_TOLERANCE):
                violations.append(
                    f"bin {b} on {name!r}: its jobs need {need:.9g} {resource}, "
                    f"a machine has {capacity:.9g}"
                )
        for k, n in enumerate(jobs):
            time = float(datacenter.mean_time[k, j])
            if n and time == float("inf"):
                violations.append(
                    f"bin {b} on {name!r}: class {datacenter.classes[k]!r} cannot run"
                )
            served[k] += count * n / time
    for j, name in enumerate(datacenter.configurations):
        if machines[j] != datacenter.count[j]:
            violations.append(
                f"configuration {name!r}: bins for {machines[j]} machines, "
                f"there are {datacenter.count[j]}"
            )
    rate = guidance.arrival_rate
    for k, name in enumerate(datacenter.classes):
        arriving = rate * float(datacenter.share[k])
        if arriving > served[k] * (1 + RATE_TOLERANCE):
            violations.append(
                f"class {name!r}: {arriving:.9g} jobs per {datacenter.time_unit} arrive at the "
                f"arrival rate, its bins serve {served[k]:.9g}"
            )
    if rate > guidance.arrival_rate_bound * (1 + 1e-6):
        violations.append(
            f"arrival_rate: {rate:.9g} is above the bound {guidance.arrival_rate_bound:.9g}"
        )
    most = guidance.integer_bound
    if most is not None and rate > most * (1 + 1e-6):
        violations.append(f"arrival_rate: {rate:.9g} is above integer_bound {most:.9g}")
    least = guidance.machines_bound
    if least is not None and guidance.machines_needed < least:
        violations.append(
            f"machines_bound: {least} is above the {guidance.machines_needed} machines of the plan"
        )
    if guidance.target_rate is not None and rate < guidance.target_rate * (1 - RATE_TOLERANCE):
        violations.append(
            f"arrival_rate: {rate:.9g} is below the target {guidance.target_rate:.9g}"
        )
    return Verdict(violations)
