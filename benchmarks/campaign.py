"""What a campaign costs beside its methods: `python benchmarks/campaign.py [--runs 45000]`.

Prints Markdown tables. First the store: processor seconds of the driver to keep results one by one
in the store, to export the four tables, and to read the folder again. Then runs: processor
milliseconds of a run of LJR's calibration by number of jobs, of which the heuristic alone, in one
process with the checker on, and what all 51 000 runs of Table 2 and the calibration come to. With
`--workers N` also runs per second through a folder, workers started and compiled before.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from slotwise.experiments.engine.campaign import Options, State, run_study
from slotwise.experiments.engine.export import export, read_runs
from slotwise.experiments.engine.perform import perform
from slotwise.experiments.engine.record import Record
from slotwise.experiments.engine.store import NAME, Store, records_in
from slotwise.experiments.study.instance_sources import called, drawn
from slotwise.experiments.study.study import Block, InstanceSource, MethodCall, Run, Study

JOBS = (50, 100, 150, 200, 250)
NODES = (10, 15, 20, 25, 30)
SLOTS = (2, 4, 6, 8)
OMEGAS = (0.1, 0.3, 0.5, 0.7, 0.9)
ALL_RUNS = 51_000


def main() -> None:
    parser = argparse.ArgumentParser(description="What a campaign costs beside its methods.")
    parser.add_argument("--runs", type=int, default=45_000)
    parser.add_argument("--workers", type=int, default=0)
    arguments = parser.parse_args()
    store(arguments.runs)
    runs()
    if arguments.workers:
        through_a_folder(arguments.workers)


def calibration(seeds: int, nodes: Sequence[int] = NODES, jobs: Sequence[int] = JOBS) -> Study:
    """LJR's calibration: 1 500 runs for each seed."""
    return Study("calibration", [Block(instances(seeds, nodes, jobs), methods())])


def instances(seeds: int, nodes: Sequence[int], jobs: Sequence[int]) -> list[InstanceSource]:
    sweep = {"jobs": jobs, "nodes": nodes, "map_slots": SLOTS}
    return drawn("ljr", range(seeds), sweep=sweep, racks="as published", block_scale=1.19)


def methods() -> list[MethodCall]:
    names = ("EASS", "EFSS", "TBS")
    return [called("heuristic", name, omega=omega) for name in names for omega in OMEGAS]


def store(count: int) -> None:
    study = calibration(-(-count // 1500))
    records = [made_up(run) for run in study.runs[:count]]
    print(f"| {len(records)} results | CPU s | wall s |\n|---|--:|--:|")
    with TemporaryDirectory() as name:
        folder, kept = Path(name), {}
        began = clocks()
        with Store(folder) as runs:
            for record in records:
                kept[record.run] = runs.add(record)
        tell("store", began)
        # The first export imports pandas and pyarrow, which is no part of what it costs.
        export(study, {}, folder)
        began = clocks()
        export(study, kept, folder)
        tell("export of the four tables", began)
        began = clocks()
        records_in(folder)
        tell("reading the store, to go on", began)
        began = clocks()
        read_runs(folder)
        tell("slotwise.read_runs", began)
        size = (folder / NAME).stat().st_size
    print(f"\n{size / len(records):.0f} bytes a result in the store.\n")


def made_up(run: Run) -> Record:
    """A record as large as a true one."""
    bound = 5000 + run.order / 7
    return Record(
        run.id, run.order, f"ljr-{run.order}", run.method.name, dict(run.method.parameters),
        "feasible", bound * 1.03, bound, 0.03, seconds=1 / 300, cpu_seconds=1 / 301,
        host="host", pid=12345,
    )  # fmt: skip


def runs() -> None:
    print("| jobs | CPU ms a run | of which the heuristic | EASS | EFSS | TBS |")
    print("|--:|--:|--:|--:|--:|--:|")
    list(perform(calibration(1).units[0]))  # compiles
    means = []
    for jobs in JOBS:
        units = calibration(1, (10, 20, 30), (jobs,)).units
        began = time.process_time()
        records = [record for unit in units for record in perform(unit)]
        means.append((time.process_time() - began) / len(records))
        alone = [mean_cpu(records, name) for name in ("", "EASS", "EFSS", "TBS")]
        cells = (f"{1000 * value:.1f}" for value in (means[-1], *alone))
        print(f"| {jobs} | {' | '.join(cells)} |")
    total = ALL_RUNS * sum(means) / len(means)
    print(f"\nAll {ALL_RUNS} runs: {total / 60:.1f} CPU minutes.\n")


def mean_cpu(records: Sequence[Record], method: str) -> float:
    """Mean processor time (s) of a method's runs, of all for the empty name."""
    times = [record.cpu_seconds for record in records if method in ("", record.method)]
    return sum(times) / len(times)


def through_a_folder(workers: int) -> None:
    seen: list[tuple[float, State]] = []
    with TemporaryDirectory() as name:
        options = Options(
            workers=workers, on_progress=lambda state: seen.append((time.monotonic(), state))
        )
        run_study(calibration(1), Path(name), options)
    (first, begun), (last, ended) = seen[0], seen[-1]
    rate = (ended.fresh - begun.fresh) / (last - first)
    print(f"{rate:.0f} runs per second by {workers} workers, once they have started.")


def clocks() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def tell(what: str, began: tuple[float, float]) -> None:
    cpu, wall = (now - then for now, then in zip(clocks(), began, strict=True))
    print(f"| {what} | {cpu:.2f} | {wall:.2f} |")


if __name__ == "__main__":
    main()
