"""Whether a plan keeps every rule of a graph, recomputed from the graph alone."""

from __future__ import annotations

import numpy as np

from .stage_graph import Plan, StageGraph

MOST_TOLD = 10


def violations(graph: StageGraph, plan: Plan) -> list[str]:
    """What the plan breaks, at most `MOST_TOLD` sentences; none if it is possible."""
    found = [*_early(graph, plan), *_outside(graph, plan), *_together(graph, plan)]
    return found[:MOST_TOLD]


def _task(graph: StageGraph, task: int) -> str:
    return f"a task of stage {graph.stage_names[graph.tasks.stage[task]]}"


def _early(graph: StageGraph, plan: Plan) -> list[str]:
    """Tasks that start before their release or gate, or end at another time than they must."""
    tasks, texts = graph.tasks, []
    stage_end = np.zeros(graph.stages, dtype=np.int64)
    begin, parent, lag = graph.parents
    by_stage = np.split(np.arange(len(tasks)), graph.task_offsets[1:-1])
    for s in graph.order.tolist():
        arcs = range(begin[s], begin[s + 1])
        gate = max([int(graph.stage_release[s]), *(stage_end[parent[k]] + lag[k] for k in arcs)])
        of = by_stage[s]
        earliest = np.maximum(graph.stage_release[s], gate - tasks.overlap[of])
        texts += [
            f"{_task(graph, k)} starts at {plan.start[k]} ms, before {e} ms"
            for k, e in zip(of.tolist(), earliest.tolist(), strict=True)
            if plan.start[k] < e
        ]
        end = np.maximum(plan.start[of] + tasks.overlap[of], gate) + tasks.time[of]
        texts += [
            f"{_task(graph, k)} ends at {plan.end[k]} ms, not {e} ms"
            for k, e in zip(of.tolist(), end.tolist(), strict=True)
            if plan.end[k] != e
        ]
        stage_end[s] = max(gate, end.max(initial=0))
    return texts


def _outside(graph: StageGraph, plan: Plan) -> list[str]:
    """Tasks on a slot of another pool, or outside the time of their slot."""
    slots, tasks = graph.slots, graph.tasks
    wrong = slots.pool[plan.slot] != graph.stage_pool[tasks.stage]
    wrong |= (plan.start < slots.since[plan.slot]) & (graph.held > 0)
    wrong |= (plan.end - tasks.cut > slots.until[plan.slot]) & (graph.held > 0)
    return [
        f"{_task(graph, k)} runs where or when its slot is not"
        for k in np.flatnonzero(wrong).tolist()
    ]


def _together(graph: StageGraph, plan: Plan) -> list[str]:
    """Tasks that share a slot at a time; those that hold it for no time share with any."""
    until = plan.end - graph.tasks.cut
    holds = np.flatnonzero(until > plan.start)
    order = holds[np.lexsort((plan.start[holds], plan.slot[holds]))]
    before, after = order[:-1], order[1:]
    clash = (plan.slot[before] == plan.slot[after]) & (plan.start[after] < until[before])
    return [
        f"{_task(graph, k)} starts at {plan.start[k]} ms on a slot that is held"
        for k in after[clash].tolist()
    ]
