"""SMSO's listings taken literally ([SMSO], Algorithms 1 to 4), and the rules that they break."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ....core.wording import listed, plural
from ....heuristics.mapreduce.smso.reading import THETA, USUAL
from ....instances.mapreduce.checker import check
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule
from ....instances.mapreduce.security import PLAIN
from ....instances.mapreduce.setups import map_setup_matrix
from ..record import Candidate, Fact, Step, Steps
from .board import Board, FactKeeper, blank, few, put
from .slot_order import in_order, order_step
from .smso import by_lpt
from .smso_reduce_tasks import placed_reduces


def smso_as_printed(instance: Instance) -> Steps:
    """Record SMSO as printed; its schedule may use forbidden and lost slots."""
    board = Board("SMSO as printed", instance)
    without = replace(board.instance, outages=None)
    maps = _placed_maps(board, without)
    ordering, slots = by_lpt(board), len(without.cluster.map_slot_node)
    before: list[list[int]] = [[] for _ in range(slots)]
    for t in range(without.map_tasks):
        before[int(maps.slot[t])].append(t)
    given = maps
    maps, after = in_order(before, ordering, given, without.map_processing)
    for k in range(slots):
        if before[k] != after[k]:
            board.add(order_step(board, k, (before[k], after[k]), (given, maps), ordering))
    reduces = placed_reduces(board, without, maps, USUAL, job_on_one_slot=True)
    board.add(_end(board, maps, reduces))
    steps = board.finished(maps, reduces)
    broken = check(instance, steps.outcome).violations
    if broken:
        note = f"No valid schedule: {plural(len(broken), 'violation')}, the first: {broken[0]}"
        steps = replace(steps, notes=(note, *steps.notes))
    return steps


@dataclass(frozen=True)
class _Scan:
    """How Algorithm 1 looks for a slot for a task.

    `forbidden` is the slot at which it turned to the levels, -1 if none; `plain` says which slots
    get that slot's data unencrypted; `way` is how it ended: `first`, `plain` or `fewest`.
    """

    task: int
    chosen: int
    way: str
    forbidden: int
    allowed: list[bool]
    count: list[int]
    plain: list[bool]
    threshold: float
    setup: list[float]


def _placed_maps(board: Board, instance: Instance) -> PhaseSchedule:
    """Algorithm 1 as printed, with a step per task."""
    setups, maps = map_setup_matrix(instance), blank(instance.map_tasks)
    slots = len(instance.cluster.map_slot_node)
    threshold = THETA * instance.map_tasks / max(slots, 1)
    count, free = [0] * slots, [0.0] * slots
    for t in range(instance.map_tasks):
        scan = _scanned(instance, t, count, threshold, setups[t].tolist())
        k = scan.chosen
        end = free[k] + scan.setup[k] + float(instance.map_processing[t])
        put(maps, t, k, (free[k], scan.setup[k], end))
        board.add(_step(board, scan, maps, free), ("map", t))
        count[k] += 1
        free[k] = end
    return maps


def _scanned(
    instance: Instance, task: int, count: list[int], threshold: float, setup: list[float]
) -> _Scan:
    slots, security = range(len(count)), instance.security
    allowed = [security is None or bool(security.priorities[task, k]) for k in slots]
    fits = [allowed[k] and count[k] < threshold for k in slots]
    forbidden, plain, way = -1, [False] * len(count), "first"
    chosen = next((k for k in slots if fits[k] or not allowed[k]), -1)
    if security is not None and not allowed[chosen]:
        forbidden = chosen
        node = int(instance.cluster.map_slot_node[forbidden])
        plain = [int(security.levels[node, k]) == PLAIN for k in slots]
        chosen = next((k for k in slots if plain[k] and fits[k]), -1)
        way = "plain"
        if chosen < 0:
            chosen, way = min(slots, key=lambda k: (count[k], k)), "fewest"
    return _Scan(task, chosen, way, forbidden, allowed, count[:], plain, threshold, setup)


def _step(board: Board, scan: _Scan, maps: PhaseSchedule, free: list[float]) -> Step:
    t, k, keeper = scan.task, scan.chosen, FactKeeper()
    slots = range(len(scan.count))
    nearer = [j for j in slots if scan.allowed[j] and scan.setup[j] < scan.setup[k]]
    loser = min(nearer, key=lambda j: (scan.setup[j], j), default=None)
    text = [_why(board, scan, keeper)]
    if not scan.allowed[k]:
        text.append("The task's priority forbids this slot: the schedule breaks the rules.")
    if loser is not None:
        saved = keeper.seconds("would read less by", scan.setup[k] - scan.setup[loser])
        text.append(
            f"Where the data is it never asks: {board.slot_name('map', loser)} would save {saved} "
            "of reading."
        )
    shown, chosen, left_out, loser = few(_candidates(board, scan, free), k, loser)
    name, slot = board.task_name("map", t), board.slot_name("map", k)
    return Step(
        kind="place",
        title=f"{name} to {slot}",
        rule={
            "first": "first slot that is allowed and below the threshold",
            "plain": "no encryption from the forbidden slot",
            "fewest": "fewest tasks, allowed or not",
        }[scan.way],
        text=" ".join(text),
        candidates=shown,
        chosen=chosen,
        loser=loser,
        left_out=left_out,
        facts=keeper.facts,
        rows=(board.row("map", t, maps),),
    )


def _why(board: Board, scan: _Scan, keeper: FactKeeper) -> str:
    name = board.slot_name("map", scan.chosen)
    listing = keeper.name("listing", "Algorithm 1")
    tasks = keeper.number("tasks there", scan.count[scan.chosen])
    limit = keeper.number("threshold", scan.threshold)
    if scan.way == "first":
        return (
            f"Of the slots in turn {listing} takes the first that the priority allows and that "
            f"has fewer than {limit} tasks: {name}, with {tasks}."
        )
    node = board.instance.cluster.map_slot_node[scan.forbidden]
    other = board.instance.cluster.node_names[int(node)]
    text = (
        f"Going through the slots {listing} comes to {board.slot_name('map', scan.forbidden)}, "
        f"which the priority forbids. It then asks which slot takes data of that slot's node, "
        f"{other}, without encryption, wherever the task's own data is"
    )
    if scan.way == "plain":
        return f"{text}: {name} is the first that is allowed and has fewer than {limit} tasks."
    return (
        f"{text}. None does that is allowed and has fewer than {limit} tasks, so the slot with the "
        f"fewest takes it, allowed or not: {name}, with {tasks}."
    )


def _candidates(board: Board, scan: _Scan, free: list[float]) -> list[Candidate]:
    time = float(board.instance.map_processing[scan.task])
    candidates = []
    for k, count in enumerate(scan.count):
        facts: dict[str, Fact] = {
            "tasks": count,
            "below threshold": count < scan.threshold,
            "allowed": scan.allowed[k],
            "setup": scan.setup[k],
        }
        if scan.forbidden >= 0:
            facts["no encryption from there"] = scan.plain[k]
        box = (free[k], free[k] + scan.setup[k] + time)
        candidates.append(Candidate(board.lane("map", k), board.slot_name("map", k), facts, box))
    return candidates


def _end(board: Board, maps: PhaseSchedule, reduces: PhaseSchedule) -> Step:
    """What Algorithms 3 and 4 do: nothing, with outages or without."""
    outages, keeper = board.instance.outages, FactKeeper()
    third, fourth = (keeper.name(f"listing {n}", f"Algorithm {n}") for n in (3, 4))
    if outages is None:
        return Step(
            kind="move",
            title="No outage: the printed loop would not end",
            rule="Algorithm 4 as printed",
            text=(
                f"{third} returns true if no node is lost, and {fourth} repeats itself while it "
                "does: it would never end. Here it stops after the first time."
            ),
            facts=keeper.facts,
        )
    stranded = {
        "map": [t for t in range(len(maps.slot)) if outages.map[maps.slot[t]]],
        "reduce": [w for w in range(len(reduces.slot)) if outages.reduce[reduces.slot[w]]],
    }
    numbers = [
        keeper.number(f"{phase} tasks on lost slots", len(tasks))
        for phase, tasks in stranded.items()
    ]
    names = [board.task_name("map", t) for t in stranded["map"]]
    names += [board.task_name("reduce", w) for w in stranded["reduce"]]
    for name in names:
        keeper.name(f"stays: {name}", name)
    some = f": {listed(names)}" if names else ""
    return Step(
        kind="move",
        title=f"{keeper.number('tasks on lost slots', len(names))} tasks on lost slots",
        rule="Algorithm 4 as printed",
        text=(
            f"{third} returns false if a node is lost, and {fourth} then stops, so that nothing "
            f"moves. {numbers[0]} map and {numbers[1]} reduce tasks stay on lost slots{some}."
        ),
        facts=keeper.facts,
    )
