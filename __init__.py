"""slotwise: exact models, valid bounds and published heuristics for scheduling batch work."""

from .instances.errors import InputError, InputWarning

__all__ = ["InputError", "InputWarning"]
