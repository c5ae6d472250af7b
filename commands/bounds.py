"""`slotwise bounds`."""

from __future__ import annotations

from pathlib import Path

import slotwise

from .frame import Answer
from .options import InstanceFile, PlotFile
from .running import NO


def bounds(instance: InstanceFile, plot: PlotFile = None) -> Answer:
    from ..formulations.mapreduce.bounds.closed_form import best_of
    from ..instances.mapreduce.eligibility import impossible
    from ..reports.mapreduce.tables import bounds_table

    problem = slotwise.read(instance, kind=slotwise.Instance)
    why = impossible(problem)
    if why is not None:
        return Answer(
            f"{problem.name}: infeasible, {why}",
            {"instance": problem.name, "bounds": {}, "lower_bound": None, "notes": [why]},
            code=NO,
        )
    values = slotwise.bounds(problem)
    best, name = best_of(values)

    def draw(path: Path) -> None:
        from ..reports.mapreduce.plots import draw_bounds
        from ..reports.plots import write_plot

        write_plot(path, draw_bounds, problem.name, values, name)

    return Answer(
        bounds_table(problem, values, name),
        {"instance": problem.name, "bounds": values, "lower_bound": best},
        line=f"lower bound {best:.6g} s, {name}",
        drawings={plot: draw},
    )
