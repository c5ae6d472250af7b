"""A Dask cluster of processes on this machine: a real scheduler and real workers."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from processes import descendants, until


@dataclass
class DaskCluster:
    """A scheduler, and workers that a nanny starts again when they die.

    Parameters
    ----------
    folder
        Where they keep their files and logs; not where the tests have theirs.
    settings
        Variables of the environment of all its processes.
    modules
        A folder with modules that its workers find, beside those of `tests/support`.
    """

    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    modules: Path | None = None
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start_scheduler(self, port: int = 0) -> str:
        """Start a scheduler and give its address; port 0 is any free one."""
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)
        self._start(
            "scheduler", "--host", "tcp://127.0.0.1", "--port", port, "--scheduler-file", file
        )
        until(file.exists)
        until(lambda: file.read_text().endswith("}"))
        return str(json.loads(file.read_text())["address"])

    def start_workers(self, address: str, count: int = 2, threads: int = 1) -> subprocess.Popen:
        """Start workers; `has_workers` says when they are there."""
        return self._start(
            "worker", address, "--nworkers", count, "--nthreads", threads,
            "--host", "127.0.0.1", "--local-directory", self.folder, "--death-timeout", 60,
        )  # fmt: skip

    @property
    def scheduler(self) -> subprocess.Popen:
        """The process of the scheduler."""
        return self.processes[0]

    def workers(self) -> list[int]:
        """The processes that carry out units."""
        return [
            process
            for nanny in self.processes[1:]
            for process, line in descendants(nanny.pid).items()
            if "spawn_main" in line
        ]

    def end(self) -> None:
        """End all processes."""
        left = set()
        for process in self.processes:
            left |= {process.pid, *descendants(process.pid)}
        for process in left:
            try:
                os.kill(process, 9)
            except ProcessLookupError:
                continue
        for process in self.processes:
            process.wait()

    def _start(self, program: str, *words: object) -> subprocess.Popen:
        module = f"distributed.cli.dask_{program}"
        paths = os.pathsep.join(map(str, [Path(__file__).parent, self.modules or self.folder]))
        log = open(self.folder / f"{program}-{len(self.processes)}.log", "wb")  # noqa: SIM115
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", module, "--no-dashboard", *map(str, words)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=os.environ | self.settings | {"PYTHONPATH": paths},
            )
        self.processes.append(process)
        return process


@contextmanager
def dask_cluster(
    folder: Path, modules: Path | None = None, **settings: str
) -> Iterator[tuple[DaskCluster, str]]:
    """A cluster of two workers with its address; it ends with this context."""
    folder.mkdir(exist_ok=True)
    cluster = DaskCluster(folder, settings, modules)
    try:
        address = cluster.start_scheduler()
        cluster.start_workers(address)
        until(lambda: has_workers(address, 2))
        yield cluster, address
    finally:
        cluster.end()


def has_workers(address: str, count: int) -> bool:
    """Whether as many workers have come."""
    from distributed import Client  # late: `kill_loops` is also for tests that need none

    with Client(address, set_as_default=False) as client:
        return len(client.nthreads()) >= count
