"""Search on numbers of equal tasks, for slots of different speed.

`docs/heuristics/improvement-search.md` describes it.
"""

from .driver import Exchange, can_search, improve_classes, warm_up

__all__ = ["Exchange", "can_search", "improve_classes", "warm_up"]
