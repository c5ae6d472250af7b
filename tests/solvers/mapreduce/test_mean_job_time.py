"""The mean job time as what `solve` makes least: bounds and methods beside brute force, and that no
mean is ever taken for a makespan."""

import json
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from brute_force import least_mean, optimum
from random_instances import tiny, with_security, with_speed_factors

import slotwise
import slotwise.solvers.busy_times
from slotwise import Cluster, InputError, Instance, Job
from slotwise.core.clock import Clock
from slotwise.formulations.mapreduce.bounds.job_times import job_time_bound, stages_of
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.solvers.busy_times import busy_time_bound

ONE_SLOT_EACH = Cluster.uniform(1, racks=1, map_slots=1, reduce_slots=1)

TWO = Instance.from_jobs(
    "two",
    ONE_SLOT_EACH,
    [
        Job("A", maps=[4.0], reduces=[3.0]),
        Job("B", maps=[1.0], reduces=[1.0], release=1.0),
    ],
)
"""A first ends at 7 and 8: the makespan 8 is least, the mean 7. B first, which waits until 1, ends
at 9 and 3: the mean 5.5 is least."""

APART = Instance.from_jobs(
    "apart",
    ONE_SLOT_EACH,
    [Job("A", reduces=[1.0, 1.0]), Job("B", maps=[1.0], reduces=[1.0], weight=3.0)],
)
"""The reduce tasks of A lie apart: A B A costs 9 in all, A A B 11, B A A 10."""

needs_ortools = pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")
METHODS = ["sequence", pytest.param("cp-sat", marks=needs_ortools)]


def drawn(seed: int) -> Instance | None:
    """A tiny instance, most with releases and weights, every third with a part more."""
    rng = np.random.default_rng(seed)
    part = [lambda instance, seed: instance, with_speed_factors, with_security][seed % 3]
    instance = part(tiny(seed, tasks=4), seed)
    if rng.random() < 0.7:
        times = rng.integers(0, 6, instance.jobs) * rng.choice([1.0, 7.5, 1 / 3])
        instance = replace(instance, release=times)
    if rng.random() < 0.7:
        weights = rng.integers(0, 4, instance.jobs) * rng.choice([1.0, 0.37])
        instance = replace(instance, weight=weights)
    return None if impossible(instance) else instance


def instances(first: int, count: int) -> list[Instance]:
    """So many of them, from a seed on."""
    return [each for each in map(drawn, range(first, first + count)) if each is not None]


def check_bounds(each: list[Instance]) -> float:
    """No bound is above the optimum; the mean share of the optimum."""
    shares = []
    for instance in each:
        known = least_mean(instance)
        bound, _ = job_time_bound(instance)
        assert bound <= known * (1 + 1e-9) + 1e-12, instance.name
        program = busy_time_bound(stages_of(instance), known * 1.1 + 1e-3, Clock(20))
        assert program is not None
        assert program <= known + 1e-9, instance.name
        if known:
            shares.append(max(bound, program) / known)
    return float(np.mean(shares))


def check_method(each: list[Instance], method: str) -> None:
    """Both objectives are brute force's."""
    for instance in each:
        known = least_mean(instance)
        result = slotwise.solve(
            instance, methods=method, objective="mean", time_limit=60, threads=1
        )
        assert result.goal == pytest.approx(known, rel=1e-6, abs=1e-9), instance.name
        assert result.goal_bound[0] <= known * (1 + 1e-9) + 1e-12, instance.name
        assert result.status == "optimal", (instance.name, str(result))
        known = optimum(instance)
        result = slotwise.solve(instance, methods=method, time_limit=60, threads=1)
        assert result.makespan == pytest.approx(known, rel=1e-6, abs=1e-9), instance.name
        assert result.lower_bound <= known * (1 + 1e-9), instance.name


def test_no_bound_is_above_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEAST_INTERVALS", "MOST_INTERVALS"):
        monkeypatch.setattr(slotwise.solvers.busy_times, name, 20)
    assert check_bounds(instances(0, 15)) > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_methods_beside_brute_force(method: str) -> None:
    check_method(instances(30, 1), method)


@pytest.mark.slow
def test_no_bound_is_above_the_optimum_at_length() -> None:
    assert check_bounds(instances(1000, 520)) > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_methods_beside_brute_force_at_length(method: str) -> None:
    check_method(instances(2000, 520), method)


def test_the_best_mean_may_wait_and_end_late(solved) -> None:
    result = solved
    assert (result.status, result.mean_job_time, result.makespan) == ("optimal", 5.5, 9.0)
    assert result.lower_bound <= 8.0  # of the makespan, which another schedule has at its least
    assert str(result).startswith("two: optimal, mean job time 5.5 s")
    assert "makespan 9 s" in str(result)


@pytest.mark.parametrize("method", METHODS)
def test_reduce_tasks_of_a_job_may_lie_apart(method: str) -> None:
    result = slotwise.solve(APART, methods=method, objective="mean", time_limit=20, threads=1)
    assert (result.status, result.mean_job_time) == ("optimal", pytest.approx(9 / 4))


@pytest.fixture(scope="module")
def solved() -> slotwise.Result:
    """The best mean of `TWO`."""
    return slotwise.solve(TWO, methods="sequence", objective="mean", time_limit=20, threads=1)


def test_the_file_tells_the_objective(tmp_path, solved) -> None:
    result = solved
    slotwise.write(result, tmp_path / "r.json")
    document = json.loads((tmp_path / "r.json").read_text())
    assert (document["objective"], document["mean_job_time"]) == ("mean", 5.5)
    assert document["mean_job_time_bound"] == pytest.approx(5.5)
    assert (document["makespan"], document["mean_job_time_gap"]) == (9.0, pytest.approx(0.0))
    assert document["lower_bound"] <= 8.0
    again = slotwise.read(tmp_path / "r.json", TWO)
    assert (again.mean_bound, again.status) == (result.mean_bound, result.status)
    assert slotwise.check(TWO, again).valid
    document |= {"mean_job_time_bound": 6.0}
    (tmp_path / "r.json").write_text(json.dumps(document))
    verdict = slotwise.check(TWO, slotwise.read(tmp_path / "r.json", TWO))
    assert "mean_job_time_bound: 6 is above the mean job time 5.5" in verdict.violations
    document |= {"mean_job_time_bound": 5.0}
    (tmp_path / "r.json").write_text(json.dumps(document))
    verdict = slotwise.check(TWO, slotwise.read(tmp_path / "r.json", TWO))
    assert "the result is called optimal, its bound 5 leaves a gap" in verdict.violations


@pytest.mark.parametrize("method", ["job-order", "branch-and-bound", "improvement", "time-prices"])
def test_methods_for_the_makespan_refuse(method: str) -> None:
    with pytest.raises(InputError, match=f"{method}.*--objective mean.*--model sequence or cp-sat"):
        slotwise.solve(TWO, methods=method, objective="mean")


def test_certificates_are_of_makespans(tmp_path, solved) -> None:
    result = solved
    with pytest.raises(InputError, match="certificate: proofs are of makespans"):
        slotwise.certify(result, time_limit=1)
    proved = slotwise.certify(slotwise.solve(TWO, time_limit=5), time_limit=1)
    paths = [tmp_path / name for name in ("instance.json", "result.json", "proof.json")]
    for what, path in zip((TWO, result, proved), paths, strict=True):
        slotwise.write(what, path)
    with pytest.raises(slotwise.verify.Refused, match="objective: no certificate proves"):
        slotwise.verify.judge(
            slotwise.verify.Shop(slotwise.verify.read(paths[0])[0]),
            *(slotwise.verify.read(path)[0] for path in paths[1:]),
        )
