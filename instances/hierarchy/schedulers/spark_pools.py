"""Spark's fair scheduler: pools of fairscheduler.xml, read."""

from __future__ import annotations

from ....core.errors import InputError
from ....core.files.hadoop_xml import read_xml
from ....core.notices import ImportNotes
from ....core.parameters import importer
from ..hierarchy import Hierarchy
from ..plain_tree import Sharing
from ..quotas import TOTAL
from .demands import DemandOptions, SchedulerFile
from .queue_tree import Queue, hierarchy_of

SLOTS = "slots"
"""The only resource: tasks that run at a time."""

DEFAULT = "default"
"""The pool that Spark adds, of weight 1 and without a minimum."""


@importer(DemandOptions)
def read_spark_pools(path: SchedulerFile, options: DemandOptions) -> tuple[Hierarchy, list[str]]:
    """The pools of a fairscheduler.xml; the capacity is the number of slots.

    Returns
    -------
    Hierarchy
        Pools, weights, minimums in slots.
    list of str
        Notes, one sentence each, on what was left out or adjusted.

    Raises
    ------
    InputError
        If the file has no pool, for a pool that is there twice, and for wrong numbers.
    """
    notes, root = ImportNotes(), Queue("root", group=True)
    given = options.in_units()
    if list(given.capacity) != [SLOTS]:
        raise InputError(f"capacity: pools share slots: give {SLOTS}=100 or so")
    names = set()
    for pool in read_xml(path, "allocations").iter("pool"):
        name = pool.get("name", "")
        where = f"{path}: pool {name!r}"
        if not name or name in names:
            raise InputError(f"{where}: {'is there twice' if name else 'has no name'}")
        names.add(name)
        weight = _number(pool.findtext("weight", "1"), f"{where}, weight")
        least = _number(pool.findtext("minShare", "0"), f"{where}, minShare")
        mode = pool.findtext("schedulingMode", "FIFO").strip().upper()
        if mode not in ("FAIR", "FIFO"):
            raise InputError(f"{where}, schedulingMode: need FAIR or FIFO, got {mode!r}")
        queue = Queue(name, weight)
        if least > 0:
            queue.guarantee[SLOTS] = least
        root.children.append(queue)
        if mode == "FIFO":
            notes.add(f"within the pool, first come: {name}")
    if not names:
        raise InputError(f"{path}: no pool in it")
    if DEFAULT not in names:
        root.children.append(Queue(DEFAULT))
        notes.add("Spark adds the pool default, of weight 1")
    if given.demand is None:
        given = type(given)(given.capacity, {SLOTS: 1.0}, given.by_leaf, given.tasks, given.source)
    made = hierarchy_of(root, given, str(path), notes, sharing=Sharing(TOTAL))
    return made, notes.lines


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise InputError(f"{where}: need a number >= 0, got {text.strip()!r}")
    return value
