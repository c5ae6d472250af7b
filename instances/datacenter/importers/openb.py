"""Alibaba's GPU cluster trace of 2023, [openb]: nodes and pods."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np

from ....core.calls import checked
from ....core.errors import InputError
from ....core.parameters import described, documented
from ....core.wording import plural
from ...csv_files import named_rows, number_in
from ...importer_options import CLASSES, CLUSTERING_SEED, DATACENTER_NAME, WINDOW, ImportNotes
from ...importers import Imported
from ..datacenter import Datacenter
from ..job_file import JobTable
from .job_classes import Machines, configurations_of, runnable, with_classes

RESOURCES = ("cpu", "memory", "gpu")
NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS = (
    "name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "creation_time",
    "deletion_time", "scheduled_time",
)  # fmt: skip


@documented
@checked
def read_openb(
    nodes: Annotated[str | Path, described("`openb_node_list_….csv`.")],
    pods: Annotated[str | Path, described("`openb_pod_list_….csv`.")],
    *,
    classes: Annotated[int | None, CLASSES] = None,
    window: Annotated[tuple[float, float] | None, WINDOW] = None,
    seed: Annotated[int, CLUSTERING_SEED] = 0,
    name: Annotated[str, DATACENTER_NAME] = "openb",
) -> Imported[Datacenter]:
    """Read a datacenter and its jobs from a node list and a pod list.

    Resources are `cpu` (cores), `memory` (GiB) and `gpu` (GPUs; a shared one counts as its part). A
    pod's duration is deletion - scheduling, its arrival the creation; pods that failed count too.
    `window` (s of creation) chooses the pods that classes are made of, and all that are kept.

    Returns
    -------
    Imported
        `made`: machines and job classes; `jobs`; `job_class`; `notes` on what was left out or
        adjusted.

    Raises
    ------
    InputError
        Names file, line and column.
    """
    notes = ImportNotes()
    rows = []
    for line, row in named_rows(nodes, NODE_COLUMNS):
        cpu, memory, gpu = (
            number_in(row[column], nodes, line, column)
            for column in ("cpu_milli", "memory_mib", "gpu")
        )
        rows.append((row["model"] or "cpu", (cpu / 1000, memory / 1024, gpu)))
    if not rows:
        raise InputError(f"{nodes}: no nodes")
    machines = configurations_of(RESOURCES, rows)
    jobs = _jobs(pods, machines, notes)
    jobs = runnable(machines, jobs, notes, ("pod", "node", "created"), window)
    notes.add("a pod on a part of a GPU counts as that part, wherever the parts are")
    datacenter, label = with_classes(
        name, machines, jobs, notes, classes=classes, seed=seed, source=f"{nodes}, {pods}"
    )
    return Imported(datacenter, tuple(notes.lines), jobs, label)


def _jobs(path: str | Path, machines: Machines, notes: ImportNotes) -> JobTable:
    rows: list[tuple[float, ...]] = []
    wants: list[int] = []
    specs: dict[str, int] = {}
    waiting = endless = 0
    for line, row in named_rows(path, POD_COLUMNS):
        if not row["scheduled_time"]:
            waiting += 1
            continue
        value = {
            column: number_in(row[column] or "0", path, line, column)
            for column in POD_COLUMNS
            if column not in ("name", "gpu_spec")
        }
        duration = value["deletion_time"] - value["scheduled_time"]
        if not row["deletion_time"] or duration <= 0:
            endless += 1
            continue
        cpu, memory = value["cpu_milli"] / 1000, value["memory_mib"] / 1024
        gpu = value["num_gpu"] * value["gpu_milli"] / 1000
        rows.append((value["creation_time"], duration, cpu, memory, gpu))
        wants.append(specs.setdefault(row["gpu_spec"], len(specs)))
    if not rows:
        raise InputError(f"{path}: no pod that was scheduled and ended")
    for count, what in ((waiting, "never scheduled"), (endless, "without a positive duration")):
        if count:
            notes.add(f"left out: {plural(count, 'pod')} {what}")
    table = np.array(rows)
    allowed = [
        [not spec or model in spec.split("|") for model in machines.labels] for spec in specs
    ]
    return JobTable(
        arrival=table[:, 0],
        duration=table[:, 1],
        request=table[:, 2:],
        wants=np.array(wants, dtype=np.int64),
        allowed=np.array(allowed),
    ).by_arrival()
