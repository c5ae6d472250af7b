"""What [LJR] says about which errors are less than which: true or not, case by case.

Each function takes a table of mean errors as `ljr.wide` gives it, ours or the printed one, and
tells for each case whether the claim is true there. A case that the table has not is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

Cases = list[bool]

METHODS = ("EASS", "EFSS", "EFSS-L", "TBS", "TBS-L")
WITHOUT, WITH_POLICY = ("EFSS", "TBS"), ("EFSS-L", "TBS-L")
"""Methods that have a version with the improvement policy, and these."""

ODD = 20
"""Nodes: the one number in Table 2 that is a multiple of the four replicas."""

FEW_JOBS = 100
"""Up to so many jobs TBS is said to be much worse."""

MUCH = 1.1
"""Much worse is at least so many times the error of the worst of the other methods."""

LITTLE = 0.1
"""A small part of the whole."""

PAIRS = tuple(zip(WITHOUT, WITH_POLICY, strict=True))


def policy_best_at_equal_slots(table: pd.DataFrame) -> Cases:
    """R1, on average: EFSS-L and TBS-L below each of the others."""
    return _all_below(_of_ratio(table, "R1"), WITH_POLICY)


def efss_local_best_at_twice(table: pd.DataFrame) -> Cases:
    """R2, on average: EFSS-L below each of the others."""
    return _all_below(_of_ratio(table, "R2"), ("EFSS-L",))


def efss_best_at_thrice(table: pd.DataFrame) -> Cases:
    """R3, on average: EFSS and EFSS-L below each of the others."""
    return _all_below(_of_ratio(table, "R3"), ("EFSS", "EFSS-L"))


def policy_better(table: pd.DataFrame) -> Cases:
    """With the policy better than without: over all, and at each ratio."""
    averages = [table.mean(), *(row for _, row in _averages(table, "ratio").iterrows())]
    return [bool(row[with_it] < row[without]) for row in averages for without, with_it in PAIRS]


def grows_with_ratio(table: pd.DataFrame) -> Cases:
    """For each number of jobs the mean of all methods grows from ratio to ratio."""
    by_jobs = table.mean(axis=1).groupby(level=["jobs", "ratio"]).mean().unstack("ratio")
    return [bool((row.diff().iloc[1:] > 0).all()) for _, row in by_jobs.iterrows()]


def falls_with_jobs(table: pd.DataFrame) -> Cases:
    """For each ratio: every step down, the first one the longest, the last one short."""
    cases: Cases = []
    by_ratio = table.mean(axis=1).groupby(level=["ratio", "jobs"]).mean().unstack("jobs")
    for _, row in by_ratio.iterrows():
        drops = -row.diff().iloc[1:]
        cases += [bool(drop > 0) for drop in drops]
        if len(drops) > 1:
            cases.append(bool(drops.idxmax() == drops.index[0]))
            cases.append(bool(drops.iloc[-1] < LITTLE * drops.sum()))
    return cases


def efss_local_least(table: pd.DataFrame) -> Cases:
    """For each number of jobs EFSS-L has the least error."""
    return [bool(row.idxmin() == "EFSS-L") for _, row in _averages(table, "jobs").iterrows()]


def task_based_bad_for_few_jobs(table: pd.DataFrame) -> Cases:
    """TBS and TBS-L much worse than all others for few jobs, and not for many."""
    cases: Cases = []
    for jobs, row in _averages(table, "jobs").iterrows():
        limit = MUCH * max(row[name] for name in METHODS if not name.startswith("TBS"))
        cases += [bool((row[name] > limit) == (jobs <= FEW_JOBS)) for name in ("TBS", "TBS-L")]
    return cases


def least_but_at_odd_nodes(table: pd.DataFrame) -> Cases:
    """R2: EFSS-L least for each number of jobs and nodes, except at 20 nodes."""
    return [
        bool((row.idxmin() == "EFSS-L") == (nodes != ODD))
        for (nodes, _), row in _of_ratio(table, "R2").iterrows()
    ]


def policy_better_at_twice(table: pd.DataFrame) -> Cases:
    """R2: with the policy better than without, for each number of jobs and nodes but 20."""
    return [
        bool(row[with_it] < row[without])
        for (nodes, _), row in _of_ratio(table, "R2").iterrows()
        for without, with_it in PAIRS
        if nodes != ODD
    ]


def policy_better_at_odd_nodes(table: pd.DataFrame) -> Cases:
    """The same at 20 nodes."""
    return [
        bool(row[with_it] < row[without])
        for (nodes, _), row in _of_ratio(table, "R2").iterrows()
        for without, with_it in PAIRS
        if nodes == ODD
    ]


def grows_with_nodes(table: pd.DataFrame) -> Cases:
    """R2: for each method and number of jobs every step to more nodes, 20 left out, is upwards."""
    rows = _of_ratio(table, "R2")
    rows = rows[rows.index.get_level_values("nodes") != ODD]
    steps = rows.stack().unstack("nodes").diff(axis=1).iloc[:, 1:]
    return [bool(step > 0) for step in steps.to_numpy().ravel()]


def falls_with_jobs_everywhere(table: pd.DataFrame) -> Cases:
    """For each method, ratio and number of nodes no step to more jobs is upwards."""
    steps = table.stack().unstack("jobs").diff(axis=1).iloc[:, 1:]
    return [bool(step <= 0) for step in steps.to_numpy().ravel()]


def policy_weak_at_odd_nodes(table: pd.DataFrame) -> Cases:
    """For each ratio the policy gains far less at 20 nodes than at all other numbers of nodes."""
    cases: Cases = []
    for _, rows in _averages(table, "ratio", "nodes").groupby(level="ratio"):
        at = rows.droplevel("ratio")
        if ODD not in at.index or len(at) < 2:
            continue
        for without, with_it in PAIRS:
            gain = at[without] - at[with_it]
            cases.append(bool(gain[ODD] < 0.5 * gain.drop(ODD).min()))
    return cases


def _averages(table: pd.DataFrame, *by: str) -> pd.DataFrame:
    return table.groupby(level=list(by)).mean()


def _of_ratio(table: pd.DataFrame, ratio: str) -> pd.DataFrame:
    """The rows of a ratio, by nodes and jobs."""
    return table[table.index.get_level_values("ratio") == ratio].droplevel("ratio")


def _all_below(rows: pd.DataFrame, names: tuple[str, ...]) -> Cases:
    """Whether the means of some methods are below those of each of the others."""
    if rows.empty:
        return []
    mean: Any = rows.mean()
    others = [name for name in METHODS if name not in names]
    return [bool(mean[name] < mean[other]) for name in names for other in others]
