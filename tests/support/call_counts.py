"""How often functions are called with each instance, whoever calls them and in whatever thread."""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def counted_calls(*functions: Callable[..., Any]) -> Iterator[Counter[tuple[str, int]]]:
    """Calls within the block by name of function and identity of its first argument.

    A function that remembers its answers (`slotwise.core.values`) counts when it works.
    """
    names = {_code(function): function.__name__ for function in functions}
    calls: Counter[tuple[str, int]] = Counter()
    seen: list[Any] = []  # alive, so that no identity is used again

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code in names:
            first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
            seen.append(first)
            calls[names[code], id(first)] += 1

    before = sys.getprofile()
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield calls
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


def _code(function: Any) -> Any:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function.__code__
