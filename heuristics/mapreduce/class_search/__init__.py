"""Search on numbers of equal tasks, for slots of different speed.

`docs/heuristics/improvement-search.md` describes it.
"""

from .driver import Exchange, can_search, improve_classes, warm_up
from .worker import MANY_TASKS

__all__ = ["MANY_TASKS", "Exchange", "can_search", "improve_classes", "warm_up"]
