"""Options of `slotwise simulate` that say who decides, and what is measured."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ...core.advice import did_you_mean
from ...core.errors import InputError
from ...core.files.examples import is_example
from ...core.files.inputs import STANDARD, read_text
from ...heuristics.datacenter import POLICIES
from ..options import Plot, names_of

ENDING = ".toml"
PROBLEM = "datacenter"


def settings_of_file(context: typer.Context, given: Path) -> Path:
    """The datacenter of a simulation; its other settings become the defaults of the options.

    A name of anything else than a TOML file is returned as it is. Raises `InputError`.
    """
    if given is None or given.suffix != ENDING or context.resilient_parsing:
        return given
    document = _read(given)
    options = {
        str(option.name): option for option in context.command.params if option.name != "help"
    }
    settings = {}
    for key, value in document.items():
        name = {"json": "as_json"}.get(key, key.replace("-", "_"))
        if name not in options:
            known = [spelled(one) for one in options.values()]
            guess = did_you_mean(key, known)
            raise InputError(f"{given}: unknown key {key!r}: {guess}choose from {', '.join(known)}")
        settings[name] = _value(options[name], value, context, f"{given}, {key}", given.parent)
    if PROBLEM not in settings:
        raise InputError(f"{given}: {PROBLEM}: is missing, need the name of a file")
    problem = Path(settings.pop(PROBLEM))
    context.default_map = settings
    return problem


def spelled(option: Any) -> str:
    """The key of an option: its long name, or that of the argument."""
    return next((o[2:] for o in option.opts if o.startswith("--")), str(option.name))


def _read(path: Path) -> dict[str, Any]:
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: not TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{path}: not TOML: nested too deeply") from None


def _value(option: Any, value: Any, context: Any, place: str, folder: Path) -> Any:
    """A value as its option takes it; files are looked up from the folder of the TOML file."""
    hint = get_type_hints(context.command.callback)[str(option.name)]
    many = list in _types(hint)
    values = value if many and isinstance(value, list) else [value]
    kind, needs, word = next(row for row in _KINDS if row[0] in _types(hint))
    for one in values:
        if not isinstance(one, needs) or (isinstance(one, bool) and kind is not bool):
            raise InputError(f"{place}: need {word}, got {_shown(one)}")
    if kind is Path:
        values = [_located(one, folder) for one in values]
    found = values if many else values[0]
    try:
        if option.name != PROBLEM:
            option.process_value(context, found)
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise InputError(f"{place}: {getattr(error, 'message', error)}") from None
    return found


def _types(hint: Any) -> set[Any]:
    """All types that an annotation is made of."""
    return {hint, get_origin(hint)}.union(*map(_types, get_args(hint)))


_KINDS: tuple[tuple[type, tuple[type, ...], str], ...] = (
    (bool, (bool,), "true or false"),
    (Path, (str,), "the name of a file"),
    (float, (int, float), "a number"),
    (int, (int,), "an integer"),
    (str, (str,), "a text"),
)
"""Types of options, what a value of each is in TOML, and in words."""


def _located(name: str, folder: Path) -> str:
    return name if name == STANDARD or is_example(name) else str(folder / name)


def _shown(value: Any) -> str:
    return "a table" if isinstance(value, Mapping) else repr(value)


_decides = partial(typer.Option, rich_help_panel="The policies")
_measures = partial(typer.Option, rich_help_panel="What is measured")

DatacenterFile = Annotated[
    Path,
    typer.Argument(
        metavar="DATACENTER",
        help="A slotwise/datacenter/1 file; or a simulation, FILE.toml: `datacenter` and options, "
        "of which those of the command line win.",
        callback=settings_of_file,
        is_eager=True,
    ),
]
PolicyName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"One of {', '.join(POLICIES.names)}.",
        autocompletion=names_of(POLICIES),
    ),
]
Against = Annotated[
    list[str] | None,
    _decides(
        metavar="NAME",
        help="Another policy on the same jobs; repeat.",
        autocompletion=names_of(POLICIES),
    ),
]
Scale = Annotated[
    float, typer.Option(metavar="F", help="Use that part of the machines, at least 1 of each.")
]
WarmUp = Annotated[
    float, _measures("--warm-up", metavar="F", help="Part of the jobs that is not measured.")
]
GuidanceFile = Annotated[
    Path | None, _decides(metavar="FILE", help="A slotwise/guidance/1 file; default: made now.")
]
Sample = Annotated[
    list[int] | None,
    _decides(
        metavar="N",
        min=1,
        help="Jobs look at N machines only, under --policy but not --against; repeat.",
    ),
]
Bound = Annotated[bool, _measures("--bound", help="Compute a lower bound on the mean wait, too.")]
Explain = Annotated[
    int | None,
    _measures(metavar="N", min=1, help="Say why the policy does what it does at arrival N."),
]
Reference = Annotated[
    bool, _measures("--reference", help="Show the waits on one machine with all resources, too.")
]
PlotFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Waits, queue and use over time: .png, .svg or .pdf."),
    Plot,
]
