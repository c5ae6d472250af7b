"""Improvement search for large instances over blocks of nodes (docs/improvement-search.md)."""

from .driver import can_search, improve_blocks, warm_up

__all__ = ["can_search", "improve_blocks", "warm_up"]
