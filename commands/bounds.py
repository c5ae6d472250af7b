"""`slotwise bounds`."""

from __future__ import annotations

from pathlib import Path

import slotwise

from .console import InstanceFile, PlotFile
from .frame import Answer
from .running import NO


def bounds(instance: InstanceFile, plot: PlotFile = None) -> Answer:
    from ..formulations.mapreduce.bounds.closed_form import best_of
    from ..instances.mapreduce.eligibility import impossible
    from ..instances.mapreduce.instance_file import read_instance
    from ..reports.mapreduce.tables import bounds_table

    problem = read_instance(instance)
    why = impossible(problem)
    if why is not None:
        document = {"instance": problem.name, "bounds": {}, "lower_bound": None, "notes": [why]}
        return Answer(f"{problem.name}: infeasible, {why}", document, code=NO)
    values = slotwise.bounds(problem)
    best, name = best_of(values)

    def draw(path: Path) -> None:
        from ..reports.drawing import draw_bounds, write_plot

        write_plot(path, draw_bounds, problem.name, values, name)

    return Answer(
        bounds_table(problem, values, name),
        {"instance": problem.name, "bounds": values, "lower_bound": best},
        line=f"lower bound {best:.6g} s, {name}",
        drawings={plot: draw},
    )
