"""slotwise: exact models, valid bounds and published heuristics for scheduling batch work.

The block of imports below is the one list of public names. Type checkers and editors read it as it
stands. At run time it is parsed when a name is first asked for, and only the module of that name is
imported: `import slotwise` alone costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .instances.views import shown_by

if TYPE_CHECKING:
    from .core.errors import BrokenInvariant as BrokenInvariant
    from .core.errors import CertificateError as CertificateError
    from .core.errors import InputError as InputError
    from .core.errors import OutputError as OutputError
    from .core.errors import PluginError as PluginError
    from .core.errors import SlotwiseError as SlotwiseError
    from .core.registry import Entry as Entry
    from .core.stop_reason import StopReason as StopReason
    from .experiments.engine.calls import campaign as campaign
    from .experiments.engine.export import read_runs as read_runs
    from .experiments.pages.report import Report as Report
    from .experiments.pages.report import report as report
    from .experiments.reproduction.outcome import Reproduction as Reproduction
    from .experiments.reproduction.running import reproduce as reproduce
    from .experiments.statistics.ranking import rank as rank
    from .experiments.statistics.ranks import Ranking as Ranking
    from .experiments.study.study import Study as Study
    from .experiments.study.study_file import make_study as make_study
    from .experiments.study.study_file import read_study as read_study
    from .formulations.datacenter.waiting_bound import waiting_bound as waiting_bound
    from .formulations.mapreduce.bounds.closed_form import best_lower_bound as best_lower_bound
    from .formulations.mapreduce.bounds.closed_form import lower_bounds
    from .formulations.mapreduce.solved import schedule_of as schedule_of
    from .formulations.model_files import build as build
    from .formulations.model_files import write_model as write_model
    from .heuristics.datacenter.live.answers import Placement as Placement
    from .heuristics.datacenter.live.dispatcher import Dispatcher as Dispatcher
    from .heuristics.datacenter.policy import CompiledPolicy as CompiledPolicy
    from .heuristics.datacenter.python_policy import Policy as Policy
    from .heuristics.datacenter.result import Simulation as Simulation
    from .heuristics.datacenter.simulator import simulate as simulate
    from .heuristics.hierarchy import allocate
    from .heuristics.hierarchy.explanation import why as why
    from .heuristics.hierarchy.timeline import Timeline as Timeline
    from .heuristics.hierarchy.timeline import follow as follow
    from .instances.datacenter.checker import check_guidance as check_guidance
    from .instances.datacenter.datacenter import Configuration as Configuration
    from .instances.datacenter.datacenter import Datacenter as Datacenter
    from .instances.datacenter.datacenter import JobClass as JobClass
    from .instances.datacenter.datacenter_file import read_datacenter as read_datacenter
    from .instances.datacenter.datacenter_file import write_datacenter as write_datacenter
    from .instances.datacenter.guidance import Guidance as Guidance
    from .instances.datacenter.guidance_file import read_guidance as read_guidance
    from .instances.datacenter.guidance_file import write_guidance as write_guidance
    from .instances.datacenter.importers.google2011 import read_google as read_google
    from .instances.datacenter.importers.openb import read_openb as read_openb
    from .instances.datacenter.workload import Jobs as Jobs
    from .instances.datacenter.workload import Workload as Workload
    from .instances.datacenter.workload import poisson as poisson
    from .instances.datacenter.workload import replay as replay
    from .instances.exporters import Exported as Exported
    from .instances.exporters import export as export
    from .instances.generators import generate as generate
    from .instances.hierarchy.allocation import Allocation as Allocation
    from .instances.hierarchy.allocation_file import read_allocation as read_allocation
    from .instances.hierarchy.allocation_file import write_allocation as write_allocation
    from .instances.hierarchy.checker import check_allocation as check_allocation
    from .instances.hierarchy.hierarchy import Hierarchy as Hierarchy
    from .instances.hierarchy.hierarchy_file import read_hierarchy as read_hierarchy
    from .instances.hierarchy.hierarchy_file import write_hierarchy as write_hierarchy
    from .instances.hierarchy.plain_tree import Group as Group
    from .instances.hierarchy.plain_tree import Leaf as Leaf
    from .instances.hierarchy.plain_tree import Quota as Quota
    from .instances.hierarchy.plain_tree import Sharing as Sharing
    from .instances.importers import Imported as Imported
    from .instances.importers import import_ as import_
    from .instances.mapreduce.cluster import Cluster as Cluster
    from .instances.mapreduce.cluster import Rates as Rates
    from .instances.mapreduce.importers.rumen import read_rumen as read_rumen
    from .instances.mapreduce.importers.shop import read_shop as read_shop
    from .instances.mapreduce.importers.swim import read_swim as read_swim
    from .instances.mapreduce.instance import Instance as Instance
    from .instances.mapreduce.instance import Job as Job
    from .instances.mapreduce.instance import MapTask as MapTask
    from .instances.mapreduce.instance import SpeedFactors as SpeedFactors
    from .instances.mapreduce.schedule import Schedule as Schedule
    from .instances.mapreduce.schedule import timed as timed
    from .instances.mapreduce.schedule_file import read_schedule as read_schedule
    from .instances.mapreduce.schedule_file import write_schedule as write_schedule
    from .instances.mapreduce.security import Outages as Outages
    from .instances.mapreduce.security import Security as Security
    from .instances.verdict import Verdict as Verdict
    from .reports.catalogue import registry as registry
    from .reports.documents.certifying import certify as certify
    from .reports.documents.formats import schema as schema
    from .reports.documents.read_write import read as read
    from .reports.documents.read_write import write as write
    from .reports.documents.verdicts import check as check
    from .reports.explain import explain as explain
    from .reports.latex import to_latex as to_latex
    from .reports.mapreduce.gantt.figure import gantt_figure as gantt_figure
    from .reports.mapreduce.gantt.files import write_gantt as write_gantt
    from .reports.mapreduce.gantt.static import draw_gantt as draw_gantt
    from .reports.views.drawing import plot as plot
    from .solvers.certificate import Certificate as Certificate
    from .solvers.datacenter.column_generation import NoRate as NoRate
    from .solvers.datacenter.guide import guide as guide
    from .solvers.datacenter.rehearse import rehearse as rehearse
    from .solvers.mapreduce.compare import compare
    from .solvers.mapreduce.comparison import Comparison as Comparison
    from .solvers.mapreduce.cross_check import cross_check as cross_check
    from .solvers.mapreduce.heuristic import heuristic as heuristic
    from .solvers.mapreduce.method import MethodOutcome as MethodOutcome
    from .solvers.mapreduce.method import SolveRequest as SolveRequest
    from .solvers.mapreduce.result import Result as Result
    from .solvers.mapreduce.result import Status as Status
    from .solvers.mapreduce.solve import solve as solve
    from .solvers.progress import Progress as Progress
    from .teaching.exercises.catalogue import exercises as exercises
    from .teaching.exercises.exercise import Demands as Demands
    from .teaching.exercises.exercise import Limits as Limits
    from .teaching.exercises.grade import Grade as Grade
    from .teaching.exercises.grading import grade as grade
    from .teaching.lessons.lesson import Lesson as Lesson
    from .teaching.lessons.lesson import make_lesson as make_lesson
    from .teaching.lessons.lesson_page import write_lesson as write_lesson
    from .teaching.steps.html import write_step_page as write_step_page
    from .teaching.steps.record import Steps as Steps
    from .teaching.steps.recording import steps as steps
    from .teaching.steps.slides import write_slides as write_slides

    __version__: str
    bounds = lower_bounds
    fair = allocate
    gap = compare


def _view(name: str) -> Any:
    """What `instances.views` asks for."""
    from importlib import import_module

    modules = {
        "hierarchy": "instances.hierarchy.building",
        "to_dataframe": "reports.dataframes",
        "html": "reports.views.notebook",
        "plot": "reports.views.drawing",
        "certify": "reports.documents.certifying",
        "guidance_document": "instances.datacenter.guidance_file",
        "step_page": "teaching.steps.html",
    }
    return getattr(import_module(f".{modules[name]}", __name__), name)


shown_by(_view)


_names: dict[str, tuple[str, str]] = {}


def _public_names() -> dict[str, tuple[str, str]]:
    """Module and attribute behind each public name, from the block of imports above.

    A name is public if it is imported as itself, as type checkers have it, or assigned an imported
    one.
    """
    if _names:
        return _names
    import ast
    import inspect
    import sys

    source = ast.parse(inspect.getsource(sys.modules[__name__]))
    block = next(
        node.body
        for node in source.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    imported: dict[str, tuple[str, str]] = {}
    public: dict[str, tuple[str, str]] = {}
    for node in block:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                imported[alias.name] = (f".{node.module}", alias.name)
                if alias.asname == alias.name:
                    public[alias.name] = imported[alias.name]
        elif isinstance(node, ast.Assign):
            public[ast.unparse(node.targets[0])] = imported[ast.unparse(node.value)]
    _names.update(sorted(public.items()))
    return _names


def _value(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name == "__all__":
        return list(_public_names())
    if name == "_public":
        return _public_names()
    # Python asks for other names of this form, which are no reason to parse anything.
    where = None if name.startswith("__") else _public_names().get(name)
    if where is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(where[0], __name__), where[1])


if not TYPE_CHECKING:  # type checkers know the names above, and no others

    def __getattr__(name: str) -> Any:
        globals()[name] = value = _value(name)
        return value


def __dir__() -> list[str]:
    return [*_value("__all__"), "__version__"]
