"""Lower bounds on the makespan that need no solver, in `BOUNDS`.

Of equal ones the first is credited: heads and tails, which is never below LB1 and LB2.
"""

from ....core.registry import Entry, Registry
from ....instances.mapreduce.parts import ALL_PARTS, SECURITY

BOUNDS = Registry(
    "bound",
    "slotwise.bounds",
    (
        Entry(
            "heads and tails",
            "formulations.mapreduce.bounds.closed_form:heads_and_tails",
            "slotwise",
            "LB1 on the usable slots, for every set of tasks that wait longest, and for one job",
            understands=ALL_PARTS,
        ),
        Entry(
            "LB1 as printed",
            "formulations.mapreduce.bounds.closed_form:lb1_as_printed",
            "LJR, Theorem 1",
            "not a bound when a job has several tasks in a phase",
            valid=False,
            understands=ALL_PARTS,
        ),
        Entry(
            "LB1",
            "formulations.mapreduce.bounds.closed_form:lb1",
            "LJR, Theorem 1 corrected",
            "earliest slots + area",
            understands=ALL_PARTS,
        ),
        Entry(
            "LB2",
            "formulations.mapreduce.bounds.closed_form:lb2",
            "LJR, Theorem 2",
            "shortest longest task + area",
            understands=ALL_PARTS,
        ),
        Entry(
            "pigeonhole",
            "formulations.mapreduce.bounds.closed_form:pigeonhole",
            "slotwise",
            "of the k M + 1 longest tasks, one slot runs k + 1",
            understands=ALL_PARTS,
        ),
        Entry(
            "Johnson",
            "formulations.mapreduce.bounds.closed_form:johnson",
            "Johnson 1954, relaxed",
            "two-machine flow shop of the jobs' areas",
            understands=ALL_PARTS,
        ),
        Entry(
            "last jobs",
            "formulations.mapreduce.bounds.last_jobs:last_jobs",
            "slotwise",
            "after the map slots' last tasks: a job last on many slots reads from many nodes",
            understands=ALL_PARTS,
        ),
        Entry(
            "one job's reads",
            "formulations.mapreduce.bounds.reads:one_jobs_reads",
            "slotwise",
            "one job alone: what ends early was spread, what is gathered ends late",
            understands=ALL_PARTS - {SECURITY},
        ),
        Entry(
            "reads within a horizon",
            "formulations.mapreduce.bounds.reads:reads_within_horizon",
            "slotwise",
            "heads and tails, pigeonhole: with reads from the nodes that reduce tasks must be on",
            understands=ALL_PARTS - {SECURITY},
        ),
        Entry(
            "orders of critical jobs",
            "formulations.mapreduce.bounds.orders:orders_of_critical_jobs",
            "slotwise",
            "the best order in which the map phases of the few longest jobs could end",
            understands=ALL_PARTS - {SECURITY},
        ),
    ),
)
