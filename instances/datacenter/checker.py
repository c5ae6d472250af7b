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
    data, violations = guidance.datacenter, list[str]()
    machines = [0] * len(data.configurations)
    served = [0.0] * len(data.classes)
    plan = zip(guidance.bin_configuration, guidance.bin_machines, guidance.bin_jobs, strict=True)
    for b, (j, count, row) in enumerate(plan):
        jobs, where = row.tolist(), f"bin {b} on {data.configurations[j]!r}"
        if count < 0 or min(jobs) < 0:
            violations.append(f"{where}: negative number of machines or jobs")
        machines[j] += int(count)
        for r, resource in enumerate(data.resources):
            need = sum(n * float(data.request[k, r]) for k, n in enumerate(jobs))
            capacity = float(data.capacity[j, r])
            if need > capacity * (1 + 2 * FIT_TOLERANCE):
                has = f"a machine has {capacity:.9g}"
                violations.append(f"{where}: its jobs need {need:.9g} {resource}, {has}")
        for k, n in enumerate(jobs):
            time = float(data.mean_time[k, j])
            if n and time == float("inf"):
                violations.append(f"{where}: class {data.classes[k]!r} cannot run")
            served[k] += int(count) * n / time
    for name, planned, there in zip(data.configurations, machines, data.count, strict=True):
        if planned != there:
            violations.append(
                f"configuration {name!r}: bins for {planned} machines, there are {there}"
            )
    rate = guidance.arrival_rate
    for k, name in enumerate(data.classes):
        arriving = rate * float(data.share[k])
        if arriving > served[k] * (1 + RATE_TOLERANCE):
            violations.append(
                f"class {name!r}: {arriving:.9g} jobs per {data.time_unit} arrive at the arrival "
                f"rate, its bins serve {served[k]:.9g}"
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
