"""Plans made again: what is learnt, which plan is followed, and that answers go on meanwhile."""

import asyncio
import json
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra `serve`")
pytest.importorskip("uvicorn", reason="needs the extra `serve`")

from slotwise import Configuration, Datacenter, Dispatcher, InputError, JobClass
from slotwise.commands.serving.journal import Journal
from slotwise.commands.serving.metrics import Metrics
from slotwise.commands.serving.replanning import past, planner, replans
from slotwise.commands.serving.service import Service
from slotwise.instances.datacenter.guidance_file import guidance_document
from slotwise.instances.datacenter.rehearsal import Candidate, Rehearsal, Rehearsed
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter import plan_again as again
from slotwise.solvers.datacenter.guide import guide

CLASSES = [JobClass("a", 0.5, 1.0, {"cpu": 0.5}), JobClass("b", 0.5, 2.0, {"cpu": 0.25})]


def plan(machines=4, classes=CLASSES):
    place = [Configuration("c", machines, {"cpu": 1.0})]
    return guide(Datacenter.from_classes("d", ("cpu",), place, classes, time_unit="s"))


def crowned(made, *policies):
    """The plan with a rehearsal that the first of the policies won."""
    candidates = [Candidate(name, 0.0 if name == "bid-price" else None) for name in policies]
    rows = tuple(Rehearsed(one, 2, 1.0, 0.1) for one in candidates)
    return replace(made, rehearsal=Rehearsal(candidates[0], 0.9, 0.0, 0, 2, 300, rows))


def recent(job_class, demand, arrived, ended, now):
    """Jobs that start at once on the only configuration."""
    arrived = np.asarray(arrived, dtype=float)
    return again.Recent(
        np.asarray(job_class), np.zeros(len(arrived), dtype=np.int64), arrived, arrived,
        np.asarray(ended, dtype=float), np.asarray(demand, dtype=float)[:, None], 0.0, now,
    )  # fmt: skip


def test_shares_are_learnt_and_old_jobs_count_less():
    # 100 jobs of a, a half-life before now, count 50; 100 of b now count 100; the plan counts 20,
    # half for each: (50 + 10) / 170.
    arrived = [0.0] * 100 + [10.0] * 100
    jobs = recent([0] * 100 + [1] * 100, [0.5] * 100 + [0.25] * 100, arrived, [np.nan] * 200, 10.0)
    made = again.learned(plan().datacenter, jobs, half_life=10.0)
    assert made.share == pytest.approx([60 / 170, 110 / 170])
    assert (made.request == plan().datacenter.request).all()


def test_sizes_and_durations_change_only_if_they_clearly_differ():
    # Without forgetting: 80 jobs of a need 0.3, the plan's 0.5 counts as 20 of them.
    # They took 3 instead of 1: (20 * 1 + 80 * 3) / (20 + 80).
    arrived, half_life = [0.0] * 160, 1e12
    demand = [0.3] * 80 + [0.2, 0.3] * 40
    ended = [3.0] * 80 + [1.8, 2.2] * 40
    jobs = recent([0] * 80 + [1] * 80, demand, arrived, ended, 5.0)
    made = again.learned(plan().datacenter, jobs, half_life)
    assert made.request[:, 0] == pytest.approx([0.34, 0.25])
    assert made.mean_time[:, 0] == pytest.approx([2.6, 2.0])
    assert made.request[1, 0] == 0.25


def test_jobs_that_still_run_make_a_class_longer():
    # 50 have ended after 1, 50 run for 3 so far: 200 of time for 50 ends, and the plan's 20 for 20.
    jobs = recent([0] * 100, [0.5] * 100, [0.0] * 100, [1.0] * 50 + [np.nan] * 50, 3.0)
    made = again.learned(plan().datacenter, jobs, 1e12)
    assert made.mean_time[0, 0] == pytest.approx(220 / 70)


def test_a_replay_begins_with_the_jobs_that_ran():
    # The first ended before the time that is replayed.
    arrived, ended = [-3.0, -1.0, 1.0, 2.0], [-0.5, 0.5, 4.0, np.nan]
    jobs = recent([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.25], arrived, ended, 5.0)
    replay = again.workload_of(plan().datacenter, jobs)
    assert replay.running.duration.tolist() == [0.5]
    whole = replay.whole()
    assert whole.arrival.tolist() == [1.0, 2.0]
    assert whole.duration.tolist() == [3.0, 5.0]  # the last one ends after its mean of 2 from now


def test_a_plan_stands_for_other_numbers_of_machines():
    old = plan(4)
    fewer, more = (again.for_machines(old, np.array([n])) for n in (3, 6))
    assert fewer.machine_jobs.tolist() == old.machine_jobs[:3].tolist()
    assert more.machine_jobs.tolist() == [*old.machine_jobs.tolist(), [0, 0], [0, 0]]


def drawn(share, jobs=3000, load=0.6):
    """Jobs of another mix on the machines of the plan, as the planner is given them."""
    followed = plan(20)
    mixed = replace(followed.datacenter, share=np.array(share))
    draws = poisson(mixed, load * guide(mixed).arrival_rate_bound, jobs, seed=1).whole()
    now = float(draws.arrival[-1])
    rows = [
        {
            "number": number, "class": "ab"[k], "demand": {"cpu": (0.5, 0.25)[k]}, "on": "c",
            "arrived": arrival, "started": arrival,
            "ended": arrival + length if arrival + length < now else None,
        }
        for number, (arrival, k, length) in enumerate(
            zip(*(column.tolist() for column in draws[:3]), strict=True)
        )
    ]  # fmt: skip
    return {
        "guidance": guidance_document(followed), "policy": "bid-price", "jobs": rows,
        "machines": {"c": 20}, "since": 0.0, "now": now, "half_life": now,
    }  # fmt: skip


def test_the_planner_follows_the_mix():
    answer = planner.answer_to(drawn((0.1, 0.9)))
    assert answer["end"] == "followed"
    assert answer["arrivals"] == 3000
    shares = [entry["share"] for entry in answer["guidance"]["datacenter"]["classes"]]
    assert shares == pytest.approx([0.1, 0.9], abs=0.03)
    assert any(line.startswith("a: share 0.5 -> 0.1") for line in answer["changes"])


def test_a_worse_plan_is_not_followed(monkeypatch):
    waits = iter([1.0, 1.5])

    class Seen:
        def __init__(self):
            self.mean_wait = next(waits)

    monkeypatch.setattr(again, "simulate", lambda *_, **__: Seen())
    answer = planner.answer_to(drawn((0.1, 0.9), jobs=500))
    assert answer["end"] == "worse"
    assert "guidance" not in answer
    assert answer["mean_wait"] == {"before": 1.0, "after": 1.5}


def test_the_winner_is_one_that_a_dispatcher_can_follow(monkeypatch):
    seen = []

    def wait(_jobs, policy, guidance):
        seen.append((policy, guidance.rehearsal.winner.policy))
        return Mock(mean_wait=1.0)

    old, new = ("bf-js", "lotes", "bid-price"), ("bf-js", "bid-price", "lotes")
    monkeypatch.setattr(again, "rehearse", lambda made, **_: crowned(made, *new))
    monkeypatch.setattr(again, "simulate", wait)
    task = drawn((0.5, 0.5), jobs=200)
    task["guidance"] = guidance_document(crowned(plan(20), *old))
    answer = planner.answer_to({**task, "policy": "guided"})
    assert seen == [("guided", "lotes"), ("guided", "bid-price")]
    assert answer["guidance"]["rehearsal"]["winner"]["policy"] == "bid-price"


def test_without_the_time_to_rehearse_the_winner_stays(monkeypatch):
    monkeypatch.setattr(again, "rehearse", lambda made, **_: made)
    task = drawn((0.1, 0.9), jobs=500)
    task["guidance"] = guidance_document(crowned(plan(20), "best-fit", "bid-price"))
    answer = planner.answer_to({**task, "policy": "guided"})
    assert answer["guidance"]["rehearsal"]["winner"]["policy"] == "best-fit"


def test_too_few_arrivals_make_no_plan():
    with pytest.raises(InputError, match="99 arrivals"):
        planner.answer_to(drawn((0.5, 0.5), jobs=99))


def test_a_service_plans_again_goes_on_and_remembers_it(tmp_path, monkeypatch):
    journal = Journal(tmp_path)
    first = Dispatcher(guidance_document(plan()), policy="bid-price")
    one = Service(journal, first, "bid-price", past=100.0)
    answered = []

    async def planned(task):
        task = json.loads(task)
        answered.append(sorted((job["number"], job["ended"] is None) for job in task["jobs"]))
        one.arrive("meanwhile", "a", None)
        return json.dumps(
            {
                "end": "followed", "guidance": guidance_document(plan(4, CLASSES[::-1])),
                "changes": ["a: share 0.5 -> 0.9"], "arrivals": 3, "time_unit": "s",
                "mean_wait": {"before": 2.0, "after": 1.0},
            }
        ).encode()  # fmt: skip

    monkeypatch.setattr(replans, "_planned", planned)
    for name in "xyz":
        one.arrive(name, "a", None)
    one.depart("x")
    before = one.dispatcher.plan.fingerprint()
    metrics = Metrics(one)
    beside = replans.Replanning(one, metrics, 50.0, quiet=True)
    asyncio.run(beside._once())
    assert answered == [[(0, False), (1, True), (2, True)]]
    assert one.dispatcher.plan.fingerprint() != before
    assert one.has("meanwhile")
    followed = one.dispatcher.plan.fingerprint()
    journal.close()

    again_open = Journal(tmp_path)
    restarted = Service(again_open, first, "bid-price", past=100.0)
    assert restarted.dispatcher.plan.fingerprint() == followed
    assert [row["number"] for row in restarted.past.rows()] == [0]
    told = asyncio.run(replans.Replanning(restarted, metrics, 50.0, quiet=True).told(None))
    assert told["replans"][0]["changes"] == ["a: share 0.5 -> 0.9"]
    past.forget(again_open)
    again_open.flush()
    assert again_open.read(past.REPLANS) is None
    again_open.close()


def test_a_guided_service_goes_on_with_the_new_winner(tmp_path, monkeypatch):
    guided = {"policy": "guided", "past": 100.0}
    first = Dispatcher(guidance_document(crowned(plan(), "best-fit")), policy="guided")
    journal = Journal(tmp_path)
    one = Service(journal, first, **guided)
    places = {name: one.arrive(name, "a", None)["machine"] for name in "xyzuvwrst"}
    assert (one.dispatcher.policy, places["t"]) == ("best-fit", None)
    next_plan = crowned(plan(4, CLASSES[::-1]), "bid-price", "best-fit")
    answer = {
        "end": "followed", "guidance": guidance_document(next_plan), "arrivals": 9,
        "changes": [], "time_unit": "s", "mean_wait": {"before": 2.0, "after": 1.0},
    }  # fmt: skip

    async def planned(_task):
        return json.dumps(answer).encode()

    monkeypatch.setattr(replans, "_planned", planned)
    asyncio.run(replans.Replanning(one, Metrics(one), 50.0, quiet=True)._once())
    assert one.dispatcher.policy == "bid-price"
    journal.close()

    journal = Journal(tmp_path)
    restarted = Service(journal, first, **guided)
    assert restarted.dispatcher.state(whole=True) == one._dispatcher.state(whole=True)
    assert restarted.dispatcher.policy == "bid-price"
    assert {name: restarted.dispatcher.where(name)[0] for name in places} == places
    assert restarted.depart("x")["started"] == [{"id": "t", "machine": places["x"]}]
    journal.close()


def test_only_the_last_jobs_are_remembered(tmp_path):
    journal = Journal(None)
    seen = past.Past(journal, 10.0)
    job = {"class": "a", "demand": {}, "arrived": 0.0, "started": 0.0, "on": "c"}
    for number in range(30):
        journal.put(seen.ended({**job, "number": number}, float(number)))
    journal.flush()
    assert [row["ended"] for row in seen.rows()] == list(range(19, 30))
    assert [row["ended"] for row in past.Past(journal, 10.0).rows()] == list(range(19, 30))


def test_a_plan_that_fails_leaves_the_old_one(monkeypatch):
    one = Service(Journal(None), Dispatcher(guidance_document(plan())), "lotes", past=100.0)
    beside = replans.Replanning(one, Metrics(one), 50.0, quiet=True)

    async def planned(_task):
        raise RuntimeError("no memory")

    monkeypatch.setattr(replans, "_planned", planned)
    with pytest.raises(RuntimeError):
        asyncio.run(beside._once())


@pytest.mark.parametrize("text", ["1", "h", "1 week", "-1h", "1s", "nanh", "infh"])
def test_a_wrong_interval_is_refused(text):
    from slotwise.commands.serving.serve import _seconds

    with pytest.raises(InputError, match="--replan"):
        _seconds(text, "lotes")
    assert _seconds("1.5min", "lotes") == 90.0
