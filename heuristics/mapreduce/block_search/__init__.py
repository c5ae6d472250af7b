"""Search over blocks of nodes for large instances: docs/heuristics/improvement-search.md."""

from .driver import can_search, improve_blocks, is_compiled, warm_up

__all__ = ["can_search", "improve_blocks", "is_compiled", "warm_up"]
