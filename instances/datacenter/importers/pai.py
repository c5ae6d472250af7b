"""Alibaba's PAI cluster of 2020 [PAI2020]: the machines, with job classes from elsewhere."""

from __future__ import annotations

import io
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ....core.advice import kind_hint
from ....core.errors import InputError
from ....core.files.inputs import decoded, read_bytes
from ....core.parameters import described, documented
from ....core.wording import listed
from ...csv_files import number_in
from ...importer_options import DATACENTER_NAME, ImportNotes
from ..datacenter import Datacenter
from ..datacenter_file import read_datacenter
from .job_classes import configurations_of
from .openb import RESOURCES


@documented
def read_pai(
    specification: Annotated[str | Path, described("pai_machine_spec, CSV or tar.gz.")],
    classes: Annotated[
        Datacenter | str | Path,
        described(
            "Take the job classes of this one (import openb).",
            option="classes",
            metavar="DATACENTER",
        ),
    ],
    *,
    name: Annotated[str, DATACENTER_NAME] = "pai-2020",
) -> tuple[Datacenter, list[str]]:
    """Read the machines of a specification; the job classes are those of another datacenter.

    The trace's own jobs are not in that file. `classes` must have the resources `cpu` (cores),
    `memory` (GB) and `gpu`; a class that is bound to configurations there may run on all here. They
    may be given as a file of that datacenter.

    Returns
    -------
    Datacenter
        These machines, with those job classes.
    list of str
        Notes, one sentence each, on what was left out or adjusted.

    Raises
    ------
    InputError
        Names file, line and column.
    """
    notes = ImportNotes()
    origin: str | Path = "classes"
    if not isinstance(classes, Datacenter):
        origin, classes = classes, read_datacenter(classes)
    if classes.resources != RESOURCES:
        raise InputError(
            f"{origin}: {classes.name!r} has {', '.join(classes.resources)}, "
            f"need {', '.join(RESOURCES)}"
        )
    rows = []
    table = _csv(specification)
    for line, text in enumerate(table.splitlines(), 1):
        fields = text.split(",")
        if len(fields) != 5:
            got = f"{len(fields)} fields, need 5{kind_hint(table, 'pai')}"
            raise InputError(f"{specification}: line {line}: {got}")
        amounts = tuple(
            number_in(field, specification, line, column)
            for field, column in zip(fields[2:], ("cap_cpu", "cap_mem", "cap_gpu"), strict=True)
        )
        rows.append((fields[1], amounts))
    if not rows:
        raise InputError(f"{specification}: no machines")
    machines = configurations_of(RESOURCES, rows)
    running = np.isfinite(classes.mean_time)
    times = np.where(running, classes.mean_time, 0.0)
    time = times.sum(axis=1) / running.sum(axis=1)

    def named(which: Any) -> str:
        return listed([classes.classes[k] for k in np.flatnonzero(which)])

    if not running.all():
        of = named(~running.all(axis=1))
        notes.add(f"bound to some configurations there, to none here: {of}")
    differ = times.max(axis=1) > time * (1 + 1e-9)
    if differ.any():
        notes.add(f"times differ by configuration there, here they are the mean: {named(differ)}")
    notes.add(f"job classes of {classes.name!r}; memory there in GiB counts as GB here")
    datacenter = replace(
        classes,
        name=name,
        configurations=machines.names,
        count=machines.count,
        capacity=machines.capacity,
        mean_time=np.repeat(time[:, None], len(machines.names), axis=1),
        source=f"{specification}; classes: {classes.source or classes.name}",
    )
    lost = ~datacenter.fits.any(axis=1)
    if lost.any():
        notes.add(f"too large for every machine here: {named(lost)}")
    return datacenter, notes.lines


def _csv(path: str | Path) -> str:
    """The text of a CSV file, or of the only one in an archive."""
    content = read_bytes(path)
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            files = [member for member in archive.getmembers() if member.name.endswith(".csv")]
            if len(files) != 1:
                raise InputError(f"{path}: need one .csv file in the archive, got {len(files)}")
            if files[0].size > len(content):  # a sparse file, whose holes would fill memory
                raise InputError(f"{path}: {files[0].name!r} is larger than the archive")
            extracted = archive.extractfile(files[0])
            content = b"" if extracted is None else extracted.read()
    except tarfile.TarError:
        pass  # no archive: the file is the table
    return decoded(content, path)
