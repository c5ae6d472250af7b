"""Formulations of all families, listed in `FORMULATIONS`.

A formulation is a package: `model` builds the Pyomo model, gives it a start and reads off a
schedule, `statement` is its mathematics as data, `cuts` are valid inequalities. References are
listed in docs/papers/references.md.
"""

from ..core.registry import Entry, Registry

MODEL_ENDINGS = (".lp", ".mps")
"""Files of models that other solvers read; `model_files` writes them."""

FORMULATIONS = Registry(
    "model",
    "slotwise.formulations",
    (
        Entry(
            "job-order",
            "formulations.mapreduce.job_order.model:build",
            "slotwise",
            "assignment variables and one order of the jobs for all slots",
        ),
        Entry(
            "sequence",
            "formulations.mapreduce.sequence.model:build",
            "LJR, equations (1)-(12)",
            "immediate predecessors on every slot, as printed",
        ),
        Entry(
            "heterogeneous",
            "formulations.mapreduce.heterogeneous.model:build",
            "slotwise, for HMHS",
            "numbers of equal tasks on slots of different speed, and one order of the jobs",
        ),
        Entry(
            "unrelated-machines",
            "formulations.mapreduce.unrelated_machines.model:build",
            "slotwise, for HMHS",
            "a linear program, for a lower bound on slots of different speed",
        ),
        Entry(
            "spread-bound",
            "formulations.mapreduce.spread_bound.model:build",
            "slotwise",
            "a linear program over intervals of time, for a bound where reads cannot all be local",
        ),
        Entry(
            "allocation",
            "formulations.datacenter.allocation.model:build",
            "LoTES, equations (1)-(5)",
            "pooled machines: how much each configuration does of each class of jobs",
            takes="datacenter",
        ),
        Entry(
            "machine-assignment",
            "formulations.datacenter.machine_assignment.model:build",
            "LoTES, equations (6)-(10)",
            "which bin of jobs each machine should emulate",
            takes="datacenter",
        ),
        Entry(
            "fair-share",
            "formulations.hierarchy.fair_share.model:build",
            "slotwise, docs/heuristics/fairness.md",
            "one stage of hierarchical max-min fairness",
            takes="hierarchy",
        ),
    ),
)
