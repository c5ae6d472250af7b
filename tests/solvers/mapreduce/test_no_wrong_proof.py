"""No bound above the optimum, nothing optimal that is not: every method and part by brute force.

`pytest -m slow -s tests/solvers/test_no_wrong_proof.py` prints how often each was tried.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import count

import campaign
import pytest
from brute_force import optimum

from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance
from slotwise.solvers.mapreduce import METHODS, choice, cp_sat

LIMIT = 60.0
"""Seconds for what should take a tenth of one, however busy the machine is."""

NO_END = {"improvement": 0.05}
"""Methods that seek better schedules until the time is up."""


def judge(
    who: str,
    says: Callable,
    runs: int,
    *,
    first: int,
    all_kinds: bool = False,
    drawn: Callable = campaign.drawn,
    truth: Callable = optimum,
) -> None:
    """Hold what is said of so many instances against the truth; those declined do not count.

    Instances that no schedule can serve are for `solve` alone, which takes `all_kinds`.
    """
    parts: Counter[str] = Counter()
    faults = []
    for seed in count(first):
        if parts["in all"] == runs:
            break
        instance, kinds = drawn(seed)
        if truth is optimum and not enumerable(instance):
            continue
        claims = says(instance) if all_kinds or impossible(instance) is None else []
        if claims:
            parts.update(["in all", *kinds])
            known = truth(instance)
            faults += [
                f"seed {seed}, {kinds}: {fault}" for c in claims if (fault := c.fault(known))
            ]
    print(f"\n{who}: {', '.join(f'{part} {runs}' for part, runs in sorted(parts.items()))}")
    assert faults == []


def enumerable(instance: Instance) -> bool:
    """Whether brute force ends soon: it tries every slot where each has a speed of its own."""
    slots = len(instance.cluster.map_slot_node) if instance.speed_factors else 0
    return slots**instance.map_tasks <= 100_000


def by_method(name: str, threads: int) -> Callable:
    limit = NO_END.get(name, LIMIT)
    return partial(campaign.method, name=name, threads=threads, time_limit=limit)


def by_solve(threads: int) -> Callable:
    return partial(campaign.solved, threads=threads, time_limit=LIMIT)


@pytest.fixture(params=[True, False], ids=["ortools", "no-ortools"])
def ortools(request, monkeypatch):
    """With OR-Tools, and as if it were not installed."""
    if not request.param:
        for module in (cp_sat, choice):
            monkeypatch.setattr(module, "find_spec", lambda name: None)
    elif find_spec("ortools") is None:
        pytest.skip("OR-Tools is not installed: pip install slotwise[cp]")
    return request.param


def some_or(few: int, many: int) -> pytest.MarkDecorator:
    """So many instances, and many more where time does not matter."""
    return pytest.mark.parametrize("runs", [few, pytest.param(many, marks=pytest.mark.slow)])


@some_or(200, 10_000)
def test_closed_forms(runs):
    judge("closed forms", campaign.closed_forms, runs, first=0)


@some_or(30, 2_000)
def test_bounds_alone(runs):
    """Each by itself: of tiny instances below the optimum, of others below any schedule."""
    judge("bounds alone", campaign.bounds_alone, runs, first=8_000)
    judge(
        "bounds alone, 10 to 40 tasks",
        lambda one: campaign.bounds_alone(one) if one.map_tasks + one.reduce_tasks >= 10 else [],
        runs // 10,
        first=108_000,
        drawn=campaign.larger,
        truth=partial(campaign.best_known, time_limit=0.3),
    )


@some_or(12, 1_000)
def test_heuristics(runs):
    judge("heuristics", campaign.heuristics, runs, first=120_000)


@some_or(12, 1_000)
@pytest.mark.parametrize("name", [method.name for method in METHODS])
def test_methods(name, runs):
    if name == "cp-sat" and find_spec("ortools") is None:
        pytest.skip("OR-Tools is not installed: pip install slotwise[cp]")
    judge(name, by_method(name, 1), runs, first=200_000)
    judge(f"{name}, 2 threads", by_method(name, 2), runs // 4, first=300_000)


@some_or(12, 500)
@pytest.mark.parametrize("threads", [1, 2])
def test_solve(threads, ortools, runs):
    who = f"solve, {threads} threads, {'with' if ortools else 'without'} OR-Tools"
    judge(who, by_solve(threads), runs, first=400_000, all_kinds=True)


@some_or(4, 500)
def test_cross_check(runs):
    opinions = partial(campaign.second_opinions, time_limit=LIMIT)
    judge("cross-check", opinions, runs, first=500_000)


def test_a_wrong_claim_is_seen():
    """The judge itself: claims beside an optimum of 10 s."""
    claim = partial(campaign.Claim, "somebody")
    assert claim(10.0, 10.0, True).fault(10.0) is None
    assert claim(None, 12.0).fault(10.0) is None
    assert claim(float("inf"), None).fault(float("inf")) is None
    for wrong in (
        claim(10.00001, None),
        claim(None, 9.99999),
        claim(10.0, 10.001, True),
        claim(10.0, None, True),
        claim(float("inf"), None),
    ):
        assert wrong.fault(10.0) is not None
    assert claim(10.0, 10.0, True).fault(float("inf")) is not None
