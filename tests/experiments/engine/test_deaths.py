"""What must come of runs whose process dies, on both backends, with real processes.

The Dask cluster here is a scheduler and two workers, each a process of its own.
"""

import importlib
import os
import random
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("distributed")

import poison
from dask_cluster import DaskCluster, dask_cluster
from kill_loops import Campaign, kill, killed_here, killed_on_dask, wait_for_runs
from processes import descendants, hard, until
from studies import run_here

import slotwise
from slotwise.experiments.engine.campaign import Options, run_study
from slotwise.experiments.study.study import Study, joined
from slotwise.experiments.study.study_file import make_study

pytestmark = pytest.mark.slow

GRACE = 5.0
"""Seconds that a run gets beyond one and a half times its time limit."""


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder whose modules are found here and on the workers."""
    folder = tmp_path_factory.mktemp("modules")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder


@pytest.fixture(scope="module")
def cluster(
    tmp_path_factory: pytest.TempPathFactory, modules: Path
) -> Iterator[tuple[DaskCluster, str]]:
    """A scheduler with two workers."""
    with dask_cluster(tmp_path_factory.mktemp("cluster"), modules) as found:
        yield found


@pytest.fixture(params=["here", "dask"])
def place(request: pytest.FixtureRequest) -> Options:
    """This machine, or the cluster."""
    if request.param == "here":
        return Options(workers=2, grace=GRACE)
    _, address = request.getfixturevalue("cluster")
    return Options(dask=address, grace=GRACE)


def own(modules: Path, text: str, seeds: int = 2, **settings: object) -> Study:
    """Small instances under a function `rule`, and heuristics before and after it."""
    name = f"own_{uuid.uuid4().hex}"
    (modules / f"{name}.py").write_text(text)
    importlib.invalidate_caches()
    return around([{"function": f"{name}:rule", "time_limit": 1} | settings], seeds)


def around(functions: list[dict[str, object]], seeds: int = 2) -> Study:
    """Functions between two heuristics."""
    tables = {
        "seeds": seeds,
        "instances": [{"generator": "ljr", "jobs": 4, "nodes": 3}],
        "methods": [{"heuristic": "EFSS"}, *functions, {"heuristic": "TBS"}],
    }
    return make_study(tables)


def table(study: Study, folder: Path, options: Options) -> pd.DataFrame:
    """What a campaign comes to."""
    ended = run_study(study, folder, options)
    assert ended.how == "finished"
    return pd.read_csv(folder / "results.csv", keep_default_na=False)


@pytest.fixture(scope="module")
def poisoned(
    tmp_path_factory: pytest.TempPathFactory, cluster: tuple[DaskCluster, str]
) -> dict[str, Path]:
    """What a campaign with every function of `poison` left, by where it ran."""
    folder = tmp_path_factory.mktemp("poisoned")
    functions = [{"function": f"poison:{name}", "time_limit": 1} for name in poison.STATUS]
    study = joined("p", [around(functions, 1), around([], 6)])
    places = {
        "here": Options(workers=2, grace=GRACE),
        "dask": Options(dask=cluster[1], grace=GRACE),
    }
    for name, options in places.items():
        table(study, folder / name, options)
    return {name: folder / name for name in places}


@pytest.mark.parametrize("name", ["here", "dask"])
def test_exactly_the_poisoned_runs_fail(poisoned: dict[str, Path], name: str) -> None:
    shown = slotwise.read_runs(poisoned[name])
    functions = shown[shown["kind"] == "function"]
    functions = functions.set_index(functions["method"].str.removeprefix("poison:"))
    assert functions["status"].to_dict() == poison.STATUS
    instance, makespan = functions.loc["works", ["instance", "makespan"]]
    assert functions["error"].to_dict() == {
        "works": "",
        "raises": f"RuntimeError: poisoned by {instance}",
        "kills": "worker died",
        "reads": "worker died",
        "hangs": "worker died",
        "lies": f"the schedule breaks the rules: makespan is {makespan:.12g}, "
        f"the schedule says {makespan / 2:.12g}",
        "leaves": f"SystemExit: no more of {instance}",
        "leaves_at_once": "worker died",
    }
    innocent = shown[shown["kind"] == "heuristic"]
    expected = run_here(around([], 6)).set_index("run")
    assert innocent["status"].tolist() == ["feasible"] * 12
    assert (
        innocent.set_index("run")["makespan"].to_dict()
        == expected.loc[innocent["run"], "makespan"].to_dict()
    )


@pytest.mark.parametrize("file", ["results.csv", "results.parquet"])
def test_both_places_make_the_same_tables(poisoned: dict[str, Path], file: str) -> None:
    here, dask = (poisoned[name] / file for name in ("here", "dask"))
    assert here.read_bytes() == dask.read_bytes()


WAITS = """\
import os, time
import slotwise

def rule(instance, log):
    with open(log, "a") as stream:
        stream.write(f"{os.getpid()}\\n")
    time.sleep(1.5)
    return slotwise.heuristic(instance, "EFSS").schedule
"""


@pytest.mark.parametrize("deaths", [2, 3])
def test_who_is_in_doubt_twice_gets_a_last_try(tmp_path: Path, modules: Path, deaths: int) -> None:
    """Dask gives a task up at the first death here, as administrators may set it."""
    log = tmp_path / "log"
    log.touch()
    study = own(modules, WAITS, seeds=1, log=str(log), time_limit=20)
    at_first = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with dask_cluster(tmp_path / "c", modules, **at_first) as (cluster, address):

        def kill_workers() -> None:
            for death in range(deaths):
                until(lambda death=death: len(log.read_text().split()) > death)
                running = int(log.read_text().split()[death])
                for worker in cluster.workers():
                    if worker == running or running in descendants(worker):
                        kill(worker)

        killer = threading.Thread(target=kill_workers)
        killer.start()
        shown = table(study, tmp_path / "r", Options(dask=address))
        killer.join()
    assert shown["method"].tolist()[::2] == ["EFSS", "TBS"]
    status, error = ("feasible", "") if deaths == 2 else ("crashed", "worker died")
    assert shown["status"].tolist() == ["feasible", status, "feasible"]
    assert shown["error"].tolist() == ["", error, ""]


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the tables of an unkilled campaign are."""
    campaign = Campaign(tmp_path_factory.mktemp("unkilled"))
    campaign.finish()
    return campaign.digests()


def check_same(campaign: Campaign, unkilled: dict[str, str]) -> None:
    """Each run is there once, the tables are those of the unkilled campaign, nothing is left."""
    ended = campaign.ended()
    assert (len(ended), ended.total()) == (campaign.runs, campaign.runs)
    assert campaign.digests() == unkilled
    until(lambda: not campaign.processes())


def test_twenty_kills_here(tmp_path: Path, unkilled: dict[str, str]) -> None:
    campaign = Campaign(tmp_path)
    killed_here(campaign, 20, random.Random(1))
    campaign.finish()
    check_same(campaign, unkilled)


def test_twenty_kills_on_dask(tmp_path: Path, unkilled: dict[str, str]) -> None:
    campaign = Campaign(tmp_path / "campaign")
    killed_on_dask(campaign, tmp_path / "cluster", 20, random.Random(1))
    campaign.finish()
    check_same(campaign, unkilled)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_campaign_on_dask(
    tmp_path: Path,
    cluster: tuple[DaskCluster, str],
    unkilled: dict[str, str],
    number: signal.Signals,
) -> None:
    there, address = cluster
    before = set(there.workers())
    campaign = Campaign(tmp_path)
    process = campaign.start(address)
    wait_for_runs(campaign, process, 20)
    process.send_signal(number)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert not campaign.processes()
    ended = len(campaign.ended())
    assert 20 <= ended < campaign.runs
    assert len(pd.read_csv(campaign.results / "results.csv")) == ended
    assert set(there.workers()) == before
    campaign.finish(address)
    check_same(campaign, unkilled)


def test_solve_keeps_to_its_threads(tmp_path: Path, place: Options) -> None:
    """Of the threads of a worker and its children at most one more than asked for has work."""
    slotwise.write(hard(), tmp_path / "one.json")
    tables = {
        "instances": [{"files": "one.json"}],
        "methods": [{"solve": True, "time_limit": 8}],
    }
    study = make_study(tables, tmp_path)
    seen: list[int] = []

    def watch() -> None:
        until(lambda: busy_threads(1.0))
        seen.extend(busy_threads(1.0) for _ in range(3))

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert run_study(study, tmp_path / "r", place).complete
    watcher.join()
    assert 1 <= max(seen) <= 2, seen


def busy_threads(seconds: float) -> int:
    """Threads of workers and their children that compute for a fifth of the time or more."""
    before = cpu_seconds()
    time.sleep(seconds)
    used = [now - before.get(thread, now) for thread, now in cpu_seconds().items()]
    return sum(one >= seconds / 5 for one in used)


def cpu_seconds() -> dict[str, float]:
    """Processor time of each thread of the processes that this one started, but those of Dask."""
    found = {}
    for process, line in descendants(os.getpid()).items():
        if "dask_scheduler" not in line and "dask_worker" not in line:
            for thread in Path(f"/proc/{process}/task").glob("*"):
                with suppress(OSError):
                    fields = (thread / "stat").read_text().rsplit(")", 1)[1].split()
                    ticks = int(fields[11]) + int(fields[12])
                    found[str(thread)] = ticks / os.sysconf("SC_CLK_TCK")
    return found
