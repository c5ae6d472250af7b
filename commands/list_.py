"""`slotwise list`."""

from __future__ import annotations

from typing import Annotated

import typer

from .console import Json, Quiet, show

KINDS = (
    "heuristics, bounds, methods, formulations, importers, exporters, policies, allocators, "
    "generators"
)


def list_(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"One of {KINDS}.")],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """What there is of one kind, with its source; also what other packages add."""
    from ..report.catalogue import catalogue, registry, rows

    document = {kind: rows(registry(kind))}
    show(catalogue(kind), document=document, as_json=as_json, quiet=quiet)
