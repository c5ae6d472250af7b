"""What jobs hold of each resource, times how long, and how their demands differ in a class."""

from __future__ import annotations

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.errors import InputError
from .datacenter import Datacenter
from .workload import Workload, first_mean_time

WORK_TOLERANCE = 1e-9
"""Largest relative difference between the work of classes and that of the jobs they stand for."""


def work_of_classes(datacenter: Datacenter) -> FloatArray:
    """Work of a job of the classes, each where it is fastest (resource × `time_unit`), shape (R,).

    At an arrival rate λ the jobs hold λ times that of each resource, and of what there is at most
    all: no plan carries more.
    """
    least = datacenter.mean_time.min(axis=1)
    hold = datacenter.share * np.where(np.isfinite(least), least, 0.0)
    work: FloatArray = hold @ datacenter.request / datacenter.share.sum()
    return work


def work_of_jobs(workload: Workload) -> FloatArray:
    """Work of a job, each where its class is fastest (resource × `time_unit`), shape (R,)."""
    data, total = workload.datacenter, np.zeros(len(workload.datacenter.resources))
    for block in workload.blocks():
        total += _held(data, block.job_class, block.duration, block.demand * data.unit)
    return total / workload.jobs


def check_same_work(
    datacenter: Datacenter, job_class: IntArray, duration: FloatArray, request: FloatArray
) -> None:
    """Check that classes stand for the work of the jobs that they were made of.

    `job_class`: class of each job, -1 for one that has none, shape (jobs,).
    `duration`: duration (`time_unit`) on the first configuration that can run the class, shape
    (jobs,).
    Raises `InputError` if it differs in some resource.
    """
    known = job_class >= 0
    if not known.any():
        return
    jobs = _held(datacenter, job_class[known], duration[known], request[known]) / known.sum()
    classes = work_of_classes(datacenter)
    for r in np.flatnonzero(~np.isclose(classes, jobs, rtol=WORK_TOLERANCE, atol=0.0))[:1]:
        unit = f"{datacenter.resources[r]} × {datacenter.time_unit}"
        raise InputError(
            f"{datacenter.name}: a job holds {jobs[r]:.6g} {unit} on average, one of its class "
            f"{classes[r]:.6g}: a class must have its part of the jobs as share, the mean duration "
            "as time, and the mean request weighted by duration"
        )


def _held(
    datacenter: Datacenter, job_class: IntArray, duration: FloatArray, request: FloatArray
) -> FloatArray:
    """What the jobs hold in all, each where its class is fastest, shape (R,)."""
    speed = datacenter.mean_time.min(axis=1) / first_mean_time(datacenter)
    held: FloatArray = (duration * speed[job_class]) @ request
    return held


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
