"""`slotwise/hierarchy/1`, and `/2` with guarantees and limits: hierarchies as JSON.

The tree is walked with an explicit stack, so that only the JSON reader limits its depth.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, RootModel, ValidationError

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.json_files import JsonFile, Source, Strict, in_words, validated, write_json
from .building import QUOTA_FIELDS, Row, from_rows
from .dropped_limits import DroppedLimit
from .hierarchy import UNBOUNDED, Hierarchy
from .plain_tree import Quota, Sharing

FORMAT = "slotwise/hierarchy/1"

WITH_QUOTAS = "slotwise/hierarchy/2"
"""The same with guarantees, limits, reserves, priorities, and weights that may be 0."""

Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]


class LimitRow(Strict):
    """A limit of an imported queue that shares do not take into account."""

    queue: Annotated[str, Field(min_length=1)]
    limit: Annotated[str, Field(min_length=1)]
    amount: str


class _HeadFields(Strict):
    name: str = ""
    source: str = ""
    capacity: Annotated[dict[str, Positive], Field(min_length=1)]
    dropped_limits: list[LimitRow] = []
    users: list[str] = []
    """Trees made of Slurm's accounts have it; shares do not depend on it."""


class _QuotaHeadFields(_HeadFields):
    surplus: Literal["above", "total"] = "above"
    shares: str = "dominant"


class _NodeFields(Strict):
    name: Annotated[str, Field(min_length=1)]
    demand: dict[str, NonNegative] | None = None
    tasks: NonNegative | None = None


class _QuotaNodeFields(_NodeFields):
    weight: NonNegative = 1.0
    guarantee: dict[str, NonNegative] | None = None
    limit: dict[str, NonNegative] | None = None
    reserve: dict[str, NonNegative] | None = None
    priority: int | None = None


class _Head(_QuotaHeadFields):
    format: Literal["slotwise/hierarchy/1", "slotwise/hierarchy/2"]
    root: dict[str, Any]


class _Node(_QuotaNodeFields):
    children: list[dict[str, Any]] | None = None


class NodeDocument(_NodeFields):
    """A group with `children`, or a leaf with `demand` and perhaps `tasks`."""

    weight: Positive = 1.0
    children: list[NodeDocument] | None = None


class QuotaNodeDocument(_QuotaNodeFields):
    """The same with what it is guaranteed and may hold."""

    children: list[QuotaNodeDocument] | None = None


class PlainDocument(_HeadFields):
    format: Literal["slotwise/hierarchy/1"]
    root: NodeDocument


class QuotaDocument(_QuotaHeadFields):
    format: Literal["slotwise/hierarchy/2"]
    root: QuotaNodeDocument


class HierarchyDocument(RootModel[PlainDocument | QuotaDocument]):
    """A document of either format, with the whole tree.

    The reader takes the tree node by node instead, as deep as the JSON reader goes.
    """


@checked
def read_hierarchy(path: Source) -> Hierarchy:
    """Read a `slotwise/hierarchy/1` or `/2` file (plain or gzip).

    Parameters
    ----------
    path
        Path of the file, `-` for stdin, or a file read before.

    Returns
    -------
    Hierarchy
        The hierarchy.

    Raises
    ------
    InputError
        If something is wrong; one line names file, node and field.
    """
    file = JsonFile.read(path)
    raw, quotas = file.document, file.format_of(FORMAT, WITH_QUOTAS) == WITH_QUOTAS
    if not quotas:
        _refuse(path, "", raw, ("surplus", "shares"))
    root = raw.get("root")
    shown = {**raw, "root": {}} if isinstance(root, dict) else raw
    head = validated(_Head, json.dumps(shown).encode(), path)
    rows = _rows(raw["root"], path, quotas=quotas)
    try:
        return from_rows(
            head.capacity,
            rows,
            name=head.name,
            source=head.source,
            dropped_limits=[
                DroppedLimit(row.queue, row.limit, row.amount) for row in head.dropped_limits
            ],
            sharing=Sharing(head.surplus, head.shares) if quotas else None,
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _refuse(path: Source, place: str, raw: dict[str, Any], names: Sequence[str]) -> None:
    """Refuse fields of the second version in a file of the first."""
    for name in names:
        if name in raw:
            raise InputError(f"{path}: {place}{name}: needs the format {WITH_QUOTAS!r}")


def _rows(root: dict[str, Any], path: Source, *, quotas: bool) -> list[Row]:
    rows: list[Row] = []
    stack: list[tuple[dict[str, Any], int]] = [(root, -1)]
    while stack:
        raw, parent = stack.pop()
        node = _node(raw, rows, parent, path)
        if not quotas:
            _refuse(path, f"{_place(raw, rows, parent)}, ", raw, QUOTA_FIELDS)
            if node.weight == 0:
                place = _place(raw, rows, parent)
                raise InputError(f"{path}: {place}, weight: need greater than 0, got 0")
        asks = None
        if node.demand is not None:
            asks = (node.demand, UNBOUNDED if node.tasks is None else node.tasks)
        stack.extend((child, len(rows)) for child in reversed(node.children or ()))
        quota = {what: getattr(node, what) for what in QUOTA_FIELDS}
        given = {what: value for what, value in quota.items() if value is not None}
        rows.append(Row(node.name, parent, node.weight, asks, Quota(**given) if given else None))
    return rows


def _node(raw: dict[str, Any], rows: list[Row], parent: int, path: Source) -> _Node:
    try:
        node = _Node.model_validate(raw)
    except ValidationError:
        where = _place(raw, rows, parent)
        children = raw.get("children")
        if isinstance(children, list):  # what is wrong with a child needs no more than its kind
            raw = {**raw, "children": [{} if isinstance(c, dict) else c for c in children]}
        return validated(
            _Node,
            json.dumps(raw).encode(),
            path,
            lambda place: in_words([where, *place]),
        )
    if node.demand is None and node.children is None:
        raise InputError(f"{path}: {_place(raw, rows, parent)}: need 'demand' or 'children'")
    if node.demand is not None and node.children is not None:
        raise InputError(
            f"{path}: {_place(raw, rows, parent)}: has 'demand' and 'children'; need one of them"
        )
    if node.demand is None and node.tasks is not None:
        raise InputError(f"{path}: {_place(raw, rows, parent)}, tasks: a group has no tasks")
    return node


def _place(raw: dict[str, Any], rows: list[Row], parent: int) -> str:
    steps = [str(raw.get("name", "without a name"))]
    while parent > 0:
        steps.append(rows[parent].name)
        parent = rows[parent].parent
    return f"node {'/'.join(reversed(steps))!r}"


@checked
def write_hierarchy(hierarchy: Hierarchy, path: str | Path) -> None:
    """Write a `slotwise/hierarchy/1` file, or `/2` if there are quotas, atomically.

    It is compressed if the name ends in `.gz`.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    path
        Path of the file, or `-` for stdout.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    try:
        write_json(path, hierarchy_document(hierarchy))
    except RecursionError:
        raise InputError(
            f"{path}: a tree of depth {hierarchy.depth} is nested too deeply for JSON"
        ) from None


def hierarchy_document(hierarchy: Hierarchy) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = [
        {"name": name, "weight": weight}
        for name, weight in zip(hierarchy.names, hierarchy.weight.tolist(), strict=True)
    ]
    quotas = hierarchy.quotas
    if quotas is not None:
        for n, node in enumerate(nodes):
            node.update(hierarchy.quota_of(n))
    limits = hierarchy.tasks.tolist()
    for i, n in enumerate(hierarchy.leaf.tolist()):
        nodes[n]["demand"] = hierarchy.demand_of(i)
        if limits[i] != UNBOUNDED:
            nodes[n]["tasks"] = int(limits[i]) if limits[i].is_integer() else limits[i]
    for node in nodes:
        if "demand" not in node:
            node["children"] = []
    for node, parent in zip(nodes[1:], hierarchy.parent[1:].tolist(), strict=True):
        nodes[parent]["children"].append(node)
    document: dict[str, Any] = {
        "format": FORMAT if quotas is None else WITH_QUOTAS,
        "name": hierarchy.name,
        "source": hierarchy.source,
        "capacity": dict(zip(hierarchy.resources, hierarchy.capacity.tolist(), strict=True)),
    }
    if quotas is not None:
        document |= {"surplus": quotas.surplus, "shares": quotas.shares}
    if hierarchy.dropped_limits:
        document["dropped_limits"] = [asdict(limit) for limit in hierarchy.dropped_limits]
    return {**document, "root": nodes[0]}
