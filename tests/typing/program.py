"""A user's program with nine errors, each marked with what `mypy --strict` must say of it.

`.ci/typecheck` runs it: strict mypy refuses a mark without an error, and an error without a mark.
"""

from __future__ import annotations

from pathlib import Path

import slotwise

FOLDER = Path("results")


def best_of(instance: slotwise.Instance, seconds: float) -> slotwise.Result:
    """Solve, and let nobody wait."""
    return slotwise.solve(instance, time_limit=seconds)


def typo_of_a_verb(instance: slotwise.Instance) -> None:
    """No public name."""
    slotwise.slove(instance)  # type: ignore[attr-defined]


def type_of_a_time_limit(instance: slotwise.Instance) -> None:
    """Text for a number."""
    slotwise.solve(instance, time_limit="20")  # type: ignore[arg-type]


def path_for_an_instance() -> None:
    """A name for what is in the file."""
    slotwise.heuristic("five-jobs.json", "EFSS")  # type: ignore[arg-type]


def typo_of_an_attribute(instance: slotwise.Instance) -> float | None:
    """No attribute of a result."""
    return best_of(instance, 5).makspan  # type: ignore[attr-defined, no-any-return]


def result_for_a_number(instance: slotwise.Instance) -> float:
    """A comparison is no number."""
    return slotwise.gap(instance, time_limit=5)  # type: ignore[return-value]


def no_seed(datacenter: slotwise.Datacenter) -> slotwise.Workload:
    """A missing argument."""
    return slotwise.poisson(datacenter, 3.0, 100)  # type: ignore[call-arg]


def unknown_keyword(hierarchy: slotwise.Hierarchy) -> None:
    """No argument of the verb."""
    slotwise.plot(hierarchy, axes=None)  # type: ignore[call-arg]


def table_for_a_list(instance: slotwise.Instance) -> list[str]:
    """A data frame is no list."""
    return instance.to_dataframe()  # type: ignore[no-any-return]


def option_of_a_generator() -> slotwise.Instance:
    """Text for a number of jobs."""
    return slotwise.generate("ljr-small", jobs="ten", seed=1)  # type: ignore[call-overload, no-any-return]


def batch() -> None:
    """What a careful program does: not one error."""
    instance = slotwise.read("example:five-jobs", kind=slotwise.Instance)
    drawn = slotwise.generate("ljr-small", jobs=2, nodes=2, seed=1)
    result = best_of(instance, 10.0)
    schedule = result.schedule
    if schedule is not None:
        slotwise.write_schedule(instance, schedule, FOLDER / "schedule.json")
        print(slotwise.check(instance, schedule).valid, slotwise.bounds(drawn)["LB2"])
    for other in slotwise.gap(instance, heuristics=["EFSS", "TBS"]).heuristics:
        print(other.method, other.makespan, other.gap)
    print(result.to_dataframe().shape[0], slotwise.registry("heuristics").names)


def cluster() -> slotwise.Simulation:
    """Plan a datacenter and try it."""
    datacenter = slotwise.read("example:gpu-cluster", kind=slotwise.Datacenter)
    plan = slotwise.guide(datacenter, time_limit=1.0)
    workload = slotwise.poisson(datacenter, 0.5 * plan.arrival_rate, 1000, seed=1)
    return slotwise.simulate(workload, "lotes", guidance=plan)


def queues() -> float:
    """Share a cluster."""
    tree = slotwise.generate("mch", seed=1)
    shares = slotwise.fair(tree, "exact")
    return float(shares.tasks.sum())


if __name__ == "__main__":
    batch()
    print(cluster().mean_wait, queues())
