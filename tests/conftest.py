"""Shared fixtures, and how tests are shared out."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from browser import browser
from processes import end_groups

from slotwise.core.kernels.decorators import plain

hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

TRACES = Path(os.environ.get("SLOTWISE_TRACES", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def traces() -> Path:
    """Folder of public traces, outside the repository; set SLOTWISE_TRACES to point elsewhere."""
    if not TRACES.is_dir():
        pytest.skip(f"no public traces at {TRACES} (set SLOTWISE_TRACES)")
    return TRACES


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser without a network; the test is skipped if there is none."""
    with browser() as started:
        yield started


@pytest.fixture(scope="session", autouse=True)
def ctrl_c() -> None:
    """Where the caller ignores SIGINT, as of a background job, tests and children still heed it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_runtest_teardown() -> None:
    """No process that a test started outlives it, even if it fails."""
    end_groups()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Every worker reads all modules; what these work out meanwhile is small, and not compiled."""
    with plain():
        return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: more workers than cores, as many tests wait for a limit or for another process."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `-n`, give each worker a stretch of files, so that workers compile different kernels."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)
