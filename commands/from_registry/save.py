"""Where a generator's or an importer's result goes: a file, and a word on what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.errors import InputError
from ..console import show
from ..file_rules import Written

OutputFile = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write it here; - is stdout, then only it."
    ),
    Written(),
]

OutputFileOrFolder = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write it here, or one file per tree into this folder; - is stdout.",
    ),
    Written(either=True),
]


def save(
    made: object, output: Path, *, notes: Sequence[str] | None = None, as_json: bool, quiet: bool
) -> None:
    """Write an instance, a datacenter or a hierarchy and say what it is.

    `output` is a folder for several hierarchies. `notes`, what an importer says, are kept in the
    JSON document. Raises `InputError` for anything else, and for several hierarchies that go into
    one file.
    """
    if isinstance(made, list) or output.is_dir():
        trees = made if isinstance(made, list) else [made]
        _save_trees(trees, output, notes, as_json=as_json, quiet=quiet)
        return
    document = _written(made, output)
    if notes is not None:
        document["notes"] = list(notes)
    document["file"] = str(output)
    show(f"{output}: {made!r}", document=document, as_json=as_json, quiet=quiet)


def _leaves(count: int) -> str:
    return "1 leaf" if count == 1 else f"{count} leaves"


def _save_trees(
    trees: Sequence[Any], folder: Path, notes: Sequence[str] | None, *, as_json: bool, quiet: bool
) -> None:
    """Write one file per tree, called by its root. Raises `InputError` for what is no folder."""
    if not folder.is_dir():
        named = [f"{tree.names[0]} ({tree.leaves})" for tree in trees]
        named[0] = f"{trees[0].names[0]} ({_leaves(trees[0].leaves)})"
        raise InputError(
            f"{len(trees)} trees that share nothing: {', '.join(named)}: choose one with --tree, "
            "or give -o a folder"
        )
    written = []
    for tree in trees:
        file = folder / f"{tree.names[0]}.json"
        written.append({**_written(tree, file), "file": str(file)})
    text = "\n".join(f"{one['file']}: {tree!r}" for one, tree in zip(written, trees, strict=True))
    document = {"trees": written, "notes": list(notes or ())}
    show(text, document=document, as_json=as_json, quiet=quiet)


def _written(made: object, output: Path) -> dict[str, Any]:
    """What the document says of the file."""
    from ...instances.datacenter.datacenter import Datacenter
    from ...instances.datacenter.datacenter_file import write_datacenter
    from ...instances.hierarchy.hierarchy import Hierarchy
    from ...instances.hierarchy.hierarchy_file import write_hierarchy
    from ...instances.mapreduce.instance import Instance
    from ...instances.mapreduce.instance_file import write_instance

    if isinstance(made, Instance):
        write_instance(made, output)
        return {
            "instance": made.name,
            "jobs": made.jobs,
            "map_tasks": made.map_tasks,
            "reduce_tasks": made.reduce_tasks,
            "nodes": made.cluster.nodes,
        }
    if isinstance(made, Datacenter):
        write_datacenter(made, output)
        return {
            "datacenter": made.name,
            "machines": made.machines,
            "configurations": len(made.configurations),
            "classes": len(made.classes),
        }
    if isinstance(made, Hierarchy):
        write_hierarchy(made, output)
        return {
            "nodes": made.nodes,
            "leaves": made.leaves,
            "dropped_limits": len(made.dropped_limits),
        }
    raise InputError(f"need an instance, a datacenter or a hierarchy, got {type(made).__name__}")
