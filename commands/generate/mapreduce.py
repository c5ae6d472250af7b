"""`slotwise generate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console import Json, Quiet, show
from ..file_rules import Written

if TYPE_CHECKING:
    from ...instances.mapreduce.instance import Instance

generate = typer.Typer(
    no_args_is_help=True,
    help="Make an instance, a datacenter or a hierarchy from a paper's distributions.",
)

Seed = Annotated[int, typer.Option(help="The same seed gives the same file.", min=0)]
To = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write it here; - is stdout, then only it."
    ),
    Written(),
]
Range = tuple[float, float]


@generate.command("ljr")
def ljr(
    seed: Seed,
    output: To,
    jobs: Annotated[int, typer.Option(help="Number of jobs.")] = 50,
    nodes: Annotated[int, typer.Option(help="Number of nodes.")] = 10,
    racks: Annotated[
        str, typer.Option(help="Number of racks (at most one a node), or `as published`.")
    ] = "3",
    map_slots: Annotated[int, typer.Option(help="Map slots per node; R1 to R4: 2, 4, 6, 8.")] = 2,
    reduce_slots: Annotated[int, typer.Option(help="Reduce slots per node.")] = 2,
    replicas: Annotated[int, typer.Option(help="Replicas of each block.")] = 4,
    maps: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="LOW HIGH", help="Map tasks per job, uniform, instead of normal."),
    ] = None,
    reduces: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="LOW HIGH", help="Reduce tasks per job, uniform, instead of normal."),
    ] = None,
    maps_mean: float = 154.0,
    maps_variance: float = 558.0,
    reduces_mean: float = 19.0,
    reduces_variance: float = 145.0,
    map_time_mean: Annotated[float, typer.Option(help="Seconds, before the job's factor.")] = 50.0,
    map_time_variance: float = 200.0,
    reduce_time_mean: Annotated[
        float, typer.Option(help="Seconds, before the job's factor.")
    ] = 100.0,
    reduce_time_variance: float = 300.0,
    slow_share: Annotated[float, typer.Option(help="Probability of a slow job.")] = 0.2,
    factor: Annotated[Range, typer.Option(metavar="LOW HIGH", help="Of most jobs.")] = (1.0, 2.0),
    slow_factor: Annotated[Range, typer.Option(metavar="LOW HIGH", help="Of slow jobs.")] = (
        8.0,
        10.0,
    ),
    block_mb: Annotated[
        list[float] | None, typer.Option(help="A block size; repeat. Default 128 192 256 320.")
    ] = None,
    block_scale: Annotated[float, typer.Option(help="Multiplies the block sizes.")] = 1.0,
    output_ratio: Annotated[
        list[float] | None, typer.Option(help="A sigma; repeat. Default 0.2 0.4 0.6 0.8 1.")
    ] = None,
    node_rate: Annotated[float, typer.Option(help="MB/s on a node.")] = 100.0,
    rack_rate: Annotated[float, typer.Option(help="MB/s within a rack.")] = 50.0,
    remote_rate: Annotated[float, typer.Option(help="MB/s between racks.")] = 30.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Periodical batch jobs of LJR, section 5.1. Small: --jobs 4 --nodes 3 --maps 1 4 …"""
    from ...instances.errors import InputError
    from ...instances.generators import ljr as generator

    try:
        rack_layout = "as published" if racks == "as published" else min(int(racks), nodes)
    except ValueError:
        raise InputError(f"racks: need a number or 'as published', got {racks!r}") from None
    instance = generator.generate(
        jobs,
        nodes,
        seed=seed,
        racks=rack_layout,  # type: ignore[arg-type]
        map_slots=map_slots,
        reduce_slots=reduce_slots,
        node_rate=node_rate,
        rack_rate=rack_rate,
        remote_rate=remote_rate,
        maps_mean=maps_mean,
        maps_variance=maps_variance,
        maps_range=maps,
        reduces_mean=reduces_mean,
        reduces_variance=reduces_variance,
        reduces_range=reduces,
        map_time_mean=map_time_mean,
        map_time_variance=map_time_variance,
        reduce_time_mean=reduce_time_mean,
        reduce_time_variance=reduce_time_variance,
        slow_share=slow_share,
        factor=factor,
        slow_factor=slow_factor,
        block_mb=block_mb or (128.0, 192.0, 256.0, 320.0),
        block_scale=block_scale,
        replicas=replicas,
        output_ratios=output_ratio or (0.2, 0.4, 0.6, 0.8, 1.0),
    )
    save(instance, output, as_json=as_json, quiet=quiet)


@generate.command("hmhs")
def hmhs(
    seed: Seed,
    output: To,
    jobs: Annotated[int, typer.Option(help="Number of jobs.")] = 100,
    workload: Annotated[str, typer.Option(metavar="single|hybrid")] = "single",
    map_machines: Annotated[int, typer.Option(help="Machines with one map slot.")] = 100,
    reduce_machines: Annotated[int, typer.Option(help="Machines with one reduce slot.")] = 100,
    cluster: Annotated[int, typer.Option(help="1 to 6 of Table 1: share of slow machines.")] = 1,
    slow_share: Annotated[
        float | None, typer.Option(help="Share of slow machines, instead of a cluster.")
    ] = None,
    maps: Annotated[
        tuple[int, int], typer.Option(metavar="LOW HIGH", help="Map tasks of a job.")
    ] = (1, 300),
    reduces: Annotated[
        tuple[int, int], typer.Option(metavar="LOW HIGH", help="Reduce tasks of a job.")
    ] = (1, 40),
    map_time: Annotated[Range, typer.Option(metavar="LOW HIGH", help="Seconds.")] = (5.0, 45.0),
    reduce_time: Annotated[Range, typer.Option(metavar="LOW HIGH", help="Seconds.")] = (
        15.0,
        135.0,
    ),
    long_share: Annotated[float, typer.Option(help="Long jobs, hybrid workload.")] = 0.15,
    long_map_time: Annotated[Range, typer.Option(metavar="LOW HIGH")] = (100.0, 2000.0),
    long_reduce_time: Annotated[Range, typer.Option(metavar="LOW HIGH")] = (300.0, 6000.0),
    large_share: Annotated[float, typer.Option(help="Large jobs, hybrid workload.")] = 0.05,
    large_maps: Annotated[tuple[int, int], typer.Option(metavar="LOW HIGH")] = (2000, 5000),
    large_reduces: Annotated[tuple[int, int], typer.Option(metavar="LOW HIGH")] = (100, 400),
    factor: Annotated[
        Range, typer.Option(metavar="LOW HIGH", help="Speed factors; smaller is faster.")
    ] = (0.1, 1.0),
    slow_factor: Annotated[
        Range, typer.Option(metavar="LOW HIGH", help="Speed factors of slow machines.")
    ] = (0.9, 1.0),
    factors_by_job: Annotated[
        bool, typer.Option(help="A factor per job and machine, not per machine only.")
    ] = True,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Heterogeneous machines of HMHS, section 4.1. Small: --maps 1 4 --map-machines 3 …"""
    from ...instances.generators import hmhs as generator

    instance = generator.generate(
        jobs,
        seed=seed,
        workload=workload,  # type: ignore[arg-type]
        map_machines=map_machines,
        reduce_machines=reduce_machines,
        cluster=cluster,
        slow_share=slow_share,
        maps=maps,
        reduces=reduces,
        map_time=map_time,
        reduce_time=reduce_time,
        long_share=long_share,
        long_map_time=long_map_time,
        long_reduce_time=long_reduce_time,
        large_share=large_share,
        large_maps=large_maps,
        large_reduces=large_reduces,
        factor=factor,
        slow_factor=slow_factor,
        factors_by_job=factors_by_job,
    )
    save(instance, output, as_json=as_json, quiet=quiet)


@generate.command("smso")
def smso(
    seed: Seed,
    output: To,
    jobs: Annotated[int, typer.Option(help="Number of jobs.")] = 500,
    nodes: Annotated[int, typer.Option(help="Number of nodes.")] = 10,
    map_slots: Annotated[int, typer.Option(help="Map slots per node; the paper is silent.")] = 2,
    reduce_slots: Annotated[int, typer.Option(help="Reduce slots per node.")] = 2,
    gamma: Annotated[float, typer.Option(help="Probability of an outage.")] = 0.0,
    outages: Annotated[str, typer.Option(metavar="nodes|slots", help="What is lost.")] = "nodes",
    maps: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="LOW HIGH", help="Map tasks per job, uniform, instead of normal."),
    ] = None,
    reduces: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="LOW HIGH", help="Reduce tasks per job, uniform, instead of normal."),
    ] = None,
    maps_mean: float = 154.0,
    maps_variance: float = 558.0,
    reduces_mean: float = 19.0,
    reduces_variance: float = 145.0,
    processing: Annotated[Range, typer.Option(metavar="LOW HIGH", help="Seconds.")] = (0.0, 2020.0),
    transfer_rate: Annotated[float, typer.Option(help="MB/s.")] = 100.0,
    encryption_rate: Annotated[float, typer.Option(help="MB/s.")] = 50.0,
    priority: Annotated[float, typer.Option(help="Probability that a task may use a slot.")] = 0.8,
    encrypted: Annotated[
        float, typer.Option(help="Probability that data between two nodes is encrypted.")
    ] = 0.5,
    block_mb: Annotated[
        list[float] | None, typer.Option(help="A block size; repeat. Default 128 192 256 320.")
    ] = None,
    output_ratio: Annotated[
        list[float] | None, typer.Option(help="A ratio; repeat. Default 0.2 0.4 0.6 0.8 1.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Security and outages of SMSO, section V. Small: --jobs 4 --nodes 3 --maps 1 4 …"""
    from ...instances.generators import smso as generator

    instance = generator.generate(
        jobs,
        nodes,
        seed=seed,
        map_slots=map_slots,
        reduce_slots=reduce_slots,
        gamma=gamma,
        outages=outages,  # type: ignore[arg-type]
        maps_mean=maps_mean,
        maps_variance=maps_variance,
        maps_range=maps,
        reduces_mean=reduces_mean,
        reduces_variance=reduces_variance,
        reduces_range=reduces,
        processing=processing,
        transfer_rate=transfer_rate,
        encryption_rate=encryption_rate,
        priority=priority,
        encrypted=encrypted,
        block_mb=block_mb or generator.BLOCK_MB,
        output_ratios=output_ratio or generator.OUTPUT_RATIOS,
    )
    save(instance, output, as_json=as_json, quiet=quiet)


def save(instance: Instance, output: Path, *, as_json: bool, quiet: bool) -> None:
    """Write an instance and say what it is."""
    from ...instances.mapreduce.instance_file import write_instance

    write_instance(instance, output)
    document = {
        "instance": instance.name,
        "jobs": instance.jobs,
        "map_tasks": instance.map_tasks,
        "reduce_tasks": instance.reduce_tasks,
        "nodes": instance.cluster.nodes,
        "file": str(output),
    }
    show(f"{output}: {instance!r}", document=document, as_json=as_json, quiet=quiet)
