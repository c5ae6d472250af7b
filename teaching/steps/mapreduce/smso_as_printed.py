"""SMSO's listings taken literally ([SMSO], Algorithms 1 to 4), and the rules that they break."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....core.wording import listed, plural
from ....heuristics.mapreduce.smso.reading import THETA, USUAL
from ....instances.mapreduce.checker import check
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule
from ....instances.mapreduce.security import PLAIN
from ..record import Step, Steps
from ..telling import FactKeeper
from .board import Board
from .orders import regrouped
from .placing import SLOT, Phase, map_phase
from .smso import placed_reduces


def smso_as_printed(instance: Instance) -> Steps:
    """Record SMSO as printed; its schedule may use forbidden and lost slots."""
    board = Board("SMSO as printed", instance)
    without = replace(board.instance, outages=None)
    phase = map_phase(board)
    _match(phase)
    seconds = without.map_processing.tolist()
    every = range(phase.tasks)
    maps = regrouped(board, phase.placed, every, seconds, "LPT", lambda t: (-seconds[t], t))
    reduces = placed_reduces(board, without, maps, USUAL, job_on_one_slot=True)
    _add_end(board, maps, reduces)
    steps = board.finished(maps, reduces)
    broken = check(instance, steps.outcome).violations
    if broken:
        note = f"No valid schedule: {plural(len(broken), 'violation')}, the first: {broken[0]}"
        steps = replace(steps, notes=(note, *steps.notes))
    return steps


def _match(phase: Phase) -> None:
    """Algorithm 1 as printed, with a step per task."""
    board, allowed = phase.board, phase.allowed
    cluster, security = board.instance.cluster, board.instance.security
    threshold = THETA * phase.tasks / max(phase.slots, 1)
    count, slots = [0] * phase.slots, range(phase.slots)
    # It may use forbidden slots.
    phase.allowed = np.ones_like(allowed)
    for t in range(phase.tasks):
        keeper = FactKeeper()
        listing = keeper.name("listing", "Algorithm 1")
        limit = keeper.number("threshold", threshold)
        fits = [bool(allowed[t, k]) and count[k] < threshold for k in slots]
        k = next(k for k in slots if fits[k] or not allowed[t, k])
        within = "first slot that is allowed and below the threshold"
        why = (
            f"Of the slots in turn {listing} takes the first that the priority allows and that has "
            f"fewer than {limit} tasks"
        )
        if security is not None and not allowed[t, k]:
            node = int(cluster.map_slot_node[k])
            why = (
                f"Going through the slots {listing} comes to {board.slot_name('map', k)}, which "
                "the priority forbids. It then asks which slot takes data of that slot's node, "
                f"{cluster.node_names[node]}, without encryption, wherever the task's own data is"
            )
            plain = [j for j in slots if security.levels[node, j] == PLAIN and fits[j]]
            if plain:
                k, within = plain[0], "no encryption from the forbidden slot"
                why += f": the first that is allowed and has fewer than {limit} tasks takes it"
            else:
                k = min(slots, key=lambda j: (count[j], j))
                within = "fewest tasks, allowed or not"
                why += (
                    f". None does that is allowed and has fewer than {limit} tasks, so the slot "
                    "with the fewest takes it, allowed or not"
                )
        why += f": {board.slot_name('map', k)}, with {keeper.number('tasks there', count[k])}"
        keeper.say(why)
        if not allowed[t, k]:
            keeper.say("Its priority forbids it: the schedule breaks the rules")
        offers = phase.offers(t)
        asked = [o for o in offers if o.slot == k]
        others = [o for o in offers if allowed[t, o.slot]]
        nearer = [o for o in others if o.setup < asked[0].setup]
        loser, reads = None, ""
        if nearer:
            loser = min(nearer, key=lambda o: (o.setup, o.slot))
            saved = keeper.seconds("would read less by", asked[0].setup - loser.setup)
            name = board.slot_name("map", loser.slot)
            reads = f"Where the data is it never asks: {name} would save {saved} of reading"
        phase.place(
            asked,
            (SLOT,),
            others,
            within=within,
            tempting=(loser, reads),
            keeper=keeper,
        )
        count[k] += 1


def _add_end(board: Board, maps: PhaseSchedule, reduces: PhaseSchedule) -> None:
    """What Algorithms 3 and 4 do: nothing, with outages or without."""
    outages, keeper = board.instance.outages, FactKeeper()
    third, fourth = (keeper.name(f"listing {n}", f"Algorithm {n}") for n in (3, 4))
    title = "No outage: the printed loop would not end"
    text = (
        f"{third} returns true if no node is lost, and {fourth} repeats itself while it does: it "
        "would never end. Here it stops after the first time."
    )
    if outages is not None:
        on_maps = np.flatnonzero(outages.map[maps.slot]).tolist()
        on_reduces = np.flatnonzero(outages.reduce[reduces.slot]).tolist()
        names = [board.task_name("map", t) for t in on_maps]
        names += [board.task_name("reduce", w) for w in on_reduces]
        for name in names:
            keeper.name(f"stays: {name}", name)
        some = f": {listed(names)}" if names else ""
        counts = [keeper.number("map tasks on lost slots", len(on_maps))]
        counts.append(keeper.number("reduce tasks on lost slots", len(on_reduces)))
        title = f"{keeper.number('tasks on lost slots', len(names))} tasks on lost slots"
        text = (
            f"{third} returns false if a node is lost, and {fourth} then stops, so that nothing "
            f"moves. {counts[0]} map and {counts[1]} reduce tasks stay on lost slots{some}."
        )
    board.add(Step("move", title, "Algorithm 4 as printed", text, facts=keeper.facts))
