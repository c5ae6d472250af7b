"""Lower bounds of the mean job time: each job alone, and one fast machine.

Proofs are in docs/formulations/bounds.md.
"""

from __future__ import annotations

import numpy as np

from ....core.once import once
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.usable_slots import usable_slots
from ...busy_times import Stages
from ...one_machine import least_ends
from .phase_lengths import least_span, phases


def stages_of(instance: Instance) -> Stages:
    """Map phases, then reduce phases, as stages of the program of mean busy times."""
    instance = usable_slots(instance).instance
    both, jobs = phases(instance), np.arange(instance.jobs)
    maps, reduces = both
    heads, tails = least_span(maps), least_span(reduces)
    ready = instance.released + heads
    held = [np.sort(phase.length[phase.job == j])[::-1] for phase in both for j in jobs]
    pool = np.repeat([0, 1], instance.jobs)
    return Stages(
        job=np.tile(jobs, 2),
        pool=np.where([len(tasks) > 0 for tasks in held], pool, -1),
        head=np.concatenate((instance.released, ready)),
        earliest_end=np.concatenate((ready, ready + tails)),
        alone=np.concatenate((heads, tails)),
        tail=np.concatenate((tails, np.zeros(instance.jobs))),
        held=held,
        arcs=[(j, instance.jobs + j, 0.0) for j in jobs.tolist()],
        slots=[phase.slots for phase in both],
        share=instance.shares,
        release=instance.released,
        job_alone=ready + tails,
    )


@once
def job_time_bound(instance: Instance) -> tuple[float, str]:
    """The best of these bounds of the weighted mean job time (s), and its name."""
    instance = usable_slots(instance).instance
    maps, reduces = phases(instance)
    heads, tails = least_span(maps), least_span(reduces)
    released = instance.released
    alone = released + heads + tails
    ends = {"every job alone": alone}
    for name, phase, ready, after in (
        ("map", maps, released, tails),
        ("reduce", reduces, released + heads, np.zeros(instance.jobs)),
    ):
        if phase.length.size:
            need = np.bincount(phase.job, phase.length, phase.jobs) / phase.slots
            busy, own = need > 0, alone.copy()
            least = least_ends(ready[busy], need[busy], instance.shares[busy])
            own[busy] = least + after[busy]
            ends[f"one fast machine for {name} slots"] = own
    bounds = {
        name: float(instance.shares @ (end - released)) * (1 - 1e-12) for name, end in ends.items()
    }
    return max((bound, name) for name, bound in bounds.items())
