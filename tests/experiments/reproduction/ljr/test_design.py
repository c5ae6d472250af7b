"""The studies of [LJR], and the errors of their runs."""

import numpy as np
import pandas as pd
import pytest
from ljr_runs import comparison, finished, frame_of

from slotwise.experiments.reproduction import ljr as design
from slotwise.experiments.study.study import joined


def planned(study):
    return sum(len(block.instances) * len(block.methods) for block in study.blocks)


def asked(study):
    """Instances and methods, as text."""
    return {repr(one) for b in study.blocks for one in (*b.instances, *b.methods)}


def test_the_studies_have_the_paper_s_numbers_of_runs():
    assert planned(design.calibration("full")) == 45_000
    assert planned(design.comparison("full")) == 15_000


@pytest.mark.slow
def test_the_calibration_and_the_comparison_share_the_runs_with_omega_0_7():
    both = joined("both", [design.calibration("full"), design.comparison("full")])
    assert len(both.runs) == 45_000 + 15_000 - 3 * 4 * 5 * 150


def test_quick_is_a_part_of_full_and_short():
    for study in (design.calibration, design.comparison):
        quick = study("quick")
        assert asked(quick) < asked(study("full"))
        assert planned(quick) == len(quick.runs)
        assert len(quick.units) == 3 * 3 * 2 * 4
    columns = quick.runs[0].instance.columns
    assert (columns["racks"], columns["block_scale"]) == ("as published", 1.19)
    assert quick.bounds == ("LB1 as printed", "LB2")


def test_the_error_is_against_the_greater_printed_bound():
    """Makespan 1 300; bounds 1 250 and 1 000, the best valid one 1 020: 4 % and 27.45 %."""
    frame = comparison(seeds=[0], jobs=[50]).iloc[:2].copy()
    frame["makespan"] = 1300.0
    frame["gap"] = 1300 / 1020 - 1
    frame.loc[0, "bound LB1 as printed"] = 1250.0
    seen = design.with_errors(frame)
    assert seen["error_percent"].tolist() == pytest.approx([4, 30])
    assert seen["gap_percent"].tolist() == pytest.approx([27.45] * 2, abs=0.01)
    assert seen["workload"].tolist() == ["50/0", "50/0"]


def test_failed_runs_have_no_errors():
    frame = finished(frame_of([("EFSS", 0.7)], [10], [50], [0]))
    frame.loc[0, "makespan"] = np.nan
    assert len(design.with_errors(frame)) == 3


def test_what_is_missing_is_told():
    quick = design.comparison("quick")  # 360 runs
    frame = pd.DataFrame({"makespan": [1.0] * 356 + [np.nan] * 2})
    assert design._missing(frame, quick) == [
        "2 of 360 runs failed and are left out.",
        "2 of 360 runs are missing.",
    ]
    whole = pd.DataFrame({"makespan": [1.0] * 360})
    assert design._missing(whole, quick) == []
