"""Help that names what other packages add beside our own."""

from __future__ import annotations

import re
from typing import Any

from ...core.registry import Registry
from ..help import Panels


class WithAllNames(Panels):
    """A command that finds the names of plug-ins when its help is asked for, not at the start."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, with the names that plug-ins add."""
        from ..completion import REGISTRIES

        for one in self.params:
            registry = REGISTRIES.get((str(self.name), str(one.name)))
            told = getattr(one, "help", None)
            if registry is not None and told:
                one.help = _with_others(told, registry)  # type: ignore[attr-defined]
        super().format_options(ctx, formatter)


def _with_others(told: str, registry: Registry) -> str:
    """Help that lists our names, all or those of one kind, with those of plug-ins after them."""
    words = re.split(r"[\s,.:]+", told)
    listed = [entry for entry in registry.own if entry.name in words]
    left_out = {entry.takes for entry in registry.own} - {entry.takes for entry in listed}
    others = [entry for entry in registry[len(registry.own) :] if entry.takes not in left_out]
    names = ", ".join(entry.name for entry in listed)
    return told.replace(names, ", ".join(entry.name for entry in (*listed, *others)))
