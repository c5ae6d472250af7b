"""`slotwise.read` and `slotwise.write`: every format behind one name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ...core.calls import called, checked, with_article
from ...core.errors import InputError
from ...core.files.json_files import JsonFile, write_json
from ..kinds import kind_of
from .formats import FORMATS, FileFormat, file_format

if TYPE_CHECKING:
    from ...instances.datacenter.datacenter import Datacenter
    from ...instances.datacenter.guidance import Guidance
    from ...instances.hierarchy.allocation import Allocation
    from ...instances.hierarchy.events import Event
    from ...instances.hierarchy.hierarchy import Hierarchy
    from ...instances.mapreduce.instance import Instance
    from ...instances.mapreduce.schedule import Schedule
    from ...solvers.mapreduce.result import Result

T = TypeVar("T")


@overload
def read(
    path: str | Path, instance: None = None
) -> Instance | Datacenter | Hierarchy | Guidance | Any: ...


@overload
def read(path: str | Path, instance: Instance) -> Schedule | Result: ...


@overload
def read(path: str | Path, instance: Hierarchy) -> Allocation | list[Event]: ...


@overload
def read(path: str | Path, instance: Datacenter) -> Guidance: ...


@overload
def read(path: str | Path, instance: object = None, *, kind: type[T]) -> T: ...


@checked
def read(path: str | Path, instance: object = None, *, kind: type[Any] | None = None) -> Any:
    """Read a file of any slotwise format; its field `format` says which.

    Parameters
    ----------
    path : str or Path
        A JSON file, plain or gzip; `-` is stdin.
    instance : Instance, Hierarchy or Datacenter, optional
        The problem that the file belongs to. A schedule and a result need their instance, an
        allocation and hierarchy events their hierarchy; guidance carries its datacenter, and is
        held to another one if that is given.
    kind : type, optional
        The class of what the file must hold, such as `slotwise.Instance`: anything else is an
        error, and type checkers know what comes back.

    Returns
    -------
    Instance, Schedule, Result, Datacenter, Guidance, Hierarchy, list of Event or Allocation
        What the file holds. Claims of a schedule, result or allocation are not believed before
        `slotwise.check` has looked at them.

    Raises
    ------
    InputError
        One line that names file and field, also for something that refers to jobs, nodes, slots
        or leaves that its problem does not have.
    """
    file = JsonFile.read(path)
    wanted = [one for one in FORMATS if kind and one.thing == kind.__name__] or FORMATS
    names = (name for one in wanted for name in one.full_names)
    known = file_format(file.format_of(*names))
    if instance is None and known.problem:
        raise InputError(f"{path}: {_needs(known)}: slotwise.read(path, instance=…)")
    if instance is not None and known.problem and not kind_of(instance, (known.problem,)):
        raise InputError(f"{path}: {_needs(known)}, got {called(instance)}")
    if instance is not None and not known.problem and known.name != "guidance":
        raise InputError(f"{path}: a {known.name} stands for itself: read it without `instance`")
    thing = known.reader(file) if instance is None else known.reader(file, instance)
    if kind is not None and not isinstance(thing, kind):
        held, asked = called(thing), with_article(kind.__name__)
        raise InputError(f"{path}: holds {held}, and kind asks for {asked}")
    return thing


@checked
def write(thing: object, path: str | Path, *, instance: object = None) -> None:
    """Write something to a file whole or not at all, in the format for its kind.

    Parameters
    ----------
    thing : Instance, Schedule, Result, Datacenter, Guidance, Hierarchy and so on
        What `read` gives.
    path : str or Path
        Where to; compressed if the name ends in `.gz`; `-` is stdout.
    instance : Instance or Hierarchy, optional
        The problem: a schedule needs its instance, hierarchy events their hierarchy, for the names
        in them.

    Raises
    ------
    InputError
        If there is no format for `thing`, or its problem is missing.
    OutputError
        If the file could not be written.
    """
    first = thing[0] if isinstance(thing, list | tuple) and thing else thing
    for kind in FORMATS:
        if kind_of(first, (kind.thing,)):
            writer = kind.writer
            if writer is None:
                made: Any = thing
                write_json(path, made.document())
            elif kind.knows_problem:
                writer(thing, path)
            elif kind_of(instance, (kind.problem,)):
                writer(instance, thing, path)
            else:
                raise InputError(f"{path}: {_needs(kind)}: slotwise.write(thing, path, instance=…)")
            return
    kinds = ", ".join(kind.thing for kind in FORMATS)
    raise InputError(f"{path}: no format holds {called(thing)}: need one of {kinds}")


def _needs(kind: FileFormat) -> str:
    """`a schedule needs its Instance`."""
    subject = f"{kind.name} need their" if kind.many else f"{with_article(kind.name)} needs its"
    return f"{subject} {kind.problem}"
