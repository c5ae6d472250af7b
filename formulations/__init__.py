"""Formulations and bounds, listed in `FORMULATIONS` and `BOUNDS`."""

from ..instances.registry import Entry

FORMULATIONS: tuple[Entry, ...] = (
    Entry(
        "job-order",
        "formulations.job_order:build",
        "slotwise",
        "assignment variables and one order of the jobs for all slots",
    ),
    Entry(
        "sequence",
        "formulations.sequence:build",
        "LJR, equations (1)-(12)",
        "immediate predecessors on every slot, as printed",
    ),
)

BOUNDS: tuple[Entry, ...] = (
    Entry(
        "LB1 as printed",
        "formulations.bounds:lb1_as_printed",
        "LJR, Theorem 1",
        "not a bound when a job has several tasks in a phase",
        valid=False,
    ),
    Entry("LB1", "formulations.bounds:lb1", "LJR, Theorem 1 corrected", "earliest slots + area"),
    Entry("LB2", "formulations.bounds:lb2", "LJR, Theorem 2", "shortest longest task + area"),
    Entry(
        "heads and tails",
        "formulations.bounds:heads_and_tails",
        "slotwise",
        "each job's own area in its head and tail, repeated over the slots it can hold",
    ),
)
