"""slotwise: exact models, valid bounds and published heuristics for scheduling batch work.

Everything below is imported when it is first used, so that `import slotwise` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .formulations.bounds.closed_form import best_lower_bound
    from .formulations.bounds.closed_form import lower_bounds as bounds
    from .formulations.bounds.waiting import waiting_bound
    from .heuristics.dispatch.dispatcher import Dispatcher, Placement
    from .heuristics.dispatch.result import Simulation
    from .heuristics.dispatch.simulator import simulate
    from .heuristics.fairness import allocate as fair
    from .heuristics.fairness.explanation import why
    from .heuristics.fairness.timeline import follow
    from .instances.datacenter.checker import check_guidance
    from .instances.datacenter.datacenter import Configuration, Datacenter, JobClass, datacenter
    from .instances.datacenter.datacenter_file import read_datacenter, write_datacenter
    from .instances.datacenter.guidance import Guidance
    from .instances.datacenter.guidance_file import read_guidance, write_guidance
    from .instances.datacenter.workload import Jobs, Workload, poisson, replay
    from .instances.errors import InputError
    from .instances.generators import generate
    from .instances.hierarchy.allocation import Allocation
    from .instances.hierarchy.checker import check_allocation
    from .instances.hierarchy.hierarchy import Group, Hierarchy, Leaf, hierarchy
    from .instances.hierarchy.hierarchy_file import read_hierarchy, write_hierarchy
    from .instances.mapreduce.checker import Verdict, check
    from .instances.mapreduce.cluster import Cluster, Rates
    from .instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors, job_instance
    from .instances.mapreduce.instance_file import read_instance as read
    from .instances.mapreduce.instance_file import write_instance as write
    from .instances.mapreduce.schedule import Schedule, timed
    from .instances.mapreduce.schedule_file import read_schedule, write_schedule
    from .instances.mapreduce.security import Outages, Security
    from .instances.traces.google2011 import read_google
    from .instances.traces.openb import read_openb
    from .instances.traces.rumen.reader import read_rumen
    from .instances.traces.swim import read_swim
    from .report.explain import explain
    from .report.gantt.files import draw_gantt, gantt_figure, write_gantt
    from .solvers.compare import Comparison
    from .solvers.compare import compare as gap
    from .solvers.cross_check import cross_check
    from .solvers.guidance.guide import guide
    from .solvers.heuristic import heuristic
    from .solvers.progress import Progress
    from .solvers.result import Result, Status
    from .solvers.solve import solve

_PUBLIC = {
    "Allocation": "instances.hierarchy.allocation:Allocation",
    "Cluster": "instances.mapreduce.cluster:Cluster",
    "Comparison": "solvers.compare:Comparison",
    "Configuration": "instances.datacenter.datacenter:Configuration",
    "Datacenter": "instances.datacenter.datacenter:Datacenter",
    "Dispatcher": "heuristics.dispatch.dispatcher:Dispatcher",
    "Group": "instances.hierarchy.hierarchy:Group",
    "Guidance": "instances.datacenter.guidance:Guidance",
    "Hierarchy": "instances.hierarchy.hierarchy:Hierarchy",
    "InputError": "instances.errors:InputError",
    "Instance": "instances.mapreduce.instance:Instance",
    "Job": "instances.mapreduce.instance:Job",
    "JobClass": "instances.datacenter.datacenter:JobClass",
    "Jobs": "instances.datacenter.workload:Jobs",
    "Leaf": "instances.hierarchy.hierarchy:Leaf",
    "MapTask": "instances.mapreduce.instance:MapTask",
    "Outages": "instances.mapreduce.security:Outages",
    "Placement": "heuristics.dispatch.dispatcher:Placement",
    "Progress": "solvers.progress:Progress",
    "Rates": "instances.mapreduce.cluster:Rates",
    "Result": "solvers.result:Result",
    "Schedule": "instances.mapreduce.schedule:Schedule",
    "Security": "instances.mapreduce.security:Security",
    "Simulation": "heuristics.dispatch.result:Simulation",
    "SpeedFactors": "instances.mapreduce.instance:SpeedFactors",
    "Status": "solvers.result:Status",
    "Verdict": "instances.mapreduce.checker:Verdict",
    "Workload": "instances.datacenter.workload:Workload",
    "best_lower_bound": "formulations.bounds.closed_form:best_lower_bound",
    "bounds": "formulations.bounds.closed_form:lower_bounds",
    "check": "instances.mapreduce.checker:check",
    "check_allocation": "instances.hierarchy.checker:check_allocation",
    "check_guidance": "instances.datacenter.checker:check_guidance",
    "cross_check": "solvers.cross_check:cross_check",
    "datacenter": "instances.datacenter.datacenter:datacenter",
    "draw_gantt": "report.gantt.files:draw_gantt",
    "explain": "report.explain:explain",
    "fair": "heuristics.fairness:allocate",
    "follow": "heuristics.fairness.timeline:follow",
    "gantt_figure": "report.gantt.files:gantt_figure",
    "gap": "solvers.compare:compare",
    "generate": "instances.generators:generate",
    "guide": "solvers.guidance.guide:guide",
    "heuristic": "solvers.heuristic:heuristic",
    "hierarchy": "instances.hierarchy.hierarchy:hierarchy",
    "job_instance": "instances.mapreduce.instance:job_instance",
    "poisson": "instances.datacenter.workload:poisson",
    "read": "instances.mapreduce.instance_file:read_instance",
    "read_datacenter": "instances.datacenter.datacenter_file:read_datacenter",
    "read_google": "instances.traces.google2011:read_google",
    "read_guidance": "instances.datacenter.guidance_file:read_guidance",
    "read_hierarchy": "instances.hierarchy.hierarchy_file:read_hierarchy",
    "read_openb": "instances.traces.openb:read_openb",
    "read_rumen": "instances.traces.rumen.reader:read_rumen",
    "read_schedule": "instances.mapreduce.schedule_file:read_schedule",
    "read_swim": "instances.traces.swim:read_swim",
    "replay": "instances.datacenter.workload:replay",
    "simulate": "heuristics.dispatch.simulator:simulate",
    "solve": "solvers.solve:solve",
    "timed": "instances.mapreduce.schedule:timed",
    "waiting_bound": "formulations.bounds.waiting:waiting_bound",
    "why": "heuristics.fairness.explanation:why",
    "write": "instances.mapreduce.instance_file:write_instance",
    "write_datacenter": "instances.datacenter.datacenter_file:write_datacenter",
    "write_gantt": "report.gantt.files:write_gantt",
    "write_guidance": "instances.datacenter.guidance_file:write_guidance",
    "write_hierarchy": "instances.hierarchy.hierarchy_file:write_hierarchy",
    "write_schedule": "instances.mapreduce.schedule_file:write_schedule",
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
