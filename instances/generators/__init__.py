"""Random instances from the papers' workloads, listed in `GENERATORS`."""

from ..registry import Entry

GENERATORS: tuple[Entry, ...] = (
    Entry(
        "ljr",
        "instances.generators.ljr:generate",
        "LJR, section 5.1",
        "periodical batch jobs after a Yahoo! M45 cluster",
    ),
    Entry(
        "ljr-small",
        "instances.generators.ljr:small",
        "LJR, section 5.1, with few tasks",
        "the same with a handful of tasks per job, for exact methods",
    ),
)
