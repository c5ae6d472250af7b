"""`slotwise generate KIND` and `slotwise import NAME`: a command for each entry of a registry."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.errors import InputError
from ..core.parameters import parameters_of
from ..core.registry import Entry, Registry
from ..instances.generators import GENERATORS
from ..instances.importers import IMPORTERS
from .file_rules import Written
from .frame import Answer, Row, Verbs, keyword
from .from_parameters import options_from, values_from
from .options import about
from .progress import live_progress

Verb = Callable[..., Answer]

Output = partial(typer.Option, "--output", "-o", metavar="FILE")
OutputFile = Annotated[Path, Output(help="Write it here; - is stdout, then only it."), Written()]
OutputFileOrFolder = Annotated[
    Path,
    Output(help="Write it here, or one file per tree into this folder; - is stdout."),
    Written(folder=None),
]
JobsFile = Annotated[
    Path | None,
    typer.Option("--jobs", metavar="FILE", help="Write the jobs here too, as CSV."),
    Written(),
]

BY_OPTION = {
    "lotes": ("google-2011", "google-2011", "Tables 1 and 2 instead of a random one."),
    "mch": ("binary", "mch-binary", "The paper's full binary trees of this depth."),
}
"""Options of generators that use another one: its name, and the words of the help."""


class Generate(Verbs):
    def table(self) -> dict[str, Row]:
        return _rows(GENERATORS, _generate)


class Import(Verbs):
    def table(self) -> dict[str, Row]:
        return _rows(IMPORTERS, _import)


def _rows(registry: Registry, make: Callable[[Entry], Verb]) -> dict[str, Row]:
    """A command for every entry; the help needs the names and summaries only."""

    def made(entry: Entry) -> Verb:
        try:
            return make(entry)
        except Exception as failure:
            if not entry.plugin:
                raise
            who = f"{registry.kind} {entry.name!r} of package {entry.plugin!r}"
            why = f"{type(failure).__name__}: {failure}"
            raise InputError(f"{who} makes no command: {why}") from failure

    words = {one.name: ": ".join(filter(None, (one.source, one.summary))) for one in registry}
    return {
        one.name: Row("Commands", partial(made, one), f"{words[one.name]}.") for one in registry
    }


def _with_options(verb: Verb, *options: inspect.Parameter) -> Verb:
    verb.__signature__ = inspect.Signature(options, return_annotation=Answer)  # type: ignore[attr-defined]
    return verb


def _generate(entry: Entry) -> Verb:
    options = {one.name: one for one in options_from(parameters_of(entry.load()))}
    option, name, words = BY_OPTION.get(entry.name, ("", "", ""))
    flag = option.replace("-", "_")
    if option:
        note = typer.Option(f"--{option}", help=words)
        options[flag] = keyword(flag, Annotated[bool, note], default=False)
        others = options_from(parameters_of(GENERATORS.lookup(name).load()))
        options |= {one.name: one for one in others if one.name not in (*options, "levels")}

    def verb(output: Path, **given: Any) -> Answer:
        generator = entry
        if given.get(flag):
            generator, given["levels"] = GENERATORS.lookup(name), given.get("depth")
        values = values_from(parameters_of(generator.load()), given)
        return _answer(slotwise.generate(generator, **values), output)

    return _with_options(verb, *options.values(), keyword("output", OutputFile))


def _import(entry: Entry) -> Verb:
    parameters = parameters_of(entry.load())

    def verb(output: Path, jobs_file: Path | None = None, **given: Any) -> Answer:
        try:
            with live_progress():
                imported = slotwise.import_(entry.name, **values_from(parameters, given))
        except InputError as error:
            if str(error).partition(": ")[0] not in given:
                raise
            raise InputError(f"--{error}") from None
        made, notes = imported.made, imported.notes
        if isinstance(made, list) or output.is_dir():
            with about(_first_file(given)):
                answer = _trees(made if isinstance(made, list) else [made], output, notes)
        else:
            answer = _answer(made, output, notes=list(notes))
        answer.notes = notes
        if jobs_file is not None:
            if imported.jobs is None or imported.job_class is None:
                raise InputError("--jobs: the importer gives no jobs")
            from ..instances.datacenter.job_file import write_jobs

            jobs, classes = imported.jobs, imported.job_class
            answer.files = {
                **answer.files,
                jobs_file: lambda to: write_jobs(to, made, jobs, classes),
            }
        return answer

    output = OutputFileOrFolder if "trees" in entry.understands else OutputFile
    options = [*options_from(parameters), keyword("output", output)]
    if "jobs" in entry.understands:
        options.append(keyword("jobs_file", JobsFile, default=None))
    return _with_options(verb, *options)


def _first_file(given: Mapping[str, Any]) -> Path | None:
    flat = [
        one for value in given.values() for one in (value if isinstance(value, list) else [value])
    ]
    return next((one for one in flat if isinstance(one, Path)), None)


def _answer(made: Any, output: Path, **more: Any) -> Answer:
    document = {**_sizes(made), **more, "file": str(output)}
    return Answer(repr(made), document, content=partial(slotwise.write, made))


def _trees(trees: Sequence[Any], folder: Path, notes: Sequence[str]) -> Answer:
    """Hierarchies that share nothing: one file per tree, called by its root."""
    if not folder.is_dir():
        named = ", ".join(f"{tree.names[0]} ({tree.leaves})" for tree in trees)
        raise InputError(
            f"{len(trees)} trees (of so many leaves) that share nothing: {named}: choose one with "
            "--tree, or give -o a folder"
        )
    files = {folder / f"{tree.names[0]}.json": tree for tree in trees}
    return Answer(
        "\n".join(f"{file}: {tree!r}" for file, tree in files.items()),
        {
            "trees": [{**_sizes(tree), "file": str(file)} for file, tree in files.items()],
            "notes": list(notes),
        },
        files={file: partial(slotwise.write, tree) for file, tree in files.items()},
    )


def _sizes(made: Any) -> dict[str, Any]:
    """What is made, in numbers."""
    if isinstance(made, slotwise.Instance):
        names = ("jobs", "map_tasks", "reduce_tasks")
        sizes = {name: getattr(made, name) for name in names}
        return {"instance": made.name, **sizes, "nodes": made.cluster.nodes}
    if isinstance(made, slotwise.Datacenter):
        return {
            "datacenter": made.name,
            "machines": made.machines,
            "configurations": len(made.configurations),
            "classes": len(made.classes),
        }
    if isinstance(made, slotwise.Hierarchy):
        dropped = len(made.dropped_limits)
        return {"nodes": made.nodes, "leaves": made.leaves, "dropped_limits": dropped}
    raise InputError(f"need an instance, a datacenter or a hierarchy, got {type(made).__name__}")
