"""`slotwise gap` on the 19-job Mumak trace: import, heuristics, bounds, proof; also with one slot.

    python benchmarks/mumak.py TRACE.json.gz TOPOLOGY.json.gz

With the slots that the trace shows, one straggler decides the makespan and the bound meets most
heuristics. With one map and one reduce slot a host there is something to schedule.
"""

import argparse
import time
from pathlib import Path

import slotwise

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("trace", type=Path)
parser.add_argument("topology", type=Path)
parser.add_argument("--time-limit", type=float, default=40)
options = parser.parse_args()

print("| slots | tasks | hosts | status | best | bound | gap | worst heuristic | total s |")
print("|---|---|---|---|---|---|---|---|---|")
for slots in (None, 1):
    began = time.perf_counter()
    instance = slotwise.read_rumen(
        options.trace, options.topology, map_slots=slots, reduce_slots=slots
    ).made
    comparison = slotwise.gap(instance, time_limit=options.time_limit)
    seconds = time.perf_counter() - began
    best = comparison.best
    worst = max(comparison.gap_of(result) or 0.0 for result in comparison.heuristics)
    cluster = instance.cluster
    print(
        f"| {cluster.map_slots.max()} + {cluster.reduce_slots.max()} "
        f"| {instance.map_tasks} + {instance.reduce_tasks} | {cluster.nodes} | {best.status} "
        f"| {best.makespan:.1f} s | {best.lower_bound:.1f} s | {best.gap:.3%} | {worst:.3%} "
        f"| {seconds:.1f} |"
    )
