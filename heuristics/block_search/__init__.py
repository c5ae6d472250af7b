"""Improvement search for large instances over blocks of nodes: `docs/improvement-search.md`."""

from .driver import fits, improve_blocks, warm_up

__all__ = ["fits", "improve_blocks", "warm_up"]
