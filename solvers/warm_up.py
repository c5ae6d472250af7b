"""Compile the improvement search into the cache: `python -m slotwise.solvers.warm_up`.

In a process of its own it uses a second core while the heuristics are compiled.
"""

from __future__ import annotations

import subprocess
import sys

from ..heuristics import block_search


def start() -> subprocess.Popen[bytes]:
    """Start compiling; the caller may wait for the process, and need not."""
    return subprocess.Popen(
        [sys.executable, "-m", __name__], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


if __name__ == "__main__":
    block_search.warm_up()
