"""Reference for the checker: every task against every other, setups from their definition."""

from collections.abc import Iterator

from brute_force import map_setup, reduce_setup, secure_setup

from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import Schedule


def worst_violation(instance: Instance, schedule: Schedule) -> float:
    """By how much the schedule breaks its worst broken rule, relative to the times concerned.

    Infinite where a task is on a slot that it may not use.
    """
    return max(_violations(instance, schedule), default=0.0)


def _violations(instance: Instance, schedule: Schedule) -> Iterator[float]:
    cluster, factors, lost = instance.cluster, instance.speed_factors, instance.outages
    map_node = [n for n, count in enumerate(cluster.map_slots) for _ in range(count)]
    reduce_node = [n for n, count in enumerate(cluster.reduce_slots) for _ in range(count)]
    ran = [map_node[k] for k in schedule.map.slot]
    ready = [0.0] * instance.jobs
    last = 0.0
    for phase, rows, offsets, time, node, factor, gone in (
        ("map", schedule.map, instance.map_offsets, instance.map_processing, map_node,
         factors and factors.map, lost and lost.map),
        ("reduce", schedule.reduce, instance.reduce_offsets, instance.reduce_processing,
         reduce_node, factors and factors.reduce, lost and lost.reduce),
    ):  # fmt: skip
        spans: dict[int, list[tuple[float, float]]] = {}
        release = list(ready)
        for job in range(instance.jobs):
            for t in range(offsets[job], offsets[job + 1]):
                slot, start = int(rows.slot[t]), float(rows.start[t])
                if gone is not None and gone[slot]:
                    yield float("inf")
                if phase == "reduce":
                    setup = reduce_setup(instance, job, ran, node[slot])
                elif instance.security is None:
                    setup = map_setup(instance, t, node[slot])
                else:
                    setup = secure_setup(instance, t, slot)
                    if not instance.security.priorities[t, slot]:
                        yield float("inf")
                speed = 1.0 if factor is None else float(factor[job, slot])
                end = start + setup + float(time[t]) * speed
                yield relative(rows.setup[t] - setup, setup)
                yield relative(rows.end[t] - end, start, end)
                yield relative(max(0.0, release[job] - start), start, end)
                for begun, ended in spans.setdefault(slot, []):
                    first, second = sorted([(begun, ended), (start, end)])
                    yield relative(max(0.0, first[1] - second[0]), *second)
                spans[slot].append((start, end))
                if phase == "map":
                    ready[job] = max(ready[job], end)
                last = max(last, end)
    yield relative(schedule.makespan - last, last)


def relative(difference: float, *sizes: float) -> float:
    size = max(map(abs, sizes))
    return abs(difference) / size if size else float("inf") if difference else 0.0
