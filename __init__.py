"""slotwise: exact models, valid bounds and published heuristics for scheduling batch work.

Everything below is imported when it is first used, so that `import slotwise` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .formulations.bounds import best_lower_bound
    from .formulations.bounds import lower_bounds as bounds
    from .instances.checker import Verdict, check
    from .instances.errors import InputError
    from .instances.generators import generate
    from .instances.mapreduce import Cluster, Instance, Job, MapTask, Rates, job_instance
    from .instances.mapreduce_file import read_instance as read
    from .instances.mapreduce_file import write_instance as write
    from .instances.schedule import Schedule, timed
    from .instances.schedule_file import read_schedule, write_schedule
    from .instances.traces.rumen import read_rumen
    from .instances.traces.swim import read_swim
    from .report.explain import explain
    from .report.gantt import draw_gantt, gantt_figure, write_gantt
    from .solvers.compare import Comparison
    from .solvers.compare import compare as gap
    from .solvers.cross_check import cross_check
    from .solvers.exact import solve
    from .solvers.heuristic import heuristic
    from .solvers.progress import Progress
    from .solvers.result import Result, Status

_PUBLIC = {
    "Cluster": "instances.mapreduce:Cluster",
    "Comparison": "solvers.compare:Comparison",
    "InputError": "instances.errors:InputError",
    "Instance": "instances.mapreduce:Instance",
    "Job": "instances.mapreduce:Job",
    "MapTask": "instances.mapreduce:MapTask",
    "Progress": "solvers.progress:Progress",
    "Rates": "instances.mapreduce:Rates",
    "Result": "solvers.result:Result",
    "Schedule": "instances.schedule:Schedule",
    "Status": "solvers.result:Status",
    "Verdict": "instances.checker:Verdict",
    "best_lower_bound": "formulations.bounds:best_lower_bound",
    "bounds": "formulations.bounds:lower_bounds",
    "check": "instances.checker:check",
    "cross_check": "solvers.cross_check:cross_check",
    "draw_gantt": "report.gantt:draw_gantt",
    "explain": "report.explain:explain",
    "gantt_figure": "report.gantt:gantt_figure",
    "gap": "solvers.compare:compare",
    "generate": "instances.generators:generate",
    "heuristic": "solvers.heuristic:heuristic",
    "job_instance": "instances.mapreduce:job_instance",
    "read": "instances.mapreduce_file:read_instance",
    "read_rumen": "instances.traces.rumen:read_rumen",
    "read_schedule": "instances.schedule_file:read_schedule",
    "read_swim": "instances.traces.swim:read_swim",
    "solve": "solvers.exact:solve",
    "timed": "instances.schedule:timed",
    "write": "instances.mapreduce_file:write_instance",
    "write_gantt": "report.gantt:write_gantt",
    "write_schedule": "instances.schedule_file:write_schedule",
}

__all__ = [
    "Cluster",
    "Comparison",
    "InputError",
    "Instance",
    "Job",
    "MapTask",
    "Progress",
    "Rates",
    "Result",
    "Schedule",
    "Status",
    "Verdict",
    "best_lower_bound",
    "bounds",
    "check",
    "cross_check",
    "draw_gantt",
    "explain",
    "gantt_figure",
    "gap",
    "generate",
    "heuristic",
    "job_instance",
    "read",
    "read_rumen",
    "read_schedule",
    "read_swim",
    "solve",
    "timed",
    "write",
    "write_gantt",
    "write_schedule",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _PUBLIC[name].split(":")
    value = getattr(import_module(f".{module}", __name__), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_PUBLIC))
