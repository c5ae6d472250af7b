"""Tables, charts, explanations, documents; and the verb `slotwise.report`.

The verb has the name of this package, which Python makes an attribute of `slotwise` as soon as any
module here is imported. So the package takes the call itself.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from ..instances.views import view


class _Room(ModuleType):
    """A package that can be called."""

    def __call__(self, folder: str | Path, path: str | Path | None = None) -> Any:
        """Make the page of a campaign, see `experiments.pages.report.report`.

        `path`: where to write the page; by default it is only returned.
        """
        return view("report")(folder, path)


sys.modules[__name__].__class__ = _Room
