"""Random instances from the papers' workloads, listed in `GENERATORS`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.calls import checked
from ..core.registry import Choice, Entry, Registry

GENERATORS = Registry(
    "generator",
    "slotwise.generators",
    (
        Entry(
            "ljr",
            "instances.mapreduce.generators.ljr:generate",
            "LJR, section 5.1",
            "periodical batch jobs after a Yahoo! M45 cluster",
        ),
        Entry(
            "ljr-small",
            "instances.mapreduce.generators.ljr:small",
            "LJR, section 5.1, with few tasks",
            "the same with a handful of tasks per job, for exact methods",
        ),
        Entry(
            "hmhs",
            "instances.mapreduce.generators.hmhs:generate",
            "HMHS, section 4.1",
            "jobs of equal tasks on machines that suit each job differently",
        ),
        Entry(
            "hmhs-small",
            "instances.mapreduce.generators.hmhs:small",
            "HMHS, section 4.1, with few tasks",
            "the same with a handful of tasks per job, for exact methods",
        ),
        Entry(
            "smso",
            "instances.mapreduce.generators.smso:generate",
            "SMSO, section V",
            "jobs whose data needs priorities and encryption, on nodes of which some are lost",
        ),
        Entry(
            "smso-small",
            "instances.mapreduce.generators.smso:small",
            "SMSO, section V, with few tasks",
            "the same with a handful of tasks per job, for exact methods",
        ),
        Entry(
            "two-stage",
            "instances.mapreduce.generators.two_stage:generate",
            "F2(P) || Cmax",
            "two-stage hybrid flow shops: one map and one reduce task per job, no data",
        ),
        Entry(
            "lotes",
            "instances.datacenter.generators.lotes:generate",
            "LoTES, in kind",
            "a random datacenter",
            takes="datacenter",
        ),
        Entry(
            "google-2011",
            "instances.datacenter.generators.lotes:google_2011",
            "LoTES, Tables 1 and 2",
            "a Google cluster of May 2011, of any size",
            takes="datacenter",
        ),
        Entry(
            "mch",
            "instances.hierarchy.generators.mch:generate",
            "MCH, in kind",
            "a random hierarchy of queues",
            takes="hierarchy",
        ),
        Entry(
            "mch-binary",
            "instances.hierarchy.generators.mch:full_binary",
            "MCH, section 4",
            "the paper's full binary trees",
            takes="hierarchy",
        ),
    ),
)


if TYPE_CHECKING:
    from .generator_calls import generate as generate  # with what each generator takes
else:

    @checked
    def generate(generator: Choice, *arguments: Any, **parameters: Any) -> Any:
        """An instance, a datacenter or a hierarchy by a generator.

        Parameters
        ----------
        generator : str, callable or Entry
            A name of `GENERATORS`, a function, or an entry.
        *arguments, **parameters
            What the generator takes: its parameters one by one, or one object of all.

        Returns
        -------
        Instance, Datacenter or Hierarchy

        Raises
        ------
        InputError
            For an unknown name, and for parameters that describe no workload.
        """
        return GENERATORS.resolve(generator).call("generator", *arguments, **parameters)
