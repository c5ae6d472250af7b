"""Search on numbers of equal tasks, for slots of different speed.

`docs/heuristics/improvement-search.md` describes it.
"""

from .driver import can_search, improve_classes, warm_up

__all__ = ["can_search", "improve_classes", "warm_up"]
