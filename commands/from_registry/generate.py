"""`slotwise generate KIND`, one command for each generator of the registry."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from ...core.parameters import Parameter, parameters_of
from ...core.registry import Entry
from ...instances.generators import GENERATORS
from ..frame import Answer, keyword
from .group import Verb, group_of, with_options
from .options import options_from, values_from
from .save import OutputFile, saved


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


def _command(entry: Entry) -> Verb:
    function = entry.load()
    parameters = parameters_of(function)
    variant = _VARIANTS.get(entry.name)
    other = None if variant is None else GENERATORS.lookup(variant.generator).load()
    options = options_from(parameters)
    if variant is not None and other is not None:
        flag = typer.Option(f"--{variant.option.replace('_', '-')}", help=variant.help)
        options.append(keyword(variant.option, Annotated[bool, flag], default=False))
        options += options_from(_further(parameters_of(other), parameters, variant))

    def run(output: Path, **given: Any) -> Answer:
        if variant is not None and other is not None and given[variant.option]:
            for name, known_as in variant.renamed.items():
                given[name] = given[known_as]
            made = other(**values_from(parameters_of(other), given))
        else:
            made = function(**values_from(parameters, given))
        return saved(made, output)

    return with_options(
        run,
        [
            *(option for option in options if option.default is option.empty),
            keyword("output", OutputFile),
            *(option for option in options if option.default is not option.empty),
        ],
    )


def _further(
    parameters: tuple[Parameter, ...], known: tuple[Parameter, ...], variant: _Variant
) -> list[Parameter]:
    """The parameters of a variant that its command does not have already."""
    names = {one.name for one in known} | set(variant.renamed)
    return [one for one in parameters if one.name not in names]


generate = group_of(GENERATORS, _command)
