"""Where a generator's or an importer's result goes: a file, and a word on what is in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.errors import InputError
from ..file_rules import Written
from ..frame import Answer

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


def saved(made: object, output: Path, notes: Sequence[str] | None = None) -> Answer:
    """What a generator or an importer made, to be written by the frame.

    `output` is a folder for several hierarchies. `notes`, what an importer says, are kept in the
    JSON document. Raises `InputError` for what is none of the three, and for several hierarchies
    that go into one file.
    """
    if isinstance(made, list) or output.is_dir():
        return _saved_trees(made if isinstance(made, list) else [made], output, notes or ())
    write, document = _described(made)
    if notes is not None:
        document["notes"] = list(notes)
    document["file"] = str(output)
    line = f"{output}: {made!r}"
    return Answer(line, document, notes=notes or (), line=line, content=write)


def _saved_trees(trees: Sequence[Any], folder: Path, notes: Sequence[str]) -> Answer:
    """One file per tree, called by its root."""
    if not folder.is_dir():
        named = [f"{tree.names[0]} ({tree.leaves})" for tree in trees]
        leaves = "1 leaf" if trees[0].leaves == 1 else f"{trees[0].leaves} leaves"
        named[0] = f"{trees[0].names[0]} ({leaves})"
        raise InputError(
            f"{len(trees)} trees that share nothing: {', '.join(named)}: choose one with --tree, "
            "or give -o a folder"
        )
    files, written, lines = {}, [], []
    for tree in trees:
        file = folder / f"{tree.names[0]}.json"
        write, document = _described(tree)
        files[file] = write
        written.append({**document, "file": str(file)})
        lines.append(f"{file}: {tree!r}")
    text = "\n".join(lines)
    document = {"trees": written, "notes": list(notes)}
    return Answer(text, document, notes=notes, line=text, content=lambda _: None, files=files)


def _described(made: object) -> tuple[Callable[[Path], object], dict[str, Any]]:
    """Who writes it, and what the document says of it."""
    from ...instances.datacenter.datacenter import Datacenter
    from ...instances.datacenter.datacenter_file import write_datacenter
    from ...instances.hierarchy.hierarchy import Hierarchy
    from ...instances.hierarchy.hierarchy_file import write_hierarchy
    from ...instances.mapreduce.instance import Instance
    from ...instances.mapreduce.instance_file import write_instance

    if isinstance(made, Instance):
        return partial(write_instance, made), {
            "instance": made.name,
            "jobs": made.jobs,
            "map_tasks": made.map_tasks,
            "reduce_tasks": made.reduce_tasks,
            "nodes": made.cluster.nodes,
        }
    if isinstance(made, Datacenter):
        return partial(write_datacenter, made), {
            "datacenter": made.name,
            "machines": made.machines,
            "configurations": len(made.configurations),
            "classes": len(made.classes),
        }
    if isinstance(made, Hierarchy):
        return partial(write_hierarchy, made), {
            "nodes": made.nodes,
            "leaves": made.leaves,
            "dropped_limits": len(made.dropped_limits),
        }
    raise InputError(f"need an instance, a datacenter or a hierarchy, got {type(made).__name__}")
