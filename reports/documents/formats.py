"""The table of file formats: what each holds, where it is read and written, its JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.advice import did_you_mean
from ...core.calls import checked
from ...core.errors import InputError
from ...instances.views import view


@dataclass(frozen=True)
class FileFormat:
    """A format of things of a class X: its module has `read_x`, `XDocument`, mostly `write_x`."""

    name: str
    """As in `slotwise/NAME/1`."""
    thing: str
    """The class of what is read."""
    module: str
    """Below this package; imported when it is first needed."""
    many: str = ""
    """What the functions call the things, where a file holds several."""
    problem: str = ""
    """The class of the problem that a file cannot be read without."""
    knows_problem: bool = True
    checker: str = ""
    """`module:function` of a problem and a thing that gives a `Verdict`, if above this layer."""
    versions: int = 1
    """All of them are read."""

    @property
    def full_names(self) -> tuple[str, ...]:
        """As the field `format` has it, version by version."""
        return tuple(f"slotwise/{self.name}/{k + 1}" for k in range(self.versions))

    @property
    def reader(self) -> Any:
        """A function of a path, and of the problem if there is one."""
        return getattr(view(self.module), f"read_{(self.many or self.thing).lower()}")

    @property
    def writer(self) -> Any:
        """A function of a thing and a path, of the problem before them if a thing does not know it.

        None where things make their documents themselves.
        """
        return getattr(view(self.module), f"write_{(self.many or self.thing).lower()}", None)

    @property
    def validator(self) -> Any:
        """The pydantic model of the document."""
        return getattr(view(self.module), f"{self.many or self.thing}Document")


FORMATS: tuple[FileFormat, ...] = (
    FileFormat("mapreduce", "Instance", "instances.mapreduce.instance_file"),
    FileFormat(
        "schedule",
        "Schedule",
        "instances.mapreduce.schedule_file",
        problem="Instance",
        knows_problem=False,
    ),
    FileFormat("result", "Result", "reports.documents.result_file", problem="Instance"),
    FileFormat("certificate", "Certificate", "solvers.certificate"),
    FileFormat("datacenter", "Datacenter", "instances.datacenter.datacenter_file"),
    FileFormat("guidance", "Guidance", "instances.datacenter.guidance_file"),
    FileFormat("hierarchy", "Hierarchy", "instances.hierarchy.hierarchy_file", versions=2),
    FileFormat(
        "hierarchy-events",
        "Event",
        "instances.hierarchy.events",
        many="Events",
        problem="Hierarchy",
        knows_problem=False,
    ),
    FileFormat(
        "allocation",
        "Allocation",
        "instances.hierarchy.allocation_file",
        problem="Hierarchy",
        versions=2,
    ),
    FileFormat(
        "steps", "Steps", "teaching.steps.steps_file", checker="teaching.steps.checking:check_steps"
    ),
    FileFormat("lesson", "Lesson", "teaching.lessons.lesson_file"),
)


def file_format(name: str) -> FileFormat:
    """The format called `mapreduce` or `slotwise/mapreduce/1`. Raises `InputError`."""
    for known in FORMATS:
        if name in (known.name, *known.full_names):
            return known
    names = [known.name for known in FORMATS]
    guess = did_you_mean(name, names)
    raise InputError(f"unknown format {name[:60]!r}: {guess}choose from {', '.join(names)}")


@checked
def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of a format, made from the validator that reads its files.

    It says of a file what its validator says: fields, kinds and ranges. What holds between fields
    (names that exist, rates in order, a leaf or a group) only the reader checks.

    Parameters
    ----------
    name : str
        For example `mapreduce` or `slotwise/mapreduce/1`.

    Returns
    -------
    dict
        A schema of draft 2020-12.

    Raises
    ------
    InputError
        For an unknown format; the message lists those there are.
    """
    known = file_format(name)
    what = f"A slotwise {known.thing} as JSON"
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": known.full_names[0],
        "title": known.full_names[0],
        "description": f"{what}; docs/reference/formats.md says what the fields mean.",
        **_plain(known.validator.model_json_schema()),
    }


def _plain(part: Any) -> Any:
    """Without titles and docstrings of classes, and without the underscores of private ones."""
    if isinstance(part, list):
        return [_plain(item) for item in part]
    if not isinstance(part, dict):
        return part.replace("#/$defs/_", "#/$defs/") if isinstance(part, str) else part
    named = {"$defs", "properties"}
    return {
        key: {name.removeprefix("_"): _plain(item) for name, item in value.items()}
        if key in named
        else _plain(value)
        for key, value in part.items()
        if key not in ("title", "description") and value != float("inf")  # JSON knows no infinity
    }
