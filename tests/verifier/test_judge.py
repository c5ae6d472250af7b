"""The verifier: nothing false is confirmed, nothing hostile breaks it."""

import ast
import json
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from itertools import count, product
from pathlib import Path

import numpy as np
import pytest
from brute_force import optimum
from certified import certificate_of, judged, read_exactly, shop_of, tampered
from hypothesis import given, settings
from hypothesis import strategies as st
from random_instances import any_parts, extreme

import slotwise
from slotwise.formulations.mapreduce.bounds.closed_form import lower_bounds
from slotwise.instances.mapreduce import setups
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.eligibility import impossible, map_eligible, reduce_eligible
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.instance_file import instance_document, write_instance
from slotwise.instances.mapreduce.schedule import timed
from slotwise.instances.mapreduce.schedule_file import schedule_document
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.verifier import judge
from slotwise.verifier.documents import Refused
from slotwise.verifier.schedule import shortest

FOLDER = Path(judge.__file__).parent
TINY = Fraction(1, 10**9)


def drawn(seed):
    return any_parts(seed, tiny_every=2)


def possible(seeds):
    return [seed for seed in seeds if impossible(drawn(seed)) is None]


def two_jobs():
    """One slot for each phase; map tasks of 4 and 3 s, reduce tasks of 6 and 2 s."""
    return Instance.from_jobs(
        "two-jobs",
        Cluster.uniform(1, map_slots=1, reduce_slots=1),
        [Job("a", [4], [6]), Job("b", [3], [2])],
    )


def solved(instance):
    """A result of the quick methods, as a document."""
    return slotwise.solve(instance, methods="time-prices", time_limit=0.2).document()


@pytest.mark.parametrize("seed", range(40))
def test_durations_are_those_of_the_product(seed):
    instance = drawn(seed)
    shop = shop_of(instance)
    nowhere = shop.impossible
    assert nowhere == (impossible(instance) is not None)
    if nowhere:
        return
    usable = usable_slots(instance).instance
    maps = setups.map_setup_matrix(usable) + usable.phases.map.matrix()
    reduces = usable.phases.reduce.matrix()
    reads = setups.output_share(usable)[:, None, None] * setups.read_seconds(usable)
    # Between nodes that cannot read from each other the product knows no rate.
    slots = usable.cluster.map_slots[:, None] * usable.cluster.reduce_slots
    reads = np.where(slots > 0, reads, np.nan)
    for by_product, own in (
        (maps, shop.map_time),
        (reduces, shop.reduces.time),
        (reads, shop.read_time),
    ):
        for place in np.argwhere(np.isfinite(by_product)):
            exact = float(own(*place.tolist()) * shop.unit)
            assert exact == pytest.approx(by_product[tuple(place)], rel=1e-12)


def in_fractions(value):
    """A document with the exact values of its binary numbers."""
    if isinstance(value, dict):
        return {key: in_fractions(one) for key, one in value.items()}
    if isinstance(value, list):
        return [in_fractions(one) for one in value]
    return Fraction(value) if isinstance(value, float) else value


def closed_forms_of(instance):
    """By name: a closed form of the verifier, in whole units, and of the product, in these."""
    shop = judge.problem_of(in_fractions(instance_document(instance)))
    pigeonholes = [0]
    for phase, job in product(("map", "reduce"), range(instance.jobs)):
        with suppress(Refused):
            for k in count():
                proof = {"proof": "pigeonhole", "phase": phase, "job": job, "k": k}
                pigeonholes.append(judge.lower_bound(shop, proof))
    found = lower_bounds(instance)
    for name, units in {
        "heads and tails": judge.lower_bound(shop, {"proof": "waits"}),
        "pigeonhole": max(pigeonholes),
        "Johnson": judge.lower_bound(shop, {"proof": "johnson"}),
    }.items():
        yield name, units, Fraction(found[name]) / shop.unit


@pytest.mark.parametrize("first", range(0, 280, 40))
def test_closed_forms_are_those_of_the_product(first):
    """At any scale the product rounds down only, and no more than a little."""
    for seed in range(first, first + 40):
        instance = drawn(seed) if first == 0 else extreme(seed)
        if impossible(instance) is None and instance.security is None:
            for name, own, found in closed_forms_of(instance):
                assert found <= own, (seed, name)
                assert instance.speed_factors is not None or own < found * (1 + TINY) + 1


def test_a_schedule_is_timed_by_its_order_alone():
    # a first: maps end at 4 and 7, reduces at 10 and 12. b first: 3 and 7, then 5 and 13.
    shop = shop_of(two_jobs())

    def ends(starts):
        tasks = [
            {"job": job, "phase": phase, "task": 0, "node": "n0", "slot": 0, "start": start}
            for (job, phase), start in starts.items()
        ]
        node = next(iter(shop.nodes))
        for task in tasks:
            task["node"] = node
        schedule = {"format": "slotwise/schedule/1", "instance": "two-jobs", "tasks": tasks}
        return shortest(shop, schedule) * shop.unit

    first = {("a", "map"): 0, ("b", "map"): 1, ("a", "reduce"): 2, ("b", "reduce"): 3}
    assert ends(first) == 12
    assert ends({**first, ("b", "map"): -1, ("b", "reduce"): -5}) == 13


@pytest.mark.parametrize("seed", possible(range(60, 100)))
def test_any_order_is_timed_as_by_the_product(seed):
    instance, rng = drawn(seed), np.random.default_rng(seed)
    slots = [
        np.array([rng.choice(np.flatnonzero(row)) for row in rows], dtype=int)
        for rows in (
            map_eligible(instance),
            np.tile(reduce_eligible(instance), (instance.reduce_tasks, 1)),
        )
    ]
    maps, reduces = ((of, rng.permutation(len(of))) for of in slots)
    schedule = timed(instance, *maps, *reduces)
    document = schedule_document(instance, schedule)
    rng.shuffle(document["tasks"])
    shop = shop_of(instance)
    exact = shortest(shop, read_exactly(document)) * shop.unit
    assert float(exact) == pytest.approx(schedule.makespan, rel=1e-12)


@pytest.mark.parametrize("field", ["release", "weight"])
def test_jobs_have_neither_releases_nor_weights(field):
    document = instance_document(two_jobs())
    document["jobs"][1][field] = 0.0
    with pytest.raises(Refused, match=f"job 'b': {field} is gone: leave it out"):
        judge.problem_of(read_exactly(document))


def test_results_are_of_makespans():
    instance = two_jobs()
    documents = solved(instance) | {"objective": "mean"}, certificate_of(instance, [])
    with pytest.raises(Refused, match="objective: certificates are of makespans"):
        judge.confirmed(shop_of(instance), *map(read_exactly, documents))


def test_decimals_are_exact():
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1, rates=Rates(3, 3, 3))
    instance = Instance.from_jobs("thirds", cluster, [Job("a", [MapTask(0.1, 1)] * 3, [])])
    shop = shop_of(instance)
    assert shop.unit == Fraction(1, 30)
    assert judge.lower_bound(shop, {"proof": "waits"}) * shop.unit == Fraction(13, 10)


@pytest.mark.parametrize("change", [{"makespan": 11}, {"lower_bound": 13}, {"gap": -0.1}])
def test_a_better_claim_than_true_is_not_confirmed(change):
    instance = two_jobs()
    proofs = [{"proof": "orders", "jobs": [0, 1]}]
    shop, result = shop_of(instance), solved(instance)
    assert (result["makespan"], result["status"]) == (12, "optimal")
    assert judged(shop, result, certificate_of(instance, proofs))
    assert not judged(shop, result, certificate_of(instance, [{"proof": "waits"}]))
    assert not judged(shop, {**result, **change}, certificate_of(instance, proofs))


INSTANCES = {seed: drawn(seed) for seed in possible(range(0, 60, 5))}
CLAIMS = {}


def claim(seed):
    """Problem, result, a certificate with every theorem, and the optimal makespan."""
    if seed not in CLAIMS:
        instance = INSTANCES[seed]
        least = optimum(instance)
        shop, jobs = shop_of(instance), list(range(instance.jobs))
        units = round(least / float(shop.unit))
        proofs = [
            {"proof": "waits"},
            {"proof": "johnson"},
            {"proof": "pigeonhole", "phase": "map", "job": 0, "k": 0},
            {"proof": "orders", "jobs": jobs, "ends": [[] for _ in jobs]},
            {"proof": "one job's reads", "job": 0, "ends": [units, 2 * units + 1]},
            {"proof": "last jobs", "price": units},
            {
                "proof": "reads within a horizon",
                "horizon": max(0, units - 1),
                "jobs": jobs,
                "then": {"proof": "waits"},
            },
            {"proof": "prices of time", "cell": units // 9 + 1, "map": [1] * 8, "reduce": [0] * 8},
            {"proof": "patterns", "phase": "map", "horizon": units, "cells": 9, "prices": [1, 1]},
            {"proof": "search", "jobs": jobs, "horizon": max(0, units - 1), "cases": 20_000},
            {"proof": "attested", "bound": least, "by": ["nobody"]},
        ]
        CLAIMS[seed] = shop, solved(instance), certificate_of(instance, proofs), least
    return CLAIMS[seed]


@settings(max_examples=100, deadline=None)
@given(seed=st.sampled_from(sorted(INSTANCES)), how=st.integers(0, 2**31), both=st.booleans())
def test_nothing_false_is_confirmed(seed, how, both):
    shop, result, certificate, least = claim(seed)
    result = tampered(result, how)
    if both:
        certificate = tampered(certificate, how + 1)
    if judged(shop, result, certificate):
        if result["makespan"] is not None:
            assert result["makespan"] >= least * (1 - 1e-8)
        if result.get("lower_bound") is not None:
            assert result["lower_bound"] <= least * (1 + 1e-5)
        if result["status"] == "optimal":
            assert result["makespan"] <= least * (1 + 1e-5)


@settings(max_examples=60, deadline=None)
@given(seed=st.sampled_from(sorted(INSTANCES)), how=st.integers(0, 2**31))
def test_a_hostile_instance_is_read_or_refused(seed, how):
    document = tampered(instance_document(INSTANCES[seed]), how)
    _, result, certificate, _ = claim(seed)
    try:
        shop = judge.problem_of(read_exactly(document))
    except Refused:
        return
    judged(shop, result, certificate)


HOSTILE = {
    "twice": '{"format": 1, "format": 1}',
    "NaN": '{"format": NaN}',
    "infinite": '{"format": -Infinity}',
    "digits": '{"format": ' + "9" * 5000 + "}",
    "exponent": '{"format": 1e99999}',
    "great": '{"format": 1e301}',
    "deep": "[" * 100_000 + "]" * 100_000,
    "list": "[]",
    "nothing": "",
    "bytes": "\x00\x01",
    "surrogate": '{"\\ud800": 1}',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_hostile_texts_get_one_line(name, which, tmp_path, capsys):
    instance = two_jobs()
    paths = [tmp_path / name for name in ("instance.json", "result.json", "certificate.json")]
    write_instance(instance, paths[0])
    paths[1].write_text(json.dumps(solved(instance)))
    paths[2].write_text(json.dumps(certificate_of(instance, [])))
    paths[which].write_text(HOSTILE[name])
    code = judge.main([str(path) for path in paths])
    out, err = capsys.readouterr()
    assert code in (1, 2)
    assert len((out + err).splitlines()) <= 2
    if code == 2:
        assert (out, err.count("\n")) == ("", 1)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarm on this system")
def test_a_limit_ends_a_long_proof(tmp_path, capsys):
    # Twelve jobs of 3 tasks, hence spans of 4096 sets, three hundred times.
    jobs = [Job(f"j{i}", [7 + i, 7 + (5 * i) % 11], [1]) for i in range(12)]
    cluster = Cluster.uniform(2, map_slots=3, reduce_slots=1)
    instance = Instance.from_jobs("long", cluster, jobs)
    paths = [str(tmp_path / name) for name in ("instance.json", "result.json", "proof.json")]
    write_instance(instance, paths[0])
    Path(paths[1]).write_text(json.dumps(solved(instance)))
    proofs = [{"proof": "waits"}, *[{"proof": "orders", "jobs": list(range(12))}] * 300]
    Path(paths[2]).write_text(json.dumps(certificate_of(instance, proofs)))
    assert judge.main([*paths, "--limit", "1"]) in (0, 1)
    out = capsys.readouterr().out.splitlines()
    assert "stopped: the time is up" in out
    assert any(line.startswith("proof 'waits'") for line in out)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_only_the_standard_library_is_imported():
    for file in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level < 2, file
                names = [] if node.level else [node.module]
            assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names, file


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    """A folder with the verifier and claims, and nothing else."""
    folder = tmp_path_factory.mktemp("stranger")
    shutil.copytree(FOLDER, folder / "verifier")
    (folder / "json.py").write_text("raise SystemExit('not mine')")
    for seed in [*INSTANCES][:3]:
        _, result, certificate, _ = claim(seed)
        write_instance(INSTANCES[seed], folder / f"{seed}.json")
        (folder / f"{seed}.result.json").write_text(json.dumps(result))
        (folder / f"{seed}.proof.json").write_text(json.dumps(certificate))
    return folder


@pytest.mark.parametrize("seed", [*INSTANCES][:3])
def test_a_stranger_comes_to_the_same_verdict(seed, stranger):
    shop, result, certificate, _ = claim(seed)
    files = [f"{seed}.json", f"{seed}.result.json", f"{seed}.proof.json"]
    run = subprocess.run(
        [sys.executable, "-I", "-S", "verifier", *files, "--limit", "60"],
        cwd=stranger, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.stderr == ""
    assert run.returncode == (0 if judged(shop, result, certificate) else 1)
    assert run.stdout.splitlines()[-1] == ("CONFIRMED" if run.returncode == 0 else "NOT CONFIRMED")


def test_an_optimum_is_not_the_end_of_a_better_schedule():
    instance = two_jobs()
    certificate = certificate_of(instance, [{"proof": "orders", "jobs": [0, 1]}])
    longer = {**solved(instance), "makespan": 13, "gap": 1}
    assert not judged(shop_of(instance), longer, certificate)
    assert judged(shop_of(instance), {**longer, "status": "feasible"}, certificate)
