"""`slotwise bounds`."""

from __future__ import annotations

from typing import Any

import typer

from .console import NO, InstanceFile, Json, PlotFile, Quiet, show
from .file_rules import saving


def bounds(
    instance: InstanceFile, plot: PlotFile = None, as_json: Json = False, quiet: Quiet = False
) -> None:
    """Closed-form lower bounds of the makespan."""
    from ..formulations.mapreduce.bounds.closed_form import best_of, lower_bounds
    from ..instances.mapreduce.eligibility import impossible
    from ..instances.mapreduce.instance_file import read_instance
    from ..reports.mapreduce.tables import bounds_table

    problem = read_instance(instance)
    why = impossible(problem)
    document: dict[str, Any]
    if why is not None:
        document = {"instance": problem.name, "bounds": {}, "lower_bound": None, "notes": [why]}
        show(f"{problem.name}: infeasible, {why}", document=document, as_json=as_json, quiet=quiet)
        raise typer.Exit(NO)
    values = lower_bounds(problem)
    best, name = best_of(values)
    document = {"instance": problem.name, "bounds": values, "lower_bound": best}
    if plot is not None:
        from ..reports.overviews import write_bounds

        with saving():
            write_bounds(problem.name, values, name, plot)
    show(bounds_table(problem, values, name), document=document, as_json=as_json, quiet=quiet)
