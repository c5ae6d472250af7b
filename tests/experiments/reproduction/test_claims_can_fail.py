"""For every claim of a paper there are runs that refute it: a verdict says something about runs."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from ljr_runs import finished, frame_of
from made_runs import hmhs, lotes_drawn, mch_times, smso

from slotwise.experiments.reproduction import ljr as design
from slotwise.experiments.reproduction import lotes as lotes_figures
from slotwise.experiments.reproduction import lotes_stages as stages
from slotwise.experiments.reproduction import mch
from slotwise.experiments.reproduction.claims import Verdict, claims, is_size, table
from slotwise.experiments.reproduction.ljr import lb1_exceeds_lb2
from slotwise.experiments.reproduction.running import experiment

CLAIMS = [one.id for one in claims() if not is_size(one.id)]

REFUTING = {}
"""By name of a claim what gives it with the verdict that it does not hold."""


def refutes(*names):
    """Mark a function whose claims include some that do not hold."""

    def mark(made):
        kept = cache(made)
        REFUTING.update(dict.fromkeys(names, kept))
        return kept

    return mark


def numbered(paper, *numbers):
    return [f"{paper}-{number:02}" for number in numbers]


@pytest.mark.parametrize("name", CLAIMS)
def test_some_runs_refute_it(name):
    assert name in REFUTING, "no runs are known that refute it"
    (one,) = {claim for claim in REFUTING[name]() if claim.id == name}
    assert one.verdict is Verdict.DOES_NOT, one


def test_nothing_else_is_refuted():
    assert sorted(REFUTING) == sorted(CLAIMS)


PAIRS = [(name, design.OMEGA) for name in design.METHODS]


def ljr(name, errors, pairs=PAIRS, nodes=design.NODES, jobs=design.JOBS):
    """Claims of an item, from errors (%) worked out for each row of its design."""
    frame = frame_of(pairs, nodes, jobs, range(3))
    level = frame["ratio"].str[1].astype(int)
    frame["error_percent"] = errors(frame.assign(level=level), np.random.default_rng(0))
    own = finished(frame.drop(columns="level", errors="ignore"))
    return experiment(name).compare(own, "full").claims


def reversed_errors(frame, rng):
    """The policy harms, least at 20 nodes; more jobs harm; more nodes and higher ratios help."""
    harm = frame["method"].map({"EASS": 0.0, "EFSS": 2.0, "EFSS-L": 3.0, "TBS": 0.0, "TBS-L": 3.0})
    harm = harm.where(frame["nodes"] != 20, harm.clip(upper=1))
    base = 20 - 2 * frame["level"] + frame["jobs"] / 50 - frame["nodes"] / 10
    return base + harm + rng.normal(0, 1e-3, len(frame))


@refutes(*numbered("ljr", 12, 13, 14, 15, 16, 17, 18, 23, 24, 25, 26, 27))
def ljr_table_2():
    return ljr("ljr-table-2", reversed_errors)


@refutes("ljr-37")
def ljr_bounds():
    return [lb1_exceeds_lb2(21.0, 22.0)]


@refutes("ljr-19", "ljr-36")
def ljr_table_3():
    return ljr("ljr-table-3", reversed_errors)


@refutes("ljr-20")
def ljr_table_3_many_jobs():
    """The rules that are said to be worse for few jobs are worse for many."""

    def errors(frame, rng):
        of_rule = frame["method"].str.startswith("TBS") & (frame["jobs"] > 100)
        return 5 + 50 * of_rule + rng.normal(0, 0.1, len(frame))

    return ljr("ljr-table-3", errors)


def chance(frame, rng):
    return 5 + rng.normal(0, 1, len(frame))


@refutes("ljr-32")
def ljr_figure_4():
    return ljr("ljr-figure-4", chance)


@refutes("ljr-33")
def ljr_figure_5():
    return ljr("ljr-figure-5", chance)


@refutes("ljr-34", "ljr-35")
def ljr_small_differences():
    """A fiftieth apart, and without any chance."""

    def errors(frame, rng):
        place = frame["method"].map({name: k for k, name in enumerate(design.METHODS)})
        return 10 + 0.1 * place + frame["jobs"] / 1000 + rng.normal(0, 1e-3, len(frame))

    return ljr("ljr-figure-4", errors)


def calibration(errors):
    pairs = list(product(design.CALIBRATED, design.OMEGAS))
    return ljr("ljr-figure-3", errors, pairs, [10, 30], [50, 250])


@refutes(*numbered("ljr", 4, 5, 6, 7, 8, 9, 10))
def ljr_no_effect_of_omega():
    """Methods differ most; errors at R1 are the highest and spread most; omega does nothing."""

    def errors(frame, rng):
        method = frame["method"].map({name: k for k, name in enumerate(design.CALIBRATED)})
        spread = rng.lognormal(0, 1, len(frame)) / frame["level"] ** 2
        return 40 * method + frame["jobs"] / 50 + 20 - 4 * frame["level"] + spread

    return calibration(errors)


@refutes("ljr-03")
def ljr_least_omega_is_best():
    return calibration(lambda frame, rng: 1 + frame["omega"] + rng.normal(0, 0.01, len(frame)))


@refutes(*numbered("hmhs", 1, 2, 3, 4, 5, 6, 7, 8))
def hmhs_figure_1():
    """Less gain with more jobs; FIFO-Pri is level with HMHS, R-HMHS better and ever less so."""
    frame = hmhs("jobs", (20, 100, 200), lambda workload, jobs, seed: (
        50.0, 60.0 - jobs / 50 + seed / 10, 50.0 + seed / 10, 40.0 + jobs / 100, 45.0
    ))  # fmt: skip
    return experiment("hmhs-figure-1").compare(frame, "full").claims


@refutes("hmhs-09", "hmhs-10")
def hmhs_figure_2():
    """The more slow machines, the greater the gain."""
    frame = hmhs("cluster", (1, 3, 6), lambda workload, cluster, seed: (
        50.0, 60.0 + 10 * cluster, 70.0 + seed, 70.0 + seed, 50.0 + seed
    ))  # fmt: skip
    return experiment("hmhs-figure-2").compare(frame, "full").claims


def falls(nodes, gamma, seed):
    """Less growth on more nodes."""
    return (5 - nodes / 50) * (gamma > 0)


@refutes(*numbered("smso", 3, 4, 12))
def smso_figure_1():
    """The greater gamma, the better."""

    def growth(nodes, gamma, seed):
        return 6 - 200 * gamma + 0.01 * seed**4 * gamma

    return experiment("smso-figure-1").compare(smso(growth, stay=growth), "full").claims


@refutes("smso-05", "smso-06")
def smso_figure_2():
    return experiment("smso-figure-2").compare(smso(falls, stay=falls), "full").claims


def smso_table_1(growth):
    """All makespans half as long again, and that growth with outages."""
    cells = table("smso_table1").rename(columns={"instance": "seed"})
    before = cells.groupby(["seed", "nodes"])["makespan"].transform("first")
    frame = cells.assign(makespan=1.5 * before * (1 + growth * (cells["gamma"] > 0)))
    both = pd.concat([frame.assign(reduces=reading) for reading in ("again", "stay")])
    return experiment("smso-table-1").compare(both, "full").claims


@refutes("smso-07")
def smso_outages_help():
    return smso_table_1(-0.1)


@refutes(*numbered("smso", 8, 9, 10, 11))
def smso_outages_harm():
    return smso_table_1(0.3)


@refutes(*numbered("lotes", 1, 2, 3, 4, 5, 7, 19))
def lotes_stages():
    """Three classes everywhere, few bins, long times, and a bin with room for one more."""
    seen = stages.Stages((3,) * 10, 5, 50, 2.0, 100.0, 0.5, 0.5)
    return stages.claims_of(seen, (10, 20), stages.Bins(7.0, (2.0, 3.0), ((1, 1),)))


def lotes(frame):
    lotes_figures.stage_claims, kept = list, lotes_figures.stage_claims
    try:
        return [
            claim
            for figure in lotes_figures.EXPERIMENTS
            for claim in figure.compare(frame, "full").claims
        ]
    finally:
        lotes_figures.stage_claims = kept


@refutes(*numbered("lotes", 8, 10, 12, 13, 17, 18))
def lotes_drawn_runs():
    """LoTES waits longest and keeps a queue, Greedy is the worst at first."""
    first = {"lotes": 20.0, "greedy": 40.0, "tetris": 30.0, "best-fit": 50.0}
    return lotes(lotes_drawn(15_000.0, 5.0, 10_000.0, first=first))


@refutes(*numbered("mch", 3, 4, 5, 6))
def mch_figure_4():
    """Every share is another than printed, and moves when one leaf leaves."""
    from studies import run_here

    frame = run_here(mch.study_4("full"))
    shares = "[[0.1, 0.1, 0.1, 0.1, 0.1, 0.1], [0.2, 0.0, 0.2, 0.2, 0.2, 0.2]]"
    weights = "[[3, 3, 3, 3, 3, 3], [3, 3, 3, 3, 3, 3]]"
    wrong = frame.assign(shares_over_time=shares, weights_over_time=weights)
    return mch.EXPERIMENTS[0].compare(wrong, "full").claims


@refutes(*numbered("mch", 7, 8, 9, 10))
def mch_figure_5():
    """All methods take time in proportion to the nodes, but MCH, which takes its square."""
    frame = mch_times(lambda name, nodes, tasks: nodes**2 if name == "MCH" else 40 * nodes)
    return mch.EXPERIMENTS[1].compare(frame, "full").claims


@refutes(*numbered("mch", 11, 12, 13))
def mch_worked_examples():
    other = (((0.5, 0.5, 0.5), (0.4, 0.4, 0.4)),)
    return mch.claims_on_examples(
        mch.Worked(task_share=1.0, normalised=(2.0, 2.0), full=other, partial=other)
    )
