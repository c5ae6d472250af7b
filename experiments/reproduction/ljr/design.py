"""The experiments of [LJR], section 5: instances, methods, relative errors of the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...study.instance_sources import called, drawn
from ...study.study import Block, InstanceSource, MethodCall, Study
from ..experiment import Size

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("EASS", "EFSS", "EFSS-L", "TBS", "TBS-L")
CALIBRATED = ("EASS", "EFSS", "TBS")
WITHOUT, WITH_POLICY = ("EFSS", "TBS"), ("EFSS-L", "TBS-L")
"""Methods that have a version with the improvement policy, and these."""

OMEGAS = (0.1, 0.3, 0.5, 0.7, 0.9)
OMEGA = 0.7
JOBS = (50, 100, 150, 200, 250)
NODES = (10, 15, 20, 25, 30)
SEEDS = range(30)
RATIOS = {2: "R1", 4: "R2", 6: "R3", 8: "R4"}
"""Name of the slot ratio by map slots of a node; reduce slots are 2."""

FACTORS = ("method", "ratio", "nodes", "jobs")
"""Of the comparison; the calibration has omega as well."""

RESPONSE = "error_percent"
"""Column of the relative error (%), against the greater of LB1 and LB2 as the paper prints them."""

WORKLOAD = "workload"
"""Column that names the jobs of a run: all clusters and methods meet the same."""

BOUNDS = ("LB1 as printed", "LB2")

PUBLISHED: dict[str, Any] = {"racks": "as published", "block_scale": 1.19}
"""Two settings that the text does not have and Table 2 needs: docs/reference/generator-ljr.md."""

AS_WRITTEN: dict[str, Any] = {"racks": 3, "block_scale": 1}
"""What the text has in their place."""

AS_WRITTEN_SEEDS = range(10)


@dataclass(frozen=True)
class _Levels:
    """Levels of the factors at a size."""

    seeds: Sequence[int]
    jobs: Sequence[int]
    nodes: Sequence[int]


def calibration(size: Size) -> Study:
    """Figure 3: three methods with five values of omega each."""
    methods = [called("heuristic", m, omega=omega) for m in CALIBRATED for omega in OMEGAS]
    blocks = [Block(_instances(_levels(size, NODES)), methods)]
    return Study("ljr-calibration", blocks, BOUNDS)


def comparison(size: Size) -> Study:
    """Tables 2 and 3, Figures 4 and 5: five methods with omega 0.7."""
    blocks = [Block(_instances(_levels(size, NODES)), _methods())]
    return Study("ljr-comparison", blocks, BOUNDS)


def comparison_and_text(size: Size) -> Study:
    """Table 2, in full with 250 jobs as the text alone describes them beside."""
    study = comparison(size)
    if size == "quick":
        return study
    levels = _Levels(AS_WRITTEN_SEEDS, JOBS[-1:], NODES)
    beside = Block(_instances(levels, AS_WRITTEN), _methods())
    return Study("ljr-table-2", [*study.blocks, beside], BOUNDS)


def with_errors(frame: pd.DataFrame, settings: dict[str, Any] = PUBLISHED) -> pd.DataFrame:
    """The runs that ended with a schedule, with their relative errors.

    `frame`: runs of one of the studies above; some may be missing or failed.
    `settings`: only runs of instances with these are taken.
    Returns the frame with the columns `error_percent`, `gap_percent` (against the best valid
    bound), `ratio` and `workload`.
    """
    kept = frame["makespan"].notna()
    racks = frame["racks"].astype(str).str.strip('"')  # text and numbers in one column are JSON
    kept &= racks == str(settings["racks"])
    kept &= frame["block_scale"] == settings["block_scale"]
    runs = frame[kept].copy()
    bound = runs[[f"bound {name}" for name in BOUNDS]].max(axis=1)
    runs[RESPONSE] = 100 * (runs["makespan"] / bound - 1)
    runs["gap_percent"] = 100 * runs["gap"]
    runs["ratio"] = runs["map_slots"].map(RATIOS)
    runs["omega"] = runs["omega"].round(6)
    runs[WORKLOAD] = runs["jobs"].astype(str) + "/" + runs["seed"].astype(str)
    return runs


def missing_note(frame: pd.DataFrame, study: Study) -> list[str]:
    """What to say if runs are missing or have failed.

    Returns sentences, none if all is well.
    """
    expected = sum(len(block.instances) * len(block.methods) for block in study.blocks)
    failed, missing = int(frame["makespan"].isna().sum()), expected - len(frame)
    said = []
    if failed:
        said.append(f"{failed} of {expected} runs failed and are left out.")
    if missing > 0:
        said.append(f"{missing} of {expected} runs are missing.")
    return said


def _levels(size: Size, nodes: Sequence[int]) -> _Levels:
    if size == "quick":
        return _Levels(SEEDS[:3], (JOBS[0], JOBS[-1]), nodes[::2])
    return _Levels(SEEDS, JOBS, nodes)


def _instances(levels: _Levels, settings: dict[str, Any] = PUBLISHED) -> list[InstanceSource]:
    sweep = {"jobs": levels.jobs, "nodes": levels.nodes, "map_slots": tuple(RATIOS)}
    return drawn("ljr", levels.seeds, sweep=sweep, **settings)


def _methods() -> list[MethodCall]:
    return [called("heuristic", name, omega=OMEGA) for name in METHODS]
