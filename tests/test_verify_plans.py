"""Guidance and fair shares are proved exactly, and false claims are not."""

import json
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import slotwise
from slotwise.verify import Refused, confirmed, parsed, problem_of
from slotwise.verify_plans import Datacenter, Tree, fair_shares, greatest_rate, most_valuable


def read_exactly(document: Any) -> Any:
    """A document as the verifier reads its text."""
    return parsed(json.dumps(document))


def lines(problem: Any, claim: Any, certificate: Any) -> tuple[bool, list[str]]:
    """The verdict, and what was said."""
    findings: list[str] = []
    try:
        holds = confirmed(
            problem_of(read_exactly(problem)),
            read_exactly(claim),
            read_exactly(certificate),
            say=findings.append,
        )
    except Refused as why:
        return False, [*findings, str(why)]
    return holds, findings


def shares(document: dict[str, Any]) -> dict[str, Fraction]:
    """Exact dominant shares by path."""
    tree = Tree(read_exactly(document))
    return {tree.path[n]: share for n, share in fair_shares(tree).items()}


def hierarchy(capacity: dict[str, float], *children: Any) -> dict[str, Any]:
    """A hierarchy's document."""
    root = {"name": "root", "children": list(children)}
    return {"format": "slotwise/hierarchy/1", "capacity": capacity, "root": root}


def leaf(name: str, cpu: float, memory: float, **more: float) -> dict[str, Any]:
    """A leaf's document."""
    return {"name": name, "demand": {"cpu": cpu, "memory": memory}, **more}


def test_a_tree_worked_by_hand() -> None:
    # B needs both, a only cpu, b only memory. A is charged 1 per unit of its level, for
    # a and b need one resource each. So B, a and b rise alike until both resources are full.
    group = {"name": "A", "children": [leaf("a", 1, 0), leaf("b", 0, 1)]}
    both = hierarchy({"cpu": 1, "memory": 1}, leaf("B", 1, 1), group)
    half = Fraction(1, 2)
    assert shares(both) == {"B": half, "A/a": half, "A/b": half}


def test_tasks_that_end_leave_the_rest_to_the_others() -> None:
    # x has all its 2 tasks at a share of 1/5; y takes the other 4/5.
    tree = hierarchy({"cpu": 10, "memory": 10}, leaf("x", 1, 0, tasks=2), leaf("y", 1, 0, weight=3))
    assert shares(tree) == {"x": Fraction(1, 5), "y": Fraction(4, 5)}


def random_tree(rng: random.Random, depth: int, name: str) -> dict[str, Any]:
    """A leaf or a group, with ties, zeros and limits of tasks."""
    if depth == 0 or rng.random() < 0.35:
        cpu, memory = rng.choice([(1, 1), (1, 0), (0, 2), (0.5, 3), (7, 1)])
        more = {"tasks": rng.choice([0, 1, 5, 3.5, 50])} if rng.random() < 0.6 else {}
        return leaf(name, cpu, memory, weight=rng.choice([1, 1, 2, 0.5]), **more)
    below = [random_tree(rng, depth - 1, f"c{i}") for i in range(rng.randint(1, 4))]
    return {"name": name, "weight": rng.choice([1, 1, 3]), "children": below}


@pytest.mark.parametrize("seed", range(25))
def test_fair_shares_agree_with_the_sweep(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    tree = hierarchy(
        {"cpu": rng.choice([10, 7]), "memory": 20},
        *(random_tree(rng, 3, f"q{i}") for i in range(rng.randint(1, 4))),
    )
    (tmp_path / "tree.json").write_text(json.dumps(tree))
    allocation = slotwise.fair(slotwise.read(tmp_path / "tree.json"))
    holds, findings = lines(tree, allocation.document(), {"proofs": []})
    assert holds, findings


def test_false_shares_are_not_confirmed() -> None:
    tree = json.loads(
        Path(slotwise.__file__).with_name("examples").joinpath("departments.json").read_text()
    )
    allocation = slotwise.fair(slotwise.read("example:departments")).document()
    assert lines(tree, allocation, {"proofs": []})[0]
    allocation["leaves"]["ads"]["tasks"] *= 1 + 1e-6
    holds, findings = lines(tree, allocation, {"proofs": []})
    assert not holds
    assert findings[0].startswith("ads: dominant share 0.2068965517")


@pytest.mark.parametrize("seed", range(20))
def test_the_most_valuable_bin_against_all_bins(seed: int) -> None:
    rng = random.Random(seed)
    document = {
        "format": "slotwise/datacenter/1",
        "name": "d",
        "resources": ["cpu", "memory"],
        "configurations": [{"name": "m", "count": 2, "capacity": {"cpu": 4, "memory": 3.5}}],
        "classes": [
            {
                "name": f"k{k}",
                "share": 0.25,
                "mean_time": rng.choice([1, 2, 0.3]),
                "request": {"cpu": rng.choice([1, 2, 0.5]), "memory": rng.choice([0, 0.5, 1])},
            }
            for k in range(4)
        ],
    }
    datacenter = Datacenter(read_exactly(document))
    prices = [Fraction(rng.randint(0, 9), 7) for _ in range(4)]
    best = max(
        sum(n * p * r[0] for n, p, r in zip(jobs, prices, datacenter.rate, strict=True))
        for jobs in product(range(9), repeat=4)
        if all(
            sum(n * q[r] for n, q in zip(jobs, datacenter.request, strict=True))
            <= datacenter.capacity[0][r]
            for r in range(2)
        )
    )
    assert most_valuable(datacenter, 0, prices) == best


def guidance_document(target: float | None = None) -> tuple[Any, Any, Any]:
    """A datacenter, its guidance, its certificate, as documents."""
    datacenter = slotwise.read("example:google-2011")
    plan = slotwise.guide(datacenter, target_rate=target)
    text = Path(slotwise.__file__).with_name("examples").joinpath("google-2011.json").read_text()
    from slotwise.instances.datacenter.guidance_file import guidance_document as document_of

    return json.loads(text), document_of(plan), slotwise.certify(plan).document()


def changed(document: Any, change: Callable[[Any], None]) -> Any:
    """A changed copy."""
    copy = json.loads(json.dumps(document))
    change(copy)
    return copy


@pytest.mark.parametrize("target", [None, 2e6])
def test_a_plan_and_its_bound_are_proved(target: float | None) -> None:
    datacenter, plan, certificate = guidance_document(target)
    assert certificate["class"] == "proved"
    assert lines(datacenter, plan, certificate)[0]
    false = {
        "a bound below the truth": lambda p: p.update(arrival_rate_bound=4.7e6),
        "a rate that the bins do not carry": lambda p: p.update(
            arrival_rate=p["arrival_rate"] * 1.001
        ),
        "one machine more in a bin": lambda p: p["bins"][0].update(
            machines=p["bins"][0]["machines"] + 1
        ),
        "proportions of another plan": lambda p: p["proportions"].update({"k1": {"c1": 1.0}}),
    }
    if target is not None:
        false["machines"] = lambda p: p.update(machines_bound=p["machines_bound"] + 1)
    for name, change in false.items():
        assert not lines(datacenter, changed(plan, change), certificate)[0], name


def test_no_prices_prove_a_rate_below_a_plan() -> None:
    datacenter, plan, _ = guidance_document()
    problem, rng = Datacenter(read_exactly(datacenter)), random.Random(1)
    for _ in range(20):
        prices = {name: Fraction(rng.randint(0, 50), 9) for name in problem.classes}
        proof = {"proof": "class prices", "prices": prices}
        assert greatest_rate(problem, proof) >= plan["arrival_rate"] * (1 - 1e-9)
