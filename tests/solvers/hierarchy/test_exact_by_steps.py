"""Fair shares under guarantees and limits by one linear program per event."""

from contextlib import suppress

import numpy as np
import pytest
from quota_trees import group, leaf, quota_tree, random_quota_tree

from slotwise.core.errors import InputError
from slotwise.core.kernels.decorators import plain
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.instances.hierarchy.replay import replay, tree_of
from slotwise.solvers.hierarchy.exact_by_steps import exact_by_steps

TWO = {"cpu": 1, "memory": 1}


def test_a_limit_of_a_group():
    # a stops at .2, the limit of A; b and B, level with one another, take half the memory each.
    both = group("A", leaf("a", demand={"cpu": 1}), leaf("b", demand={"memory": 1}))
    limited = group("A", *both.children, limit={"cpu": 0.2})
    tree = quota_tree(TWO, leaf("B", demand=TWO), limited)
    assert exact_by_steps(tree).tasks.tolist() == pytest.approx([0.5, 0.2, 0.5])


@pytest.mark.parametrize("surplus", ["above", "total"])
@pytest.mark.parametrize("shares", ["dominant", "r0"])
@pytest.mark.parametrize(("resources", "classes"), [(1, True), (2, False), (3, True)])
def test_three_roads_agree(resources, classes, shares, surplus):
    rng, compared = np.random.default_rng(resources), 0
    while compared < 5:
        tree = random_quota_tree(
            rng,
            resources,
            nodes=14,
            classes=classes,
            surplus=surplus,
            guarantees=0.3,
            shares=shares,
        )
        with suppress(InputError), plain():
            by_programs, counted = exact_by_steps(tree), tree_of(tree, tree.quotas)
            simulated = replay(counted)
            tasks = simulated.share / counted.size
            assert by_programs.tasks == pytest.approx(tasks, abs=1e-6)
            assert by_programs.tasks == pytest.approx(exact(tree).tasks, abs=1e-6)
            guaranteed = simulated.guaranteed / counted.size
            assert by_programs.guaranteed_tasks == pytest.approx(guaranteed, abs=1e-6)
            compared += 1


def test_what_the_programs_do_not_know():
    kept = leaf("a", reserve=1, guarantee=1)
    with pytest.raises(InputError, match="know no reserves"):
        exact_by_steps(quota_tree(2, kept))
