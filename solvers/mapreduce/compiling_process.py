"""Compile what a search needs on two cores; run as a program, compile the improvement search.

It is compiled into the cache by a process of its own, the heuristics by the calling one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from ...heuristics.mapreduce.warm_up import is_compiled, runs_plain, warm_up
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.parts import SPEED_FACTORS
from ..backends.child_processes import die_with_parent, start


def compile_on_two_cores(instance: Instance, first: Callable[[], None]) -> None:
    """Compile heuristics and improvement search, unless that was done or some run uncompiled.

    `first`: run before the heuristics are compiled, while the search is.
    """
    if runs_plain(instance) or is_compiled():
        return
    other = start(__name__, sorted(instance.parts))
    first()
    warm_up(instance.parts)
    other.wait()


if __name__ == "__main__":
    die_with_parent()
    from ...heuristics.mapreduce import block_search, class_search

    (class_search if SPEED_FACTORS in sys.argv else block_search).warm_up()
