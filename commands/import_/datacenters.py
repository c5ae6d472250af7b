"""`slotwise import openb`, `pai` and `google`: a cluster trace as a datacenter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Json, Quiet, show, tell
from ..file_rules import Written, saving
from ..from_registry.save import OutputFile as To

if TYPE_CHECKING:
    from ...instances.datacenter.datacenter import Datacenter

datacenters = typer.Typer()

Classes = Annotated[
    int | None, typer.Option(min=1, help="Job classes; default: as many as the jobs need.")
]
Window = Annotated[
    tuple[float, float] | None,
    typer.Option(metavar="FROM TO", help="Only jobs that arrive in this time, s."),
]
Seed = Annotated[int, typer.Option(min=0, help="Of the clustering.")]
JobsFile = Annotated[
    Path | None,
    typer.Option("--jobs", metavar="FILE", help="Write the jobs here too, as CSV."),
    Written(),
]


@datacenters.command("openb")
def openb(
    nodes: Annotated[Path, typer.Argument(metavar="NODES", help="openb_node_list_….csv.")],
    pods: Annotated[Path, typer.Argument(metavar="PODS", help="openb_pod_list_….csv.")],
    output: To,
    jobs: JobsFile = None,
    classes: Classes = None,
    window: Window = None,
    failed: Annotated[str, typer.Option(metavar="keep|drop", help="Pods that failed.")] = "keep",
    seed: Seed = 0,
    name: Annotated[str, typer.Option(help="Name of the datacenter.")] = "openb",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Alibaba's GPU cluster of 2023: nodes, pods, classes by k-means."""
    from ...instances.traces.job_table import write_jobs
    from ...instances.traces.openb import read_openb

    datacenter, table, label, notes = read_openb(
        nodes, pods, classes=classes, window=window, failed=failed, seed=seed, name=name
    )
    if jobs is not None:
        with saving():
            write_jobs(jobs, datacenter, table, label)
    _save(datacenter, notes, output, as_json=as_json, quiet=quiet)


@datacenters.command("pai")
def pai(
    specification: Annotated[
        Path, typer.Argument(metavar="SPECIFICATION", help="pai_machine_spec, CSV or tar.gz.")
    ],
    output: To,
    classes: Annotated[
        Path,
        typer.Option(metavar="DATACENTER", help="Take the job classes of this one (import openb)."),
    ],
    name: Annotated[str, typer.Option(help="Name of the datacenter.")] = "pai-2020",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Alibaba's PAI cluster of 2020: machines only, with job classes from elsewhere."""
    from ...instances.datacenter.datacenter_file import read_datacenter
    from ...instances.traces.pai import read_pai

    datacenter, notes = read_pai(specification, read_datacenter(classes), name=name, origin=classes)
    _save(datacenter, notes, output, as_json=as_json, quiet=quiet)


@datacenters.command("google")
def google(
    task_events: Annotated[
        list[Path], typer.Argument(metavar="TASK_EVENTS…", help="Parts of task_events.")
    ],
    output: To,
    machine_events: Annotated[
        list[Path], typer.Option("--machines", metavar="FILE", help="machine_events; repeat.")
    ],
    jobs: JobsFile = None,
    classes: Classes = None,
    window: Window = None,
    seed: Seed = 0,
    name: Annotated[str, typer.Option(help="Name of the datacenter.")] = "google-2011",
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Google's cluster of May 2011 (clusterdata-2011-2): machines, tasks, classes by k-means."""
    from ...instances.traces.google2011 import read_google
    from ...instances.traces.job_table import write_jobs

    datacenter, table, label, notes = read_google(
        machine_events, task_events, classes=classes, window=window, seed=seed, name=name
    )
    if jobs is not None:
        with saving():
            write_jobs(jobs, datacenter, table, label)
    _save(datacenter, notes, output, as_json=as_json, quiet=quiet)


def _save(
    datacenter: Datacenter, notes: list[str], output: Path, *, as_json: bool, quiet: bool
) -> None:
    from ...instances.datacenter.datacenter_file import write_datacenter

    tell(notes, quiet=quiet)
    write_datacenter(datacenter, output)
    document = {
        "datacenter": datacenter.name,
        "machines": datacenter.machines,
        "configurations": len(datacenter.configurations),
        "classes": len(datacenter.classes),
        "file": str(output),
    }
    show(f"{output}: {datacenter!r}", document=document, as_json=as_json, quiet=quiet)
