"""`slotwise generate KIND`, one command for each generator of the registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.parameters import Parameter, parameters_of
from ...core.registry import Entry
from ...instances.generators import GENERATORS
from ..console import Json, Quiet
from .group import group_of, with_options
from .options import keyword, options_from, values_from
from .save import OutputFile, save


@dataclass(frozen=True)
class _Variant:
    """An option that makes the command of one generator use another one.

    `renamed` are the parameters of the other generator that go by a name of the first.
    """

    option: str
    help: str
    generator: str
    renamed: dict[str, str] = field(default_factory=dict)


_VARIANTS = {
    "lotes": _Variant("google_2011", "Tables 1 and 2 instead of a random one.", "google-2011"),
    "mch": _Variant(
        "binary",
        "The paper's full binary trees of this depth.",
        "mch-binary",
        {"levels": "depth"},
    ),
}


def _command(entry: Entry) -> Callable[..., None]:
    function = entry.load()
    parameters = parameters_of(function)
    variant = _VARIANTS.get(entry.name)
    other = None if variant is None else GENERATORS.lookup(variant.generator).load()
    options = options_from(parameters)
    if variant is not None and other is not None:
        flag = typer.Option(f"--{variant.option.replace('_', '-')}", help=variant.help)
        options.append(keyword(variant.option, Annotated[bool, flag], default=False))
        options += options_from(_further(parameters_of(other), parameters, variant))

    def run(output_file: Path, as_json: bool, quiet: bool, **given: Any) -> None:
        if variant is not None and other is not None and given[variant.option]:
            for name, known_as in variant.renamed.items():
                given[name] = given[known_as]
            made = other(**values_from(parameters_of(other), given))
        else:
            made = function(**values_from(parameters, given))
        save(made, output_file, as_json=as_json, quiet=quiet)

    return with_options(
        run,
        [
            *(option for option in options if option.default is option.empty),
            keyword("output_file", OutputFile),
            *(option for option in options if option.default is not option.empty),
            keyword("as_json", Json, default=False),
            keyword("quiet", Quiet, default=False),
        ],
    )


def _further(
    parameters: tuple[Parameter, ...], known: tuple[Parameter, ...], variant: _Variant
) -> list[Parameter]:
    """The parameters of a variant that its command does not have already."""
    names = {one.name for one in known} | set(variant.renamed)
    return [one for one in parameters if one.name not in names]


generate = typer.Typer(
    no_args_is_help=True,
    cls=group_of(GENERATORS, _command),
    help="Make an instance, a datacenter or a hierarchy from a paper's distributions.",
)
