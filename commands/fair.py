"""`slotwise fair`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError
from ..core.registry import Entry
from ..heuristics.hierarchy import ALLOCATORS, allocate
from ..instances.exporters import EXPORTERS
from .console import CertificateFile, Json, Output, Quiet, about, put_exported, tell
from .file_rules import saving
from .shares.answers import Destination, answer_admission, answer_comparison, answer_what_if
from .shares.option_rules import check_together
from .shares.options import (
    Admit,
    Compare,
    Depth,
    EventsFile,
    ExportName,
    Flat,
    IgnoreLimits,
    LeafMap,
    Leaves,
    Method,
    OnScheduler,
    PlotFile,
    Resource,
    ScaleGuarantees,
    Tolerance,
    Tree,
    UseFile,
    WhatIf,
    WhyNode,
)
from .shares.shown_shares import View, give_shares

MOST_COMPARED = 1000
"""Leaves of the largest tree whose flat form is computed again."""

LEAST_DIFFERENCE = 1e-6
"""Dominant shares further apart are told."""

if TYPE_CHECKING:
    from ..core.arrays import FloatArray
    from ..core.files.json_files import JsonFile
    from ..instances.hierarchy.allocation import Allocation
    from ..instances.hierarchy.hierarchy import Hierarchy


def fair(
    hierarchy: Tree = None,
    method: Method = "exact",
    resource: Resource = None,
    on: OnScheduler = None,
    why: WhyNode = None,
    what_if: WhatIf = None,
    admit: Admit = None,
    use: UseFile = None,
    compare: Compare = None,
    tolerance: Tolerance = 0.1,
    leaf_map: LeafMap = None,
    events: EventsFile = None,
    plot: PlotFile = None,
    export: ExportName = None,
    flat: Flat = False,
    leaves: Leaves = False,
    depth: Depth = None,
    scale_guarantees: ScaleGuarantees = False,
    ignore_limits: IgnoreLimits = False,
    output: Output = None,
    certificate: CertificateFile = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Fair shares of a hierarchy of queues, and every leaf's guarantee.

    With --export, -o takes the scheduler's file instead of the allocation.
    """
    from ..core.files.json_files import JsonFile
    from ..instances.hierarchy.hierarchy_file import read_hierarchy

    entry = ALLOCATORS.lookup(method)
    scale = scale_guarantees or (on is not None and why is None)
    parameters = _parameters(method, resource, scale=scale, ignore=ignore_limits)
    check_together(locals())
    to = Destination(output, as_json, quiet)
    if compare is not None:
        answer_comparison(compare, leaf_map, tolerance, to)
        return
    if hierarchy is None:
        raise InputError("need a HIERARCHY, or --compare A B (see slotwise fair --help)")
    writer = None if export is None else EXPORTERS.lookup(export)
    file = JsonFile.read(hierarchy)
    tree = read_hierarchy(file)
    _check_node(tree, why, hierarchy)  # before anything is written
    if what_if:
        answer_what_if(tree, hierarchy, what_if, scale=scale_guarantees, to=to)
    elif admit is not None:
        answer_admission(tree, hierarchy, admit, use, to)
    elif events is not None:
        _over_time(tree, events, method, parameters, plot, to)
    else:
        with about(hierarchy):
            allocation = allocate(tree, method, **parameters)
        _draw(allocation, plot)
        if writer is not None:
            _export(allocation, writer, output, flat=flat, as_json=as_json, quiet=quiet)
        else:
            view = View(why, on, leaves, depth)
            give_shares(allocation, entry, hierarchy, view, to)
            if certificate is not None:
                _certify(allocation, file, certificate, quiet=quiet or as_json)


def _certify(allocation: Allocation, file: JsonFile, output: Path, *, quiet: bool) -> None:
    """Write the certificate of an allocation, and say what it proves."""
    from ..core.clock import Clock
    from ..solvers.certificate import SECONDS, write_certificate
    from ..solvers.hierarchy.certify import certify_allocation

    made = certify_allocation(allocation, Clock(SECONDS), file.content)
    with saving():
        write_certificate(made, output)
    tell([f"shares proved: {made}"], quiet=quiet)


def _parameters(method: str, resource: str | None, *, scale: bool, ignore: bool) -> dict[str, Any]:
    """What options say to the allocator."""
    parameters: dict[str, Any] = {}
    if resource is not None:
        if method != "ch":
            raise InputError(f"--resource is for method ch, not {method}")
        parameters["resource"] = resource
    if scale:
        if method != "exact":
            raise InputError(f"--scale-guarantees is for method exact, not {method}")
        parameters["scale_guarantees"] = True
    if ignore:
        parameters["ignore_limits"] = True
    return parameters


def _draw(allocation: Allocation, plot: Path | None) -> None:
    """Draw the shares, if a plot is wanted."""
    if plot is not None:
        from ..report.hierarchy.icicle import write_icicle
        from ..report.overviews import write_shares

        with_groups = allocation.hierarchy.quotas is not None or plot.suffix == ".html"
        with saving():
            (write_icicle if with_groups else write_shares)(allocation, plot)


def _check_node(tree: Hierarchy, path: str | None, file: Path) -> None:
    if path is not None:
        with about(file):
            if tree.quotas is None and path.strip("/") not in tree.node_paths:
                tree.leaf_at(path)
            tree.node_at(path)


def _export(
    allocation: Allocation,
    writer: Entry,
    output: Path | None,
    *,
    flat: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from ..instances.exporters import export
    from ..instances.hierarchy.schedulers.flat_tree import flattened, lost_when_flat

    tree = allocation.hierarchy
    written = flattened(tree, _counted_share(allocation)) if flat else tree
    exported = export(written, writer)
    if flat:
        exported.notes.append(
            "flat weights equal the tree only while all leaves are busy: recompute"
        )
        exported.notes.extend([*lost_when_flat(tree), *_difference(allocation, written)])
    put_exported(writer, exported, output, {"flat": flat}, as_json=as_json, quiet=quiet)


def _counted_share(allocation: Allocation) -> FloatArray:
    """What weights divide: each leaf's share of the one resource that counts, or dominant share."""
    tree = allocation.hierarchy
    if tree.counted < 0:
        return allocation.share
    j = tree.counted
    share: FloatArray = allocation.tasks * tree.demand[:, j] / tree.capacity[j]
    return share


def _difference(allocation: Allocation, flat: Hierarchy) -> list[str]:
    """A note if a tree without groups divides otherwise even now; quotas of groups do that."""
    from ..core.wording import percent

    tree = allocation.hierarchy
    if tree.quotas is None or tree.leaves > MOST_COMPARED:
        return []
    share = allocate(flat, scale_guarantees=True).share
    worst = int(abs(share - allocation.share).argmax())
    if abs(share[worst] - allocation.share[worst]) < LEAST_DIFFERENCE:
        return []
    return [
        f"without groups {tree.paths[worst]} has {percent(share[worst])} instead of "
        f"{percent(allocation.share[worst])} even now"
    ]


def _over_time(
    tree: Hierarchy,
    events: Path,
    method: str,
    parameters: dict[str, Any],
    plot: Path | None,
    to: Destination,
) -> None:
    from ..heuristics.hierarchy.timeline import follow
    from ..instances.hierarchy.events import read_events
    from ..report.hierarchy.fair_shares import timeline_table, write_timeline

    timeline = follow(tree, read_events(events, tree), method, **parameters)
    if plot is not None:
        with saving():
            write_timeline(timeline, plot)
    to.give(timeline_table(timeline), timeline.document())
