"""Whatever happens to a file or a command line: an answer, or one line of error."""

import json
import os
import subprocess
import sys
from pathlib import Path

import mutation_campaign
import pytest


def failures(cases: range, folder: Path, workers: int = 1) -> list[str]:
    """Of a campaign in a process of its own: it forks, which no process with threads survives."""
    numbers = map(str, (cases.start, cases.stop, workers))
    command = [sys.executable, mutation_campaign.__file__, *numbers, str(folder)]
    path = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, env=path)
    return json.loads((folder / "failures.json").read_text())


def test_damaged_files_and_odd_options(tmp_path: Path) -> None:
    assert failures(range(300), tmp_path) == []


@pytest.mark.slow
def test_many_damaged_files_and_odd_options(tmp_path: Path) -> None:
    found = failures(range(1000, 21_000), tmp_path, os.cpu_count() or 1)
    assert not found, f"{len(found)} failures\n" + "\n".join(found)
