"""What queues use now: a JSON object by path, or a table of paths and resources as CSV."""

from __future__ import annotations

from pathlib import Path

from ...core.errors import InputError
from ...core.files.csv_rows import csv_rows
from ...core.files.json_files import read_json
from ...core.files.quantities import quantity
from .hierarchy import Hierarchy

Use = dict[str, dict[str, float]]
"""Amounts by path and resource, in the units of the capacity."""


def read_use(path: Path, hierarchy: Hierarchy) -> Use:
    """Read what each node uses, from `{"eng/dev": {"cpu": 4}}` or from CSV with a header.

    The first column of CSV holds paths, the others are named as the resources; amounts may be
    Kubernetes quantities.
    Raises `InputError` for unknown nodes and resources, naming the line.
    """
    named = path.name.removesuffix(".gz")
    rows = _csv(path) if named.endswith(".csv") else _json(path)
    known, use = set(hierarchy.node_paths), Use()
    for where, node, amounts in rows:
        if node not in known:
            raise InputError(f"{path}: {where}: there is no node {node!r} in the hierarchy")
        for resource, amount in amounts.items():
            if resource not in hierarchy.resources:
                raise InputError(
                    f"{path}: {where}: unknown resource {resource!r}: capacity has "
                    f"{', '.join(hierarchy.resources)}"
                )
            own = use.setdefault(node, {})
            own[resource] = own.get(resource, 0.0) + quantity(amount, f"{path}: {where}")
    return use


Rows = list[tuple[str, str, dict[str, object]]]


def _json(path: Path) -> Rows:
    _, document = read_json(path)
    rows: Rows = []
    for node, amounts in document.items():
        if not isinstance(amounts, dict):
            raise InputError(f'{path}: {node!r}: need amounts by resource, such as {{"cpu": 4}}')
        rows.append((repr(node), node, dict(amounts)))
    return rows


def _csv(path: Path) -> Rows:
    rows: Rows = []
    header: list[str] | None = None
    for line, cells in csv_rows(path):
        if header is None:
            header = [cell.strip() for cell in cells]
            if len(header) < 2:
                raise InputError(f"{path}: line {line}: need a header: path,cpu,memory")
            continue
        if len(cells) != len(header):
            raise InputError(f"{path}: line {line}: need {len(header)} cells, got {len(cells)}")
        pairs = zip(header[1:], cells[1:], strict=True)
        amounts: dict[str, object] = {name: cell for name, cell in pairs if cell.strip()}
        rows.append((f"line {line}", cells[0].strip(), amounts))
    if header is None:
        raise InputError(f"{path}: the table is empty: need a header: path,cpu,memory")
    return rows


def parsed_request(text: str) -> tuple[str, dict[str, float]]:
    """Node and amounts of `eng/dev:cpu=4,memory=8Gi`. Raises `InputError`."""
    path, colon, asked = text.rpartition(":")
    if not (colon and path):
        raise InputError(f"request {text!r}: need NODE:cpu=4,memory=8Gi")
    request: dict[str, float] = {}
    for part in asked.split(","):
        name, equals, value = part.partition("=")
        if not (equals and name.strip()):
            raise InputError(f"request {text!r}: need NODE:cpu=4,memory=8Gi")
        request[name.strip()] = quantity(value, f"request {text!r}, {name.strip()}")
    return path, request
