"""The stages of one thread's search."""

import numpy as np
import pytest

from slotwise.heuristics.mapreduce.block_search import worker
from slotwise.heuristics.mapreduce.block_search.polish import Polished, SlotAssignment
from slotwise.heuristics.mapreduce.block_search.scaled_instance import scaled, slots_of
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


@pytest.mark.parametrize(
    ("reduce_time", "far", "ends"),
    [(9, (500, 300), True), (1, (500, 300), False), (9, (1000, 1000), False)],
)
def test_the_given_schedule_gets_little_time_where_gathering_follows(
    monkeypatch, reduce_time, far, ends
):
    # Two jobs of two map tasks of 4 s and two reduce tasks that read 1 GB. After a tenth of the
    # time the first polish is to end only where reduces are the bottleneck and reads differ.
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1, rates=Rates(1000, *far))
    maps = [MapTask(4.0, 500.0, ["n0"]), MapTask(4.0, 500.0, ["n1"])]
    jobs = [Job(name, maps, [float(reduce_time)] * 2, output_ratio=1.0) for name in "ab"]
    instance = Instance.from_jobs("two", cluster, jobs)
    schedule = eass(instance)
    scale = scaled(instance, schedule.makespan)
    given = SlotAssignment(np.arange(2), *slots_of(instance, scale, schedule))
    search = worker.Search(scale.problem, given, 0, 0, 0, None, lambda *_: None)
    seen = []

    def polish(*_arguments):
        monkeypatch.setattr(worker.time, "perf_counter", lambda: search.began + 10)
        search.watch(over=False)
        seen.append(int(search.stop[0]))
        search.watch(over=True)
        return Polished(given, 1, 1.0)

    monkeypatch.setattr(worker, "polish", polish)
    search.run(100.0)
    assert seen == [ends]
