"""Names of the columns and entries of the simulator's arrays, and of the marks in them.

They are plain integers, so that kernels can use them as constants. A name that says "from here on"
is the first of as many columns as there are resources.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import inlined

# `System.info`: a row for every slot of a job.
MACHINE = 0
"""The machine that the job runs on; negative as long as the job waits."""
JOB_CLASS = 1
NUMBER = 2
"""The job's place in the workload: jobs are numbered in order of arrival, from 0. Those that the
datacenter runs at time 0 have the numbers below 0."""
NEXT = 3
"""The slot of the next job in the queue of the same machine, for policies with such queues."""
FIRST_DEMAND = 4
"""From here on: what the job needs of each resource, in units."""

NOT_STARTED = -1
"""In `MACHINE`: the job waits."""

# `System.time`: a row for every slot of a job.
ARRIVAL, DURATION = 0, 1
"""When the job arrived, and its duration on the first configuration."""

NO_SLOT = -1
"""In the place of a slot: there is no job."""

# `System.tally`
SPARE = 0
"""Slots not in use."""
RUNNING = 1
"""Jobs that run now."""
WAITING = 2
"""Jobs that wait now."""
ARRIVED, STARTED, DEPARTED = 3, 4, 5
"""Jobs that did so up to now, less those that the datacenter runs at time 0."""
NEXT_JOB = 6
"""The next job of the block."""
QUEUES_FULL = 7
"""1 if the policy has no room for another waiting job."""
SAMPLES_TAKEN = 8
FIRST_MEASURED = 9
"""Number of the first job after the warm-up."""
STOP_ASKED = 10
"""1 if the event loop is to come back before the next event."""
EVENT_SLOT, EVENT_MACHINE = 11, 12
"""What a policy in Python is asked about: the slot of a job, and the machine that it left, or
`NO_MACHINE` if it arrives."""
TALLIES = 13

# `System.clock`
NOW, SAMPLE_INTERVAL = 0, 1
CLOCKS = 2

# `System.all_jobs`
ALL_STARTED, ALL_WAIT = 0, 1
"""Number of the jobs that started, warm-up included, and the sum of their waits."""

# `System.series`: a row for every sample.
SAMPLE_TIME, JOBS_WAITING, JOBS_RUNNING, FRAGMENTATION = 0, 1, 2, 3
"""The state at the time of the sample."""
STARTS, WAIT_OF_STARTS = 4, 5
"""Jobs that started from this sample to the next, and the sum of their waits."""
FIRST_IN_USE = 6
"""From here on: how much of each resource is in use, in units."""

NO_MACHINE = -1


@inlined
def is_machine(free: IntArray, m: int) -> bool:
    """Whether a number belongs to a machine; other numbers have less than nothing free.

    `free`: what machines have free, in units, shape (machine numbers, R).
    """
    return bool(free[m, 0] >= 0)


def machine_numbers(free: IntArray) -> IntArray:
    return np.flatnonzero(free[:, 0] >= 0)
