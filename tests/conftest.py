"""Shared fixtures."""

import os
from pathlib import Path

import pytest

TRACES = Path(os.environ.get("SLOTWISE_TRACES", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def traces() -> Path:
    """Folder of public traces, outside the repository; set SLOTWISE_TRACES to point elsewhere."""
    if not TRACES.is_dir():
        pytest.skip(f"no public traces at {TRACES} (set SLOTWISE_TRACES)")
    return TRACES
