"""`slotwise/hierarchy/1`, and `/2` with guarantees and limits: hierarchies as JSON.

The tree is walked with an explicit stack, so that only the JSON reader limits its depth.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.json_files import JsonFile, Source, Strict, in_words, validated, write_json
from .hierarchy import Hierarchy, from_nodes
from .nodes import DroppedLimit, Node
from .quotas import ABOVE, AMOUNTS, DOMINANT

FORMAT = "slotwise/hierarchy/1"

WITH_QUOTAS = "slotwise/hierarchy/2"
"""The same with guarantees, limits, reserves, priorities, and weights that may be 0."""

_NODE = TypeAdapter(Node)


class HierarchyDocument(Strict):
    """A document of either format. The reader takes the tree node by node, as deep as it is."""

    format: Literal["slotwise/hierarchy/1", "slotwise/hierarchy/2"]
    name: str = ""
    source: str = ""
    capacity: Annotated[dict[str, Annotated[float, Field(gt=0)]], Field(min_length=1)]
    surplus: Literal["above", "total"] = ABOVE
    shares: str = DOMINANT
    dropped_limits: list[DroppedLimit] = []
    users: list[str] = []
    """Trees made of Slurm's accounts have it; shares do not depend on it."""
    root: Node


class _OneNode(Strict):
    node: Node


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
    file.format_of(FORMAT, WITH_QUOTAS)
    return from_document(file.document, path)


def from_document(raw: dict[str, Any], path: Source) -> Hierarchy:
    """The hierarchy of a document of a file. Raises `InputError`."""
    quotas = raw["format"] == WITH_QUOTAS
    if not quotas:
        _refuse(path, "", raw, ("surplus", "shares"))
    shown = {**raw, "root": {"name": "root"}} if isinstance(raw.get("root"), dict) else raw
    head = validated(HierarchyDocument, json.dumps(shown).encode(), path)
    top: list[Node] = []
    stack: list[tuple[dict[str, Any], str, list[Node]]] = [(raw["root"], "", top)]
    while stack:
        part, above, siblings = stack.pop()
        steps = [above] if above else []
        name = "/".join([*steps, str(part.get("name", "without a name"))])
        node, children = _node(part, name, path, quotas=quotas)
        siblings.append(node)
        if node.children is not None:
            below: list[Node] = []
            node.children = below
            inside = name if siblings is not top else ""
            stack.extend((child, inside, below) for child in reversed(children))
    try:
        return from_nodes(
            head.capacity,
            top[0],
            head.name,
            head.source,
            head.dropped_limits,
            head.surplus if quotas else None,
            head.shares if quotas else None,
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _refuse(path: Source, place: str, raw: dict[str, Any], names: Sequence[str]) -> None:
    """Refuse fields of the second version in a file of the first."""
    for name in names:
        if name in raw:
            raise InputError(f"{path}: {place}{name}: needs the format {WITH_QUOTAS!r}")


def _node(
    raw: dict[str, Any], name: str, path: Source, *, quotas: bool
) -> tuple[Node, list[dict[str, Any]]]:
    """A node without its children, and these as they are in the file."""
    where, children = f"node {name!r}", raw.get("children")
    own = {what: value for what, value in raw.items() if value is not None or what == "weight"}
    if isinstance(children, list):
        own["children"] = [child for child in children if not isinstance(child, dict)]
    try:
        node = _NODE.validate_python(own)
    except ValidationError:
        if isinstance(children, list):  # what is wrong with a child needs no more than its kind
            some = [{"name": "a"} if isinstance(c, dict) else c for c in children]
            own["children"] = some
        content = json.dumps({"node": own}).encode()
        validated(_OneNode, content, path, lambda place: in_words([where, *place[1:]]))
        raise
    if not quotas:
        _refuse(path, f"{where}, ", raw, [*AMOUNTS, "priority"])
        if node.weight == 0:
            raise InputError(f"{path}: {where}, weight: need greater than 0, got 0")
    if node.demand is None and node.children is None:
        raise InputError(f"{path}: {where}: need 'demand' or 'children'")
    if node.demand is not None and node.children is not None:
        raise InputError(f"{path}: {where}: has 'demand' and 'children'; need one of them")
    if node.demand is None and "tasks" in own:
        raise InputError(f"{path}: {where}, tasks: a group has no tasks")
    return node, children or []


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
    nodes, quotas = hierarchy.node_fields(), hierarchy.quotas
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
