"""slotwise: exact models, valid bounds and published heuristics for scheduling batch work.

Everything below is imported when it is first used, so that `import slotwise` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .formulations.bounds import best_lower_bound
    from .formulations.bounds import lower_bounds as bounds
    from .formulations.waiting_bound import waiting_bound
    from .heuristics.dispatch.dispatcher import Dispatcher, Placement
    from .heuristics.dispatch.simulator import Simulation, simulate
    from .heuristics.fairness import allocate as fair
    from .heuristics.fairness.events import follow
    from .heuristics.fairness.why import why
    from .instances.allocation import Allocation
    from .instances.checker import Verdict, check
    from .instances.datacenter import Configuration, Datacenter, JobClass, datacenter
    from .instances.datacenter_file import read_datacenter, write_datacenter
    from .instances.errors import InputError
    from .instances.fair_checker import check_allocation
    from .instances.generators import generate
    from .instances.guidance import Guidance
    from .instances.guidance_checker import check_guidance
    from .instances.guidance_file import read_guidance, write_guidance
    from .instances.hierarchy import Group, Hierarchy, Leaf, hierarchy
    from .instances.hierarchy_file import read_hierarchy, write_hierarchy
    from .instances.mapreduce import (
        Cluster,
        Instance,
        Job,
        MapTask,
        Rates,
        SpeedFactors,
        job_instance,
    )
    from .instances.mapreduce_file import read_instance as read
    from .instances.mapreduce_file import write_instance as write
    from .instances.schedule import Schedule, timed
    from .instances.schedule_file import read_schedule, write_schedule
    from .instances.security import Outages, Security
    from .instances.traces.google2011 import read_google
    from .instances.traces.openb import read_openb
    from .instances.traces.rumen import read_rumen
    from .instances.traces.swim import read_swim
    from .instances.workload import Jobs, Workload, poisson, replay
    from .report.explain import explain
    from .report.gantt import draw_gantt, gantt_figure, write_gantt
    from .solvers.compare import Comparison
    from .solvers.compare import compare as gap
    from .solvers.cross_check import cross_check
    from .solvers.exact import solve
    from .solvers.guide import guide
    from .solvers.heuristic import heuristic
    from .solvers.progress import Progress
    from .solvers.result import Result, Status

_PUBLIC = {
    "Allocation": "instances.allocation:Allocation",
    "Cluster": "instances.mapreduce:Cluster",
    "Comparison": "solvers.compare:Comparison",
    "Configuration": "instances.datacenter:Configuration",
    "Datacenter": "instances.datacenter:Datacenter",
    "Dispatcher": "heuristics.dispatch.dispatcher:Dispatcher",
    "Group": "instances.hierarchy:Group",
    "Guidance": "instances.guidance:Guidance",
    "Hierarchy": "instances.hierarchy:Hierarchy",
    "InputError": "instances.errors:InputError",
    "Instance": "instances.mapreduce:Instance",
    "Job": "instances.mapreduce:Job",
    "JobClass": "instances.datacenter:JobClass",
    "Jobs": "instances.workload:Jobs",
    "Leaf": "instances.hierarchy:Leaf",
    "MapTask": "instances.mapreduce:MapTask",
    "Outages": "instances.security:Outages",
    "Placement": "heuristics.dispatch.dispatcher:Placement",
    "Progress": "solvers.progress:Progress",
    "Rates": "instances.mapreduce:Rates",
    "Result": "solvers.result:Result",
    "Schedule": "instances.schedule:Schedule",
    "Security": "instances.security:Security",
    "Simulation": "heuristics.dispatch.simulator:Simulation",
    "SpeedFactors": "instances.mapreduce:SpeedFactors",
    "Status": "solvers.result:Status",
    "Verdict": "instances.checker:Verdict",
    "Workload": "instances.workload:Workload",
    "best_lower_bound": "formulations.bounds:best_lower_bound",
    "bounds": "formulations.bounds:lower_bounds",
    "check": "instances.checker:check",
    "check_allocation": "instances.fair_checker:check_allocation",
    "check_guidance": "instances.guidance_checker:check_guidance",
    "cross_check": "solvers.cross_check:cross_check",
    "datacenter": "instances.datacenter:datacenter",
    "draw_gantt": "report.gantt:draw_gantt",
    "explain": "report.explain:explain",
    "fair": "heuristics.fairness:allocate",
    "follow": "heuristics.fairness.events:follow",
    "gantt_figure": "report.gantt:gantt_figure",
    "gap": "solvers.compare:compare",
    "generate": "instances.generators:generate",
    "guide": "solvers.guide:guide",
    "heuristic": "solvers.heuristic:heuristic",
    "hierarchy": "instances.hierarchy:hierarchy",
    "job_instance": "instances.mapreduce:job_instance",
    "poisson": "instances.workload:poisson",
    "read": "instances.mapreduce_file:read_instance",
    "read_datacenter": "instances.datacenter_file:read_datacenter",
    "read_google": "instances.traces.google2011:read_google",
    "read_guidance": "instances.guidance_file:read_guidance",
    "read_hierarchy": "instances.hierarchy_file:read_hierarchy",
    "read_openb": "instances.traces.openb:read_openb",
    "read_rumen": "instances.traces.rumen:read_rumen",
    "read_schedule": "instances.schedule_file:read_schedule",
    "read_swim": "instances.traces.swim:read_swim",
    "replay": "instances.workload:replay",
    "simulate": "heuristics.dispatch.simulator:simulate",
    "solve": "solvers.exact:solve",
    "timed": "instances.schedule:timed",
    "waiting_bound": "formulations.waiting_bound:waiting_bound",
    "why": "heuristics.fairness.why:why",
    "write": "instances.mapreduce_file:write_instance",
    "write_datacenter": "instances.datacenter_file:write_datacenter",
    "write_gantt": "report.gantt:write_gantt",
    "write_guidance": "instances.guidance_file:write_guidance",
    "write_hierarchy": "instances.hierarchy_file:write_hierarchy",
    "write_schedule": "instances.schedule_file:write_schedule",
}

__all__ = [
    "Allocation",
    "Cluster",
    "Comparison",
    "Configuration",
    "Datacenter",
    "Dispatcher",
    "Group",
    "Guidance",
    "Hierarchy",
    "InputError",
    "Instance",
    "Job",
    "JobClass",
    "Jobs",
    "Leaf",
    "MapTask",
    "Outages",
    "Placement",
    "Progress",
    "Rates",
    "Result",
    "Schedule",
    "Security",
    "Simulation",
    "SpeedFactors",
    "Status",
    "Verdict",
    "Workload",
    "best_lower_bound",
    "bounds",
    "check",
    "check_allocation",
    "check_guidance",
    "cross_check",
    "datacenter",
    "draw_gantt",
    "explain",
    "fair",
    "follow",
    "gantt_figure",
    "gap",
    "generate",
    "guide",
    "heuristic",
    "hierarchy",
    "job_instance",
    "poisson",
    "read",
    "read_datacenter",
    "read_google",
    "read_guidance",
    "read_hierarchy",
    "read_openb",
    "read_rumen",
    "read_schedule",
    "read_swim",
    "replay",
    "simulate",
    "solve",
    "timed",
    "waiting_bound",
    "why",
    "write",
    "write_datacenter",
    "write_gantt",
    "write_guidance",
    "write_hierarchy",
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
