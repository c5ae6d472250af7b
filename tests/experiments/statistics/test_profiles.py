"""Performance profiles: worked by hand, and what holds for all."""

import numpy as np
import pytest

from slotwise.experiments.statistics.profiles import Profile, performance_profiles

NAN, INF = float("nan"), float("inf")


def test_three_methods_on_four_problems():
    # Problem      1   2   3   4        ratios
    # A           10  20  30   -        1    2    1    -
    # B           20  10  30  40        2    1    1    1
    # C           15   -   -   -        1.5  -    -    -
    profiles = performance_profiles(
        {
            "A": np.array([10, 20, 30, NAN]),
            "B": np.array([20, 10, 30, 40]),
            "C": np.array([15, INF, NAN, NAN]),
        }
    )
    a, b, c = profiles.values()
    assert (a.ratios.tolist(), b.ratios.tolist()) == ([1, 1, 2], [1, 1, 1, 2])
    assert [a.share(tau) for tau in (0.99, 1, 1.99, 2, 1e9)] == [0, 0.5, 0.5, 0.75, 0.75]
    assert [b.share(tau) for tau in (1, 2)] == [0.75, 1]
    assert [c.share(tau) for tau in (1, 1.49, 1.5, 1e9)] == [0, 0, 0.25, 0.25]
    assert [one.solved for one in (a, b, c)] == [0.75, 1, 0.25]
    # A and B tie on problem 3: the wins add up to more than one.
    assert a.share(1) + b.share(1) + c.share(1) == 1.25
    steps, shares = a.steps()
    assert (steps.tolist(), shares.tolist()) == ([1, 2], [0.5, 0.75])


def test_a_better_cost_of_somebody_else_moves_the_curves():
    best = np.array([5.0, NAN])
    (a,) = performance_profiles({"A": np.array([10.0, 7.0])}, best).values()
    assert a.ratios.tolist() == [1, 2]  # the second problem's best is A's own


def test_a_problem_that_nobody_solves_stays_a_problem():
    profiles = performance_profiles({"A": np.array([1.0, NAN]), "B": np.array([2.0, INF])})
    assert [one.solved for one in profiles.values()] == [0.5, 0.5]
    (none,) = performance_profiles({"A": np.array([NAN, NAN])}).values()
    assert (none.share(1e300), none.solved, none.steps()[0].tolist()) == (0, 0, [])


def test_a_best_of_zero():
    profiles = performance_profiles({"A": np.array([0.0, 0.0]), "B": np.array([0.0, 1e-300])})
    assert profiles["A"].share(1) == 1
    assert (profiles["B"].share(1), profiles["B"].share(1e300)) == (0.5, 0.5)


def test_sums_in_another_order_are_a_tie():
    costs = {"A": np.array([0.1 + 0.2 + 0.3]), "B": np.array([0.3 + 0.2 + 0.1])}
    assert costs["A"][0] != costs["B"][0]
    assert [one.share(1) for one in performance_profiles(costs).values()] == [1, 1]


def test_no_problems_and_no_methods():
    assert performance_profiles({}) == {}
    (empty,) = performance_profiles({"A": np.array([])}).values()
    assert (empty.share(1), empty.solved) == (0, 0)


@pytest.mark.parametrize(
    "costs", [{"A": np.array([-1.0])}, {"A": np.array([1.0]), "B": np.array([1.0, 2.0])}]
)
def test_wrong_costs(costs):
    with pytest.raises(ValueError, match=r"costs|inhomogeneous"):
        performance_profiles(costs)


def test_what_holds_for_all_curves():
    rng = np.random.default_rng(3)
    for _ in range(50):
        costs = rng.integers(1, 6, (4, 30)).astype(float)
        costs[rng.random(costs.shape) < 0.2] = NAN
        profiles = performance_profiles({str(k): row for k, row in enumerate(costs)})
        taus = np.linspace(1, 6, 23)
        for k, profile in enumerate(profiles.values()):
            shares = [profile.share(tau) for tau in taus]
            assert shares == sorted(shares)
            assert shares[-1] == profile.solved == np.isfinite(costs[k]).mean()
            # By the definition, problem by problem.
            best = np.nanmin(costs, axis=0, initial=np.inf)
            assert shares == [float(np.mean(costs[k] <= tau * best * (1 + 1e-12))) for tau in taus]
        solvable = np.isfinite(costs).any(axis=0).mean()
        assert sum(p.share(1) for p in profiles.values()) >= solvable - 1e-12


def test_a_profile_is_asked_at_any_factor():
    assert Profile(np.array([1.0, 3.0]), 4).share(3) == 0.5
