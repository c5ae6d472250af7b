"""Tiny random instances with every oddity the model allows, for brute force and for Hypothesis."""

from collections.abc import Callable
from dataclasses import astuple, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from slotwise.instances.mapreduce.security import Outages, Security

Integer = Callable[[int, int], int]
"""Draws an integer between two bounds, both included."""


def tiny(seed: int, *, tasks: int = 5) -> Instance:
    """One to three jobs with at most `tasks` tasks in each phase, on one to three nodes."""
    rng = np.random.default_rng(seed)
    return _instance(f"tiny-{seed}", lambda low, high: int(rng.integers(low, high + 1)), tasks)


def reading(seed: int) -> Instance:
    """One or two jobs on two to four unequal nodes, whose tasks mostly read."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(2, 5))
    racks = np.sort(rng.integers(0, 3, nodes))
    used = sorted(set(racks.tolist()))
    map_slots, reduce_slots = rng.integers(0, 3, (2, nodes))
    for slots in (map_slots, reduce_slots):
        if not slots.sum():
            slots[rng.integers(nodes)] = 1
    rates = [(100, 50, 30), (100, 20, 5), (100, 100, 10), (100, 10, 10), (60, 59, 1)]
    cluster = Cluster(
        node_names=tuple(f"n{k}" for k in range(nodes)),
        rack_names=tuple(f"r{k}" for k in used),
        rack_of=np.array([used.index(rack) for rack in racks]),
        map_slots=map_slots,
        reduce_slots=reduce_slots,
        rates=Rates(*rates[rng.integers(len(rates))]),
    )
    maps, reduces = 5, 4
    jobs = []
    for j in range(int(rng.integers(1, 3))):
        map_tasks = [
            MapTask(
                float(rng.choice([0, 1, 5, 10])),
                float(rng.choice([0, 200, 200, 200, 400])),
                [f"n{k}" for k in range(nodes) if rng.random() < 0.3],
            )
            for _ in range(min(maps, int(rng.integers(0, 6))))
        ]
        processing = rng.choice([0.0, 0.0, 1.0, 3.0, 8.0], min(reduces, int(rng.integers(0, 5))))
        maps -= len(map_tasks)
        reduces -= len(processing)
        ratio = float(rng.choice([0, 0.3, 1, 3, 10]))
        jobs.append(Job(f"j{j}", map_tasks, processing.tolist(), ratio))
    return Instance.from_jobs(f"reading-{seed}", cluster, jobs)


def shop(seed: int) -> Instance:
    """Two to four jobs with at most five tasks in each phase, to all of which any slot is alike.

    Nodes hold no data, or there is only one. Tasks of every fourth may take no time; those of every
    third take no whole seconds.
    """
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(1, 3))
    cluster = Cluster.uniform(nodes, map_slots=int(rng.integers(1, 3)), reduce_slots=1)
    size, ratio = (0.0, 0.0) if nodes > 1 else (float(rng.integers(0, 3)) * 100, 1.5)
    unit = 0.37 if seed % 3 == 1 else 1.0

    def seconds(count: int) -> list[float]:
        return [unit * x for x in rng.integers(0 if seed % 4 == 0 else 1, 8, count).tolist()]

    jobs, left = [], [5, 5]
    for number in range(int(rng.integers(2, 5))):
        counts = [min(most, int(rng.integers(0, 4))) for most in left]
        left = [most - count for most, count in zip(left, counts, strict=True)]
        maps = [MapTask(time, size, ["n0"] if size else []) for time in seconds(counts[0])]
        jobs.append(Job(f"j{number}", maps, seconds(counts[1]), ratio))
    return Instance.from_jobs(f"shop-{seed}", cluster, jobs)


def with_speed_factors(instance: Instance, seed: int) -> Instance:
    """The instance with a random speed factor per job and node, the same on a node's slots."""
    rng = np.random.default_rng(seed)
    cluster = instance.cluster
    shape = (instance.jobs, cluster.nodes)
    maps, reduces = rng.choice([0.1, 0.5, 1.0, 1.0, 2.25], (2, *shape))
    factors = SpeedFactors(maps[:, cluster.map_slot_node], reduces[:, cluster.reduce_slot_node])
    return replace(instance, speed_factors=factors)


def with_security(instance: Instance, seed: int) -> Instance:
    """The instance with random priorities and levels; about one in ten becomes impossible."""
    rng = np.random.default_rng(seed)
    cluster = instance.cluster
    slots = len(cluster.map_slot_node)
    levels = rng.choice(np.array([-1, 1], dtype=np.int8), (cluster.nodes, slots))
    levels[cluster.map_slot_node, np.arange(slots)] = 0
    priorities = rng.random((instance.map_tasks, slots)) < rng.choice([0.3, 0.6, 0.9])
    if slots and rng.random() < 0.9:
        chosen = rng.integers(0, slots, instance.map_tasks)
        priorities[np.arange(instance.map_tasks), chosen] = True
    security = Security(
        priorities=priorities,
        levels=levels,
        transfer_rate=float(rng.choice([100, 37.5])),
        encryption_rate=float(rng.choice([50, 400])),
    )
    return replace(instance, security=security)


def with_outages(instance: Instance, seed: int) -> Instance:
    """The instance with each slot lost with probability one eighth."""
    rng = np.random.default_rng(seed)
    cluster = instance.cluster
    lost = Outages(
        rng.random(len(cluster.map_slot_node)) < 0.125,
        rng.random(len(cluster.reduce_slot_node)) < 0.125,
    )
    return replace(instance, outages=lost)


def any_parts(seed: int, *, tiny_every: int) -> Instance:
    """One of so many is `tiny`, the others read much; some with factors, security, outages."""
    instance = reading(seed) if seed % tiny_every else tiny(seed)
    if seed % 4 == 1:
        instance = with_speed_factors(instance, seed)
    if seed % 11 in (0, 3):
        instance = with_security(instance, seed)
    return with_outages(instance, seed) if seed % 7 in (1, 5) else instance


def extreme(seed: int) -> Instance:
    """As `any_parts`, with some rates, sizes or times over 15 orders of magnitude.

    Often only a rate is extreme, and nothing may use it.
    """
    rng = np.random.default_rng(seed)
    instance = any_parts(seed, tiny_every=3)
    rates = np.array(astuple(instance.cluster.rates), dtype=float)

    def far(values: np.ndarray) -> np.ndarray:
        return np.clip(values * 10.0 ** rng.integers(-8, 8, values.shape), 0, 1e9)

    kind = seed % 5
    if kind < 3:
        rates[kind:] *= 10.0 ** -float(rng.integers(5, 12))
    else:
        rates = -np.sort(-far(rates))
    cluster = replace(instance.cluster, rates=Rates(*rates.tolist()))
    if kind == 4:
        instance = replace(
            instance,
            map_processing=far(instance.map_processing),
            input_mb=far(instance.input_mb),
            output_ratio=far(instance.output_ratio),
            reduce_processing=far(instance.reduce_processing),
        )
    return replace(instance, name=f"extreme-{seed}", cluster=cluster)


@st.composite
def instances(draw: st.DrawFn, *, tasks: int = 5) -> Instance:
    """As `tiny`, drawn and shrunk by Hypothesis: towards one job, one node and zeros."""
    return _instance("drawn", lambda low, high: draw(st.integers(low, high)), tasks)


# Small integers make ties of every kind; thirds and tenths make ends equal by rounding only.
_RATES = [Rates(4, 2, 1), Rates(2, 2, 1), Rates(1, 1, 1), Rates(100, 50, 30), Rates(0.3, 0.3, 0.1)]
_TIMES = st.one_of(st.integers(0, 4).map(float), st.sampled_from([0.1, 0.2, 0.3, 1 / 3, 51.0]))


@st.composite
def odd_clusters(draw: st.DrawFn) -> Instance:
    """Jobs without maps or reduces, nodes without slots, racks without nodes, one rack; ties."""
    nodes, racks = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    names = [f"n{k}" for k in range(nodes)]
    per_node = st.lists(st.integers(0, 3), min_size=nodes, max_size=nodes)
    racks_of_nodes = st.lists(st.integers(0, racks - 1), min_size=nodes, max_size=nodes)
    cluster = Cluster(
        node_names=tuple(names),
        rack_names=tuple(f"r{k}" for k in range(racks)),
        rack_of=np.array(draw(racks_of_nodes), dtype=np.int64),
        map_slots=np.array(draw(per_node), dtype=np.int64),
        reduce_slots=np.array(draw(per_node), dtype=np.int64),
        rates=draw(st.sampled_from(_RATES)),
    )
    sizes = st.sampled_from([0.0, 4.0, 8.0, 0.7, 128.0])
    maps = st.builds(MapTask, _TIMES, sizes, st.lists(st.sampled_from(names), max_size=4))
    jobs = st.builds(
        Job,
        st.just(""),
        st.lists(maps, max_size=8 if cluster.map_slots.any() else 0),
        st.lists(_TIMES, max_size=6 if cluster.reduce_slots.any() else 0),
        st.sampled_from([0.0, 0.5, 1.0, 0.3]),
    )
    drawn = draw(st.lists(jobs, max_size=6))
    named = [replace(job, name=f"j{i}") for i, job in enumerate(drawn)]
    return Instance.from_jobs("drawn", cluster, named)


def _instance(name: str, integer: Integer, tasks: int) -> Instance:
    def choice(options: list[Any]) -> Any:
        return options[integer(0, len(options) - 1)]

    time = choice(
        [
            lambda: float(integer(0, 9)),
            lambda: integer(0, 1_000_000) / 77_777,
            lambda: 3.0,
            lambda: float(choice([1, 1, 2, 20])),
        ]
    )
    maps, reduces = tasks, tasks
    jobs = []
    nodes = integer(1, 3)
    for j in range(integer(1, 3)):
        map_tasks = []
        for _ in range(min(maps, integer(0, 3))):
            copies = integer(0, 2**nodes - 1)
            map_tasks.append(
                MapTask(
                    processing=time(),
                    input_mb=choice([0.0, 128.0, 320.0, 150.5]),
                    replicas=[f"n{k}" for k in range(nodes) if copies >> k & 1],
                )
            )
        reduce_tasks = [time() for _ in range(min(reduces, integer(0, 3)))]
        maps -= len(map_tasks)
        reduces -= len(reduce_tasks)
        jobs.append(Job(f"j{j}", map_tasks, reduce_tasks, choice([0.0, 0.2, 1.0, 2.5])))

    map_slots = [integer(0, 2) for _ in range(nodes)]
    reduce_slots = [integer(0, 2) for _ in range(nodes)]
    for slots, count in ((map_slots, tasks - maps), (reduce_slots, tasks - reduces)):
        if count and not sum(slots):
            slots[integer(0, nodes - 1)] = 1
    racks = [integer(0, 1) for _ in range(nodes)]
    used = sorted(set(racks))
    cluster = Cluster(
        node_names=tuple(f"n{k}" for k in range(nodes)),
        rack_names=tuple(f"r{rack}" for rack in used),
        rack_of=np.array([used.index(rack) for rack in racks], dtype=np.int64),
        map_slots=np.array(map_slots, dtype=np.int64),
        reduce_slots=np.array(reduce_slots, dtype=np.int64),
        rates=Rates(*choice([(100, 50, 30), (40, 40, 40), (100, 50, 10), (90.5, 20.25, 20.25)])),
    )
    return Instance.from_jobs(name, cluster, jobs)
