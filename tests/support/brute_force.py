"""The optimal makespan of a tiny instance by exhaustive enumeration.

Nothing of the package computes here but the arrays of the instance: setups are worked out task by
task from their definition, and every assignment of tasks to slots and every order of the tasks on
a slot is considered.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import permutations, product

from slotwise.instances.mapreduce.instance import Instance

Tasks = tuple[int, ...]
Ends = tuple[float, ...]
"""When the map phase of each job ends."""


def optimum(instance: Instance, shared_order: bool = False) -> float:
    """The optimal makespan in s, infinity if there is no schedule.

    By default every slot has its own order of tasks: up to about 5 tasks a phase. With
    `shared_order` one permutation of the jobs orders every map slot and the end of the jobs' map
    phases orders every reduce slot: up to about 7 tasks a phase.
    """
    best = float("inf")
    for order in permutations(range(instance.jobs)) if shared_order else [None]:
        for map_node, ends in _map_phases(instance, order):
            best = _reduce_phase(instance, map_node, ends, best, by_release=shared_order)
    return best


def map_setup(instance: Instance, task: int, node: int) -> float:
    """Setup in s of a map task on a node: its input over the best rate to a replica."""
    size = float(instance.input_mb[task])
    first, last = instance.replica_offsets[task : task + 2]
    sources = instance.replicas[first:last].tolist()
    rates = [_rate(instance, source, node) for source in sources]
    return size / max(rates, default=instance.cluster.rates.remote)


def secure_setup(instance: Instance, task: int, slot: int) -> float:
    """Setup in s of a map task on a map slot: nothing at home, else the cheapest move to there."""
    security = instance.security
    assert security is not None
    size, node = float(instance.input_mb[task]), int(instance.cluster.map_slot_node[slot])
    first, last = instance.replica_offsets[task : task + 2]
    moves = [size / security.transfer_rate + size / security.encryption_rate]
    for holder in instance.replicas[first:last].tolist():
        if holder == node:
            moves.append(0.0)
        elif security.levels[holder, slot] == 1:
            moves.append(size / security.transfer_rate)
    return min(moves)


def reduce_setup(instance: Instance, job: int, map_node: Sequence[int], node: int) -> float:
    """Setup in s of a reduce task: one read after another from where the job's map tasks ran."""
    setup = 0.0
    for task in range(instance.map_offsets[job], instance.map_offsets[job + 1]):
        output = instance.output_ratio[job] * instance.input_mb[task]
        share = output / (instance.reduce_offsets[job + 1] - instance.reduce_offsets[job])
        secure = instance.security
        rate = secure.transfer_rate if secure else _rate(instance, map_node[task], node)
        setup += share / rate
    return float(setup)


def _map_places(instance: Instance) -> list[tuple[int, int, list[float]]]:
    """Where map tasks can run: node, number of equal slots, and how long each task takes there.

    Tasks take forever where they may not run.
    """
    places: dict[tuple[int, tuple[float, ...]], int] = {}
    for slot, node in enumerate(instance.cluster.map_slot_node.tolist()):
        if instance.outages is not None and instance.outages.map[slot]:
            continue
        lengths = []
        for t in range(instance.map_tasks):
            if instance.security is None:
                setup = map_setup(instance, t, node)
            elif instance.security.priorities[t, slot]:
                setup = secure_setup(instance, t, slot)
            else:
                setup = float("inf")
            lengths.append(setup + _processing(instance, "map", t, slot))
        place = (node, tuple(lengths))
        places[place] = places.get(place, 0) + 1
    return [(node, count, list(lengths)) for (node, lengths), count in places.items()]


def _processing(instance: Instance, phase: str, task: int, slot: int) -> float:
    """Processing time in s of a task on a slot."""
    processing = instance.map_processing if phase == "map" else instance.reduce_processing
    if instance.speed_factors is None:
        return float(processing[task])
    job = (instance.map_job if phase == "map" else instance.reduce_job)[task]
    return float(processing[task]) * float(getattr(instance.speed_factors, phase)[job, slot])


def _rate(instance: Instance, a: int, b: int) -> float:
    cluster = instance.cluster
    if a == b:
        return cluster.rates.node
    return cluster.rates.rack if cluster.rack_of[a] == cluster.rack_of[b] else cluster.rates.remote


def _map_phases(
    instance: Instance, order: Sequence[int] | None = None
) -> Iterator[tuple[Tasks, Ends]]:
    """Every assignment of map tasks, as nodes, with each undominated ends of the map phases.

    Without map tasks a job's phase ends at 0. With `order` the tasks of every slot follow this
    permutation of the jobs.
    """
    places = _map_places(instance)
    job_of = instance.map_job.tolist()

    def sequences(tasks: Tasks) -> Iterable[Sequence[int]]:
        if order is None:
            return permutations(tasks)
        return [sorted(tasks, key=lambda t: order.index(job_of[t]))]

    @cache
    def on_slot(place: int, tasks: Tasks) -> list[Ends]:
        found = []
        for sequence in sequences(tasks):
            ends, clock = [0.0] * instance.jobs, 0.0
            for t in sequence:
                clock += places[place][2][t]
                ends[job_of[t]] = clock
            found.append(tuple(ends))
        return _undominated(found)

    @cache
    def on_place(place: int, tasks: Tasks) -> list[Ends]:
        return _undominated(
            _latest(parts)
            for split in _splits(tasks, places[place][1])
            for parts in product(*(on_slot(place, part) for part in split))
        )

    possible = [
        [p for p, place in enumerate(places) if place[2][t] < float("inf")]
        for t in range(instance.map_tasks)
    ]
    for map_place in product(*possible):
        held = [
            tuple(t for t, p in enumerate(map_place) if p == place) for place in range(len(places))
        ]
        fronts = [on_place(place, tasks) for place, tasks in enumerate(held) if tasks]
        idle = (0.0,) * instance.jobs
        for ends in _undominated(_latest([idle, *parts]) for parts in product(*fronts)):
            yield tuple(places[p][0] for p in map_place), ends


def _reduce_slots(instance: Instance, map_node: Tasks) -> list[Ends]:
    """How long each reduce task takes on each slot that is not lost."""
    job_of = instance.reduce_job.tolist()
    reads: dict[tuple[int, int], float] = {}
    slots: list[Ends] = []
    for slot, node in enumerate(instance.cluster.reduce_slot_node.tolist()):
        if instance.outages is not None and instance.outages.reduce[slot]:
            continue
        for job in set(job_of) - {job for job, at in reads if at == node}:
            reads[job, node] = reduce_setup(instance, job, map_node, node)
        slots.append(
            tuple(
                reads[job, node] + _processing(instance, "reduce", w, slot)
                for w, job in enumerate(job_of)
            )
        )
    return slots


def _reduce_phase(
    instance: Instance, map_node: Tasks, ends: Ends, best: float, by_release: bool
) -> float:
    """The least makespan after a map phase, `best` if that is not above it."""
    phase_end = max(ends, default=0.0)
    if phase_end >= best or not instance.reduce_tasks:
        return min(phase_end, best)
    job_of = instance.reduce_job.tolist()
    release = [ends[job] for job in job_of]
    slots = _reduce_slots(instance, map_node)
    if not slots:
        return best
    if any(release[w] + min(length[w] for length in slots) >= best for w in range(len(release))):
        return best

    @cache
    def on_slot(length: tuple[float, ...], tasks: Tasks) -> float:
        least = float("inf")
        for sequence in (
            [sorted(tasks, key=release.__getitem__)] if by_release else permutations(tasks)
        ):
            clock = 0.0
            for w in sequence:
                clock = max(clock, release[w]) + length[w]
            least = min(least, clock)
        return least

    held: list[Tasks] = [()] * len(slots)

    def place(task: int, latest: float) -> None:
        nonlocal best
        if task == instance.reduce_tasks:
            best = latest
            return
        tried = set()
        for slot, length in enumerate(slots):
            before = held[slot]
            if (length, before) in tried:  # a twin: as fast for every task, same tasks
                continue
            tried.add((length, before))
            held[slot] = (*before, task)
            end = max(latest, on_slot(length, held[slot]))
            if end < best:
                place(task + 1, end)
            held[slot] = before

    place(0, phase_end)
    return best


def _splits(tasks: Tasks, slots: int) -> Iterator[tuple[Tasks, ...]]:
    """Every way to share out tasks to equal slots, empty slots left out."""
    if not tasks:
        yield ()
        return
    if not slots:
        return
    first, rest = tasks[0], tasks[1:]
    for chosen in range(1 << len(rest)):
        with_first = tuple(t for k, t in enumerate(rest) if chosen >> k & 1)
        others = tuple(t for k, t in enumerate(rest) if not chosen >> k & 1)
        for split in _splits(others, slots - 1):
            yield ((first, *with_first), *split)


def _latest(vectors: Iterable[Ends]) -> Ends:
    return tuple(max(values) for values in zip(*vectors, strict=True))


def _undominated(vectors: Iterable[Ends]) -> list[Ends]:
    kept: list[Ends] = []
    for vector in sorted(set(vectors)):
        if not any(all(a <= b for a, b in zip(other, vector, strict=True)) for other in kept):
            kept.append(vector)
    return kept
