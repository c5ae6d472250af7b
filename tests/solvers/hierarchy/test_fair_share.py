"""The exact allocation by linear programs."""

import pytest
from trees import FIGURE_4_SHARES, broken_guarantee, figure_4, idle_cpu, leaf, tree

from slotwise.core.errors import InputError
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.instances.hierarchy.generators.mch import generate
from slotwise.instances.hierarchy.nodes import Group
from slotwise.solvers.backends import highs
from slotwise.solvers.hierarchy.fair_share import fair_share


def random_tree(seed):
    return generate(
        1 + seed % 5, seed=seed, partial=[0.2, 0.5, 0.0, 0.9][seed % 4], resources=2 + seed % 3,
        weight=(1, 1) if seed % 2 else (0.1, 10),
    )  # fmt: skip


def test_figure_4():
    allocation = fair_share(figure_4())
    assert allocation.share == pytest.approx(FIGURE_4_SHARES)
    assert [allocation.limited_by(i) for i in range(6)] == ["c", "m", "c", "c", "m", "c"]


def test_counterexamples():
    assert fair_share(idle_cpu()).share == pytest.approx([2 / 3, 4 / 9, 1 / 3])
    assert fair_share(broken_guarantee()).share == pytest.approx([0.6, 0.4, 0.25, 0.25])


def test_inactive_leaves_and_empty_groups():
    hierarchy = tree(Group("none"), Group("g", [leaf("a", 1, 0, tasks=0)]), leaf("b", 1, 0))
    assert fair_share(hierarchy).share.tolist() == pytest.approx([0, 1])


def test_limits_that_do_not_bind_are_no_matter():
    assert fair_share(figure_4(tasks=2000)).share == pytest.approx(FIGURE_4_SHARES)


def test_a_limit_that_binds_is_refused():
    with pytest.raises(InputError, match="leaf 'a': its task limit binds"):
        fair_share(tree(leaf("a", 1, 0, tasks=0.1), leaf("b", 1, 0)))


@pytest.mark.parametrize("seed", range(120))
def test_agrees_with_the_compiled_method(seed):
    hierarchy = random_tree(seed)
    by_programs, compiled = fair_share(hierarchy), exact(hierarchy)
    assert by_programs.share == pytest.approx(compiled.share, abs=1e-7)
    assert by_programs.weight == pytest.approx(compiled.weight, rel=1e-6)
    assert (by_programs.bottleneck == compiled.bottleneck).all()


def test_a_program_without_duals_is_solved_again(monkeypatch):
    asked = []

    def at_first_none(self, rows):
        asked.append(rows)
        return None if len(asked) == 1 else duals(self, rows)

    duals = highs._Run.duals
    monkeypatch.setattr(highs._Run, "duals", at_first_none)
    assert fair_share(figure_4()).share == pytest.approx(FIGURE_4_SHARES)
    assert len(asked) > 1


@pytest.mark.slow
def test_agrees_on_ten_thousand_trees():
    for seed in range(10_000, 20_000):
        hierarchy = random_tree(seed)
        compiled = exact(hierarchy)
        assert compiled.met.all(), seed
        assert fair_share(hierarchy).share == pytest.approx(compiled.share, abs=1e-7), seed
