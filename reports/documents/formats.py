"""The table of file formats: what each holds, who reads, writes and validates it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ...core.advice import did_you_mean
from ...core.errors import InputError


@dataclass(frozen=True)
class FileFormat:
    """One format. Targets are `module:attribute` below the package, imported when first needed."""

    name: str
    """As in `slotwise/NAME/1`."""
    thing: str
    """The class of what is read."""
    reader: str
    """A function of a path, and of the problem if there is one."""
    validator: str
    """The pydantic model of the document."""
    writer: str = ""
    """A function of a thing and a path; of the problem before them where a thing of this kind does
    not know its problem; empty where things make their documents themselves."""
    problem: str = ""
    """The class of the problem that the file belongs to and cannot be read without; empty if it
    stands for itself."""
    knows_problem: bool = True
    """Whether a thing of this kind knows its problem."""
    checker: str = ""
    """A function of a problem and a thing that gives a `Verdict`, where it is above this layer."""

    versions: int = 1
    """Number of its versions, all of which are read."""

    @property
    def full_name(self) -> str:
        """As the field `format` of the first version has it."""
        return self.full_names[0]

    @property
    def full_names(self) -> tuple[str, ...]:
        """As the field `format` has it, version by version."""
        return tuple(f"slotwise/{self.name}/{k + 1}" for k in range(self.versions))

    def holds(self, thing: object) -> bool:
        """Whether `thing` is what this format is for, without importing its class."""
        return is_of(thing, self.thing)

    def load(self, target: str) -> Any:
        module, attribute = target.split(":")
        package = __name__.split(".", 1)[0]
        return getattr(import_module(f"{package}.{module}"), attribute)


_MAPREDUCE, _DATACENTER, _HIERARCHY = (
    f"instances.{family}" for family in ("mapreduce", "datacenter", "hierarchy")
)

FORMATS: tuple[FileFormat, ...] = (
    FileFormat(
        name="mapreduce",
        thing=f"{_MAPREDUCE}.instance:Instance",
        reader=f"{_MAPREDUCE}.instance_file:read_instance",
        writer=f"{_MAPREDUCE}.instance_file:write_instance",
        validator=f"{_MAPREDUCE}.instance_file:InstanceDocument",
    ),
    FileFormat(
        name="schedule",
        thing=f"{_MAPREDUCE}.schedule:Schedule",
        reader=f"{_MAPREDUCE}.schedule_file:claimed_schedule",
        writer=f"{_MAPREDUCE}.schedule_file:write_schedule",
        validator=f"{_MAPREDUCE}.schedule_file:ScheduleDocument",
        problem=f"{_MAPREDUCE}.instance:Instance",
        knows_problem=False,
    ),
    FileFormat(
        name="result",
        thing="solvers.mapreduce.result:Result",
        reader="reports.documents.result_file:read_result",
        validator="reports.documents.result_file:ResultDocument",
        problem=f"{_MAPREDUCE}.instance:Instance",
    ),
    FileFormat(
        name="certificate",
        thing="solvers.certificate:Certificate",
        reader="solvers.certificate:read_certificate",
        writer="solvers.certificate:write_certificate",
        validator="solvers.certificate:CertificateDocument",
    ),
    FileFormat(
        name="datacenter",
        thing=f"{_DATACENTER}.datacenter:Datacenter",
        reader=f"{_DATACENTER}.datacenter_file:read_datacenter",
        writer=f"{_DATACENTER}.datacenter_file:write_datacenter",
        validator=f"{_DATACENTER}.datacenter_file:DatacenterDocument",
    ),
    FileFormat(
        name="guidance",
        thing=f"{_DATACENTER}.guidance:Guidance",
        reader=f"{_DATACENTER}.guidance_file:read_guidance",
        writer=f"{_DATACENTER}.guidance_file:write_guidance",
        validator=f"{_DATACENTER}.guidance_file:GuidanceDocument",
    ),
    FileFormat(
        name="hierarchy",
        thing=f"{_HIERARCHY}.hierarchy:Hierarchy",
        reader=f"{_HIERARCHY}.hierarchy_file:read_hierarchy",
        writer=f"{_HIERARCHY}.hierarchy_file:write_hierarchy",
        validator=f"{_HIERARCHY}.hierarchy_file:HierarchyDocument",
        versions=2,
    ),
    FileFormat(
        name="hierarchy-events",
        thing=f"{_HIERARCHY}.events:Event",
        reader=f"{_HIERARCHY}.events:read_events",
        writer=f"{_HIERARCHY}.events:write_events",
        validator=f"{_HIERARCHY}.events:EventsDocument",
        problem=f"{_HIERARCHY}.hierarchy:Hierarchy",
        knows_problem=False,
    ),
    FileFormat(
        name="allocation",
        thing=f"{_HIERARCHY}.allocation:Allocation",
        reader=f"{_HIERARCHY}.allocation_file:claimed_allocation",
        writer=f"{_HIERARCHY}.allocation_file:write_allocation",
        validator=f"{_HIERARCHY}.allocation_file:AllocationDocument",
        versions=2,
        problem=f"{_HIERARCHY}.hierarchy:Hierarchy",
    ),
    FileFormat(
        name="steps",
        thing="teaching.steps.record:Steps",
        reader="teaching.steps.steps_file:read_steps",
        validator="teaching.steps.steps_file:StepsDocument",
        checker="teaching.steps.checking:check_steps",
    ),
    FileFormat(
        name="lesson",
        thing="teaching.lessons.lesson:Lesson",
        reader="teaching.lessons.lesson_file:read_lesson",
        validator="teaching.lessons.lesson_file:LessonDocument",
    ),
)


def file_format(name: str) -> FileFormat:
    """The format called `mapreduce` or `slotwise/mapreduce/1`. Raises `InputError`."""
    for known in FORMATS:
        if name in (known.name, *known.full_names):
            return known
    names = [known.name for known in FORMATS]
    guess = did_you_mean(name, names)
    raise InputError(f"unknown format {name[:60]!r}: {guess}choose from {', '.join(names)}")


def is_of(thing: object, target: str) -> bool:
    """Whether a thing is of a class, or of one derived from it, without importing the class."""
    package = __name__.split(".", 1)[0]
    module, name = target.split(":")
    return any(
        (cls.__module__, cls.__qualname__) == (f"{package}.{module}", name)
        for cls in type(thing).__mro__
    )
