"""slotwise: exact models, valid bounds and published heuristics for scheduling batch work.

`__init__.pyi` is the one list of public names. Only the module of a name that is asked for is
imported: `import slotwise` alone costs nothing.
"""

from __future__ import annotations

from typing import Any

import lazy_loader

_load, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    return _load(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
