"""Fair shares are proved exactly, with guarantees and limits too, and false claims are not."""

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from certified import tampered
from hypothesis import given, settings
from hypothesis import strategies as st
from quota_trees import eng_and_ads, group, leaf, quota_tree, random_quota_tree
from verdicts import changed, lines, read_exactly

import slotwise
from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.instances.hierarchy.building import hierarchy
from slotwise.instances.hierarchy.hierarchy import Hierarchy
from slotwise.instances.hierarchy.hierarchy_file import hierarchy_document
from slotwise.instances.hierarchy.plain_tree import Group, Leaf
from slotwise.verify_shares import Tree, fair_tasks

NOTHING: dict[str, Any] = {"proofs": []}
HALF = Fraction(1, 2)


def tasks(tree: Hierarchy | dict[str, Any]) -> dict[str, Fraction]:
    """Exact tasks by path."""
    document = hierarchy_document(tree) if isinstance(tree, Hierarchy) else tree
    exactly = Tree(read_exactly(document))
    return {exactly.path[n]: amount for n, amount in fair_tasks(exactly)[0].items()}


def two(name: str, cpu: float, memory: float, **more: Any) -> Leaf:
    """A leaf that needs two resources."""
    return leaf(name, demand={"cpu": cpu, "memory": memory}, **more)


def both(cpu: float, memory: float) -> dict[str, float]:
    """An amount of each resource."""
    return {"cpu": cpu, "memory": memory}


def test_a_tree_worked_by_hand() -> None:
    # B needs both, a only cpu, b only memory. A is charged 1 per unit of its level, for
    # a and b need one resource each. So B, a and b rise alike until both resources are full.
    root = Group("root", [two("B", 1, 1), Group("A", [two("a", 1, 0), two("b", 0, 1)])])
    assert tasks(hierarchy(both(1, 1), root)) == {"B": HALF, "A/a": HALF, "A/b": HALF}


def test_tasks_that_end_leave_the_rest_to_the_others() -> None:
    # x has all its 2 tasks, 2 of 10; y takes the other 8.
    tree = hierarchy(both(10, 10), Group("root", [two("x", 1, 0, tasks=2), two("y", 1, 0)]))
    assert tasks(tree) == {"x": 2, "y": 8}


def test_weights_divide_the_surplus_or_everything() -> None:
    # 12 cpu, a is guaranteed 6, weights 1, 1, 2. Above: the other 6 as 1.5, 1.5, 3. In total: 3, 3,
    # 6 by weights alone; a has 6, and b and c divide what is left.
    queues = leaf("a", guarantee=6), leaf("b"), leaf("c", 2)
    above = quota_tree(12, *queues)
    assert tasks(above) == {"a": Fraction(15, 2), "b": Fraction(3, 2), "c": 3}
    assert tasks(quota_tree(12, *queues, surplus="total")) == {"a": 6, "b": 2, "c": 4}


def test_a_full_limit_stops_those_below_it() -> None:
    assert tasks(eng_and_ads()) == {"eng/dev": 30, "eng/test": 10, "ads": 45}
    # A may hold .2 of cpu: a stops there, b and B rise until memory is full.
    below = group("A", two("a", 1, 0), two("b", 0, 1), limit={"cpu": 0.2})
    limited = quota_tree(both(1, 1), two("B", 1, 1), below)
    assert tasks(limited) == {"B": HALF, "A/a": Fraction(1, 5), "A/b": HALF}


def test_a_guarantee_of_a_group_is_a_cluster_of_its_own() -> None:
    # a and b have .6 each of it; then .4 is left of both, and B and A rise alike: .2 each.
    inner = group("A", two("a", 1, 0), two("b", 0, 1), guarantee=both(0.6, 0.6))
    tree = quota_tree(both(1, 1), two("B", 1, 1), inner)
    assert tasks(tree) == {"B": Fraction(1, 5), "A/a": Fraction(4, 5), "A/b": Fraction(4, 5)}


def test_reserves_weights_of_0_and_priorities() -> None:
    # Of a's 4 that are reserved it uses 1; 3 lie idle.
    assert tasks(quota_tree(10, leaf("a", tasks=1, guarantee=6, reserve=4), leaf("b"))) == {
        "a": 1,
        "b": 6,
    }
    idle = quota_tree(10, leaf("a", tasks=3), leaf("b", 0), leaf("c", 0, 2))
    assert tasks(idle) == {"a": 3, "b": 5, "c": 2}
    first = quota_tree(10, leaf("a"), leaf("b", tasks=7, priority=1), leaf("c", priority=-1))
    assert tasks(first) == {"a": 3, "b": 7, "c": 0}


def test_each_resource_for_itself_and_one_that_counts() -> None:
    # cpu 4, memory 8; x needs 1 and 1, y 1 and 3. Each: 2 cpu each; memory 4 each, so y runs 4/3.
    queues = two("x", 1, 1), two("y", 1, 3)
    each = quota_tree(both(4, 8), *queues, shares="each")
    assert tasks(each) == {"x": 2, "y": Fraction(4, 3)}
    # Memory alone: x has as much of it as y, until cpu is full: 3 tasks and 1.
    assert tasks(quota_tree(both(4, 8), *queues, shares="memory")) == {"x": 3, "y": 1}
    # A guarantee of 7 of memory brings the 7/3 of cpu that y takes with it; of the other 1 x and
    # y have a half each.
    first = two("y", 1, 3, guarantee={"memory": 7}), two("x", 1, 1)
    assert tasks(quota_tree(both(4, 8), *first, shares="memory")) == {
        "y": Fraction(5, 2),
        "x": Fraction(1, 2),
    }
    # Of 3 cpu each that x and y (memory 3 and 9) would take, there are 4: each has two thirds.
    most = two("x", 1, 1, guarantee={"memory": 3}), two("y", 1, 3, guarantee={"memory": 9})
    assert tasks(quota_tree(both(4, 99), *most, shares="memory")) == {"x": 2, "y": 2}


def test_promises_that_do_not_fit_are_scaled() -> None:
    tree = quota_tree(10, leaf("a", guarantee=9), leaf("b", guarantee=6))
    assert tasks(tree) == {"a": 6, "b": 4}
    holds, findings = lines(
        hierarchy_document(tree), exact(tree, scale_guarantees=True).document(), NOTHING
    )
    assert holds, findings
    assert findings[0] == "guarantees that are more than there is are scaled"


def random_tree(seed: int, **more: Any) -> Hierarchy:
    """Any parts, small whole amounts and hence ties."""
    rng = np.random.default_rng(seed)
    options = {
        "nodes": int(rng.integers(3, 25)),
        "limits": float(rng.choice([0, 0.3, 0.6])),
        "guarantees": float(rng.choice([0, 0.2, 0.5])),
        "reserves": float(rng.choice([0, 0, 0.4])),
        "classes": bool(rng.random() < 0.5),
        "surplus": str(rng.choice(["above", "total"])),
        "shares": str(rng.choice(["dominant", "dominant", "each", "r0"])),
    }
    return random_quota_tree(rng, int(rng.integers(1, 4)), **(options | more))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_exact_shares_are_confirmed(seed: int) -> None:
    tree = random_tree(seed)
    try:
        allocation = exact(tree)
    except InputError:  # promises that do not fit, or a leaf without the one resource that counts
        return
    holds, findings = lines(hierarchy_document(tree), allocation.document(), NOTHING)
    assert holds, findings


@pytest.mark.parametrize("seed", range(25))
def test_without_quotas_too(seed: int) -> None:
    tree = random_tree(seed, limits=0, guarantees=0, reserves=0, classes=False).without_quotas()
    holds, findings = lines(hierarchy_document(tree), exact(tree).document(), NOTHING)
    assert holds, findings


@pytest.mark.parametrize("seed", range(15))
def test_nothing_false_is_confirmed(seed: int) -> None:
    tree = random_tree(seed, guarantees=0.2, reserves=0, shares="dominant", classes=True)
    true = exact(tree, scale_guarantees=True).document()
    document = hierarchy_document(tree)
    judged = "used", "guarantees_met", "leaves", "nodes"
    for k in range(20):
        false = tampered({name: true[name] for name in judged}, 100 * seed + k)
        if lines(document, false, NOTHING)[0]:
            for path, row in true["leaves"].items():
                assert false["leaves"][path]["tasks"] == pytest.approx(row["tasks"], abs=1e-8)
        other = tampered(document, 100 * seed + k)
        holds, findings = lines(other, true, NOTHING)  # no traceback, and no wrong yes
        if holds:
            exactly = tasks(other)
            for path, row in true["leaves"].items():
                assert row["tasks"] == pytest.approx(float(exactly[path]), abs=1e-8), findings


@pytest.mark.parametrize(
    ("place", "field"),
    [
        (("leaves", "eng/dev"), "tasks"),
        (("leaves", "eng/dev"), "dominant_share"),
        (("leaves", "eng/dev"), "guarantee"),
        (("nodes", "eng", "used"), "cpu"),
        (("nodes", "eng", "limit"), "cpu"),
        (("nodes", "ads", "guaranteed"), "cpu"),
        (("used",), "cpu"),
    ],
)
def test_every_number_is_judged(place: tuple[str, ...], field: str) -> None:
    tree = eng_and_ads()
    document = exact(tree).document()

    def more(copy: Any) -> None:
        for key in place:
            copy = copy[key]
        copy[field] = copy[field] * (1 + 1e-6) + 1e-6

    assert lines(hierarchy_document(tree), document, NOTHING)[0]
    holds, findings = lines(hierarchy_document(tree), changed(document, more), NOTHING)
    assert not holds
    assert findings[0].startswith(", ".join((*place, field)))


def test_certificates_say_what_is_proved() -> None:
    tree = eng_and_ads()
    assert slotwise.certify(slotwise.fair(tree)).kind == "proved"
    departments = slotwise.read("example:departments")
    assert slotwise.certify(slotwise.fair(departments)).kind == "proved"
    attested = slotwise.certify(slotwise.fair(departments, "drf"))
    assert attested.kind == "attested"
    assert attested.witnesses == ("drf",)


def test_a_wrong_share_is_said_with_the_true_one() -> None:
    text = Path(slotwise.__file__).with_name("examples").joinpath("departments.json").read_text()
    allocation = slotwise.fair(slotwise.read("example:departments")).document()
    allocation["leaves"]["ads"]["tasks"] *= 1 + 1e-6
    holds, findings = lines(json.loads(text), allocation, NOTHING)
    assert not holds
    assert findings[0].startswith("leaves, ads, tasks: ")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda d: d["root"]["children"][0].update(guarantee={"cpu": 41}), "reserve <= guarantee"),
        (lambda d: d["root"].update(limit={"cpu": 3}), "the root has no guarantee"),
        (lambda d: d.update(shares="disk"), "there is no 'disk'"),
        (lambda d: d["root"]["children"][1].update(priority=0.5), "must be a whole number"),
        (lambda d: d["root"]["children"][1].update(weight=-1), "must be at least 0"),
        (lambda d: d["root"]["children"][1].update(children=[]), "is not understood"),
        (lambda d: d["root"]["children"].append(d["root"]["children"][1]), "one path"),
    ],
)
def test_senseless_trees_are_refused(change: Any, why: str) -> None:
    document = hierarchy_document(eng_and_ads())
    findings = lines(changed(document, change), exact(eng_and_ads()).document(), NOTHING)[1]
    assert why in findings[-1]


def test_extremes() -> None:
    rng = random.Random(5)
    for _ in range(20):
        queues = [
            leaf(
                f"q{i}",
                rng.choice([0, 1e-9, 1, 1e9]),
                rng.choice([0, 1e-12, 1, 1e12]),
                limit=rng.choice([0, 1e-6, 5, 1e18]),
            )
            for i in range(6)
        ]
        tree = quota_tree(rng.choice([1e-9, 1, 1e12]), *queues)
        holds, findings = lines(hierarchy_document(tree), exact(tree).document(), NOTHING)
        assert holds, findings
