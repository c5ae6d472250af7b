"""Formulations and lower bounds, listed in `FORMULATIONS` and `BOUNDS`.

A formulation is a package: `model` builds the Pyomo model, `statement` is its mathematics as data,
and where there are any, `cuts` are its valid inequalities and `start` turns a schedule into values
of its variables. References are listed in docs/papers/references.md.
"""

from ..instances.mapreduce.parts import ALL_PARTS, SECURITY
from ..instances.registry import Entry, Registry

MODEL_ENDINGS = (".lp", ".mps")
"""Files of models that other solvers read; `model_files` writes them."""

FORMULATIONS = Registry(
    "model",
    "slotwise.formulations",
    (
        Entry(
            "job-order",
            "formulations.job_order.model:build",
            "slotwise",
            "assignment variables and one order of the jobs for all slots",
        ),
        Entry(
            "sequence",
            "formulations.sequence.model:build",
            "LJR, equations (1)-(12)",
            "immediate predecessors on every slot, as printed",
        ),
        Entry(
            "heterogeneous",
            "formulations.heterogeneous.model:build",
            "slotwise, for HMHS",
            "numbers of equal tasks on slots of different speed, and one order of the jobs",
        ),
        Entry(
            "unrelated-machines",
            "formulations.unrelated_machines.model:build",
            "slotwise, for HMHS",
            "a linear program, for a lower bound on slots of different speed",
        ),
        Entry(
            "spread-bound",
            "formulations.spread_bound.model:build",
            "slotwise",
            "a linear program over intervals of time, for a bound where reads cannot all be local",
        ),
        Entry(
            "allocation",
            "formulations.allocation.model:build",
            "LoTES, equations (1)-(5)",
            "pooled machines: how much each configuration does of each class of jobs",
            takes="datacenter",
        ),
        Entry(
            "machine-assignment",
            "formulations.machine_assignment.model:build",
            "LoTES, equations (6)-(10)",
            "which bin of jobs each machine should emulate",
            takes="datacenter",
        ),
        Entry(
            "fair-share",
            "formulations.fair_share.model:build",
            "slotwise, docs/heuristics/fairness.md",
            "one stage of hierarchical max-min fairness",
            takes="hierarchy",
        ),
    ),
)

BOUNDS = Registry(
    "bound",
    "slotwise.bounds",
    (
        Entry(
            "LB1 as printed",
            "formulations.bounds.closed_form:lb1_as_printed",
            "LJR, Theorem 1",
            "not a bound when a job has several tasks in a phase",
            valid=False,
            understands=ALL_PARTS,
        ),
        Entry(
            "LB1",
            "formulations.bounds.closed_form:lb1",
            "LJR, Theorem 1 corrected",
            "earliest slots + area",
            understands=ALL_PARTS,
        ),
        Entry(
            "LB2",
            "formulations.bounds.closed_form:lb2",
            "LJR, Theorem 2",
            "shortest longest task + area",
            understands=ALL_PARTS,
        ),
        Entry(
            "heads and tails",
            "formulations.bounds.closed_form:heads_and_tails",
            "slotwise",
            "LB1 on the usable slots, for every set of tasks that wait longest, and for one job",
            understands=ALL_PARTS,
        ),
        Entry(
            "pigeonhole",
            "formulations.bounds.closed_form:pigeonhole",
            "slotwise",
            "of the k M + 1 longest tasks, one slot runs k + 1",
            understands=ALL_PARTS,
        ),
        Entry(
            "Johnson",
            "formulations.bounds.closed_form:johnson",
            "Johnson 1954, relaxed",
            "two-machine flow shop of the jobs' areas",
            understands=ALL_PARTS,
        ),
        Entry(
            "last jobs",
            "formulations.bounds.last_jobs:last_jobs",
            "slotwise",
            "after the map slots' last tasks: a job last on many slots reads from many nodes",
            understands=ALL_PARTS,
        ),
        Entry(
            "one job's reads",
            "formulations.bounds.job_reads:one_jobs_reads",
            "slotwise",
            "one job alone: what ends early was spread, what is gathered ends late",
            understands=ALL_PARTS - {SECURITY},
        ),
        Entry(
            "reads within a horizon",
            "formulations.bounds.reads_within_horizon:reads_within_horizon",
            "slotwise",
            "heads and tails, pigeonhole: with reads from the nodes that reduce tasks must be on",
            understands=ALL_PARTS - {SECURITY},
        ),
        Entry(
            "orders of critical jobs",
            "formulations.bounds.job_orders:orders_of_critical_jobs",
            "slotwise",
            "the best order in which the map phases of the few longest jobs could end",
            understands=ALL_PARTS - {SECURITY},
        ),
    ),
)
