"""Help that names what other packages add beside our own."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class WithAllNames(TyperCommand):
    """A command that finds the names of plug-ins when its help is asked for, not at the start."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, with the names that plug-ins add.

        Parameters
        ----------
        ctx
            The context of the command.
        formatter
            Where the help is written to.
        """
        from ..completion import REGISTRIES

        for one in self.params:
            registry = REGISTRIES.get((str(self.name), str(one.name)))
            told = getattr(one, "help", None)
            if registry is not None and told:
                own = ", ".join(entry.name for entry in registry.own)
                one.help = told.replace(own, ", ".join(registry.names))  # type: ignore[attr-defined]
        super().format_options(ctx, formatter)
