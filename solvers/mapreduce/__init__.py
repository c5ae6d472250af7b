"""Solvers. `METHODS` lists the exact methods, in the order in which `solve` tries them."""

from ...core.registry import Entry, Registry
from ...instances.mapreduce.parts import ALL_PARTS

METHODS = Registry(
    "method",
    "slotwise.methods",
    (
        Entry(
            "job-order",
            "solvers.mapreduce.integer_programs:job_order_method",
            "docs/formulations/job-order.md",
            "the job-order model with HiGHS",
            understands=ALL_PARTS,
        ),
        Entry(
            "sequence",
            "solvers.mapreduce.integer_programs:sequence_method",
            "LJR, equations (1)-(12)",
            "the printed integer program with HiGHS",
            understands=ALL_PARTS,
        ),
        Entry(
            "cp-sat",
            "solvers.mapreduce.cp_sat:cp_sat_method",
            "slotwise",
            "the job-order model with CP-SAT (needs the extra `cp`)",
            understands=ALL_PARTS,
        ),
        Entry(
            "heterogeneous",
            "solvers.mapreduce.integer_programs:heterogeneous_method",
            "docs/formulations/heterogeneous.md",
            "numbers of equal tasks on slots of different speed, with HiGHS (HMHS)",
            understands=ALL_PARTS,
        ),
        Entry(
            "unrelated-machines",
            "solvers.mapreduce.relaxations.linear_programs:unrelated_machines_method",
            "docs/formulations/heterogeneous.md",
            "linear programs for slots of different speed: a bound, and schedules by rounding",
            understands=ALL_PARTS,
        ),
        Entry(
            "pattern-prices",
            "solvers.mapreduce.pattern_prices.method:pattern_prices_method",
            "docs/formulations/pattern-prices.md",
            "prices of whole tasks: a lower bound for slots of different speed, no schedule",
            understands=ALL_PARTS,
            compiled=True,
        ),
        Entry(
            "time-prices",
            "solvers.mapreduce.relaxations.time_prices:time_prices_method",
            "docs/formulations/relaxed.md",
            "prices of time in both phases: a lower bound for two-stage shops, no schedule",
            understands=ALL_PARTS,
            compiled=True,
        ),
        Entry(
            "branch-and-bound",
            "solvers.mapreduce.branch_and_bound.search:branch_and_bound_method",
            "docs/formulations/branch-and-bound.md",
            "reduce placements, then map placements, compiled; for small instances",
            compiled=True,
        ),
        Entry(
            "improvement",
            "solvers.mapreduce.local_search:improvement_method",
            "docs/heuristics/improvement-search.md",
            "better schedules by local search, compiled; for large instances, no bound",
            understands=ALL_PARTS,
            compiled=True,
        ),
        Entry(
            "spread-bound",
            "solvers.mapreduce.relaxations.linear_programs:spread_bound_method",
            "docs/formulations/spread-bound.md",
            "linear program over intervals of time: a lower bound for large instances, no schedule",
            compiled=True,
        ),
    ),
)
