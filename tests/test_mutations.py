"""Whatever happens to a file or a command line: an answer, or one line of error."""

import os
from pathlib import Path

import pytest
import seed_files
from mutation_campaign import run_campaign


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Valid files of every kind, made in a process of their own: it leaves no threads here."""
    folder = tmp_path_factory.mktemp("seeds")
    child = os.fork()
    if not child:
        try:
            seed_files.make(folder)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert (folder / "jobs.csv").exists()
    return folder


def test_damaged_files_and_odd_options(seeds: Path, tmp_path: Path) -> None:
    found = run_campaign(range(500), seeds, tmp_path)
    assert not found.failures, "\n".join(found.failures)


@pytest.mark.slow
def test_many_damaged_files_and_odd_options(seeds: Path, tmp_path: Path) -> None:
    found = run_campaign(range(1000, 21_000), seeds, tmp_path, os.cpu_count() or 1)
    print(found.table())
    failures = found.failures
    assert not failures, f"{len(failures)} failures\n" + "\n".join(failures)
