"""How much the demands of jobs differ within their class."""

from __future__ import annotations

import numpy as np

from .workload import Workload


def spread_of(workload: Workload) -> float:
    """Coefficient of variation of the jobs' demands within their class, of all classes together.

    It is the root of the mean of its square over the classes and the resources that they request,
    each class weighted by its number of jobs. Lognormal factors with a coefficient of variation x
    on all requests give x.

    Returns at least 0; 0 without jobs.
    """
    request = workload.datacenter.request
    number = np.zeros(len(request))
    mean, square = np.zeros_like(request), np.zeros_like(request)
    for block in workload.blocks():
        number += np.bincount(block.job_class, minlength=len(number))
        np.add.at(mean, block.job_class, block.demand.astype(float))
    mean /= np.maximum(number, 1)[:, None]
    for block in workload.blocks():
        np.add.at(square, block.job_class, (block.demand - mean[block.job_class]) ** 2)
    counted = (mean > 0) & (request > 0)
    squares = np.divide(square, mean**2, out=np.zeros_like(square), where=counted)
    jobs = float((number[:, None] * counted).sum())
    return float(np.sqrt(squares.sum() / jobs)) if jobs else 0.0
