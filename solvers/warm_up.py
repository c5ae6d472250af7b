"""Compile the improvement search into the cache: `python -m slotwise.solvers.warm_up`.

In a process of its own it uses a second core while the heuristics are compiled.
"""

from __future__ import annotations

import subprocess

from .backends.child_processes import die_with_parent
from .backends.child_processes import start as start_module


def start() -> subprocess.Popen[bytes]:
    """Start compiling; the caller waits for the process, which ends if the caller does."""
    return start_module(__name__)


if __name__ == "__main__":
    die_with_parent()
    from ..heuristics import block_search

    block_search.warm_up()
