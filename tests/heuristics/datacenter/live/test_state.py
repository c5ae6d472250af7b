"""The live dispatcher: its state, restored, and any calls in any order."""

import json

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from live_dispatchers import HALF, full, mixed, pair, plan_of, refused

from slotwise import Configuration, Dispatcher, JobClass, Placement
from slotwise.heuristics.datacenter.live.dispatcher import POLICIES


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_saved_after_smaller_machines_is_restored(policy):
    """Two jobs of 0.5 run on machines that now have 0.6; a job of 0.9 waits."""
    small = plan_of([Configuration("c", 2, {"cpu": 0.6})], [JobClass("k", 1.0, 1.0, HALF)])
    dispatcher = Dispatcher(pair(), policy=policy)
    for name in "abcd":
        dispatcher.arrive(name, "k", HALF)
    assert dispatcher.arrive("large", "k", {"cpu": 0.9}) is None
    assert dispatcher.arrive("e", "k", HALF) is None
    assert dispatcher.follow(small) == []
    saved = json.loads(json.dumps(dispatcher.state()))
    again = Dispatcher(small, policy=policy)
    again.restore(saved)
    assert again.state() == saved
    for name in "abcd":
        assert again.depart(name) == dispatcher.depart(name)
        assert again.state() == dispatcher.state()
    assert again.waiting == ["large"]


WAITING = {"job": "z", "class": "k", "demand": {"cpu": 1}, "number": 9}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"guidance": "x"}, "saved under other guidance"),
        ({"policy": "best-fit"}, "saved with policy 'best-fit'"),
        ({"seed": 3}, "saved with seed 3"),
        ({"waiting": [{"job": "e"}]}, "state: waiting, 0, class: is missing"),
        ({"machines": None}, "state: machines: need a valid array, got null"),
        ({"waiting": {}}, "state: waiting: need a valid array, got an object"),
        (
            {"waiting": [{"job": "a", "class": "k", "demand": {"cpu": 1}, "number": 9}]},
            "job 'a' is there twice",
        ),
        ({"arrived": -1}, "state: arrived: need greater than or equal to 0, got -1"),
        ({"arrived": "x"}, "state: arrived: need a valid integer, got 'x'"),
        ({"next_machine": {"c": 1}}, "state: machine c/1: the next one is 1"),
        ({"next_machine": {}}, "state: next_machine, c: is missing"),
        ({"waiting": [WAITING | {"job": 5}]}, "state: waiting, 0, job: need a valid string, got 5"),
        ({"waiting": [WAITING | {"number": 1.5}]}, "state: waiting, 0, number: need"),
    ],
)
def test_states_that_are_none_are_refused(change, message):
    dispatcher = full()
    before = dispatcher.state()
    refused(lambda: dispatcher.restore({**before, **change}), message)
    assert dispatcher.state() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"number": 0}, "state: machine c/0 is there twice"),
        ({"number": "1"}, "state: machines, 1, number: need a valid integer, got '1'"),
        ({"bin": 9}, "state: machine c/1: the plan has no bin 9 there"),
        ({"configuration": "x"}, "unknown configuration 'x'"),
        ({"capacity": {"cpu": "much"}}, "state: machines, 1, capacity, cpu: need a valid number"),
        ({"capacity": {"cpu": -1.0}}, "state: machine c/1: cpu is -1.0"),
        ({"jobs": None}, "state: machines, 1, jobs: need a valid array, got null"),
    ],
)
def test_states_with_wrong_machines_are_refused(change, message):
    dispatcher = full()
    dispatcher.arrive("e", "k", HALF)
    before = dispatcher.state()
    first, second = before["machines"]
    wrong = {**before, "machines": [first, second | change], "arrived": 99}
    refused(lambda: dispatcher.restore(wrong), message)
    assert dispatcher.state() == before
    assert dispatcher.depart("a") == [Placement("e", "c", 0)]


DEMANDS = st.tuples(
    st.sampled_from("kllo"), st.sampled_from((0.2, 0.5, 0.9, 1.4)), st.sampled_from((0.0, 0.3, 0.9))
)


class Life(RuleBasedStateMachine):
    """Any calls in any order, against the books kept here."""

    @initialize(
        policy=st.sampled_from(POLICIES),
        sample=st.sampled_from((None, None, 1, 9)),
        crowd=st.lists(DEMANDS, min_size=1, max_size=12),
    )
    def begin(self, policy, sample, crowd):
        self.policy, self.plan = policy, mixed(0)
        self.sample = sample if policy.startswith("lotes") else None
        self.dispatcher = Dispatcher(self.plan, policy=policy, sample=self.sample, seed=7)
        self.restore()
        self.where, self.need, self.line, self.number = {}, {}, [], 0
        self.capacity = {
            f"{entry['name']}/{i}": entry["capacity"]
            for entry in self.plan["datacenter"]["configurations"]
            for i in range(entry["count"])
        }
        self.draining = set()
        for need in crowd:
            self.arrive(need)

    @rule()
    def restore(self):
        state = json.loads(json.dumps(self.dispatcher.state(whole=True)))
        self.restored = Dispatcher.resume(state)
        assert self.restored.state(whole=True) == state

    def call(self, verb, *given):
        """The answer, which is also that of a dispatcher that was restored on the way."""
        answer = getattr(self.dispatcher, verb)(*given)
        assert getattr(self.restored, verb)(*given) == answer
        return answer

    def started(self, placements):
        for place in placements:
            assert self.where[place.job] is None
            self.line.remove(place.job)
            self.where[place.job] = f"{place.configuration}/{place.machine}"
            assert self.where[place.job] not in self.draining

    @rule(need=DEMANDS)
    def arrive(self, need):
        k, cpu, mem = need
        job, demand = str(self.number), {"cpu": cpu, "mem": mem}
        try:
            place = self.call("arrive", job, k, demand)
        except ValueError:
            assert not any(
                machine.split("/")[0] in self.able(k) and self.holds(machine, demand, empty=True)
                for machine in self.capacity.keys() - self.draining
            )
            return
        self.number += 1
        self.where[job], self.need[job] = None, (k, demand)
        self.line.append(job)
        self.started([place] if place else [])

    @precondition(lambda self: self.where)
    @rule(data=st.data())
    def depart(self, data):
        job = data.draw(st.sampled_from(sorted(self.where)))
        started = self.call("depart", job)
        if self.where.pop(job) is None:
            self.line.remove(job)
        self.started(started)

    @precondition(lambda self: self.line)
    @rule(data=st.data())
    def cancel(self, data):
        job = data.draw(st.sampled_from(self.line))
        started = self.call("cancel", job)
        self.line.remove(job)
        del self.where[job]
        self.started(started)

    @rule(configuration=st.sampled_from("mn"), own=st.booleans())
    def join(self, configuration, own):
        capacity = {"cpu": 1.5, "mem": 0.8} if own else None
        joined = self.call("join", configuration, capacity)
        standard = {"m": {"cpu": 1.0, "mem": 1.0}, "n": {"cpu": 2.0, "mem": 1.0}}
        self.capacity[joined.machine] = capacity or standard[configuration]
        self.started(joined.started)

    @precondition(lambda self: self.capacity)
    @rule(data=st.data())
    def leave(self, data):
        machine = data.draw(st.sampled_from(sorted(self.capacity)))
        left = self.call("leave", machine)
        del self.capacity[machine]
        self.draining.discard(machine)
        assert left.jobs == sorted((j for j, m in self.where.items() if m == machine), key=int)
        for job in left.jobs:
            self.where[job] = None
        self.line = left.jobs + self.line
        self.started(left.started)

    @precondition(lambda self: self.capacity)
    @rule(data=st.data())
    def drain(self, data):
        machine = data.draw(st.sampled_from(sorted(self.capacity)))
        if machine in self.draining:
            self.draining.remove(machine)
            self.started(self.call("undrain", machine))
        else:
            self.draining.add(machine)
            self.started(self.call("drain", machine))

    @rule(number=st.integers(0, 1))
    def follow(self, number):
        self.plan = mixed(number)
        self.started(self.call("follow", self.plan))

    @invariant()
    def no_machine_is_overfilled(self):
        for machine, capacity in self.capacity.items():
            for r in ("cpu", "mem"):
                assert self.free(machine, r, capacity) >= -1e-9

    def free(self, machine, r, capacity):
        on_it = (self.need[job][1][r] for job, where in self.where.items() if where == machine)
        return capacity[r] - sum(on_it)

    @invariant()
    def no_job_is_lost_and_the_line_is_in_order(self):
        assert self.dispatcher.waiting == self.line

    @invariant()
    def no_job_waits_where_its_class_has_its_place_and_there_is_room(self):
        for job in self.line:
            k, demand = self.need[job]
            homes, opened = self.homes(k), self.capacity.keys() - self.draining
            able = [m for m in opened if self.holds(m, demand, empty=True)]
            if not any(machine.split("/")[0] in homes for machine in able):
                homes = self.able(k)
            there = [machine for machine in able if machine.split("/")[0] in homes]
            if self.sample is None:
                assert not any(self.holds(m, demand) for m in there)
            else:  # it looked at a machine that was busy
                assert not there or set(there) & set(self.where.values())

    def holds(self, machine, demand, *, empty=False):
        capacity = self.capacity[machine]
        return all(
            demand[r] <= (capacity[r] if empty else self.free(machine, r, capacity)) + 1e-10
            for r in demand
        )

    def able(self, k):
        return {"n"} if k == "o" else {"m", "n"}

    def homes(self, k):
        if self.policy == "bid-price":
            return set(self.plan["prices"]["belongs"][k])
        if self.policy != "lotes":
            return self.able(k)
        return {entry["configuration"] for entry in self.plan["bins"] if entry["jobs"].get(k)}


TestLife = Life.TestCase


TestLife.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
