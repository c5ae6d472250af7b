"""`slotwise generate lotes` and `mch`: datacenters and hierarchies."""

from __future__ import annotations

from typing import Annotated

import typer

from ..console import Json, Quiet, show
from .mapreduce import Range, Seed, To

generating = typer.Typer()


@generating.command("lotes")
def lotes(
    seed: Seed,
    output: To,
    google_2011: Annotated[
        bool, typer.Option("--google-2011", help="Tables 1 and 2 instead of a random one.")
    ] = False,
    scale: Annotated[float, typer.Option(help="Of the machines of Tables 1 and 2.")] = 1.0,
    classes: Annotated[int, typer.Option(help="Job classes.")] = 50,
    configurations: Annotated[int, typer.Option(help="Machine configurations.")] = 50,
    resources: Annotated[int, typer.Option(help="Resources.")] = 3,
    machines: Annotated[int, typer.Option(help="Machines of all configurations.")] = 10_000,
    capacity: Annotated[Range, typer.Option(metavar="LOW HIGH")] = (0.25, 1.0),
    request: Annotated[Range, typer.Option(metavar="LOW HIGH")] = (0.01, 0.2),
    mean_time: Annotated[Range, typer.Option(metavar="LOW HIGH", help="Hours.")] = (0.01, 1.0),
    speed: Annotated[
        Range, typer.Option(metavar="LOW HIGH", help="Of a class on a configuration.")
    ] = (1.0, 1.0),
    allowed: Annotated[
        float, typer.Option(help="Probability that a class may run on a configuration.")
    ] = 1.0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """A datacenter of LoTES: Tables 1 and 2 at any scale, or a random one."""
    from ...instances.datacenter.datacenter_file import write_datacenter
    from ...instances.generators import lotes as generator

    if google_2011:
        datacenter = generator.google_2011(scale)
    else:
        datacenter = generator.generate(
            classes,
            configurations,
            resources,
            machines,
            seed=seed,
            capacity=capacity,
            request=request,
            mean_time=mean_time,
            speed=speed,
            allowed=allowed,
        )
    write_datacenter(datacenter, output)
    document = {"datacenter": datacenter.name, "machines": datacenter.machines, "file": str(output)}
    show(f"{output}: {datacenter!r}", document=document, as_json=as_json, quiet=quiet)


@generating.command("mch")
def mch(
    seed: Seed,
    output: To,
    depth: Annotated[int, typer.Option(help="Edges from the root to the deepest leaf.")] = 3,
    binary: Annotated[
        bool, typer.Option("--binary", help="The paper's full binary trees of this depth.")
    ] = False,
    nodes: Annotated[int | None, typer.Option(help="About this many nodes.")] = None,
    partial: Annotated[
        float, typer.Option(help="Probability that a leaf does not need all resources.")
    ] = 0.2,
    resources: Annotated[int, typer.Option(help="Resources.")] = 2,
    weight: Annotated[Range, typer.Option(metavar="LOW HIGH")] = (1.0, 1.0),
    limited: Annotated[float, typer.Option(help="Probability of a limit of tasks.")] = 0.0,
    tasks: Annotated[tuple[int, int], typer.Option(metavar="LOW HIGH", help="Limits of tasks.")] = (
        1,
        100,
    ),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """A hierarchy of MCH: a random tree of queues, or a full binary one."""
    from ...instances.generators import mch as generator
    from ...instances.hierarchy.hierarchy_file import write_hierarchy

    if binary:
        hierarchy = generator.full_binary(
            depth, seed=seed, partial=partial, resources=resources, weight=weight
        )
    else:
        hierarchy = generator.generate(
            depth,
            seed=seed,
            nodes=nodes,
            partial=partial,
            resources=resources,
            weight=weight,
            limited=limited,
            tasks=tasks,
        )
    write_hierarchy(hierarchy, output)
    document = {"nodes": hierarchy.nodes, "leaves": hierarchy.leaves, "file": str(output)}
    show(f"{output}: {hierarchy!r}", document=document, as_json=as_json, quiet=quiet)
