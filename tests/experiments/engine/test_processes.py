"""Campaigns in processes of their own: killed, ended, and with runs that kill their workers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kill_loops import kept_runs
from processes import descendants, in_group, is_alive, until
from studies import Here, own_function, small_study, tables

import slotwise
from slotwise.experiments.engine.campaign import Options, run_study
from slotwise.experiments.engine.processes import LocalBackend
from slotwise.experiments.study.study import Study

DRIVER = """
import signal, sys
from pathlib import Path
def end(number, frame):
    raise KeyboardInterrupt
signal.signal(signal.SIGTERM, end)
from slotwise.experiments.engine.campaign import Options, run_study
from studies import small_study, own_function
folder = Path(sys.argv[1])
study = small_study(6, [own_function(folder, sys.argv[2])])
ended = run_study(study, folder / "runs", Options(workers=2))
sys.exit(130 if ended.interrupted else 0)
"""
SLOW = "time.sleep(0.3)\nreturn slotwise.heuristic(instance, 'EFSS').schedule"


def study_of(folder: Path) -> Study:
    return small_study(6, [own_function(folder, SLOW)])


def start(folder: Path) -> subprocess.Popen:
    """The driver, as in the background: Ctrl-C is ignored."""
    paths = os.pathsep.join([str(Path(__file__).parents[2] / "support"), *sys.path])
    return in_group(
        [sys.executable, "-c", DRIVER, str(folder), SLOW],
        env=os.environ | {"PYTHONPATH": paths},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )


def kept(folder: Path) -> int:
    return len(kept_runs(folder / "runs"))


def test_sigterm_and_kills_lose_nothing(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    run_study(study_of(tmp_path), whole, Options(backend=Here))

    driver = start(tmp_path)
    until(lambda: kept(tmp_path) >= 2)
    workers = descendants(driver.pid)
    assert len([line for line in workers.values() if "engine.worker" in line]) >= 2
    driver.send_signal(signal.SIGTERM)
    assert driver.wait(60) == 130
    until(lambda: not any(is_alive(worker) for worker in workers))
    ended = kept(tmp_path)
    assert len(slotwise.read_runs(tmp_path / "runs")) == ended < 12

    driver = start(tmp_path)
    until(lambda: kept(tmp_path) >= ended + 2)
    workers = descendants(driver.pid)
    driver.kill()  # alone: its workers have to notice
    driver.wait()
    until(lambda: not any(is_alive(worker) for worker in workers))

    assert run_study(study_of(tmp_path), tmp_path / "runs", Options(backend=Here)).complete
    assert kept(tmp_path) == 12
    assert tables(tmp_path / "runs") == tables(whole)


@pytest.mark.slow
def test_a_worker_that_dies_or_hangs_fails_its_own_run_only(tmp_path: Path) -> None:
    body = (
        "if instance.name.endswith('2x3-2to2-seed0'): os.kill(os.getpid(), signal.SIGKILL)\n"
        "if instance.name.endswith('3x3-2to2-seed1'): os.fork(); time.sleep(1000)\n"
        "if instance.name.endswith('seed2'): os.fork()\n"
        "return slotwise.heuristic(instance, 'EFSS').schedule"
    )
    methods = [own_function(tmp_path, body, time_limit=0.2)]
    study = small_study(3, methods)
    backend = LocalBackend(2, grace=1.0)
    ended = run_study(study, tmp_path / "runs", Options(backend=lambda: backend))
    assert (ended.state.ended, ended.state.failed) == (6, 2)
    shown = slotwise.read_runs(tmp_path / "runs").set_index(["jobs", "seed"])
    assert shown["status"].to_dict() == {
        (jobs, seed): "crashed" if (jobs, seed) in ((2, 0), (3, 1)) else "feasible"
        for jobs in (2, 3)
        for seed in range(3)
    }
    assert set(shown.loc[shown["status"] == "crashed", "error"]) == {"worker died"}


def test_a_run_tells_how_its_process_ended(tmp_path: Path) -> None:
    # Its children live on, with all that they inherited.
    body = (
        "import subprocess\n"
        f"children = [subprocess.Popen(['sleep', '1000']).pid, os.fork() or time.sleep(1000)]\n"
        f"open({str(tmp_path / 'children')!r}, 'w').write(' '.join(map(str, children)))\n"
        "print('on its way')\nos.kill(os.getpid(), signal.SIGSEGV)"
    )
    backend = LocalBackend(1)
    (record,) = backend.records(small_study(1, [own_function(tmp_path, body)]).units[:1])
    backend.close()
    assert (record.status, record.error) == ("crashed", "worker died")
    assert record.traceback.startswith("ended by SIGSEGV\n")
    assert "mine.py" in record.traceback  # where it was
    children = [int(child) for child in (tmp_path / "children").read_text().split()]
    until(lambda: not any(is_alive(child) for child in children))


@pytest.mark.slow
def test_the_libraries_of_a_worker_have_no_more_threads_than_its_runs(tmp_path: Path) -> None:
    body = "raise ValueError([os.environ[f'{name}_NUM_THREADS'] for name in ('OMP', 'NUMBA')])"
    study = small_study(1, [own_function(tmp_path, body)])
    backend = LocalBackend(2, threads=1)
    run_study(study, tmp_path / "runs", Options(backend=lambda: backend))
    assert set(slotwise.read_runs(tmp_path / "runs")["error"]) == {"ValueError: ['1', '1']"}
