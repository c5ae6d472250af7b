"""Campaigns in processes of their own that are killed at random moments and go on."""

import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from dask_cluster import DaskCluster, has_workers
from processes import in_group, until

MARK = "SLOTWISE_TEST_MARK"
"""A variable that all processes of a campaign inherit, however they are related."""

TOML = """\
name = "short runs"
seeds = {seeds}
time_limit = 20
[[instances]]
generator = "ljr"
jobs = 4
nodes = 3
sweep.map_slots = [2, 4]
[[methods]]
heuristic = ["EASS", "EFSS", "TBS"]
[[methods]]
function = "naps:naps"
sweep.seconds = [0.005, 0.01]
"""


@dataclass
class Campaign:
    """A campaign of short runs in a folder.

    Parameters
    ----------
    folder
        Where its files are; its results are in a folder below.
    seeds
        It has ten runs for each.
    """

    folder: Path
    seeds: int = 50
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file.write_text(TOML.format(seeds=self.seeds))

    @property
    def runs(self) -> int:
        """How many runs it has."""
        return 10 * self.seeds

    @property
    def file(self) -> Path:
        """What is to be run."""
        return self.folder / "short.toml"

    @property
    def results(self) -> Path:
        """The folder of the runs and the tables."""
        return self.folder / "results"

    def start(self, dask: str = "") -> subprocess.Popen:
        """Begin or go on, in a process group of its own."""
        words = ["campaign", self.file, "-o", self.results]
        words += ["--dask", dask] if dask else ["--workers", 2]
        return in_group(
            [sys.executable, "-m", "slotwise", *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {MARK: self.mark, "PYTHONPATH": str(Path(__file__).parent)},
        )

    def ended(self) -> Counter[str]:
        """How often each run is kept."""
        return Counter(kept_runs(self.results))

    def digests(self) -> dict[str, str]:
        """SHA-256 of the tables that must not differ."""
        return {
            name: hashlib.sha256((self.results / name).read_bytes()).hexdigest()
            for name in ("results.parquet", "results.csv")
        }

    def processes(self) -> list[int]:
        """Its processes that still do anything."""
        return marked(self.mark)

    def finish(self, dask: str = "") -> None:
        """Go on to the end."""
        process = self.start(dask)
        said, _ = process.communicate(timeout=600)
        assert process.returncode == 0, said


def kept_runs(folder: Path) -> list[str]:
    """The runs in a folder, in which a campaign may be writing."""
    try:
        with closing(sqlite3.connect(f"file:{folder}/runs.sqlite?mode=ro", uri=True)) as kept:
            return [run for (run,) in kept.execute("SELECT run FROM runs")]
    except sqlite3.OperationalError:  # it has not begun
        return []


def marked(mark: str) -> list[int]:
    """Living processes with the mark in their environment."""
    found, wanted = [], f"{MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            alive = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
            if alive and wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue  # it has ended meanwhile
    return found


def wait_for_runs(campaign: Campaign, process: subprocess.Popen, more: int) -> None:
    """Until so many runs more are kept, or the process has ended."""
    goal = campaign.ended().total() + more
    until(lambda: campaign.ended().total() >= goal or process.poll() is not None)


def random_moment(rng: random.Random, campaign: Campaign, process: subprocess.Popen) -> None:
    """Some moment of a session: one in five while it starts, the others between two runs."""
    if rng.random() < 0.2:
        time.sleep(rng.uniform(0.0, 3.0))
    else:
        wait_for_runs(campaign, process, rng.randint(1, max(2, campaign.runs // 25)))
        time.sleep(rng.uniform(0.0, 0.1))


def kill_group(process: subprocess.Popen) -> None:
    """As the kernel and the batch system do it, without a warning."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def kill(process: int) -> None:
    """SIGKILL, unless it has ended."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def killed_here(campaign: Campaign, kills: int, rng: random.Random) -> None:
    """Kill a campaign on this machine: its whole process group, and every third time its driver.

    After each kill what had ended is still there, and no process is left.
    """
    seen: set[str] = set()
    for number in range(kills):
        process = campaign.start()
        random_moment(rng, campaign, process)
        assert process.poll() is None, f"over before kill {number}: {process.communicate()[0]}"
        if number % 3 == 2:
            kill(process.pid)
            process.communicate()
        else:
            kill_group(process)
        until(lambda: not campaign.processes())
        now = campaign.ended()
        assert seen <= now.keys(), "runs are lost"
        seen = set(now)


class OnDask:
    """A campaign on a cluster of which a worker, the client or the scheduler is killed.

    Parameters
    ----------
    campaign
        The campaign.
    folder
        Where the cluster has its files.
    """

    def __init__(self, campaign: Campaign, folder: Path) -> None:
        self.campaign, self.folder = campaign, folder
        self.cluster: DaskCluster | None = None
        self.process: subprocess.Popen | None = None
        self.address = ""
        self.clusters = 0

    def session(self) -> subprocess.Popen:
        """The session under way or a new one, on the cluster that there is or a new one."""
        if self.cluster is None:
            self.clusters += 1
            folder = self.folder / str(self.clusters)
            folder.mkdir(parents=True)
            self.cluster = DaskCluster(folder)
            self.address = self.cluster.start_scheduler()
            self.cluster.start_workers(self.address)
            until(lambda: has_workers(self.address, 2))
        if self.process is None:
            self.process = self.campaign.start(self.address)
        return self.process

    def kill_worker(self, rng: random.Random) -> None:
        """One worker; the campaign goes on."""
        assert self.cluster is not None
        workers = self.cluster.workers()
        if workers:  # else a nanny is starting the next one
            kill(rng.choice(workers))

    def kill_client(self) -> None:
        """The driver, without a warning."""
        kill_group(self.session())
        self.process = None

    def kill_scheduler(self) -> None:
        """The scheduler: the campaign stops and says so."""
        process = self.session()
        assert self.cluster is not None
        kill(self.cluster.scheduler.pid)
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 1, said
        assert "lost the scheduler; what is finished is kept, run again to go on" in said, said
        self.process = None
        self.end_cluster()

    def end_cluster(self) -> None:
        """End the cluster, if there is one."""
        if self.cluster is not None:
            self.cluster.end()
            self.cluster = None

    def end(self) -> None:
        """End everything."""
        if self.process is not None:
            kill_group(self.process)
            self.process = None
        self.end_cluster()


def killed_on_dask(campaign: Campaign, folder: Path, kills: int, rng: random.Random) -> None:
    """Kill a worker, the client and the scheduler in turn, and go on each time."""
    run = OnDask(campaign, folder)
    seen: set[str] = set()
    try:
        for number in range(kills):
            process = run.session()
            random_moment(rng, campaign, process)
            assert process.poll() is None, f"over before kill {number}: {process.communicate()[0]}"
            if number % 3 == 0:
                run.kill_worker(rng)
            elif number % 3 == 1:
                run.kill_client()
            else:
                run.kill_scheduler()
            now = campaign.ended()
            assert seen <= now.keys(), "runs are lost"
            seen = set(now)
    finally:
        run.end()
