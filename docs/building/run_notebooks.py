"""Run the notebooks that the site offers: `python docs/building/run_notebooks.py [PAGE…]`.

Each runs as Jupyter would run it, in an empty folder of its own, several at a time. Exits with 1
and names the notebooks that fail.
"""

from __future__ import annotations

import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbclient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from building.notebooks import is_run, notebook

DOCS = Path(__file__).parents[1]
LONGEST, AT_ONCE = 900, 2
"""Seconds of a cell, and notebooks that run at a time: most of them use all cores now and then."""


def pages() -> list[str]:
    """The pages that can be downloaded as notebooks."""
    names = sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))
    return [name for name in names if is_run(name, (DOCS / f"{name}.md").read_text("utf-8"))]


def failure(name: str) -> str:
    """Why the notebook of a page does not run; empty if it does."""
    made = notebook(name, (DOCS / f"{name}.md").read_text("utf-8"))
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        client = nbclient.NotebookClient(
            made, timeout=LONGEST, resources={"metadata": {"path": folder}}
        )
        try:
            client.execute()
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            return f"{name}: {error}"
    print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)
    return ""


def main(names: list[str]) -> int:
    """Run the notebooks of these pages, by default of all; the exit code."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        failures = [found for found in pool.map(failure, names or pages()) if found]
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
