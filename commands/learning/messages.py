"""What is being done, in a line on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def said_on_a_terminal(*, hidden: bool) -> Iterator[Callable[[str], None]]:
    """Within it, what is said stands in one line of a terminal's stderr, and is gone at the end."""
    if hidden or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("") as status:
        yield lambda text: status.update(escape(text))
