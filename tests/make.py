"""What many tests make: calls of the command line, jobs one by one, the smallest problems."""

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

import numpy as np

import slotwise
from slotwise import Cluster, Datacenter, Group, Instance, Job, Leaf
from slotwise.commands.app import run, tree
from slotwise.instances.datacenter.workload import Jobs, Workload

INSTANCE = Instance.from_jobs(
    "two",
    Cluster.uniform(2, map_slots=1, reduce_slots=1),
    [Job("a", maps=[3.0, 4.0], reduces=[5.0]), Job("b", maps=[2.0])],
)
DATACENTER = Datacenter.from_classes(
    "rack",
    ["cpu"],
    [slotwise.Configuration("small", 2, {"cpu": 2.0})],
    [slotwise.JobClass("web", 1.0, 0.5, {"cpu": 1.0})],
)
TREE = slotwise.Hierarchy.from_tree(
    {"cpu": 10.0}, Group("root", [Leaf("a", {"cpu": 1.0}, 2.0), Leaf("b", {"cpu": 2.0}, tasks=3)])
)


def datacenter(
    resources: str, machines: dict[str, Any], classes: dict[str, Any], unit: str = "h"
) -> Datacenter:
    """Machines as `name: (count, capacities…)`, classes as `name: (share, time, requests…)`."""
    names = resources.split()
    return Datacenter.from_classes(
        "d",
        names,
        [
            slotwise.Configuration(name, count, dict(zip(names, amounts, strict=False)))
            for name, (count, *amounts) in machines.items()
        ],
        [
            slotwise.JobClass(name, share, time, dict(zip(names, amounts, strict=False)))
            for name, (share, time, *amounts) in classes.items()
        ],
        time_unit=unit,
    )


class End(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def cli(*words: object) -> End:
    """`slotwise WORDS…` within this process; a string alone is a whole line."""
    line = words[0].split() if len(words) == 1 and isinstance(words[0], str) else words
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(word) for word in line])
    return End(code, out.getvalue(), err.getvalue())


def every_command(group: Any = None, above: str = "") -> dict[str, Any]:
    """Every command by its words, such as `import yarn`."""
    group, found = group or tree(), {}
    for name in group.list_commands(None):
        command, words = group.get_command(None, name), f"{above} {name}".strip()
        is_group = hasattr(command, "list_commands")
        found |= every_command(command, words) if is_group else {words: command}
    return found


def refused(*words: object) -> str:
    """The one line with which a command is refused, without its `slotwise: `."""
    end = cli(*words)
    assert end.code == 2, end
    assert end.out == ""
    assert end.err.startswith("slotwise: ")
    assert end.err.count("\n") == 1
    assert len(end.err) <= 501
    return end.err.strip().removeprefix("slotwise: ")


def workload_of(problem: Datacenter, *jobs: tuple[Any, ...]) -> Workload:
    """Jobs given as (arrival, class, duration, demand of each resource)."""
    arrival, job_class, duration, *demand = zip(*jobs, strict=True)
    whole = Jobs(
        np.array(arrival, dtype=float),
        np.array(job_class, dtype=np.int64),
        np.array(duration, dtype=float),
        np.ascontiguousarray(problem.in_units(np.array(demand, dtype=float).T)),
    )
    return Workload(problem, len(jobs), whole.arrival[-1] or 1.0, "by hand", lambda: iter([whole]))
