"""Release times and weights of jobs: file, checker, methods that know them, words of the others."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from brute_force import optimum
from random_instances import tiny, with_security, with_speed_factors

import slotwise
from slotwise import Cluster, InputError, Instance, Job, verify
from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.formulations.mapreduce.bounds.closed_form import lower_bounds
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import SpeedFactors
from slotwise.instances.mapreduce.instance_file import instance_document
from slotwise.instances.mapreduce.schedule import timed

ONE_SLOT_EACH = Cluster.uniform(1, racks=1, map_slots=1, reduce_slots=1)

BETWEEN = Instance.from_jobs(
    "between",
    ONE_SLOT_EACH,
    [Job("A", maps=[1.0, 1.0]), Job("B", maps=[1.0], reduces=[1.0], release=1.0)],
)
"""B's map task runs between those of A: A 0-1, B 1-2, A 2-3, B's reduce task 2-3. Any common order
of the jobs takes 4: A A B ends its map phase at 3, B A A begins at 1."""


def released(seed: int) -> Instance | None:
    """A tiny instance with release times, every third with a part more; None without a schedule."""
    rng = np.random.default_rng(seed)
    part = [lambda instance, seed: instance, with_speed_factors, with_security][seed % 3]
    instance = part(tiny(seed, tasks=4), seed)
    times = rng.integers(0, 6, instance.jobs) * rng.choice([0.0, 1.0, 7.5, 1 / 3])
    instance = replace(instance, release=times)
    return None if impossible(instance) else instance


INSTANCES = [instance for instance in map(released, range(60)) if instance is not None]


def test_the_file_keeps_them_and_leaves_usual_ones_out(tmp_path):
    instance = Instance.from_jobs(
        "two", ONE_SLOT_EACH, [Job("A", maps=[1.0], release=2.5, weight=3.0), Job("B", maps=[1.0])]
    )
    slotwise.write(instance, tmp_path / "two.json")
    assert slotwise.read(tmp_path / "two.json") == instance
    jobs = instance_document(Instance.from_jobs("usual", ONE_SLOT_EACH, [Job("A", [1.0])]))["jobs"]
    assert "release" not in jobs[0]
    assert "weight" not in jobs[0]


@pytest.mark.parametrize(("field", "value"), [("release", -1.0), ("weight", -2.0)])
def test_senseless_ones_are_refused(field, value):
    with pytest.raises(InputError, match=f"job 'A', {field}: must be finite and >= 0"):
        Instance.from_jobs("bad", ONE_SLOT_EACH, [Job("A", maps=[1.0], **{field: value})])


def test_the_checker_says_who_starts_too_early():
    early = timed(replace(BETWEEN, release=None), *map(np.array, ([0, 0, 0], [0, 1, 2], [0], [0])))
    verdict = slotwise.check(replace(BETWEEN, release=np.array([0.0, 5.0])), early)
    assert verdict.violations == [
        "job 'B' map task 0 starts at 2, before its job's release (5)",
        "job 'B' reduce task 0 starts at 3, before its job's release (5)",
    ]


def test_a_reduce_task_without_map_tasks_waits_for_the_release():
    instance = Instance.from_jobs("r", ONE_SLOT_EACH, [Job("A", reduces=[2.0], release=3.0)])
    result = slotwise.heuristic(instance, "FIFO")
    assert result.makespan == 5.0
    assert result.mean_job_time == 2.0


def test_a_job_without_tasks_holds_nothing_up():
    jobs = [Job("A", maps=[1.0]), Job("nothing", release=9.0)]
    result = slotwise.solve(Instance.from_jobs("n", ONE_SLOT_EACH, jobs), time_limit=5)
    assert (result.status, result.makespan) == ("optimal", 1.0)


def test_mean_job_time_is_weighted():
    # A ends at 3, B, which comes at 1, at 3 too: (1 * 3 + 3 * 2) / 4.
    instance = replace(BETWEEN, weight=np.array([1.0, 3.0]))
    result = slotwise.solve(instance, time_limit=5)
    assert result.makespan == 3.0
    assert result.mean_job_time == pytest.approx(9 / 4)
    assert result.document()["mean_job_time"] == pytest.approx(9 / 4)


def test_no_order_of_the_jobs_suffices_on_map_slots():
    assert optimum(BETWEEN) == 3.0
    assert optimum(BETWEEN, shared_order=True) == 4.0
    # Two map slots need opposite orders: A B C on the first, B A on the second.
    apart = Instance.from_jobs(
        "apart",
        Cluster.uniform(1, racks=1, map_slots=2, reduce_slots=1),
        [
            Job("A", maps=[1.0, 1.0]),
            Job("B", maps=[1.0, 1.0], reduces=[10.0], release=1.0),
            Job("C", maps=[10.0]),
        ],
    )
    factors = np.array([[1.0, 10.0], [1.0, 1.0], [1.0, 99.0]])
    apart = replace(apart, speed_factors=SpeedFactors(factors, np.ones((3, 1))))
    assert optimum(apart) < optimum(apart, shared_order=True)


@pytest.mark.parametrize("instance", INSTANCES[:40], ids=lambda instance: instance.name)
def test_bounds_and_heuristics_beside_brute_force(instance):
    known = optimum(instance)
    valid = {entry.name for entry in BOUNDS if entry.valid}
    bounds = {name: s for name, s in lower_bounds(instance).items() if name in valid}
    assert max(bounds.values()) <= known * (1 + 1e-9)
    for name in ("FIFO", "FIFO-Pri", "FIFO-path"):
        assert slotwise.heuristic(instance, name).makespan >= known * (1 - 1e-9)


@pytest.mark.parametrize("instance", INSTANCES[40:44], ids=lambda instance: instance.name)
@pytest.mark.parametrize("method", ["sequence", "cp-sat"])
def test_exact_methods_beside_brute_force(instance, method):
    if method == "cp-sat" and find_spec("ortools") is None:
        pytest.skip("OR-Tools is not installed")
    known = optimum(instance)
    result = slotwise.solve(instance, methods=method, time_limit=20)
    assert result.makespan == pytest.approx(known, rel=1e-6, abs=1e-9)
    assert result.lower_bound <= known * (1 + 1e-9)


def test_late_work_is_worth_its_minimum_over_the_slots():
    # 5 s until A is there, 2 + 3 s of map tasks on the one slot, 1 s of its reduce task.
    job = Job("A", maps=[2.0, 3.0], reduces=[1.0], release=5.0)
    bounds = lower_bounds(Instance.from_jobs("late", ONE_SLOT_EACH, [job]))
    assert bounds["heads and tails"] == pytest.approx(11.0)
    # Two slots: one may take both tasks, so nothing says that both wait until 5.
    two = Cluster.uniform(1, racks=1, map_slots=2, reduce_slots=1)
    jobs = [Job("A", maps=[1.0], release=5.0), Job("B", maps=[1.0])]
    bounds = lower_bounds(Instance.from_jobs("few", two, jobs))
    assert bounds["heads and tails"] == pytest.approx(6.0)


@pytest.mark.parametrize("instance", [BETWEEN, *INSTANCES[46:52]], ids=lambda each: each.name)
def test_certificates_prove_no_more_than_the_optimum(instance, tmp_path):
    result = slotwise.solve(instance, time_limit=10)
    paths = [tmp_path / name for name in ("instance.json", "result.json", "proof.json")]
    certificate = slotwise.certify(result, time_limit=3)
    for what, path in zip((instance, result, certificate), paths, strict=True):
        slotwise.write(what, path)
    shop = verify.Shop(verify.read(paths[0])[0])
    proved = [verify.lower_bound(shop, p) for p in certificate.proofs if p["proof"] != "attested"]
    known = optimum(instance)
    assert max(proved, default=0) * shop.unit <= known * (1 + 1e-9)
    assert verify.shortest(shop, verify.read(paths[1])[0]["schedule"]) * shop.unit == (
        pytest.approx(result.makespan, rel=1e-9, abs=1e-9)
    )


@pytest.mark.parametrize("method", ["job-order", "branch-and-bound", "improvement"])
def test_methods_that_rest_on_one_order_refuse(method):
    words = "needs all jobs at 0 .job 'B' is released at 1 s.; use --model sequence or cp-sat"
    with pytest.raises(InputError, match=words):
        slotwise.solve(BETWEEN, methods=method)
    with pytest.raises(InputError, match="job 'B' is released at 1 s"):
        slotwise.build(BETWEEN, "job-order")


def test_heuristics_without_a_clock_refuse_and_gap_leaves_them_out():
    with pytest.raises(InputError, match=r"'EFSS' needs all jobs at 0.*use FIFO, FIFO-Pri"):
        slotwise.heuristic(BETWEEN, "EFSS")
    comparison = slotwise.gap(BETWEEN, time_limit=5)
    assert [result.method for result in comparison.heuristics] == ["FIFO", "FIFO-Pri"]


def test_step_pages_refuse():
    with pytest.raises(InputError, match="steps of FIFO needs all jobs at 0"):
        slotwise.steps(BETWEEN, "FIFO")
