"""Solvers. `ROADS` lists the ways to a proven optimum, in the order in which `solve` tries them."""

from ..instances.registry import Entry

ROADS: tuple[Entry, ...] = (
    Entry(
        "job-order",
        "solvers.mip:job_order_road",
        "docs/job-order.md",
        "the job-order model with HiGHS",
    ),
    Entry(
        "sequence",
        "solvers.mip:sequence_road",
        "LJR, equations (1)-(12)",
        "the printed integer program with HiGHS",
    ),
    Entry(
        "cp-sat",
        "solvers.cp_sat:cp_sat_road",
        "slotwise",
        "the job-order model with CP-SAT (needs the extra `cp`)",
    ),
)
