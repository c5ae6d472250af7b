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
        "LB1 on the usable slots, for every set of tasks that wait longest, and for one job",
    ),
    Entry(
        "pigeonhole",
        "formulations.bounds:pigeonhole",
        "slotwise",
        "of the k M + 1 longest tasks, one slot runs k + 1",
    ),
    Entry(
        "Johnson",
        "formulations.bounds:johnson",
        "Johnson 1954, relaxed",
        "two-machine flow shop of the jobs' areas",
    ),
)
