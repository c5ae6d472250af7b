"""Where a process of the command line begins: signals are answered before anything is loaded."""

from __future__ import annotations

import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; exit with 0, 1 (the answer is no), 2 (bad input or usage) or 130."""
    try:
        from .commands import interrupts

        interrupts.listen()
        from .commands.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        os.write(2, b"slotwise: interrupted\n")
        os._exit(130)
    interrupts.leave(code)
