"""`slotwise import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..console import Json, Quiet, tell
from ..from_registry.save import OutputFile as To
from ..from_registry.save import save

importing = typer.Typer(
    no_args_is_help=True,
    help="Read a cluster's job history, a datacenter's trace or a scheduler's queues.",
)

NodeRate = Annotated[float, typer.Option(help="MB/s on a node.")]
RackRate = Annotated[float, typer.Option(help="MB/s within a rack.")]
RemoteRate = Annotated[float, typer.Option(help="MB/s between racks.")]
InstanceName = Annotated[str | None, typer.Option(help="Name of the instance.")]


@importing.command("rumen")
def rumen(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="Rumen job trace, plain or gzip.")],
    output: To,
    topology: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Rumen topology of racks and hosts.")
    ] = None,
    map_slots: Annotated[
        int | None, typer.Option(help="Map slots per host; default: what the trace shows.")
    ] = None,
    reduce_slots: Annotated[
        int | None, typer.Option(help="Reduce slots per host; default: what the trace shows.")
    ] = None,
    node_rate: NodeRate = 100.0,
    rack_rate: RackRate = 50.0,
    remote_rate: RemoteRate = 30.0,
    subtract_read: Annotated[
        bool, typer.Option(help="Take the modelled read time off the recorded map durations.")
    ] = True,
    output_bytes: Annotated[
        str, typer.Option(metavar="map|shuffle", help="What a job's output ratio counts first.")
    ] = "map",
    unfinished: Annotated[
        str, typer.Option(metavar="median|drop", help="Tasks that never succeeded.")
    ] = "median",
    failed_jobs: Annotated[
        str, typer.Option(metavar="keep|drop", help="Jobs that did not succeed.")
    ] = "keep",
    name: InstanceName = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Hadoop Rumen traces (Mumak, Gridmix, SLS), with the schedule that ran."""
    from ...instances.mapreduce.cluster import Rates
    from ...instances.traces.rumen.reader import read_rumen

    instance, notes = read_rumen(
        trace,
        topology,
        map_slots=map_slots,
        reduce_slots=reduce_slots,
        rates=Rates(node_rate, rack_rate, remote_rate),
        subtract_read=subtract_read,
        output=output_bytes,  # type: ignore[arg-type]
        unfinished=unfinished,  # type: ignore[arg-type]
        failed_jobs=failed_jobs,  # type: ignore[arg-type]
        name=name,
    )
    tell(notes, quiet=quiet)
    save(instance, output, as_json=as_json, quiet=quiet)


@importing.command("swim")
def swim(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="SWIM job table, plain or gzip.")],
    output: To,
    nodes: Annotated[int, typer.Option(help="Nodes of the cluster to model.")],
    racks: Annotated[int, typer.Option(help="Racks of the cluster to model.")] = 1,
    map_slots: Annotated[int, typer.Option(help="Map slots per node.")] = 2,
    reduce_slots: Annotated[int, typer.Option(help="Reduce slots per node.")] = 2,
    node_rate: NodeRate = 100.0,
    rack_rate: RackRate = 50.0,
    remote_rate: RemoteRate = 30.0,
    trace_machines: Annotated[
        int | None,
        typer.Option(help="Machines of the traced cluster; scales bytes (FB-2009 600, 2010 3000)."),
    ] = None,
    jobs: Annotated[
        tuple[int, int] | None, typer.Option(metavar="FIRST LAST", help="Jobs by place, from 1.")
    ] = None,
    window: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="FROM TO", help="Jobs submitted in this time, s."),
    ] = None,
    block_mb: Annotated[
        float | None, typer.Option(help="Input of a map task; default: 128 MiB.")
    ] = None,
    mb_per_reduce: Annotated[
        float | None, typer.Option(help="Shuffle and output of a reduce task; default: 64 MiB.")
    ] = None,
    cap_reduces: Annotated[
        bool, typer.Option(help="More reduce tasks than nodes become nodes // 5, as in SWIM.")
    ] = True,
    startup: Annotated[float, typer.Option(help="Seconds before a task computes.")] = 3.0,
    map_rate: Annotated[float, typer.Option(help="MB/s a map task computes.")] = 10.0,
    reduce_rate: Annotated[float, typer.Option(help="MB/s a reduce task computes.")] = 10.0,
    replicas: Annotated[int, typer.Option(help="Replicas of each block.")] = 3,
    seed: Annotated[int, typer.Option(help="Of the replicas' places.")] = 0,
    name: InstanceName = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """SWIM tables of Facebook workloads: bytes per job, turned into tasks by a stated model."""
    from ...instances.mapreduce.cluster import Rates
    from ...instances.traces.swim import BLOCK_MB, MB_PER_REDUCE, read_swim

    instance, notes = read_swim(
        table,
        nodes=nodes,
        racks=racks,
        map_slots=map_slots,
        reduce_slots=reduce_slots,
        rates=Rates(node_rate, rack_rate, remote_rate),
        trace_machines=trace_machines,
        jobs=jobs,
        window=window,
        block_mb=BLOCK_MB if block_mb is None else block_mb,
        mb_per_reduce=MB_PER_REDUCE if mb_per_reduce is None else mb_per_reduce,
        cap_reduces=cap_reduces,
        startup=startup,
        map_rate=map_rate,
        reduce_rate=reduce_rate,
        replicas=replicas,
        seed=seed,
        name=name,
    )
    tell(notes, quiet=quiet)
    save(instance, output, as_json=as_json, quiet=quiet)
