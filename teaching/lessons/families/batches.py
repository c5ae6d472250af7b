"""What lessons on batches of jobs share."""

from __future__ import annotations

from ....instances.errors import InputError
from ....instances.mapreduce.instance import Instance
from ....solvers.result import Status
from ....solvers.solve import solve

SECONDS = 300.0
"""Time for the proof that a lesson compares with."""


def proven_makespan(instance: Instance) -> float:
    """The shortest makespan (s).

    Raises
    ------
    InputError
        If it is not proven in time.
    """
    result = solve(instance, time_limit=SECONDS)
    if result.status is not Status.OPTIMAL or result.makespan is None:
        raise InputError(
            f"instance {instance.name!r}: no proven optimum in {SECONDS:g} s, so a lesson has "
            "nothing to compare with: take a smaller one"
        )
    return float(result.makespan)
