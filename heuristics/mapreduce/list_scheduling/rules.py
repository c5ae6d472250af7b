"""The five heuristics of [LJR], section 4.

EASS and EFSS choose the earliest available and the earliest finishing slot, TBS is task-based
scheduling, and -L stands for data locality. All sort the jobs by Johnson's rule for the map phase
and by the ends of their map phases for the reduce phase, and assign the tasks one by one to a slot.
The tasks of a job come longest first (LPT, with local reads); equal tasks and equal jobs by number.

The earliest available slot is the first to become free, on ties the lowest number. The earliest
finishing slot is the one where the task ends first; then the one with the shortest setup, then the
first available, then the lowest number. In the reduce phase the end counts the wait for the job's
last map task, max(lambda_k, theta_i) + s_ijk + p_ij, as statement 6 of Algorithm 2 does. Statement
15 of EFSS is printed without that wait, and misses the earliest finish that the text asks for:
docs/errata/ljr.md. The functions `as_printed` keep that rule.
"""

from __future__ import annotations

from ....core.arrays import IntArray
from ....core.parameters import documented
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule
from .orders import (
    OMEGA,
    Omega,
    job_by_job,
    johnson_rule,
    longest_first,
    map_lengths,
    maps_longest_first,
)
from .placement import AVAILABLE, FINISHING, LOCAL, PRINTED, placed_maps, sequenced, with_reduces


@documented
def eass(instance: Instance, *, omega: Omega = OMEGA) -> Schedule:
    """Earliest available slot for every task ([LJR], Algorithm 1)."""
    return _job_based(instance, omega, AVAILABLE, AVAILABLE)


@documented
def efss(instance: Instance, *, omega: Omega = OMEGA) -> Schedule:
    """Earliest finishing slot for every task ([LJR], section 4.2)."""
    return _job_based(instance, omega, FINISHING, FINISHING)


@documented
def efss_local(instance: Instance, *, omega: Omega = OMEGA) -> Schedule:
    """EFSS, but map tasks take the earliest available slot of their replica nodes ([LJR], 4.4).

    A map task without input, or none of whose replica nodes has a map slot, is placed as in EFSS.
    """
    return _job_based(instance, omega, LOCAL, FINISHING)


@documented
def tbs(instance: Instance, *, omega: Omega = OMEGA) -> Schedule:
    """Map tasks of all jobs longest first, then grouped by job ([LJR], Algorithm 3)."""
    return _task_based(instance, omega, FINISHING, FINISHING)


@documented
def tbs_local(instance: Instance, *, omega: Omega = OMEGA) -> Schedule:
    """TBS, but map tasks are placed as in EFSS-L ([LJR], section 4.4)."""
    return _task_based(instance, omega, LOCAL, FINISHING)


@documented
def efss_as_printed(instance: Instance, *, omega: Omega = OMEGA) -> Schedule:
    """EFSS with statement 15 as printed: reduce slots are chosen as if no task had to wait."""
    return _job_based(instance, omega, FINISHING, PRINTED)


@documented
def efss_local_as_printed(instance: Instance, *, omega: Omega = OMEGA) -> Schedule:
    """EFSS-L with statement 15 as printed."""
    return _job_based(instance, omega, LOCAL, PRINTED)


@documented
def tbs_as_printed(instance: Instance, *, omega: Omega = OMEGA) -> Schedule:
    """TBS with statement 15 as printed."""
    return _task_based(instance, omega, FINISHING, PRINTED)


@documented
def tbs_local_as_printed(instance: Instance, *, omega: Omega = OMEGA) -> Schedule:
    """TBS-L with statement 15 as printed."""
    return _task_based(instance, omega, LOCAL, PRINTED)


def _job_based(instance: Instance, omega: float, map_rule: int, reduce_rule: int) -> Schedule:
    placed = placed_maps(instance, _job_by_job(instance, omega), map_rule)
    return with_reduces(instance, placed, reduce_rule)


def _task_based(instance: Instance, omega: float, map_rule: int, reduce_rule: int) -> Schedule:
    placed = placed_maps(instance, longest_first(map_lengths(instance)), map_rule)
    maps = sequenced(instance, placed, _job_by_job(instance, omega))
    return with_reduces(instance, maps, reduce_rule)


def _job_by_job(instance: Instance, omega: float) -> IntArray:
    """Map tasks in the order of their jobs by Johnson's rule, the tasks of a job by LPT."""
    jobs = johnson_rule(instance, omega)
    return job_by_job(maps_longest_first(instance), instance.map_offsets, jobs)
