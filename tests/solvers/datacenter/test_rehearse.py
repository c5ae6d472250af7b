"""The rehearsal of policies: who races, who stays, who wins, and what follows the winner."""

import dataclasses
import json
import warnings
from math import sqrt
from statistics import mean, stdev

import numpy as np
import pytest

import slotwise
from slotwise import Configuration, Datacenter, Dispatcher, InputError, JobClass, poisson, simulate
from slotwise.instances.datacenter.rehearsal import Candidate, Rehearsal, Rehearsed
from slotwise.solvers.datacenter import rehearse as module

# On `slow` a large job takes four times as long: prices bar a class somewhere.
PROBLEM = Datacenter.from_classes(
    "six machines",
    ["cpu", "memory"],
    [
        Configuration("fast", 3, {"cpu": 8.0, "memory": 8.0}),
        Configuration("slow", 3, {"cpu": 8.0, "memory": 16.0}),
    ],
    [
        JobClass("large", 0.3, {"fast": 1.0, "slow": 4.0}, {"cpu": 4.0, "memory": 2.0}),
        JobClass("small", 0.7, 1.0, {"cpu": 1.0, "memory": 3.0}),
    ],
)
PLAN = slotwise.guide(PROBLEM, time_limit=0.2)
JOBS = 2000
USUAL = {"load": 0.9, "seeds": 4, "jobs": JOBS, "time_limit": 900.0}


def rehearsed(**options):
    return slotwise.rehearse(PLAN, **{**USUAL, **options})


def candidate(policy, bonus=None, bars=True):
    return Candidate(policy=policy, bonus=bonus, bars=bars)


def crowned(policy, bonus=None, bars=True, plan=PLAN, others=()):
    """The plan with a rehearsal that somebody won."""
    winner = candidate(policy, bonus, bars)
    rows = tuple(
        Rehearsed(**c.model_dump(), runs=2, mean_wait=1.0 + i)
        for i, c in enumerate((winner, *others))
    )
    made = Rehearsal(
        winner=winner, load=0.9, noise=0.0, seed=0, seeds=2, jobs=JOBS, candidates=rows
    )
    return dataclasses.replace(plan, rehearsal=made)


def figures(found):
    return found.start.tolist(), found.machine.tolist()


@pytest.fixture(scope="module")
def guidance():
    return rehearsed()


def test_the_file_holds_it(guidance, tmp_path):
    assert guidance.rehearsal is not None
    path = tmp_path / "guidance.json"
    slotwise.write_guidance(guidance, path)
    assert slotwise.read_guidance(path).rehearsal == guidance.rehearsal
    field = json.loads(path.read_text())["rehearsal"]
    assert (field["load"], field["noise"], field["seed"], field["jobs"]) == (0.9, 0.0, 0, JOBS)
    assert field["seeds"] == 4
    assert field["winner"]["policy"] in {row["policy"] for row in field["candidates"]}


def test_who_runs_and_that_a_seed_means_the_same_table():
    first, again, other = (rehearsed(seeds=2, jobs=300, seed=s).rehearsal for s in (0, 0, 1))
    assert first == again
    assert first.candidates != other.candidates
    variants = {
        candidate("bid-price", bonus, bars) for bonus in (0.0, 0.3, 1.0) for bars in (True, False)
    }
    rivals = {candidate(name) for name in module.RIVALS}
    assert not PLAN.class_prices.belongs.all()  # so that there is a bar to be taken away
    assert {row.candidate for row in first.candidates} == variants | rivals
    assert {row.runs for row in first.candidates} == {2}


def test_of_a_large_datacenter_a_part_is_rehearsed(monkeypatch):
    monkeypatch.setattr(module, "LARGE", 500)
    large = slotwise.guide(PROBLEM.with_count(PROBLEM.count * [200, 100]), time_limit=0.1)
    drawn = []

    def keep(datacenter, *arguments, **options):
        drawn.append(datacenter.count.tolist())
        return poisson(datacenter, *arguments, **options)

    monkeypatch.setattr(module, "poisson", keep)
    found = slotwise.rehearse(large, seeds=2, jobs=300, time_limit=900.0)
    assert drawn == [[400, 200]] * 2
    assert found.notes[-1] == "rehearsal: on 600 of 900 machines, in proportion"
    assert found.datacenter == large.datacenter
    assert found.rehearsal.candidates


def test_waits_are_those_of_common_jobs(monkeypatch):
    """Each run of a row is a run of `simulate` on the jobs of that seed."""
    drawn = []

    def keep(*arguments, **options):
        drawn.append(poisson(*arguments, **options))
        return drawn[-1]

    monkeypatch.setattr(module, "poisson", keep)
    rows = rehearsed(noise=0.4, seeds=2, jobs=500).rehearsal.candidates
    assert len(drawn) == 2
    row = next(row for row in rows if row.candidate.policy == "bid-price")
    plan = crowned("bid-price", row.candidate.bonus, row.candidate.bars)
    plan = module.with_spread(plan, 0.4)
    waits = [simulate(w, "guided", guidance=plan, warm_up=0.2).mean_wait for w in drawn]
    assert row.mean_wait == pytest.approx(mean(waits))
    assert row.standard_error == pytest.approx(stdev(waits) / sqrt(2))


SAME = [1.0] * 4


@pytest.mark.parametrize(
    ("own", "other", "wins"),
    [
        (SAME, [0.5, 0.5, 0.5, 0.5001], True),
        (SAME, [0.5, 2.0, 0.5, 2.1], False),
        (SAME, [0.99, 0.99, 0.99, 0.999], True),
        (SAME, [0.2, 1.3, 1.2, 0.9], False),  # better on average, not by two standard errors
        (SAME, SAME, False),
        ([1.0], [0.1], False),  # a single run
        ([1.0, 1.0, 0.01], [0.1, 0.11], True),  # a seed that only one has run does not count
        ([0.0, 0.0], [0.0, 0.0], False),
    ],
)
def test_in_doubt_the_default_wins(own, other, wins):
    default, rival = candidate("bid-price", 0.3), candidate("best-fit")
    winner = module.winner_of({default: own, rival: other}, 1e-4)
    assert winner == (rival if wins else default)


def stop_before(number):
    def on_progress(done, total, name):
        assert done < total
        assert name
        if done == number:
            raise KeyboardInterrupt

    return on_progress


def test_ctrl_c_keeps_what_is_known():
    found = rehearsed(on_progress=stop_before(13))
    runs = sorted(row.runs for row in found.rehearsal.candidates)
    assert runs == [1] * 9 + [2] * 2
    assert found.notes[-1].startswith("rehearsal: interrupted after 13 runs")
    assert found.rehearsal.seeds == 2
    assert found.rehearsal.winner == candidate("bid-price", 0.3)
    few = rehearsed(on_progress=stop_before(5)).rehearsal
    assert len(few.candidates) == 5
    assert few.winner == candidate("bid-price", 0.3)
    nothing = rehearsed(on_progress=stop_before(0))
    assert nothing.rehearsal is None
    assert nothing.notes[-1].startswith("rehearsal: interrupted before any run was done")


def test_the_time_limit_keeps_what_is_known():
    found = rehearsed(time_limit=0.0)
    assert found.rehearsal is None
    assert "time limit before any run was done: nothing was rehearsed" in found.notes[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"load": 0.0}, "load: need a part of the bound above 0 and below 1"),
        ({"load": 1.0}, "load: need a part of the bound above 0 and below 1"),
        ({"load": float("nan")}, "load: "),
        ({"seeds": 1}, "seeds: need at least 2, got 1"),
        ({"noise": -0.1}, "spread: need a number >= 0"),
        ({"time_limit": -1.0}, "time limit"),
    ],
)
def test_refused(options, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        rehearsed(**options)


def test_a_plan_without_prices_is_refused():
    bare = dataclasses.replace(PLAN, class_prices=None)
    with pytest.raises(InputError, match="no prices"):
        slotwise.rehearse(bare)


@pytest.mark.parametrize("policy", ["lotes", "best-fit", "bf-js", "first-fit"])
def test_guided_does_what_the_winner_does(policy):
    jobs = poisson(PROBLEM, 1.05 * PLAN.arrival_rate_bound, 800, seed=3, noise=0.3)
    guided = simulate(jobs, "guided", guidance=crowned(policy), seed=2, log=True)
    assert guided.policy == "guided"
    own = simulate(jobs, policy, guidance=PLAN, seed=2, log=True)
    assert figures(guided) == figures(own)


def test_bonus_and_bars_decide():
    jobs = poisson(PROBLEM, 1.05 * PLAN.arrival_rate_bound, 800, seed=3)

    def run(bonus, bars):
        plan = crowned("bid-price", bonus, bars)
        return figures(simulate(jobs, "guided", guidance=plan, log=True))

    own = figures(simulate(jobs, "bid-price", guidance=PLAN, log=True))
    assert run(0.3, True) == own  # what the rule gives demands without spread
    assert run(0.3, False) != own
    assert run(30.0, True) != run(0.0, True)


def test_guided_needs_a_rehearsal():
    jobs = poisson(PROBLEM, 1.0, 10, seed=0)
    with pytest.raises(InputError, match="name one, such as bid-price, or make"):
        simulate(jobs, "guided", guidance=PLAN)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda f: f["winner"].update(policy="bf-js"),
            "winner: bf-js, bonus 1 is none of the candidates",
        ),
        (lambda f: f["winner"].update(policy="guided"), "'guided' follows a winner"),
        (lambda f: f["winner"].update(bonus=-1.0), "bonus"),
        (lambda f: f.update(load=1.5), "load"),
        (lambda f: f.update(candidates=[]), "candidates"),
        (lambda f: f["candidates"][0].update(runs=0), "runs"),
        (lambda f: f.update(seeds=0), "seeds"),
        (lambda f: f["candidates"][0].update(mean_wait="1"), "mean_wait"),
    ],
)
def test_wrong_files(change, message, tmp_path):
    document = crowned("bid-price", 1.0).document()
    change(document["rehearsal"])
    path = tmp_path / "guidance.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=message) as error:
        slotwise.read_guidance(path)
    assert "guidance.json" in str(error.value)


@pytest.mark.parametrize(
    "winner",
    [
        ("lotes-unrestricted",),
        ("best-fit",),
        *(("bid-price", *how) for how in ((0.3, True), (0.0, True), (1.0, False), (30.0, True))),
    ],
)
def test_a_dispatcher_decides_as_the_simulator(winner):
    plan = crowned(*winner)
    jobs = poisson(PROBLEM, 500.0, 25, seed=1)  # so many at once that none leaves
    seen, block = simulate(jobs, "guided", guidance=plan, log=True), jobs.whole()
    guided = Dispatcher(plan, policy="guided")
    assert guided.policy == winner[0]
    first_exit = (seen.start + block.duration).min()
    early = np.flatnonzero(block.arrival < first_exit).tolist()
    assert len(early) > 12
    for i in early:
        k = block.job_class[i]
        amounts = dict(zip(PROBLEM.resources, PROBLEM.request[k].tolist(), strict=True))
        place = guided.arrive(str(i), PROBLEM.classes[k], amounts)
        assert (place is not None) == (seen.start[i] == block.arrival[i])
        if place is not None:
            offset = {"fast": 0, "slow": 3}[place.configuration]
            assert offset + place.machine == seen.machine[i]
    again = Dispatcher(plan, policy="guided")
    again.restore(json.loads(json.dumps(guided.state())))
    assert again.state() == guided.state()


def test_a_dispatcher_says_what_it_follows_instead():
    plan = crowned("bf-js", others=(candidate("first-fit"), candidate("lotes")))
    with pytest.warns(UserWarning, match="winner bf-js is no policy of a Dispatcher: it follows l"):
        assert Dispatcher(plan, policy="guided").policy == "lotes"


def test_a_dispatcher_goes_on_with_the_next_winner():
    dispatcher = Dispatcher(crowned("best-fit"), policy="guided")
    for number in range(40):
        dispatcher.arrive(str(number), "small", {"cpu": 1.0, "memory": 3.0})
    waiting = len(dispatcher.waiting)
    assert waiting > 0
    before = dispatcher.state()
    with pytest.raises(ValueError, match="not rehearsed"):
        dispatcher.follow(PLAN)
    assert dispatcher.state() == before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dispatcher.follow(crowned("bid-price", 1.0, False))
    assert dispatcher.policy == "bid-price"
    assert len(dispatcher.waiting) <= waiting
