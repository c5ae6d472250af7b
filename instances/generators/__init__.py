"""Random instances from the papers' workloads, listed in `GENERATORS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..registry import Entry, lookup

if TYPE_CHECKING:
    from ..mapreduce import Instance

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
    Entry(
        "hmhs",
        "instances.generators.hmhs:generate",
        "HMHS, section 4.1",
        "jobs of equal tasks on machines that suit each job differently",
    ),
    Entry(
        "hmhs-small",
        "instances.generators.hmhs:small",
        "HMHS, section 4.1, with few tasks",
        "the same with a handful of tasks per job, for exact methods",
    ),
    Entry(
        "smso",
        "instances.generators.smso:generate",
        "SMSO, section V",
        "jobs whose data needs priorities and encryption, on nodes of which some are lost",
    ),
    Entry(
        "smso-small",
        "instances.generators.smso:small",
        "SMSO, section V, with few tasks",
        "the same with a handful of tasks per job, for exact methods",
    ),
)


def generate(name: str, **parameters: Any) -> Instance:
    """An instance by the generator called `name`; see there for its `parameters`.

    Raises `InputError` for an unknown name or parameters that describe no workload.
    """
    instance: Instance = lookup("generator", GENERATORS, name).load()(**parameters)
    return instance
