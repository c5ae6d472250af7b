"""Bounds on the mean wait are proved exactly, and false ones are not."""

import json
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from certified import tampered
from lines import cli
from verdicts import lines, read_exactly

from slotwise.core.clock import Clock
from slotwise.core.files.json_files import dump_json
from slotwise.formulations.datacenter.waiting_bound import waiting_bound
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.datacenter_file import datacenter_document
from slotwise.instances.datacenter.generators.lotes import generate
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter.certify import certify_waiting, jobs_text
from slotwise.solvers.datacenter.guide import guide
from slotwise.verify_plans import Datacenter as Exactly
from slotwise.verify_plans import jobs_of, least_mean_wait


def machines(count: int, *more: Configuration) -> Datacenter:
    """Machines of 1 cpu, and a class that needs 0.6."""
    return Datacenter.from_classes(
        "by hand",
        ["cpu"],
        [Configuration("c", count, {"cpu": 1.0}), *more],
        [JobClass("k", 1.0, 1.0, {"cpu": 0.6})],
    )


def least(problem: Datacenter, jobs: str, **prices: Any) -> Fraction:
    """The bound that prices prove for jobs."""
    exactly = Exactly(read_exactly(datacenter_document(problem)))
    proof = read_exactly({"proof": "waiting", **prices})
    return least_mean_wait(exactly, proof, jobs_of(exactly, jobs))


CPU = {"c": {"cpu": 1}}


def test_prices_of_a_resource_by_hand() -> None:
    # From 1 to 2 two jobs of 1.0 are there, and one machine is: one of two waits for 1.
    assert least(machines(1), "0 2 0 1.0\n1 2 0 1.0\n", prices=CPU) == Fraction(1, 2)
    # 0.9 + 0.5 on 1.0: 0.4 too much, of which the job of 0.9 makes up 4/9 of itself.
    assert least(machines(1), "0 1 0 0.9\n0 1 0 0.5\n", prices=CPU) == Fraction(2, 9)
    # Three jobs of 1 on one machine: two wait for 1; those with no duration for nothing.
    assert least(machines(1), "0 1 0 1\n" * 3 + "0 0 0 1\n", prices=CPU) == Fraction(2, 4)
    # Without prices nothing is proved.
    assert least(machines(1), "0 1 0 1\n" * 3, prices={}) == 0


def test_prices_of_classes_by_hand() -> None:
    # Three jobs of 0.6 on two machines, each of which holds one: one waits. At prices of cpu, 1.8
    # fit into 2. A job that needs less than its class does counts for nothing.
    three = "0 1 0 0.6\n" * 3
    assert least(machines(2), three, prices=CPU) == 0
    assert least(machines(2), three, **{"class prices": {"k": 5}}) == Fraction(1, 3)
    assert least(machines(2), three + "0 1 0 0.5\n", **{"class prices": {"k": 5}}) == Fraction(1, 4)


def test_the_shortest_duration_is_where_a_job_fits() -> None:
    # On d jobs take half the time, if they fit: that of 0.9 does not.
    problem = Datacenter.from_classes(
        "two",
        ["cpu"],
        [Configuration("c", 1, {"cpu": 1.0}), Configuration("d", 1, {"cpu": 0.5})],
        [JobClass("k", 1.0, {"c": 2.0, "d": 1.0}, {"cpu": 0.1})],
    )
    jobs = jobs_of(Exactly(read_exactly(datacenter_document(problem))), "0 2 0 0.9\n0 2 0 0.5\n")
    assert [(job.least, job.places) for job in jobs] == [(2, [0]), (1, [0, 1])]


def claim_of(seed: int, noise: float) -> tuple[Any, Any, Any, float]:
    """A datacenter, the claim of a simulation, its certificate, as documents; a policy's wait."""
    problem = generate(3, 2, 2, 5, seed=seed, speed=(0.5, 2.0), allowed=0.8, request=(0.1, 0.25))
    plan = guide(problem, time_limit=0.1)
    workload = poisson(problem, 1.5 * plan.arrival_rate_bound, 100, seed=seed, noise=noise)
    bound = waiting_bound(workload, plan)
    document = datacenter_document(problem)
    made = certify_waiting(bound, jobs_text(workload), Clock(60), dump_json(document).encode())
    assert made.kind == "proved"
    assert made.proved_bound == pytest.approx(bound.mean_wait, rel=1e-7)
    digest = sha256((made.jobs or "").encode()).hexdigest()
    claim = {"mean_wait_bound": bound.mean_wait, "jobs_sha256": digest}
    return document, claim, made.document(), simulate(workload, "first-fit").mean_wait_of_all


@pytest.mark.parametrize("seed", range(6))
def test_bounds_of_the_product_are_confirmed(seed: int) -> None:
    document, claim, certificate, wait = claim_of(seed, noise=0.4 * (seed % 2))
    assert lines(document, claim, certificate)[0]
    more = claim | {"mean_wait_bound": claim["mean_wait_bound"] * (1 + 1e-5) + 1e-9}
    assert not lines(document, more, certificate)[0]
    false = claim | {"mean_wait_bound": wait * (1 + 1e-5) + 1e-9}  # which a policy refutes
    for k in range(12):
        assert not lines(document, false, tampered(certificate, 1000 * seed + k))[0]
        lines(tampered(document, 1000 * seed + k), claim, certificate)  # no traceback


def test_other_jobs_prove_nothing_of_these() -> None:
    document, claim, certificate, _ = claim_of(3, noise=0.0)
    first = certificate["jobs"].splitlines()[0]
    other = certificate | {"jobs": certificate["jobs"] + f"{first}\n"}
    holds, findings = lines(document, claim, other)
    assert not holds
    assert findings == ["the certificate is about other jobs"]


@pytest.mark.parametrize(
    ("jobs", "why"),
    [
        ("0 1 0\n", "need arrival, duration"),
        ("0 1 0 -1\n", "need arrival, duration"),
        ("0 1 1 0.5\n", "from 0 to 0"),
        ("0 1 0.5 0.5\n", "must be a whole number"),
        ("0 1 0 2\n", "fits no machine"),
        ("", "there are none"),
        ("0 1e99999 0 1\n", "too many digits"),
        ("zero 1 0 1\n", "are no numbers"),
        ("1/0 1 0 1\n", "are no numbers"),
    ],
)
def test_senseless_jobs_are_refused(jobs: str, why: str) -> None:
    claim = {"mean_wait_bound": 0, "jobs_sha256": sha256(jobs.encode()).hexdigest()}
    proof = {"jobs": jobs, "proofs": [{"proof": "waiting", "prices": CPU}]}
    holds, findings = lines(datacenter_document(machines(1)), claim, proof)
    assert not holds
    assert why in findings[-1]


def test_no_order_of_few_jobs_waits_less() -> None:
    # One machine that holds one job at a time: all orders can be tried, and each starts as soon as
    # it can; the least sum of waits is that of the best.
    from itertools import permutations

    rng = np.random.default_rng(4)
    for _ in range(20):
        jobs = [(int(a), int(d)) for a, d in rng.integers(0, 5, (5, 2))]
        waits = []
        for order in permutations(jobs):
            now, wait = 0, 0
            for arrival, duration in order:
                wait += max(now, arrival) - arrival
                now = max(now, arrival) + duration
            waits.append(wait)
        text = "".join(f"{arrival} {duration} 0 0.6\n" for arrival, duration in jobs)
        for prices in ({"prices": CPU}, {"class prices": {"k": 1}}):
            assert 5 * least(machines(1), text, **prices) <= min(waits)


def test_simulate_leaves_a_certificate(tmp_path: Path) -> None:
    files = tmp_path / "simulation.json", tmp_path / "proof.json"
    options = ["--policy", "first-fit", "--jobs", 400, "--load", 0.98, "--bound"]
    line = ["example:gpu-cluster", *options, "-o", files[0], "--certificate", files[1]]
    end = cli("simulate", *line)
    assert end.code == 0, end
    assert "bound on the mean wait proved: yes" in end.err
    end = cli("verify", "example:gpu-cluster", *files)
    assert end.code == 0, end
    assert "jobs: 400" in end.out
    claim = json.loads(files[0].read_text())
    claim["mean_wait_bound"] += 1
    files[0].write_text(json.dumps(claim))
    assert cli("verify", "example:gpu-cluster", *files).code == 1
    for more in (["--scale", "0.5"], []):
        alone = [*options[: -1 if not more else None], *more, "--certificate", files[1]]
        end = cli("simulate", "example:gpu-cluster", *alone)
        assert end.code == 2
        assert "--certificate is of --bound on all machines" in end.err
