"""`slotwise import yarn`, `yarn-capacity`, `kueue`, `slurm`: queues as a hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ...instances.errors import InputError
from ...instances.registry import Entry
from ...instances.schedulers import READERS
from ..console import Json, Quiet, show, tell
from ..from_registry.save import OutputFile as To

queues = typer.Typer()

Amounts = Annotated[
    str | None, typer.Option(metavar="NAME=AMOUNT,…", help="Of the cluster, by resource.")
]


def amounts(text: str | None, option: str) -> dict[str, float]:
    """`cpu=200,memory=400` by resource. Raises `InputError` naming the option."""
    found: dict[str, float] = {}
    for entry in (text or "").split(","):
        if not entry.strip():
            continue
        name, _, amount = (part.strip() for part in entry.partition("="))
        try:
            found[name] = float(amount)
        except ValueError:
            raise InputError(f"{option}: need name=amount, got {entry.strip()!r}") from None
        if not name or not 0 <= found[name] < float("inf"):
            raise InputError(f"{option}: need name=amount >= 0, got {entry.strip()!r}")
    return found


def leaf_demands(path: Path | None) -> tuple[dict[str, Mapping[str, float]], dict[str, float]]:
    """Demands and task limits by leaf, from `{"eng/dev": {"demand": {"cpu": 1}, "tasks": 9}}`."""
    if path is None:
        return {}, {}
    from ...instances.files.json_files import read_json

    _, document = read_json(path)
    demands: dict[str, Mapping[str, float]] = {}
    tasks: dict[str, float] = {}
    for leaf, wanted in document.items():
        where = f"{path}: {leaf!r}"
        if not isinstance(wanted, dict) or set(wanted) - {"demand", "tasks"}:
            raise InputError(f"{where}: need an object with demand and tasks")
        if "demand" in wanted:
            demands[leaf] = _numbers(wanted["demand"], f"{where}, demand")
        if "tasks" in wanted:
            tasks[leaf] = _numbers({"tasks": wanted["tasks"]}, where)["tasks"]
    return demands, tasks


def _numbers(values: Any, where: str) -> dict[str, float]:
    if not isinstance(values, dict):
        raise InputError(f"{where}: need an object by resource")
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{where}, {name}: need a number, got {value!r}")
        if not 0 <= value <= 1e300:
            raise InputError(f"{where}, {name}: need a finite number >= 0")
    return {name: float(value) for name, value in values.items()}


def _command(entry: Entry) -> Callable[..., None]:
    def read_queues(
        file: Annotated[Path, typer.Argument(metavar="FILE", help="The scheduler's file.")],
        output: To,
        capacity: Amounts = None,
        demand: Annotated[
            str | None,
            typer.Option(
                metavar="NAME=AMOUNT,…", help="Per task of a leaf; default: capacity / 1000."
            ),
        ] = None,
        demands: Annotated[
            Path | None,
            typer.Option(metavar="FILE", help="JSON: demand per task and tasks of single leaves."),
        ] = None,
        as_json: Json = False,
        quiet: Quiet = False,
    ) -> None:
        from ...instances.hierarchy.hierarchy_file import write_hierarchy
        from ...instances.schedulers.queue_tree import Asks

        whole = amounts(capacity, "--capacity")
        if not whole and entry.name != "kueue":
            raise InputError("--capacity: the file does not tell it; give cpu=200,memory=400 or so")
        wanted, tasks = leaf_demands(demands)
        asks = Asks(whole, amounts(demand, "--demand") or None, wanted, tasks, str(demands))
        hierarchy, notes = entry.load()(file, asks)
        tell(notes, quiet=quiet)
        write_hierarchy(hierarchy, output)
        document = {
            "nodes": hierarchy.nodes,
            "leaves": hierarchy.leaves,
            "dropped_limits": len(hierarchy.dropped_limits),
            "notes": notes,
            "file": str(output),
        }
        show(f"{output}: {hierarchy!r}", document=document, as_json=as_json, quiet=quiet)

    return read_queues


for _entry in READERS:
    queues.command(_entry.name, help=f"{_entry.source}: {_entry.summary}.")(_command(_entry))
