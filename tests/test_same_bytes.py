"""The same seed gives the same result, whatever the order in which Python hashes words."""

import os
import re
import subprocess
import sys
from pathlib import Path

import seed_files
from processes import in_group

from slotwise.heuristics.mapreduce import HEURISTICS

PROGRAM = """
import sys
from slotwise.commands.app import run
for line in sys.stdin:
    print("$", line, end="", flush=True)
    print(run(line.split()), flush=True)
"""
TREE = "--capacity cpu=200,memory=400"
LINES = [
    "generate ljr --jobs 3 --seed 1 -o -",
    "generate hmhs --jobs 3 --seed 1 --map-machines 2 --reduce-machines 2 -o -",
    "generate smso --jobs 3 --seed 1 --nodes 3 -o -",
    "generate lotes --seed 1 --classes 3 --configurations 3 -o -",
    "generate mch --seed 1 --nodes 30 --limited 0.5 -o -",
    *(f"heuristic {entry.name} plain.json --json" for entry in HEURISTICS if " " not in entry.name),
    "solve plain.json --threads 1 --json",
    "bounds plain.json --json",
    "bounds security.json --json",
    "fair hierarchy.json --json",
    "fair hierarchy.json --why eng/dev",
    "fair hierarchy.json --export yarn",
    "guide datacenter.json --json",
    "simulate datacenter.json --jobs 2000 --policy lotes --json",
    f"import yarn fair.xml {TREE} -o -",
    f"import yarn-capacity capacity.xml {TREE} -o -",
    "import kueue kueue.yaml -o -",
    "import rumen trace.json -o -",
    "import swim swim.tsv --nodes 4 -o -",
    "import openb nodes.csv pods.csv -o -",
    "import google tasks.csv --machines machines.csv -o -",
]


def test_two_orders(tmp_path: Path) -> None:
    one, two = both(tmp_path, LINES)
    assert one == two


def both(folder: Path, lines: list[str]) -> list[str]:
    """What two processes at once, which hash differently, say to these command lines."""
    seed_files.make(folder)
    (folder / "lines").write_text("".join(f"{line}\n" for line in lines))
    running = []
    for seed in "12":
        with (folder / "lines").open() as stream:
            process = in_group(
                [sys.executable, "-c", PROGRAM],
                stdin=stream,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                cwd=folder,
                env=os.environ | {"PYTHONHASHSEED": seed},
            )
        running.append(process)
    said = [timeless(process.communicate(timeout=600)[0]) for process in running]
    assert [text.count("\n0\n") for text in said] == [len(lines)] * 2
    return said


def timeless(said: str) -> str:
    """Without how long things took."""
    return re.sub(r'"(seconds|events_per_second)": [^,}]+', "", said)
