"""Whatever happens to a file or a command line: an answer, or one line of error."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import seed_files
from mutation_campaign import failures


@pytest.fixture
def seeds(tmp_path: Path) -> Path:
    folder = tmp_path / "seeds"
    folder.mkdir()
    seed_files.make(folder)
    return folder


def test_damaged_files_and_odd_options(seeds: Path, tmp_path: Path) -> None:
    assert failures(range(300), seeds, tmp_path / "cases") == []


@pytest.mark.slow
def test_many_damaged_files_and_odd_options(seeds: Path, tmp_path: Path) -> None:
    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        parts = pool.map(
            lambda k: failures(range(1000 + k, 21_000, workers), seeds, tmp_path / str(k)),
            range(workers),
        )
    assert not [line for part in parts for line in part]
